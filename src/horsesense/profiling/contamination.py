"""Contamination: frozen halves compared with their twins, all abilities in one test and each separately.

Frozen probe and twin are random halves, by cluster, of one draw of one recipe, and only the frozen one is published. A
model that has seen it does better there. Clusters were randomised, not items, so every cluster has the same weight,
however many of its items are asked. Otherwise large clusters would weigh more in the half with more items per cluster.
The difference is computed within each ability, and abilities are weighted by their clusters (Mantel and Haenszel). It
detects contamination with the items, not with WordNet.

A significant difference is contamination, however few the items. Low power limits only claims of absence.

GSM1k (Zhang and others 2024) is a second dataset written by hand after the first was published, so a difference may
also be one of difficulty; here the halves were randomised. Oren and others (2023) test whether the published order of
the items is likelier than a shuffled one: that needs the probability of whole files, and detects contamination with a
file, not with an answer.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy

from horsesense.profiling.finding import Contamination
from horsesense.profiling.item_scores import Bools, ItemScores, Strings
from horsesense.stats.intervals import Estimate, unit_note
from horsesense.stats.resampling import NOTHING, Floats, cluster_covariance, codes_of

LEAST_CLUSTERS = 2
"""Minimum number of clusters per half: a single cluster does not show the variance between clusters."""
ALPHA = 0.001
"""One-sided level of the test of all abilities together, and of single abilities (Bonferroni). It is strict because
the finding accuses a model, and models that answer alike share the chance of one split."""
SUSPECT = 0.025
"""One-sided level for single abilities if all together are contaminated."""
TELLING = 0.10
"""Detectable difference above which absence is not claimed."""


def halved(every: Sequence[ItemScores]) -> list[tuple[ItemScores, Bools]]:
    """Return the abilities that have both halves, with the mask of the twin."""
    found = []
    for scores in every:
        twin = scores.twin
        if twin is not None and min(_number(scores.clusters[half]) for half in (twin, ~twin)) >= LEAST_CLUSTERS:
            found.append((scores, twin))
    return found


def _number(names: Strings) -> int:
    return len(np.unique(names))


def frozen_minus_twin(every: Sequence[ItemScores], level: float = 0.95) -> Estimate | None:
    """Estimate accuracy on frozen halves minus that on twins, pooled over abilities; None without both halves."""
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
            # Each mean was fitted to its own clusters, which are closer to it than new ones would be.
            part[half] = sign * share * alike * (own - mean) * (clusters / (clusters - 1)) ** 0.5
        parts.append(part)
    residuals = np.concatenate(parts)
    names = [np.char.add(f"{scores.method}\t", scores.clusters) for scores, _ in both]
    groupings = [codes_of(np.concatenate(names))]
    if any(scores.crossed is not None for scores, _ in both):
        others = [
            own if scores.crossed is None else np.char.add(f"{scores.method}\t", scores.crossed)
            for (scores, _), own in zip(both, names, strict=True)
        ]
        groupings.append(codes_of(np.concatenate(others)))
    number = min(int(codes.max()) + 1 for codes in groupings)
    variance = float(cluster_covariance(residuals, groupings))
    reach = _quantile(_freedom(number, both), (1 + level) / 2) * _error(variance, number)
    n = sum(len(scores) for scores, _ in both)
    return Estimate(value, (value - reach, value + reach), n, number, 0.0, level, "clustered, t", 0, unit_note(number))


def _freedom(clusters: int, both: Sequence[object]) -> int:
    return max(1, clusters - 2 * len(both))


def _error(variance: float, clusters: int) -> float:
    """Return the standard error; if no cluster differs from its half's mean, that of one cluster that might."""
    return variance**0.5 if variance > NOTHING else 1 / clusters


def _alike(names: Strings) -> Floats:
    """Weight items so that every cluster has the same weight and the weights sum to 1.

    >>> _alike(np.array(["a", "a", "b"])).tolist()
    [0.25, 0.25, 0.5]
    """
    _, places, counts = np.unique(names, return_inverse=True, return_counts=True)
    weights: Floats = 1 / (len(counts) * counts[places])
    return weights


def _quantile(freedom: int, at: float) -> float:
    return float(scipy.special.stdtrit(freedom, at))


def contamination(every: Sequence[ItemScores], level: float = 0.95, alpha: float = ALPHA) -> Contamination:
    """Test for contamination: all abilities with a twin in one test, and each separately."""
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
    """Return the twin half if the frozen one is contaminated, in all abilities together or in this one; else all."""
    twin = scores.twin
    if (
        twin is None
        or scores.ability not in found.abilities
        or not (found.found or scores.ability in found.contaminated)
    ):
        return scores
    return scores.take(twin)


def is_untestable(scores: ItemScores, found: Contamination) -> bool:
    """Whether knowledge cannot be separated from memory: the model is contaminated elsewhere, and there is no twin."""
    return found.found and scores.twin is None
