"""Comparable strict accuracy: the probability that a fixed number of questions per concept are all correct.

Families differ in size, and a large one is rarely all correct. Here each family gives the probability that ``size`` of
its questions, drawn without replacement, are all correct; smaller families are left out. Questions that differ only in
their distractors are one question with the mean credit of its forms. A separate level ("same question") requires all
forms of a question to be correct (wordnetqa, sections 3.1.1 and 4.3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from horsesense.stats.accuracy import accuracy
from horsesense.stats.intervals import Estimate, rate_interval
from horsesense.stats.resampling import RESAMPLES, Floats, spread, totals

SIZES = (2, 4)


@dataclass(frozen=True, slots=True)
class StrictAt:
    """Strict accuracy at one size; ``n`` counts families."""

    level: str
    """``concept``: questions of a concept; ``same question``: forms of a question that differ in their distractors."""
    size: int
    """Number of questions or forms that must be correct."""
    strict: Estimate
    """Probability that ``size`` of them, drawn from one family, are all correct; ``chance`` is the chance level."""
    independent: Estimate
    """Expected value under independent errors: the accuracy in these families to that power."""


def all_right(credits: Sequence[float], size: int) -> float:
    """Average the product of ``size`` credits over all subsets of that size.

    >>> all_right([1, 1, 0], 2), all_right([1, 0.5], 2)
    (0.3333333333333333, 0.5)
    """
    sums = np.zeros(size + 1)
    sums[0] = 1.0
    ways = np.zeros(size + 1)
    ways[0] = 1.0
    for credit in credits:
        sums[1:] += credit * sums[:-1]
        ways[1:] += ways[:-1].copy()
    return float(sums[size] / ways[size])


def strict_at_sizes(
    values: Floats | Sequence[float],
    concepts: Sequence[str],
    questions: Sequence[str],
    option_counts: Sequence[int],
    sizes: Sequence[int] = SIZES,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> list[StrictAt]:
    """Estimate both levels at each size that some family has; items without a gold (nan) are left out.

    ``questions`` identify questions irrespective of their distractors; a tie counts as wrong.
    """
    credit = np.asarray(values, dtype=np.float64)
    forms: dict[tuple[str, str], list[float]] = {}
    guesses: list[float] = []
    for value, concept, question, count in zip(credit, concepts, questions, option_counts, strict=True):
        if not np.isnan(value):
            forms.setdefault((concept, question), []).append(float(value == 1))
            guesses.append(1 / count)
    chance = float(np.mean(guesses)) if guesses else 0.0
    of_concept: dict[str, list[float]] = {}
    for (concept, _), earned in forms.items():
        of_concept.setdefault(concept, []).append(float(np.mean(earned)))
    same = {f"{concept}\0{question}": earned for (concept, question), earned in forms.items()}
    units = {name: name.partition("\0")[0] for name in same}
    rows = []
    for level, families in (("concept", of_concept), ("same question", same)):
        for size in sizes:
            large = {name: earned for name, earned in families.items() if len(earned) >= size}
            if len(large) > 1:
                rows.append(_at(level, size, large, units, chance**size, seed, resamples))
    return rows


def _at(
    level: str,
    size: int,
    families: dict[str, list[float]],
    units: dict[str, str],
    chance: float,
    seed: int,
    resamples: int,
) -> StrictAt:
    names = [units.get(name, name) for name in families]
    strict = accuracy([all_right(e, size) for e in families.values()], names, chance, seed=seed, resamples=resamples)
    means = np.array([float(np.mean(earned)) for earned in families.values()])

    def power(drawn: Floats) -> Floats:
        raised: Floats = (drawn[:, 0] / drawn[:, 1]) ** size
        return raised

    table = totals([means, np.ones(len(means))], names)
    value = float(power(table.total[None, :])[0])
    ends = rate_interval(value, spread(power, table, seed, resamples), table.number, strict.level)
    return StrictAt(level, size, strict, replace(strict, value=value, ci=ends, chance=None))
