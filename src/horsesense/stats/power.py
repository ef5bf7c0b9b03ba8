"""Power analysis: the number of items needed to detect a difference between two models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, isnan

import numpy as np
import scipy

from horsesense.errors import UserError
from horsesense.stats.intervals import check_level
from horsesense.stats.resampling import NOTHING, Floats, Names, mean_spread, unit_array

LEVEL = 0.95
"""Confidence level of the planned test; `Power.at` has others."""
MOST_UNITS = 10_000_000
"""Maximum number of families of a realistic probe; a difference that needs more counts as zero."""


@dataclass(frozen=True, slots=True)
class Power:
    """Requirements for detecting a paired difference, if the observed difference is the true one."""

    difference: float
    """Observed difference: accuracy of the first model minus that of the second."""
    n: int
    """Number of items."""
    clusters: int
    """Number of clusters. Additional items help only as far as they add clusters."""
    level: float
    """Confidence level of the planned test."""
    wanted: float
    """Target power: how often the test should detect the difference."""
    now: float
    """Power with the present number of clusters."""
    detectable: float | None
    """Smallest difference detectable with that power and number of clusters; None for a single cluster."""
    needed: int | None
    """Number of clusters needed; None where no number suffices (no difference, or no variance estimate)."""
    more_clusters: int | None
    """Additional clusters needed."""
    more_items: int | None
    """Additional items needed, if new clusters are as large as the present ones."""
    note: str = ""
    """Caveat, or empty."""
    variance: float = 0.0
    """Variance of the difference per cluster; 0 without a variance estimate."""

    def at(self, level: float) -> Power:
        """Return the analysis for a stricter test, such as one of several corrected together.

        >>> alone = power([1, 1, 1, 0] * 20, [1, 0, 1, 1] * 10 + [1, 0, 1, 0] * 10, [str(i) for i in range(80)])
        >>> alone.needed, alone.at(1 - 0.05 / 9).needed
        (193, 321)
        """
        check_level(level)
        if not self.variance:
            return replace(self, level=level)
        needed = units_needed(self.difference, self.variance, level, self.wanted)
        more = None if needed is None else max(0, needed - self.clusters)
        return replace(
            self,
            level=level,
            now=power_of(self.difference, self.variance, self.clusters, level),
            detectable=_detectable(self.variance, self.clusters, level, self.wanted),
            needed=needed,
            more_clusters=more,
            more_items=None if more is None else ceil(more * self.n / self.clusters),
        )


def power(
    credit_a: Floats | Sequence[float],
    credit_b: Floats | Sequence[float],
    units: Names,
    target: float = 0.8,
) -> Power:
    """Compute the number of clusters needed to detect the difference between two models.

    >>> outlook = power([1, 1, 0, 1] * 10, [1, 1, 1, 0] * 10, [str(i) for i in range(40)])
    >>> outlook.difference, outlook.needed
    (0.0, None)
    """
    if not 0 < target < 1:
        raise UserError(f"the power {target} is not between 0 and 1", fix="use 0.8")
    if not len(credit_a) == len(credit_b) == len(units):
        raise UserError(f"there are {len(credit_a)} and {len(credit_b)} values for {len(units)} items")
    gaps = np.asarray(credit_a, dtype=np.float64) - np.asarray(credit_b, dtype=np.float64)
    judged = ~np.isnan(gaps)
    if not judged.any():
        raise UserError("the two models have no judged item in common")
    gaps = gaps[judged]
    variance, number = mean_spread(gaps, unit_array(units)[judged])
    difference = float(np.sort(gaps).mean())
    now, detectable, needed, note, unit_variance = 0.0, None, None, "", 0.0
    if number < 2:
        note = "one cluster only: the variance between clusters is unknown"
    elif variance < NOTHING:
        note = "all clusters have the same difference: there is no variance estimate"
    else:
        unit_variance = variance * number
        now = power_of(difference, unit_variance, number)
        detectable = _detectable(unit_variance, number, LEVEL, target)
        needed = units_needed(difference, unit_variance, target=target)
        note = "" if needed is not None else "no difference is observed, so no number of items would detect it"
    more = None if needed is None else max(0, needed - number)
    return Power(
        difference=difference,
        n=len(gaps),
        clusters=number,
        level=LEVEL,
        wanted=target,
        now=now,
        detectable=detectable,
        needed=needed,
        more_clusters=more,
        more_items=None if more is None else ceil(more * len(gaps) / number),
        note=note,
        variance=unit_variance,
    )


def power_of(difference: float, unit_variance: float, units: int, level: float = 0.95) -> float:
    """Compute the power of a two-sided t test over clusters, counting only detections with the correct sign.

    ``unit_variance`` is the variance per cluster.

    >>> round(power_of(0.1, 0.25, 200), 3), round(power_of(0.0, 0.25, 200), 3)
    (0.804, 0.025)
    """
    if units < 2:
        return 0.0
    freedom, shift = units - 1, abs(difference) / (unit_variance / units) ** 0.5
    bar = scipy.special.stdtrit(freedom, (1 + level) / 2)
    missed = float(scipy.special.nctdtr(freedom, shift, bar))
    return 1.0 if isnan(missed) else 1 - missed  # scipy returns nan beyond 36 standard errors


def units_needed(difference: float, unit_variance: float, level: float = 0.95, target: float = 0.8) -> int | None:
    """Return the smallest number of clusters with that power; None where no realistic number suffices.

    >>> units_needed(0.1, 0.25)
    199
    """
    if not difference or power_of(difference, unit_variance, MOST_UNITS, level) < target:
        return None
    low, high = 1, MOST_UNITS
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power_of(difference, unit_variance, middle, level) >= target else (middle, high)
    return high


def _detectable(unit_variance: float, units: int, level: float, target: float) -> float | None:
    low, high = 0.0, 1.0
    if power_of(high, unit_variance, units, level) < target:
        return None
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if power_of(middle, unit_variance, units, level) >= target else (middle, high)
    return high
