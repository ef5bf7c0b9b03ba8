"""What does not fit inside a paper: functions that need neither data nor a model.

Printed figures are rounded, so each stands for a small interval; a check finds fault only where no figures within
their intervals would fit. Figures may also be cut off instead of rounded, which is no fault.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

Printed = tuple[float, float]
"""A figure and one unit of its last digit."""
_ROUND = 1e-9


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that does not fit inside a paper."""

    paper: str
    """Where it was found."""
    check: str
    """Which rule it breaks."""
    place: str
    """Where it stands."""
    told: str
    """What does not fit, in a sentence."""


def mean_range(cells: Sequence[Printed]) -> tuple[float, float]:
    """What the mean of printed figures lies between, rounded or cut off as each may be.

    >>> [round(end, 4) for end in mean_range([(0.5, 0.001), (0.7, 0.001)])]
    [0.5995, 0.601]
    """
    low = math.fsum(value - step / 2 for value, step in cells) / len(cells)
    high = math.fsum(value + step for value, step in cells) / len(cells)
    return low, high


def follows(low: float, high: float, printed: Printed) -> bool:
    """Whether a printed figure can be had from something between two ends, rounded or cut off.

    >>> follows(0.5995, 0.601, (0.6, 0.001)), follows(0.5995, 0.601, (0.605, 0.001))
    (True, False)
    """
    value, step = printed
    return low - step - _ROUND <= value <= high + step / 2 + _ROUND


def average_follows(cells: Sequence[Printed], average: Printed) -> bool:
    """Whether a printed average can be had from its row.

    >>> average_follows([(0.5, 0.1), (0.6, 0.1)], (0.55, 0.01)), average_follows([(0.5, 0.01)] * 2, (0.53, 0.01))
    (True, False)
    """
    return follows(*mean_range(cells), average)


def sum_follows(parts: Sequence[Printed], total: Printed) -> bool:
    """Whether printed parts add up to their printed total.

    >>> sum_follows([(331, 1), (780, 1), (825, 1), (54, 1)], (1990, 1))
    True
    >>> sum_follows([(54.5, 0.1), (28.4, 0.1), (16.9, 0.1)], (100, 0)), sum_follows([(50, 0.1), (40, 0.1)], (100, 0))
    (True, False)
    """
    whole = all(float(value).is_integer() and step == 1 for value, step in parts)
    low = math.fsum(value if whole else value - step / 2 for value, step in parts)
    high = math.fsum(value if whole else value + step for value, step in parts)
    return follows(low, high, total)


def difference_follows(one: Printed, other: Printed, difference: Printed) -> bool:
    """Whether a printed difference can be had from its two figures.

    >>> difference_follows((14.7, 0.1), (26.8, 0.1), (-12.0, 0.1))
    True
    >>> difference_follows((34.0, 0.1), (79.8, 0.1), (-45.4, 0.1))
    False
    """
    exact = one[0] - other[0]
    slack = (one[1] + other[1] + difference[1]) / 2
    return abs(exact - difference[0]) <= slack + _ROUND


def is_count(share: Printed, n: int) -> bool:
    """Whether some whole number of n items gives a printed share, rounded or cut off.

    Only for shares of single items: neither ties that count in part nor means over seeds are whole.

    >>> is_count((0.787, 0.001), 183), is_count((0.787, 0.001), 189)
    (True, False)
    """
    value, step = share
    nearest = range(max(0, math.floor((value - step) * n)), min(n, math.ceil((value + step) * n)) + 1)
    return any(-step / 2 - _ROUND <= right / n - value < step - _ROUND for right in nearest)


def counts_of(shares: Sequence[Printed], n: int) -> int:
    """How many of several printed shares are whole numbers of n items.

    >>> counts_of([(0.787, 0.001), (0.83, 0.001)], 189)
    1
    """
    return sum(is_count(share, n) for share in shares)


def lies_between(value: Printed, ends: Sequence[Printed]) -> bool:
    """Whether a figure for several sets together lies between those for each of them.

    >>> lies_between((49.56, 0.01), [(49.32, 0.01), (49.7, 0.01)]), lies_between((55.3, 0.1), [(53.6, 0.1), (49, 0.1)])
    (True, False)
    """
    low = min(number - step / 2 for number, step in ends)
    high = max(number + step for number, step in ends)
    return follows(low, high, value)


def weighted_range(cells: Sequence[Printed], sizes: Sequence[int]) -> tuple[float, float]:
    """What a figure for several sets together lies between, from that for each and their sizes.

    >>> [round(end, 2) for end in weighted_range([(49.32, 0.01), (49.7, 0.01)], [1005, 1600])]
    [49.55, 49.56]
    """
    total = sum(sizes)
    low = math.fsum((value - step / 2) * size for (value, step), size in zip(cells, sizes, strict=True)) / total
    high = math.fsum((value + step / 2) * size for (value, step), size in zip(cells, sizes, strict=True)) / total
    return low, high


def exchanged(printed: Mapping[str, float], computed: Mapping[str, float]) -> tuple[tuple[str, str], ...]:
    """Names whose printed figures are each other's: columns that stand under the wrong name.

    >>> exchanged({"parts": 728, "wholes": 873, "adjectives": 553}, {"parts": 873, "wholes": 728, "adjectives": 553})
    (('parts', 'wholes'),)
    """
    both = [name for name in printed if name in computed]
    return tuple(
        (one, other)
        for one, other in combinations(both, 2)
        if printed[one] != printed[other] and (printed[one], printed[other]) == (computed[other], computed[one])
    )


def told_apart(told: Mapping[str, float]) -> tuple[tuple[str, str], ...]:
    """Places that tell different numbers of one thing.

    >>> told_apart({"introduction": 5, "section 3": 6, "conclusion": 5})
    (('introduction', 'section 3'), ('section 3', 'conclusion'))
    """
    return tuple((one, other) for one, other in combinations(told, 2) if told[one] != told[other])
