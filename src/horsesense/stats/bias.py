"""Does a model know the answer, or does it like the word? Positivity bias (RICA, section 4.3, figure 5).

Accuracy by valence of the right word mixes two things: how well a model tells when the positive word is right, and
how gladly it says it. Signal detection theory takes them apart: sensitivity d′ and criterion c.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from horsesense.core import Item
from horsesense.errors import UserError
from horsesense.lexicons.valence import comparative_valence
from horsesense.stats.accuracy import accuracy
from horsesense.stats.combined import Function, combined_interval, rates_of, z
from horsesense.stats.intervals import Estimate, check_level, unit_note
from horsesense.stats.resampling import RESAMPLES, Floats, Names, Statistic, unit_array

LEAST = 20
"""Items of each valence; fewer say nothing of a leaning."""

NO_LIMIT = (
    "answers of one valence may all be right or all wrong, which has no z: the interval has no limit on that side"
)


@dataclass(frozen=True, slots=True)
class Bias:
    """How answers depend on the valence of the right word."""

    positive: Estimate
    """Accuracy where the positive word is right."""
    negative: Estimate
    """Accuracy where the negative word is right."""
    sensitivity: Estimate
    """d′: 0 where the model cannot tell, whatever it prefers to say."""
    criterion: Estimate
    """c: below 0 where it leans to the positive word, 0 where it leans to neither."""


def right_word(item: Item) -> str:
    """The word that is right in a cloze, without the article it may come with; empty for another form.

    >>> right_word(Item("demo", "cloze", text="It is ___ bird.", options=("a bigger", "a smaller"), answer=0))
    'bigger'
    """
    return item.options[item.answer].split(" ")[-1] if item.form == "cloze" and item.answer is not None else ""


def valence_of(item: Item) -> int:
    """Valence of the right word: the probe's facet, or that of the comparative itself; 0 where neither is known.

    >>> valence_of(Item("demo", "cloze", text="Ice is ___.", options=("colder", "hotter"), answer=0))
    -1
    """
    stated = item.facets.get("valence")
    return stated if type(stated) is int else comparative_valence(right_word(item))


def valence_bias(
    values: Floats | Sequence[float],
    valences: Sequence[int],
    units: Names,
    level: float = 0.95,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Bias:
    """Bias of answers with two options, a positive and a negative word; ``valences`` are those of the right words.

    Items whose right word has no valence (0) or that have no gold are left out. A tie counts half.

    >>> bias = valence_bias([1, 1, 1, 0] * 20 + [0, 0, 1, 0] * 20, [1] * 80 + [-1] * 80, [str(k) for k in range(160)])
    >>> bias.positive.value, bias.negative.value, round(bias.criterion.value, 2), round(bias.sensitivity.value, 2)
    (0.75, 0.25, -0.66, 0.0)
    """
    check_level(level)
    credit, valence = np.asarray(values, dtype=np.float64), np.asarray(valences)
    if not len(credit) == len(valence) == len(units):
        raise UserError(f"there are {len(credit)} values, {len(valence)} valences and {len(units)} units")
    kept = ~np.isnan(credit) & (valence != 0)
    credit, up, names = credit[kept], valence[kept] > 0, unit_array(units)[kept]
    if up.all() or not up.any():
        raise UserError("all right words have one valence, so there is no bias to measure")
    whole = np.array([[credit[up].sum(), up.sum(), credit[~up].sum(), (~up).sum()]], dtype=np.float64)
    rates = rates_of([credit[up], 1 - credit[~up]], [names[up], names[~up]], seed, resamples)
    number = len(np.unique(names))

    def estimate(statistic: Statistic, of_rates: Function) -> Estimate:
        value = float(statistic(whole)[0])
        low, high = combined_interval(of_rates, rates, level)
        return Estimate(
            n=len(credit),
            clusters=number,
            value=value,
            ci=(min(low, value), max(high, value)),
            level=level,
            chance=0.0,
            method="intervals of hits and false alarms, combined",
            seed=seed,
            note=NO_LIMIT if np.isinf([low, high]).any() else unit_note(min(rates.numbers)),
        )

    return Bias(
        positive=accuracy(credit[up], names[up], 0.5, level, seed, resamples),
        negative=accuracy(credit[~up], names[~up], 0.5, level, seed, resamples),
        sensitivity=estimate(_sensitivity, lambda p: z(p[:, 0]) - z(p[:, 1])),
        criterion=estimate(_criterion, lambda p: -(z(p[:, 0]) + z(p[:, 1])) / 2),
    )


def leaning(items: Sequence[Item], values: Floats, units: Names) -> Bias | None:
    """The bias of answers to a probe, by the valence of each item's right word; None where that does not vary."""
    valences = [valence_of(item) if _is_between_two(item) else 0 for item in items]
    if min(valences.count(1), valences.count(-1)) < LEAST:
        return None
    return valence_bias(values, valences, units)


def _is_between_two(item: Item) -> bool:
    return item.answer is not None and len(item.options) == 2


def _rates(sums: Floats) -> tuple[Floats, Floats]:
    """z of hits and of false alarms, half an answer added to each side (Hautus, 1995): a rate of 1 has no z."""
    hits = (sums[:, 0] + 0.5) / (sums[:, 1] + 1)
    alarms = (sums[:, 3] - sums[:, 2] + 0.5) / (sums[:, 3] + 1)
    return scipy.special.ndtri(hits), scipy.special.ndtri(alarms)


def _sensitivity(sums: Floats) -> Floats:
    hits, alarms = _rates(sums)
    return hits - alarms


def _criterion(sums: Floats) -> Floats:
    hits, alarms = _rates(sums)
    criterion: Floats = -(hits + alarms) / 2
    return criterion
