"""Prevalence estimated with an imperfect auditor: Rogan and Gladen's estimate with an interval that includes the
uncertainty of sensitivity and false-alarm rate."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import scipy

from horsesense.errors import UserError
from horsesense.stats.intervals import Estimate, check_level, rate_interval

METHOD = "Rogan and Gladen 1978, interval of Lang and Reiczigel 2014"
MISFIT = 0.05
"""p-value below which false alarms are inconsistent with the sample."""
BLIND = 0.1
"""Minimum difference of an auditor's sensitivity and false-alarm rate: dividing by a smaller one amplifies noise."""


@dataclass(frozen=True, slots=True)
class Count:
    """Hits out of n. Neither need be an integer: a weighted share has an effective sample size."""

    hits: float
    n: float

    @property
    def rate(self) -> float:
        """Hits divided by n; nan for n = 0.

        >>> Count(3, 12).rate
        0.25
        """
        return self.hits / self.n if self.n else math.nan


def share(count: Count, seed: int = 0, level: float = 0.95) -> Estimate:
    """Estimate the share of hits in independent draws with Jeffreys' interval.

    >>> low, high = share(Count(6, 200)).ci
    >>> round(low, 3), round(high, 3)
    (0.013, 0.061)
    """
    check_level(level)
    rate = count.rate
    units = round(count.n)
    ci = rate_interval(rate, rate * (1 - rate) / count.n, units, level) if count.n else (0.0, 1.0)
    return Estimate(rate, ci, units, units, None, level, "Jeffreys", seed)


@dataclass(frozen=True, slots=True)
class CorrectedShare:
    """Estimate of the true share."""

    value: float
    """Estimate between 0 and 1."""
    ci: tuple[float, float]
    """Interval that includes the uncertainty of sensitivity and false-alarm rate."""
    raw: float
    """Estimate before clipping to [0, 1]."""
    fits: bool = True
    """False if items known to be good are flagged significantly more often than the sample. They are then not
    comparable with it, and no false alarms are subtracted."""

    @property
    def clipped(self) -> bool:
        """Whether the estimate was below 0 or above 1 before clipping.

        >>> correct_share(Count(4, 100), Count(95, 100), Count(6, 100)).clipped
        True
        """
        return self.raw != self.value


def correct_share(
    seen: Count, sensitivity: Count, false_alarms: Count | None = None, level: float = 0.95
) -> CorrectedShare | None:
    """Estimate the true share from the share ``seen`` by an auditor with known ``sensitivity`` and ``false_alarms``.

    The estimate is (p - f) / (s - f) (Rogan and Gladen 1978), the interval that of Lang and Reiczigel (2014), equations
    6, 7, 16 and 17. Without ``false_alarms`` a rate of 0 is assumed, which overestimates the share. The same applies if
    they are inconsistent with the sample: its false-alarm rate cannot exceed its flagged share. Return None if the
    auditor does not discriminate.

    >>> found = correct_share(Count(30, 300), Count(90, 100), Count(4, 100))
    >>> round(found.value, 3), [round(end, 3) for end in found.ci]
    (0.07, [0.002, 0.126])
    >>> odd = correct_share(Count(1, 300), Count(90, 102), Count(4, 102))
    >>> round(odd.value, 3), [round(end, 3) for end in odd.ci], odd.fits
    (0.004, [0.0, 0.024], False)
    """
    check_level(level)
    if min(seen.n, sensitivity.n) <= 0 or (false_alarms is not None and false_alarms.n <= 0):
        raise UserError("a share of nothing cannot be corrected", fix="audit items that include seeded errors")
    if false_alarms is not None and _fewer(seen, false_alarms) < MISFIT:
        without = correct_share(seen, sensitivity, None, level)
        # Each flagged item may still be a false alarm.
        return None if without is None else replace(without, ci=(0.0, without.ci[1]), fits=False)
    s, f = sensitivity.rate, false_alarms.rate if false_alarms else 0.0
    if s - f < BLIND:
        return None
    raw = (seen.rate - f) / (s - f)
    z = float(scipy.special.ndtri(1 - (1 - level) / 2))
    n, p = seen.n + z * z, (seen.hits + z * z / 2) / (seen.n + z * z)
    s, s_spread = _moved(sensitivity)
    f, f_spread = _moved(false_alarms) if false_alarms else (0.0, 0.0)
    middle = (p - f) / (s - f)
    shift = 2 * z * z * (middle * s_spread - (1 - middle) * f_spread)
    variance = (p * (1 - p) / n + middle**2 * s_spread + (1 - middle) ** 2 * f_spread) / (s - f) ** 2
    reach = z * math.sqrt(variance)
    value = min(1.0, max(0.0, raw))
    low, high = (min(1.0, max(0.0, middle + shift + sign * reach)) for sign in (-1, 1))
    return CorrectedShare(value, (min(low, value), max(high, value)), raw)


def _fewer(seen: Count, others: Count) -> float:
    """Return the one-sided p of a smaller share than another under equality (Fisher's exact test)."""
    if seen.rate >= others.rate:
        return 1.0
    hits, n, other_hits, other_n = (round(each) for each in (seen.hits, seen.n, others.hits, others.n))
    return float(scipy.stats.hypergeom.cdf(hits, n + other_n, hits + other_hits, n))


def _moved(count: Count) -> tuple[float, float]:
    """Return a rate with one more hit and one more miss, and its variance."""
    rate = (count.hits + 1) / (count.n + 2)
    return rate, rate * (1 - rate) / (count.n + 2)
