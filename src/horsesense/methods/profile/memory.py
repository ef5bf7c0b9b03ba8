"""Memory or sense: frozen halves against their twins, all abilities in one test.

Frozen probe and twin are random halves, by group, of one draw of one recipe, and only the frozen one is published. A
model that has seen it does better there. The difference is taken within each ability, abilities weigh by the items
that they bring (Mantel and Haenszel), and the variance is over units of dependence. It finds memory of items, not of
WordNet.

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
from horsesense.methods.profile.finding import Memory
from horsesense.methods.profile.sheet import Sheet


def frozen_less_twin(sheets: Sequence[Sheet], level: float = 0.95) -> Estimate | None:
    """Accuracy on frozen halves minus that on twins, pooled over abilities; None where no ability has both halves."""
    halved = [sheet for sheet in sheets if sheet.twin is not None and 0 < sheet.twin.sum() < len(sheet)]
    if not halved:
        return None
    weights = [int(s.twin.sum()) * int((~s.twin).sum()) / len(s) for s in halved if s.twin is not None]
    value = 0.0
    scores: list[Floats] = []
    for sheet, weight in zip(halved, weights, strict=True):
        assert sheet.twin is not None
        frozen, twin = sheet.right[~sheet.twin], sheet.right[sheet.twin]
        share = weight / sum(weights)
        value += share * float(frozen.mean() - twin.mean())
        residual = np.where(sheet.twin, -(sheet.right - twin.mean()) / len(twin), 0.0)
        residual[~sheet.twin] = (frozen - frozen.mean()) / len(frozen)
        scores.append(share * residual)
    names = np.concatenate([np.char.add(f"{sheet.method}\t", sheet.units) for sheet in halved])
    every = np.concatenate(scores)
    variance, number = _spread(every, names)
    crossed = [
        np.char.add(f"{sheet.method}\t", sheet.units if sheet.crossed is None else sheet.crossed) for sheet in halved
    ]
    if any(sheet.crossed is not None for sheet in halved):
        others = np.concatenate(crossed)
        second, count = _spread(every, others)
        pairs, _ = _spread(every, np.char.add(np.char.add(names, "\t"), others))
        variance, number = max(variance + second - pairs, variance, second), min(number, count)
    n = sum(len(sheet) for sheet in halved)
    reach = _quantile(number, (1 + level) / 2) * variance**0.5 if variance > NOTHING else 1 - 0.05 ** (1 / number)
    ends = (value - reach, value + reach)
    return Estimate(value, ends, n, number, 0.0, level, "clustered, t", 0, unit_note(number))


def _spread(scores: Floats, names: np.ndarray[tuple[int], np.dtype[np.str_]]) -> tuple[float, int]:
    """Variance of a sum of residuals over units."""
    sums = np.bincount(np.unique(names, return_inverse=True)[1], weights=scores)
    number = len(sums)
    return float(sums @ sums) * number / max(1, number - 1), number


def _quantile(units: int, at: float) -> float:
    return float(scipy.special.stdtrit(max(1, units - 1), at))


def memory(sheets: Sequence[Sheet], level: float = 0.95) -> Memory:
    """The contamination check: one difference for all abilities that have a twin."""
    difference = frozen_less_twin(sheets, level)
    if difference is None:
        return Memory(None, 1.0, False, (), None)
    error = (difference.high - difference.low) / 2 / _quantile(difference.clusters, (1 + level) / 2)
    p = float(scipy.special.stdtr(difference.clusters - 1, -difference.value / error)) if error > 0 else 1.0
    least = error * (_quantile(difference.clusters, (1 + level) / 2) + _quantile(difference.clusters, 0.8))
    abilities = tuple(s.ability for s in sheets if s.twin is not None and 0 < s.twin.sum() < len(s))
    return Memory(difference, p, difference.low > 0, abilities, least)
