"""Cluster bootstrap: resampling of clusters of dependent items.

Items of one family are dependent, so a family is resampled as a whole, however many items it has.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Names = Sequence[str] | NDArray[np.str_] | NDArray[np.int64]
Statistic = Callable[[Floats], Floats]
"""From totals, one row per resample, to one value per row."""

RESAMPLES = 2000
NOTHING = 1e-20
"""Variance below which differences are rounding errors and all clusters are alike."""
CELLS = 4_000_000
"""Maximum number of values of a resample in memory."""


@dataclass(frozen=True, slots=True)
class Units:
    """Totals per cluster, with identical clusters grouped.

    Clusters with the same totals are interchangeable, so drawing clusters is drawing from these few kinds with a
    multinomial: the same distribution, at a cost independent of the number of items, and independent of their order.
    """

    kinds: Floats
    """One row per kind of cluster, one column per total."""
    counts: NDArray[np.int64]
    """Number of clusters of each kind."""

    @property
    def number(self) -> int:
        return int(self.counts.sum())

    @property
    def total(self) -> Floats:
        total: Floats = self.counts @ self.kinds
        return total


def unit_array(units: Names) -> NDArray[np.str_] | NDArray[np.int64]:
    """Convert cluster names to an array: numbers stay numbers, other values become strings."""
    names = np.asarray(units)
    return names.astype(np.int64) if names.dtype.kind in "iu" else np.asarray(units, dtype=str)


def totals(columns: Sequence[Floats], units: Names) -> Units:
    """Sum each column within each cluster.

    >>> both = totals([np.array([1.0, 0.0, 1.0]), np.ones(3)], ["ice", "ice", "fire"])
    >>> both.kinds.tolist(), both.counts.tolist()
    ([[1.0, 1.0], [1.0, 2.0]], [1, 1])
    """
    codes = _codes(units)
    sums = np.stack([np.bincount(codes, weights=column) for column in columns], axis=1)
    # Sums of thirds depend on the order in the last digit; clusters that differ by that are alike.
    table: Floats = sums.astype(np.float64).round(9)
    # Column by column: np.unique sorts whole rows, which took most of the time of a large report.
    table = table[np.lexsort(table.T[::-1])]
    first = np.ones(len(table), dtype=bool)
    first[1:] = (table[1:] != table[:-1]).any(axis=1)
    counts = np.diff(np.append(np.flatnonzero(first), len(table)))
    return Units(table[first], counts.astype(np.int64))


def _codes(units: Names) -> NDArray[np.int64]:
    """Number the clusters from 0. A dictionary is faster than sorting for strings."""
    if isinstance(units, np.ndarray) and units.dtype.kind == "i":
        return np.unique(units, return_inverse=True)[1].astype(np.int64)
    numbers: dict[Any, int] = {}
    return np.array([numbers.setdefault(unit, len(numbers)) for unit in units], dtype=np.int64)


def resample(units: Units, seed: int = 0, resamples: int = RESAMPLES) -> Floats:
    """Return the totals of ``resamples`` sets of clusters drawn with replacement, one row each."""
    rng = np.random.default_rng(seed)
    shares = units.counts / units.number
    rows = max(1, CELLS // len(shares))
    steps = (min(rows, resamples - start) for start in range(0, resamples, rows))
    return np.concatenate([rng.multinomial(units.number, shares, size) @ units.kinds for size in steps])


def spread(statistic: Statistic, units: Units, seed: int = 0, resamples: int = RESAMPLES) -> float:
    """Return the cluster-bootstrap variance of a statistic of totals; nan for a single cluster."""
    if units.number < 2:
        return float("nan")
    drawn = statistic(resample(units, seed, resamples))
    # The variance of a resample of K clusters is (K - 1)/K times that of K new clusters.
    return float(np.var(drawn)) * units.number / (units.number - 1)


def exchangeable_spread(units: Units) -> float:
    """Return the variance of a mean if clusters differ only in size: one intra-class correlation for all.

    Columns are sum, size and sum of squares. The correlation comes from an analysis of variance and may be negative, as
    it is for twins of which a model always gets exactly one right.

    >>> credit = np.array([1.0, 0.0, 1.0, 0.0])
    >>> alone = totals([credit, np.ones(4), credit**2], ["a", "b", "c", "d"])
    >>> together = totals([credit, np.ones(4), credit**2], ["a", "b", "a", "b"])
    >>> round(exchangeable_spread(alone), 3), round(exchangeable_spread(together), 3)
    (0.083, 0.25)
    """
    sums, sizes, squares = units.kinds.T
    number, (whole, n, square) = units.number, units.total
    mean = whole / n
    between = units.counts @ ((sums - mean * sizes) ** 2 / sizes) / (number - 1)
    within = units.counts @ (squares - sums**2 / sizes) / (n - number) if n > number else 0.0
    typical = (n - units.counts @ sizes**2 / n) / (number - 1)
    both = between + (typical - 1) * within
    correlation = min((between - within) / both, 1.0) if n > number and both > NOTHING else 0.0
    inflation = units.counts @ (sizes * (1 + (sizes - 1) * correlation)) / n
    return float((square / n - mean**2) / n * inflation * number / (number - 1))


def codes_of(names: Names) -> NDArray[np.int64]:
    """Number names from 0, in their order.

    >>> codes_of(["b", "a", "b"]).tolist()
    [1, 0, 1]
    """
    return np.unique(np.asarray(names), return_inverse=True)[1].astype(np.int64)


def cluster_covariance(residuals: Floats, groupings: Sequence[NDArray[np.int64]], small_sample: bool = False) -> Floats:
    """Return the covariance of the sums of residuals (items, or items × columns) over one or two groupings of items.

    Two groupings are combined as by Cameron, Gelbach and Miller (2011). The combined variance may be below a one-way
    variance; the larger is then the conservative choice. ``small_sample`` multiplies by clusters / (clusters - 1).

    >>> cluster_covariance(np.array([1.0, 1.0, -2.0]), [codes_of(["a", "a", "b"])])
    array(8.)
    """

    def one_way(codes: NDArray[np.int64]) -> Floats:
        sums = np.stack([np.bincount(codes, weights=column) for column in np.atleast_2d(residuals.T)], axis=1)
        number = len(sums)
        factor = number / (number - 1) if small_sample and number > 1 else 1.0
        spread = np.asarray(sums.T @ sums * factor, dtype=np.float64)
        return spread if residuals.ndim > 1 else spread[0, 0]

    alone = [one_way(codes) for codes in groupings]
    if len(groupings) > 1:
        first, second = groupings
        alone.append(alone[0] + alone[1] - one_way(codes_of(first * (second.max() + 1) + second)))
    return np.asarray(max(alone, key=lambda spread: float(np.trace(np.atleast_2d(spread)))))


def mean_spread(
    values: Floats, units: Names, crossed: Names | None = None, seed: int = 0, resamples: int = RESAMPLES
) -> tuple[float, int]:
    """Return the variance of a mean over dependent items, and the number of clusters.

    The bootstrap makes no assumption, but if few clusters contain most items or most errors it is noisy, and smallest
    when the mean is furthest off. One correlation for all clusters is more stable, but may be wrong. The wider of the
    two has the best coverage (docs/results/intervals.md).

    Two crossed groupings (parts × wholes) are combined as by Cameron, Gelbach and Miller (2011): the sum of both
    variances minus that of their intersection. Owen's pigeonhole bootstrap was tried and is far too wide where most
    pairs occur once.
    """
    columns = [values, np.ones(len(values)), values**2]

    def one_way(names: Names) -> tuple[float, int]:
        grouped = totals(columns, names)
        if grouped.number < 2:
            return float("nan"), grouped.number
        drawn = spread(lambda drawn: drawn[:, 0] / drawn[:, 1], grouped, seed, resamples)
        return max(drawn, exchangeable_spread(grouped)), grouped.number

    first, number = one_way(units)
    if crossed is None:
        return first, number
    second, other = one_way(crossed)
    codes = [np.unique(np.asarray(names), return_inverse=True)[1] for names in (units, crossed)]
    pairs, _ = one_way(codes[0] * other + codes[1])
    return max(first + second - pairs, first, second), min(number, other)
