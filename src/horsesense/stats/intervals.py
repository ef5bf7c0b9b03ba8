"""How sure a number is: from the spread that resampling found to an interval.

Percentiles of the resampled numbers are too narrow near 1 and where few units carry most items; the
coverage of what is done instead was measured (docs/results/intervals.md).
"""

from __future__ import annotations

from dataclasses import dataclass

import scipy

from horsesense.core.document import Number
from horsesense.errors import UserError
from horsesense.stats.resampling import NOTHING

FEW = 10
"""With fewer units than this an interval leans on its assumptions, and says so."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number, how sure we are of it, and how that was found out."""

    value: Number
    ci: tuple[Number, Number]
    """Lower and upper end of the interval."""
    n: int
    """Items it rests on."""
    clusters: int
    """Units of dependence those items fall into; where two groupings cross, the smaller count."""
    chance: float | None
    """What guessing earns; None where that has no meaning."""
    level: float
    """How often such intervals hold the true value."""
    method: str
    """How the interval was made."""
    seed: int
    """Seed of the resampling."""
    note: str = ""
    """What to mind, such as one unit only; empty where there is nothing."""

    @property
    def low(self) -> float:
        """Lower end of the interval."""
        return self.ci[0]

    @property
    def high(self) -> float:
        """Upper end of the interval."""
        return self.ci[1]


def rate_interval(value: float, variance: float, units: int, level: float = 0.95) -> tuple[float, float]:
    """Interval of a number between 0 and 1: a beta with as many items as would spread that much alone.

    This is Jeffreys' interval with the effective sample size, shrunk for the degrees of freedom (Franco and
    others, 2019). Where all units are alike, a share of them too small to be seen may be of any other kind.

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


def difference_interval(value: float, variance: float, units: int, level: float = 0.95) -> tuple[float, float]:
    """Interval of a difference of two rates, by Student's t with one degree of freedom less than units.

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
    """What to mind about so many units.

    >>> unit_note(1)
    'one unit only: nothing is known of others, so the interval is everything'
    """
    if units < 2:
        return "one unit only: nothing is known of others, so the interval is everything"
    return f"{units} units only: the interval is rough" if units < FEW else ""


def check_level(level: float) -> None:
    if not 0 < level < 1:
        raise UserError(f"the level {level} is not between 0 and 1", fix="use 0.95")
