"""Intervals from resampling variances.

Percentile bootstrap intervals are too narrow near 1 and where few clusters contain most items. The coverage of the
intervals used instead was measured (docs/results/intervals.md).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import scipy

from horsesense.core.document import Number
from horsesense.errors import UserError
from horsesense.formatting import with_interval
from horsesense.stats.resampling import NOTHING

FEW = 10
"""Number of clusters below which an interval is marked as approximate."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its interval and the method used."""

    value: Number
    ci: tuple[Number, Number]
    """Lower and upper limit of the interval."""
    n: int
    """Number of items."""
    clusters: int
    """Number of clusters of those items; the smaller count for two crossed groupings."""
    chance: float | None
    """Chance level; None where it is undefined."""
    level: float = 0.95
    """Confidence level."""
    method: str = ""
    """Method of the interval."""
    seed: int = 0
    """Seed of the resampling."""
    note: str = ""
    """Caveat, such as a single cluster; otherwise empty."""

    @property
    def low(self) -> float:
        """Lower limit of the interval."""
        return self.ci[0]

    @property
    def high(self) -> float:
        """Upper limit of the interval."""
        return self.ci[1]

    def columns(self, name: str = "value") -> dict[str, Any]:
        """Return the columns of a table that show it.

        >>> Estimate(0.7, (0.49, 0.86), 20, 20, 0.5, 0.95, "", 0).columns("accuracy")
        {'accuracy': 0.7, 'low': 0.49, 'high': 0.86, 'chance': 0.5, 'n': 20, 'clusters': 20}
        """
        interval = {name: self.value, "low": self.low, "high": self.high}
        return interval | {"chance": self.chance, "n": self.n, "clusters": self.clusters}

    def __format__(self, spec: str) -> str:
        """Format value and interval by a float's spec; ``v`` before it gives the value alone, ``i`` the interval.

        >>> e = Estimate(0.7, (0.49, 0.86), 20, 20, 0.5, 0.95, "", 0)
        >>> f"{e}", f"{e:.1%}", f"{e:v.3f}", f"{e:i.2f}"
        ('0.70 [0.49, 0.86]', '70.0% [49.0%, 86.0%]', '0.700', '[0.49, 0.86]')
        """
        return with_interval(self.value, self.ci, spec)


Standing = Literal["above chance", "near chance", "below chance", "inconclusive"]
"""How a score compares with chance."""
KNOWN = 1 / 4
"""A score is called *near chance* only where its interval excludes a model that knows this share of the items."""


def against_chance(e: Estimate) -> Standing | None:
    """Compare a score with chance by its interval; None where chance is not known.

    Above or below chance: the interval excludes chance. Near chance: it includes chance and excludes the score of
    a model that knows a quarter of the items and guesses the rest. Inconclusive: it includes both, so the items are too
    few to decide.

    >>> against_chance(Estimate(0.7, (0.49, 0.86), 20, 20, 0.5, 0.95, "", 0))
    'inconclusive'
    >>> against_chance(Estimate(0.52, (0.48, 0.56), 600, 600, 0.5, 0.95, "", 0))
    'near chance'
    """
    if e.chance is None:
        return None
    if e.low > e.chance:
        return "above chance"
    if e.high < e.chance:
        return "below chance"
    return "near chance" if e.high < e.chance + KNOWN * (1 - e.chance) else "inconclusive"


def rate_interval(value: float, variance: float, units: int, level: float = 0.95) -> tuple[float, float]:
    """Compute the interval of a rate from a beta distribution with the effective sample size of the variance.

    This is Jeffreys' interval with the effective sample size, corrected for the degrees of freedom (Franco and
    others, 2019). If all clusters are alike, an unseen share of them may still differ.

    >>> low, high = rate_interval(0.9, 0.9 * 0.1 / 200, units=200)
    >>> round(low, 3), round(high, 3)
    (0.852, 0.936)
    >>> low, high = rate_interval(1.0, 0.0, units=100)
    >>> round(low, 3), high
    (0.964, 1.0)
    """
    if units < 2:
        return 0.0, 1.0
    tail = (1 - level) / 2
    if variance < NOTHING:
        unseen = 1 - tail ** (1 / units)
        return (1 - unseen) * value, (1 - unseen) * value + unseen
    shrink = scipy.special.ndtri(1 - tail) / scipy.special.stdtrit(units - 1, 1 - tail)
    size = value * (1 - value) / variance * shrink**2
    right, wrong = size * value + 0.5, size * (1 - value) + 0.5
    low, high = scipy.special.betaincinv(right, wrong, [tail, 1 - tail])
    return min(float(low), value), max(float(high), value)


def at_level(e: Estimate, level: float) -> Estimate:
    """Return a rate with its interval at another level, using the variance that its interval implies.

    >>> e = Estimate(0.9, rate_interval(0.9, 0.00045, 200), 200, 200, 0.5, 0.95, "", 0)
    >>> f"{at_level(e, 0.9975):i.4f}" == "[{:.4f}, {:.4f}]".format(*rate_interval(0.9, 0.00045, 200, 0.9975))
    True
    """
    if e.clusters < 2 or e.level == level:
        return replace(e, level=level)
    low, high = NOTHING, max(2 * NOTHING, 0.9999 * e.value * (1 - e.value))
    width = e.high - e.low
    if width <= _width(e, low, e.level):
        return replace(e, ci=rate_interval(e.value, 0.0, e.clusters, level), level=level)
    for _ in range(60):  # the interval widens with the variance
        middle = (low + high) / 2
        low, high = (middle, high) if _width(e, middle, e.level) < width else (low, middle)
    return replace(e, ci=rate_interval(e.value, high, e.clusters, level), level=level)


def _width(e: Estimate, variance: float, level: float) -> float:
    low, high = rate_interval(e.value, variance, e.clusters, level)
    return high - low


def difference_interval(value: float, variance: float, units: int, level: float = 0.95) -> tuple[float, float]:
    """Compute the interval of a difference of two rates by Student's t with ``units`` - 1 degrees of freedom.

    >>> low, high = difference_interval(0.1, 0.0004, units=101)
    >>> round(low, 3), round(high, 3)
    (0.06, 0.14)
    """
    if units < 2:
        return -1.0, 1.0
    tail = (1 - level) / 2
    if variance < NOTHING:
        unseen = 1 - tail ** (1 / units)
        middle = (1 - unseen) * value
        return middle - unseen, middle + unseen
    reach = float(scipy.special.stdtrit(units - 1, 1 - tail)) * variance**0.5
    return max(-1.0, value - reach), min(1.0, value + reach)


def unit_note(units: int) -> str:
    """Return a caveat if there are few clusters.

    >>> unit_note(1)
    'one cluster only: the interval covers everything'
    """
    if units < 2:
        return "one cluster only: the interval covers everything"
    return f"{units} clusters only: the interval is approximate" if units < FEW else ""


def check_level(level: float) -> None:
    if not 0 < level < 1:
        raise UserError(f"the level {level} is not between 0 and 1", fix="use 0.95")
