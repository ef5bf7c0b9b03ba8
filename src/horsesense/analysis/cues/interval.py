"""Intervals for many cues at once, in the manner of `horsesense.analysis.accuracy`.

There the variance comes from drawing units thousands of times; forty cues over 150,000 items cannot wait for
that, so here it is the value that these draws converge to.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from horsesense.analysis.accuracy import Estimate
from horsesense.analysis.cues.tokens import Floats, Ints
from horsesense.analysis.intervals import rate_interval, unit_note
from horsesense.analysis.resampling import Units, exchangeable_spread


def estimates(
    credit: NDArray[np.float32] | Floats, units: Ints, chance: float, level: float = 0.95, seed: int = 0
) -> list[Estimate]:
    """The mean of each column of ``credit`` (items × cues) with its interval.

    >>> estimates(np.array([[1.0], [0.0], [1.0], [1.0]]), np.array([0, 0, 1, 2]), 0.5)[0].value
    0.75
    """
    sizes = np.bincount(units).astype(np.float64)
    number = len(sizes)
    found = []
    for column in np.asarray(credit, dtype=np.float64).T:
        sums = np.bincount(units, weights=column)
        value = min(1.0, float(column.mean()))
        residual = sums - value * sizes
        linear = float(residual @ residual) / len(column) ** 2 * number / max(number - 1, 1)
        kinds = np.stack([sums, sizes, np.bincount(units, weights=column**2)], axis=1)
        alike = exchangeable_spread(Units(kinds, np.ones(number, dtype=np.int64))) if number > 1 else 0.0
        low, high = rate_interval(value, max(linear, alike), number, level)
        method, note = "linearised cluster variance, beta", unit_note(number)
        found.append(Estimate(len(column), number, value, low, high, level, chance, method, seed, note))
    return found
