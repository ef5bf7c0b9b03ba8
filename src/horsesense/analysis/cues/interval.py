"""Intervals for many cues at once, in the manner of `horsesense.analysis.accuracy`.

There the variance comes from drawing units thousands of times; forty cues over 150,000 items cannot wait for
that, so here it is the value that these draws converge to.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from horsesense.analysis.cues.tokens import Floats, Ints
from horsesense.analysis.intervals import Estimate, rate_interval, unit_note
from horsesense.analysis.resampling import Units, exchangeable_spread


def estimates(
    credit: NDArray[np.float32] | Floats,
    units: Ints,
    chance: float,
    level: float = 0.95,
    seed: int = 0,
    variance: Floats | None = None,
) -> list[Estimate]:
    """The mean of each column of ``credit`` (items × cues) with its interval.

    ``variance`` is that of each mean, where ``credit`` is itself a mean over splits.

    >>> estimates(np.array([[1.0], [0.0], [1.0], [1.0]]), np.array([0, 0, 1, 2]), 0.5)[0].value
    0.75
    """
    number = int(units.max()) + 1
    method, note = "linearised cluster variance, beta", unit_note(number)
    found = []
    for value, spread in zip(
        np.asarray(credit, dtype=np.float64).mean(axis=0).clip(max=1.0).tolist(),
        (variances(credit, units) if variance is None else variance).tolist(),
        strict=True,
    ):
        ends = rate_interval(value, spread, number, level)
        found.append(Estimate(value, ends, len(credit), number, chance, level, method, seed, note))
    return found


def variances(credit: NDArray[np.float32] | Floats, units: Ints) -> Floats:
    """Variance of the mean of each column, clustered by unit.

    Of credit that is measured over several splits this has to be asked split by split: a cue that picks the
    most after one half and the least after the other earns a mean that hardly varies from item to item, and
    is as uncertain as any guess.
    """
    sizes = np.bincount(units).astype(np.float64)
    number, items = len(sizes), len(credit)
    if number < 2:
        return np.zeros(credit.shape[1])
    found = []
    for column in np.asarray(credit, dtype=np.float64).T:
        sums = np.bincount(units, weights=column)
        residual = sums - column.mean() * sizes
        linear = float(residual @ residual) / items**2 * number / (number - 1)
        kinds = np.stack([sums, sizes, np.bincount(units, weights=column**2)], axis=1)
        found.append(max(linear, exchangeable_spread(Units(kinds, np.ones(number, dtype=np.int64)))))
    return np.array(found)
