"""What came of a figure: rules by what it rests on, as pure functions.

*same*: the printed digits come out, rounded or cut off. *as released*: the authors' own results, which the release
keeps, have the printed figure; it was not computed again. *within error*: they do not, and the difference is no larger
than what the kind of the figure leaves open:

- data: nothing is left open, but for figures that the paper means roughly ("about"), which leave half a unit of
  their last digit that is not 0, and for what the paper drew at random, which leaves a binomial interval;
- asked: the same model on the same items may differ by half a per cent of them, and by one item at least (other
  kernels, another number format);
- trained: an interval for one more training, from the spread over seeds here (at least two);
- people: a binomial interval of what was computed, at 95 %.

*differs* comes with a reason where one can be shown. *on a part*: only a part of the release is at hand, so that the
printed figure cannot come out; the interval says whether it fits. *cannot here* says what is missing and which command
would do it. *no verdict*: a model answered whose weights are random, or which is not the paper's. *no result*: a
choice of the authors, or somebody else's figure.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from horsesense.methods.ledger import Figure, step_of

Basis = Literal["data", "the paper's own rows", "the release's own results", "asked here", "trained here", ""]
"""What a computed value rests on; the release's own results are the authors' output, not computed again."""
Verdict = Literal[
    "same", "as released", "within error", "differs", "on a part", "cannot here", "no verdict", "no result"
]  # fmt: skip
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
CUT = "the printed figure is cut off, not rounded"
_LEVEL = 0.95
_FLOAT = 1e-12
"""What a number in binary may be off; a few papers print all of its digits."""
_ASKED = 0.005
"""Share of items that the same model may answer otherwise elsewhere."""


@dataclass(frozen=True, slots=True)
class Computed:
    """A figure as it was computed here, in the unit of the paper."""

    value: float
    basis: Basis
    n: int | None = None
    """Items behind it."""
    low: float | None = None
    high: float | None = None
    """Ends of the interval, where the figure is a share of drawn items or a mean over seeds."""
    part: bool = False
    """Whether only a part of the release was at hand."""
    enough: bool = False
    """Whether a part of the release is enough to tell."""
    reason: str = ""
    """Why it may differ, where that was shown; or what has to be said of it."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What came of a figure."""

    verdict: Verdict
    reason: str = ""
    """Why it differs, what is missing, or what has to be said."""
    fits: bool | None = None
    """On a part: whether the printed figure lies in the interval; None where there is none."""


def judge(figure: Figure, computed: Computed) -> Judged:
    """The verdict on a figure by its kind."""
    if math.isnan(computed.value) or math.isnan(figure.number):
        return Judged("no verdict", computed.reason or "no number came of it")
    if computed.part:
        return Judged("on a part", computed.reason, _fits(figure, computed))
    same: Verdict = "as released" if computed.basis == "the release's own results" else "same"
    if figure.sense == "over":
        return Judged(same if computed.value > figure.number else "differs", computed.reason)
    if is_rounded(figure.number, figure.step, computed.value):
        return Judged(same, computed.reason)
    if computed.basis == "trained here" and computed.low is None:
        return Judged("no verdict", f"{computed.reason}; one training alone tells no spread")
    near = within_error(figure, computed)
    of_rounded = computed.basis == "the paper's own rows" and near
    if not of_rounded and is_cut(figure.number, step_of(figure.value), computed.value):
        return Judged(same, "; ".join(filter(None, (CUT, computed.reason))))
    return Judged("within error" if near else "differs", computed.reason)


def is_rounded(printed: float, step: float, value: float) -> bool:
    """Whether a value rounds to what is printed; a half may go either way.

    >>> is_rounded(0.43, 0.001, 0.4304), is_rounded(0.43, 0.001, 0.4306)
    (True, False)
    """
    return abs(value - printed) <= step / 2 + abs(step) * 1e-6 + abs(printed) * _FLOAT


def is_cut(printed: float, step: float, value: float) -> bool:
    """Whether what is printed is the value with its further digits cut off.

    >>> is_cut(0.59, 0.01, 0.5987), is_cut(0.59, 0.01, 0.601)
    (True, False)
    """
    further = abs(value) - abs(printed)
    return value * printed >= 0 and further + step * 1e-6 >= 0 and further < step


def within_error(figure: Figure, computed: Computed) -> bool:
    """Whether the difference is no larger than what the kind of figure leaves open."""
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
    """Exact interval of a share (Clopper and Pearson).

    >>> [round(end, 3) for end in binomial(1176, 1288)]
    [0.896, 0.928]
    """
    from scipy.stats import beta

    tail = (1 - level) / 2
    low = float(beta.ppf(tail, right, n - right + 1)) if right else 0.0
    high = float(beta.ppf(1 - tail, right + 1, n - right)) if right < n else 1.0
    return low, high


def drawn(share: float, n: int, level: float = _LEVEL) -> tuple[float, float]:
    """What a share of n draws lies between, where the true share is known.

    >>> [round(end, 4) for end in drawn(0.2, 2254)]
    [0.1837, 0.2165]
    """
    from scipy.stats import binom

    tail = (1 - level) / 2
    return float(binom.ppf(tail, n, share)) / n, float(binom.ppf(1 - tail, n, share)) / n


def one_more(values: Sequence[float], level: float = _LEVEL) -> tuple[float, float] | None:
    """What one more training lies between, from the spread of several; None where there is only one.

    >>> one_more([0.62]) is None
    True
    >>> [round(end, 3) for end in one_more([0.62, 0.63, 0.625])]
    [0.6, 0.65]
    """
    if len(values) < 2:
        return None
    from scipy.stats import t

    mean = math.fsum(values) / len(values)
    variance = math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)
    half = float(t.ppf((1 + level) / 2, len(values) - 1)) * math.sqrt(variance * (1 + 1 / len(values)))
    return mean - half, mean + half


def share_of(
    right: int, n: int, basis: Basis = "data", percent: bool = True, part: bool = False, reason: str = ""
) -> Computed:
    """A share of items with its binomial interval, in per cent or as a fraction."""
    low, high = binomial(right, n)
    whole = 100.0 if percent else 1.0
    return Computed(right / n * whole, basis, n, low * whole, high * whole, part, reason=reason)
