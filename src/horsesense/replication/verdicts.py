"""Verdicts on figures, by what they rest on. Pure.

*same*: the printed digits are reproduced, rounded or truncated. *as published*: the authors' published results have the
printed figure; it was not computed again. *within error*: the difference is within the error of the kind of figure:

- data: none, except for approximate figures ("about"), which leave half a unit of their last digit that is not 0, and
  for random draws of the paper, which leave a binomial interval;
- asked: the same model on the same items may differ by half a per cent of them, and by at least one item (other
  kernels, another number format);
- trained: a prediction interval for one more training, from the spread over at least two seeds;
- people: a 95% binomial interval.

*differs* has a reason if there is one. *on a part*: only a part of the published data is available; the interval shows
whether the printed figure fits. *cannot here*: what is missing, and a command that would provide it. *no verdict*: the
weights are random, or the model is not the paper's. *no result*: a choice of the authors, or a cited figure.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Literal, get_args

from horsesense.methods.ledger import Figure, step_of

Basis = Literal["data", "the paper's own rows", "the authors' published results", "asked here", "trained here", ""]
"""Basis of a computed value; the authors' results are published with the dataset."""
Verdict = Literal[
    "same", "as published", "within error", "differs", "on a part", "cannot here", "no verdict", "no result"
]  # fmt: skip
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
CUT = "the printed figure is truncated, not rounded"
_LEVEL = 0.95
_FLOAT = 1e-12
"""Relative floating-point error; a few papers print all digits."""
_ASKED = 0.005
"""Share of items that the same model may answer differently elsewhere."""


@dataclass(frozen=True, slots=True)
class Computed:
    """A computed figure, in the unit of the paper."""

    value: float
    basis: Basis
    n: int | None = None
    """Number of items."""
    low: float | None = None
    high: float | None = None
    """Ends of the interval, for a share of drawn items or a mean over seeds."""
    part: bool = False
    """Whether only a part of the published data was available."""
    enough: bool = False
    """Whether a part of the published data is enough for a verdict."""
    reason: str = ""
    """Why it may differ, or a comment."""


@dataclass(frozen=True, slots=True)
class FigureVerdict:
    """The verdict on a figure."""

    verdict: Verdict
    reason: str = ""
    """Why it differs, what is missing, or a comment."""
    fits: bool | None = None
    """On a part: whether the printed figure is in the interval; None if there is none."""


def judge(figure: Figure, computed: Computed) -> FigureVerdict:
    """Return the verdict on a figure by its kind."""
    if math.isnan(computed.value) or math.isnan(figure.number):
        return FigureVerdict("no verdict", computed.reason or "no number came of it")
    if computed.part:
        return FigureVerdict("on a part", computed.reason, _fits(figure, computed))
    same: Verdict = "as published" if computed.basis == "the authors' published results" else "same"
    if figure.sense == "over":
        return FigureVerdict(same if computed.value > figure.number else "differs", computed.reason)
    if is_rounded(figure.number, figure.step, computed.value):
        return FigureVerdict(same, computed.reason)
    if computed.basis == "trained here" and computed.low is None:
        return FigureVerdict("no verdict", f"{computed.reason}; one training has no spread")
    near = within_error(figure, computed)
    of_rounded = computed.basis == "the paper's own rows" and near
    if not of_rounded and is_cut(figure.number, step_of(figure.value), computed.value):
        return FigureVerdict(same, "; ".join(filter(None, (CUT, computed.reason))))
    return FigureVerdict("within error" if near else "differs", computed.reason)


def is_rounded(printed: float, step: float, value: float) -> bool:
    """Whether a value rounds to the printed figure; a half may go either way.

    >>> is_rounded(0.43, 0.001, 0.4304), is_rounded(0.43, 0.001, 0.4306)
    (True, False)
    """
    return abs(value - printed) <= step / 2 + abs(step) * 1e-6 + abs(printed) * _FLOAT


def is_cut(printed: float, step: float, value: float) -> bool:
    """Whether the printed figure is the truncated value.

    >>> is_cut(0.59, 0.01, 0.5987), is_cut(0.59, 0.01, 0.601)
    (True, False)
    """
    further = abs(value) - abs(printed)
    return value * printed >= 0 and further + step * 1e-6 >= 0 and further < step


def within_error(figure: Figure, computed: Computed) -> bool:
    """Whether the difference is within the error of the kind of figure."""
    slack = figure.step / 2
    if computed.low is not None and computed.high is not None:
        return computed.low - slack <= figure.number <= computed.high + slack
    if computed.basis == "asked here" and computed.n:
        whole = 100.0 if figure.unit == "percent" else 1.0
        return abs(computed.value - figure.number) <= max(_ASKED, 1 / computed.n) * whole + slack
    return False


def _fits(figure: Figure, computed: Computed) -> bool | None:
    if computed.low is None or computed.high is None:
        return None
    return computed.low - figure.step / 2 <= figure.number <= computed.high + figure.step / 2


# Intervals.


def binomial(right: int, n: int, level: float = _LEVEL) -> tuple[float, float]:
    """Return the exact interval of a share (Clopper and Pearson).

    >>> [round(end, 3) for end in binomial(1176, 1288)]
    [0.896, 0.928]
    """
    from scipy.stats import binomtest

    ends = binomtest(right, n).proportion_ci(level, "exact")
    return float(ends.low), float(ends.high)


def drawn(share: float, n: int, level: float = _LEVEL) -> tuple[float, float]:
    """Return the interval of a share of n draws from a known share.

    >>> [round(end, 4) for end in drawn(0.2, 2254)]
    [0.1837, 0.2165]
    """
    from scipy.stats import binom

    low, high = binom.interval(level, n, share)
    return float(low) / n, float(high) / n


def one_more(values: Sequence[float]) -> tuple[float, float] | None:
    """Return the prediction interval of one more training, from the spread of several; None for one.

    >>> one_more([0.62]) is None
    True
    >>> [round(end, 3) for end in one_more([0.62, 0.63, 0.625])]
    [0.6, 0.65]
    """
    if len(values) < 2:
        return None
    from scipy.stats import t

    n = len(values)
    low, high = t.interval(_LEVEL, n - 1, loc=fmean(values), scale=stdev(values) * math.sqrt(1 + 1 / n))
    return float(low), float(high)


def share_of(right: int, n: int, percent: bool = True, reason: str = "") -> Computed:
    """Return a share of items with its binomial interval, in per cent or as a fraction."""
    low, high = binomial(right, n)
    whole = 100.0 if percent else 1.0
    return Computed(right / n * whole, "data", n, low * whole, high * whole, reason=reason)
