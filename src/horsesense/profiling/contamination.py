"""Contamination: frozen halves against their twins, all abilities in one test and each by itself.

Frozen probe and twin are random halves, by cluster, of one draw of one recipe, and only the frozen one is published. A
model that has seen it does better there. Clusters were parted by lot, and not items, so every cluster weighs the same,
however many of its items are asked: where the frozen half goes deeper into its clusters than the twin, large clusters
would weigh more there. The difference is taken within each ability, abilities weigh by the clusters that they bring
(Mantel and Haenszel). It finds memory of items, not of WordNet.

A significant difference is contamination, however few the items. Low power limits only what may be said where no
difference is found.

GSM1k (Zhang and others 2024) is a second set written by hand after the first was published, so that a difference may
also be one of difficulty; here a coin parted the halves. Oren and others (2023) ask whether the published order of
the items is likelier than a shuffled one: that needs the probability of whole files, and finds memory of a file, not
of an answer.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy

from horsesense.profiling.finding import Contamination
from horsesense.profiling.item_scores import Bools, ItemScores, Strings
from horsesense.stats.intervals import Estimate, unit_note
from horsesense.stats.resampling import NOTHING, Floats

LEAST_CLUSTERS = 2
"""Of each half: one cluster does not show how much clusters differ."""
ALPHA = 0.001
"""One-sided level of the test of all abilities together, and of them one by one (Bonferroni): it accuses a model, and
everybody who answers alike shares the luck of one cut."""
SUSPECT = 0.025
"""One-sided level at which an ability is contaminated where all together are."""
TELLING = 0.10
"""Where not even so large a difference would be found, nothing is said of its absence."""


def halved(every: Sequence[ItemScores]) -> list[tuple[ItemScores, Bools]]:
    """The abilities that have both halves, with what belongs to the twin."""
    found = []
    for scores in every:
        twin = scores.twin
        if twin is not None and min(_number(scores.clusters[half]) for half in (twin, ~twin)) >= LEAST_CLUSTERS:
            found.append((scores, twin))
    return found


def _number(names: Strings) -> int:
    return len(np.unique(names))


def frozen_minus_twin(every: Sequence[ItemScores], level: float = 0.95) -> Estimate | None:
    """Accuracy on frozen halves minus that on twins, pooled over abilities; None where no ability has both halves."""
    both = halved(every)
    if not both:
        return None
    numbers = np.array([[_number(scores.clusters[half]) for half in (~twin, twin)] for scores, twin in both])
    weights = numbers.prod(axis=1) / numbers.sum(axis=1)
    value, parts = 0.0, []
    for (scores, twin), share in zip(both, (weights / weights.sum()).tolist(), strict=True):
        part = np.zeros(len(scores))
        for half, sign in ((~twin, 1), (twin, -1)):
            own, alike = scores.right[half], _alike(scores.clusters[half])
            mean, clusters = float(alike @ own), _number(scores.clusters[half])
            value += sign * share * mean
            # Each mean was fitted to its own clusters, which lie nearer to it than new ones would.
            part[half] = sign * share * alike * (own - mean) * (clusters / (clusters - 1)) ** 0.5
        parts.append(part)
    residuals = np.concatenate(parts)
    names = [np.char.add(f"{scores.method}\t", scores.clusters) for scores, _ in both]
    variance, number = _spread(residuals, np.concatenate(names))
    if any(scores.crossed is not None for scores, _ in both):
        others = [
            own if scores.crossed is None else np.char.add(f"{scores.method}\t", scores.crossed)
            for (scores, _), own in zip(both, names, strict=True)
        ]
        pairs = [np.char.add(np.char.add(own, "\t"), other) for own, other in zip(names, others, strict=True)]
        second, count = _spread(residuals, np.concatenate(others))
        together, _ = _spread(residuals, np.concatenate(pairs))
        variance, number = max(variance + second - together, variance, second), min(number, count)
    reach = _quantile(_freedom(number, both), (1 + level) / 2) * _error(variance, number)
    n = sum(len(scores) for scores, _ in both)
    return Estimate(value, (value - reach, value + reach), n, number, 0.0, level, "clustered, t", 0, unit_note(number))


def _freedom(clusters: int, both: Sequence[object]) -> int:
    return max(1, clusters - 2 * len(both))


def _error(variance: float, clusters: int) -> float:
    """Standard error; where no cluster differs from its half's mean, that of one cluster that might have."""
    return variance**0.5 if variance > NOTHING else 1 / clusters


def _alike(names: Strings) -> Floats:
    """A weight for each item, so that every cluster weighs the same and all of them 1.

    >>> _alike(np.array(["a", "a", "b"])).tolist()
    [0.25, 0.25, 0.5]
    """
    _, places, counts = np.unique(names, return_inverse=True, return_counts=True)
    weights: Floats = 1 / (len(counts) * counts[places])
    return weights


def _spread(residuals: Floats, names: Strings) -> tuple[float, int]:
    """Variance of a sum of residuals over clusters."""
    sums = np.bincount(np.unique(names, return_inverse=True)[1], weights=residuals)
    return float(sums @ sums), len(sums)


def _quantile(freedom: int, at: float) -> float:
    return float(scipy.special.stdtrit(freedom, at))


def contamination(every: Sequence[ItemScores], level: float = 0.95, alpha: float = ALPHA) -> Contamination:
    """Test for contamination: one difference for all abilities that have a twin, and which of them are contaminated."""
    difference = frozen_minus_twin(every, level)
    if difference is None:
        return Contamination(None, 1.0, False, alpha, (), (), None)
    both = halved(every)
    freedom = _freedom(difference.clusters, both)
    error = (difference.high - difference.low) / 2 / _quantile(freedom, (1 + level) / 2)
    p = float(scipy.special.stdtr(freedom, -difference.value / error))
    found = p < alpha
    contaminated = []
    tail = SUSPECT if found else alpha / len(both)
    for scores, _ in both:
        own = frozen_minus_twin([scores], 1 - 2 * tail)
        if own is not None and own.low > 0:
            contaminated.append(scores.ability)
    least = error * (_quantile(freedom, 1 - alpha) + _quantile(freedom, 0.8))
    names = tuple(scores.ability for scores, _ in both)
    return Contamination(difference, p, found, alpha, names, tuple(contaminated), least)


def judged_half(scores: ItemScores, found: Contamination) -> ItemScores:
    """The twin half where the frozen one is contaminated, in all abilities together or in this one; else all."""
    twin = scores.twin
    if (
        twin is None
        or scores.ability not in found.abilities
        or not (found.found or scores.ability in found.contaminated)
    ):
        return scores
    return scores.take(twin)
