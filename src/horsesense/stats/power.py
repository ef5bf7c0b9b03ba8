"""How many more items would settle a difference between two models?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, isnan

import numpy as np
import scipy

from horsesense.errors import UserError
from horsesense.stats.intervals import check_level
from horsesense.stats.resampling import NOTHING, RESAMPLES, Floats, Names, mean_spread, unit_array

MOST_UNITS = 10_000_000
"""Nobody builds a probe of more families than this: the difference counts as none."""


@dataclass(frozen=True, slots=True)
class Power:
    """What it takes to settle a paired difference, if it is truly as large as it looks."""

    difference: float
    """The difference seen: accuracy of the first model minus that of the second."""
    n: int
    """Items there are."""
    clusters: int
    """Units of dependence there are. Items count only as far as they bring new units."""
    level: float
    """Confidence level of the test to come."""
    wanted: float
    """The power wanted: how often that test should find the difference."""
    now: float
    """Power with as many units as there are."""
    detectable: float | None
    """The least difference that this many units would find with that power; None where there is one unit."""
    needed: int | None
    """Units that would do; None where no number would (no difference, or no spread to judge by)."""
    more_clusters: int | None
    """Units still missing."""
    more_items: int | None
    """Items still missing, if new units are as large as these."""
    note: str = ""
    """What to mind."""
    variance: float = 0.0
    """Of the difference, if it were seen in one cluster alone; 0 where there is no spread to judge by."""

    def at(self, level: float) -> Power:
        """The same for a stricter test, such as one of several that are corrected together.

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
    wanted: float = 0.8,
    level: float = 0.95,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Power:
    """How many units settle the difference between two models on these items.

    >>> outlook = power([1, 1, 0, 1] * 10, [1, 1, 1, 0] * 10, [str(i) for i in range(40)])
    >>> outlook.difference, outlook.needed
    (0.0, None)
    """
    check_level(level)
    if not 0 < wanted < 1:
        raise UserError(f"the power {wanted} is not between 0 and 1", fix="use 0.8")
    if not len(credit_a) == len(credit_b) == len(units):
        raise UserError(f"there are {len(credit_a)} and {len(credit_b)} values for {len(units)} items")
    gaps = np.asarray(credit_a, dtype=np.float64) - np.asarray(credit_b, dtype=np.float64)
    judged = ~np.isnan(gaps)
    if not judged.any():
        raise UserError("the two models have no judged item in common")
    gaps = gaps[judged]
    variance, number = mean_spread(gaps, unit_array(units)[judged], None, seed, resamples)
    difference = float(np.sort(gaps).mean())
    now, detectable, needed, note, unit_variance = 0.0, None, None, "", 0.0
    if number < 2:
        note = "one unit only: nothing is known of how much others differ"
    elif variance < NOTHING:
        note = "all units differ alike: there is no spread to judge by"
    else:
        unit_variance = variance * number
        now = power_of(difference, unit_variance, number, level)
        detectable = _detectable(unit_variance, number, level, wanted)
        needed = units_needed(difference, unit_variance, level, wanted)
        note = "" if needed is not None else "no difference is seen, so no number of items would settle it"
    more = None if needed is None else max(0, needed - number)
    return Power(
        difference=difference,
        n=len(gaps),
        clusters=number,
        level=level,
        wanted=wanted,
        now=now,
        detectable=detectable,
        needed=needed,
        more_clusters=more,
        more_items=None if more is None else ceil(more * len(gaps) / number),
        note=note,
        variance=unit_variance,
    )


def power_of(difference: float, unit_variance: float, units: int, level: float = 0.95) -> float:
    """How often a two-sided t test over so many units finds the difference, and on the right side.

    ``unit_variance`` is the variance that one unit would have alone.

    >>> round(power_of(0.1, 0.25, 200), 3), round(power_of(0.0, 0.25, 200), 3)
    (0.804, 0.025)
    """
    if units < 2:
        return 0.0
    freedom, shift = units - 1, abs(difference) / (unit_variance / units) ** 0.5
    bar = scipy.special.stdtrit(freedom, (1 + level) / 2)
    missed = float(scipy.special.nctdtr(freedom, shift, bar))
    return 1.0 if isnan(missed) else 1 - missed  # scipy gives up beyond 36 standard errors, where nothing is missed


def units_needed(difference: float, unit_variance: float, level: float = 0.95, wanted: float = 0.8) -> int | None:
    """The least number of units that finds the difference so often; None where no sensible number does.

    >>> units_needed(0.1, 0.25)
    199
    """
    if not difference or power_of(difference, unit_variance, MOST_UNITS, level) < wanted:
        return None
    low, high = 1, MOST_UNITS
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power_of(difference, unit_variance, middle, level) >= wanted else (middle, high)
    return high


def _detectable(unit_variance: float, units: int, level: float, wanted: float) -> float | None:
    low, high = 0.0, 1.0
    if power_of(high, unit_variance, units, level) < wanted:
        return None
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if power_of(middle, unit_variance, units, level) >= wanted else (middle, high)
    return high
