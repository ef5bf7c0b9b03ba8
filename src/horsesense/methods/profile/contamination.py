"""Contamination or sense: frozen halves against their twins, all abilities in one test.

Frozen probe and twin are random halves, by group, of one draw of one recipe, and only the frozen one is published. A
model that has seen it does better there. Groups were parted by lot, and not items, so every group weighs the same,
however many of its items are asked: where the frozen half goes deeper into its groups than the twin, large groups would
weigh more there. The difference is taken within each ability, abilities weigh by the groups that they bring (Mantel and
Haenszel). It finds memory of items, not of WordNet.

GSM1k (Zhang and others 2024) is a second set written by hand after the first was published, so that a difference may
also be one of difficulty; here a coin parted the halves. Oren and others (2023) ask whether the published order of
the items is likelier than a shuffled one: that needs the probability of whole files, and finds memory of a file, not
of an answer.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy

from horsesense.analysis.intervals import Estimate, unit_note
from horsesense.analysis.resampling import NOTHING, Floats
from horsesense.methods.profile.finding import Contamination
from horsesense.methods.profile.item_scores import Bools, ItemScores, Strings

LEAST_UNITS = 2
"""Of each half: one unit does not tell how much units differ."""
TELLING = 0.10
"""Where not even so large a difference would be found, nothing is said of memory: the lot parts few groups unevenly,
and all models that answer alike share that luck."""


def halved(every: Sequence[ItemScores]) -> list[tuple[ItemScores, Bools]]:
    """The every that have both halves, with what belongs to the twin."""
    found = []
    for scores in every:
        if (
            scores.twin is not None
            and min(_number(scores.units[half]) for half in (scores.twin, ~scores.twin)) >= LEAST_UNITS
        ):
            found.append((scores, scores.twin))
    return found


def _number(names: Strings) -> int:
    return len(np.unique(names))


def frozen_minus_twin(every: Sequence[ItemScores], level: float = 0.95) -> Estimate | None:
    """Accuracy on frozen halves minus that on twins, pooled over abilities; None where no ability has both halves."""
    both = halved(every)
    if not both:
        return None
    numbers = np.array([[_number(scores.units[half]) for half in (~twin, twin)] for scores, twin in both])
    weights = numbers.prod(axis=1) / numbers.sum(axis=1)
    value, scores = 0.0, []
    for (scores, twin), share in zip(both, (weights / weights.sum()).tolist(), strict=True):
        score = np.zeros(len(scores))
        for half, sign in ((~twin, 1), (twin, -1)):
            own, alike = scores.right[half], _alike(scores.units[half])
            mean, units = float(alike @ own), _number(scores.units[half])
            value += sign * share * mean
            # Each mean was fitted to its own units, which lie nearer to it than new ones would.
            score[half] = sign * share * alike * (own - mean) * (units / (units - 1)) ** 0.5
        scores.append(score)
    every = np.concatenate(scores)
    names = [np.char.add(f"{scores.method}\t", scores.units) for scores, _ in both]
    variance, number = _spread(every, np.concatenate(names))
    if any(scores.crossed is not None for scores, _ in both):
        others = [
            own if scores.crossed is None else np.char.add(f"{scores.method}\t", scores.crossed)
            for (scores, _), own in zip(both, names, strict=True)
        ]
        pairs = [np.char.add(np.char.add(own, "\t"), other) for own, other in zip(names, others, strict=True)]
        second, count = _spread(every, np.concatenate(others))
        together, _ = _spread(every, np.concatenate(pairs))
        variance, number = max(variance + second - together, variance, second), min(number, count)
    freedom = max(1, number - 2 * len(both))
    reach = _quantile(freedom, (1 + level) / 2) * variance**0.5 if variance > NOTHING else 1 - 0.05 ** (1 / number)
    n = sum(len(scores) for scores, _ in both)
    return Estimate(value, (value - reach, value + reach), n, number, 0.0, level, "clustered, t", 0, unit_note(number))


def _alike(names: Strings) -> Floats:
    """A weight for each item, so that every unit weighs the same and all of them 1.

    >>> _alike(np.array(["a", "a", "b"])).tolist()
    [0.25, 0.25, 0.5]
    """
    _, places, counts = np.unique(names, return_inverse=True, return_counts=True)
    weights: Floats = 1 / (len(counts) * counts[places])
    return weights


def _spread(scores: Floats, names: Strings) -> tuple[float, int]:
    """Variance of a sum of residuals over units."""
    sums = np.bincount(np.unique(names, return_inverse=True)[1], weights=scores)
    return float(sums @ sums), len(sums)


def _quantile(freedom: int, at: float) -> float:
    return float(scipy.special.stdtrit(freedom, at))


def memory(every: Sequence[ItemScores], level: float = 0.95) -> Contamination:
    """The contamination check: one difference for all abilities that have a twin."""
    difference = frozen_minus_twin(every, level)
    if difference is None:
        return Contamination(None, 1.0, False, False, (), None)
    both = halved(every)
    freedom = max(1, difference.clusters - 2 * len(both))
    bar = _quantile(freedom, (1 + level) / 2)
    error = (difference.high - difference.low) / 2 / bar
    p = float(scipy.special.stdtr(freedom, -difference.value / error))
    least = error * (bar + _quantile(freedom, 0.8))
    told = least <= TELLING
    return Contamination(
        difference, p, told, told and difference.low > 0, tuple(scores.ability for scores, _ in both), least
    )
