"""Anytime-valid intervals: looked at after every family, and still right at their level.

Families arrive in random order. For every candidate value one gambler bets that the mean is higher, and another that it
is lower; where one of them has multiplied its stake by 2/alpha, the candidate is excluded (Waudby-Smith and Ramdas,
2024, hedged capital). By Ville's inequality the true value is ever excluded with probability alpha at most, whatever
rule stops the run. Families of unequal size are weighted by their items: the bets are on the sum of a family's credits
minus the candidate times its size.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from horsesense.errors import UserError
from horsesense.stats.intervals import Estimate, unit_note
from horsesense.stats.resampling import Floats

ALPHA = 0.05
"""Probability that the interval misses the mean at any time."""
METHOD = "confidence sequence over families, hedged betting"
_GRID = 1001
"""Candidates; an end is rounded outwards to the next one."""
_BLOCK = 500
"""Families at a time, which bounds the memory."""
_MOST = 0.5
"""Share of its stake that a gambler may lose on one family."""
_GOAL = re.compile(r"ci\s*<=?\s*(0?\.\d+)")


@dataclass(frozen=True, slots=True)
class StoppingRule:
    """Stop when the interval reaches no further than this to either side."""

    half_width: float

    def is_met(self, estimate: Estimate) -> bool:
        return max(estimate.high - estimate.value, estimate.value - estimate.low) <= self.half_width


def parse_until(text: str) -> StoppingRule:
    """Parse ``ci<0.03``: stop when the interval reaches at most 0.03 to either side of the value.

    >>> parse_until("ci<0.03")
    StoppingRule(half_width=0.03)
    """
    match = _GOAL.fullmatch(text.strip())
    if not match or not 0.005 <= float(match[1]) < 0.5:
        raise UserError(f"{text!r} is not a rule to stop by", fix='write "ci<0.03", with a number from 0.005 to 0.5')
    return StoppingRule(float(match[1]))


def stops_at(
    sums: Floats | Sequence[float], sizes: Floats | Sequence[float], rule: StoppingRule, lowest: float = 0.0
) -> int | None:
    """Return the number of families after which the rule is first met, to the next tenth; None if it never is."""
    number = min(len(sums), 10)
    while number <= len(sums):
        if rule.is_met(confidence_sequence(sums[:number], sizes[:number], rule.half_width, lowest=lowest)):
            return number
        if number == len(sums):
            return None
        number = min(len(sums), max(number + 1, round(number * 1.1)))
    return None


def confidence_sequence(
    sums: Floats | Sequence[float],
    sizes: Floats | NDArray[np.int64] | Sequence[float],
    half_width: float = 0.03,
    lowest: float = 0.0,
    chance: float | None = None,
) -> Estimate:
    """Return the interval after the last family, which is valid however often it was looked at before.

    Args:
        sums: Credit of each family, in the order of arrival; differences of credits for a paired comparison.
        sizes: Items of each family.
        half_width: Distance at which the bets are best; the interval is valid for any.
        lowest: Least value of a mean: 0 for accuracies, -1 for differences.
        chance: Chance level.

    >>> rng = np.random.default_rng(0)
    >>> found = confidence_sequence((rng.random(900) < 0.7).astype(float), np.ones(900), 0.05)
    >>> round(found.value, 2), round(found.low, 2), round(found.high, 2)
    (0.67, 0.63, 0.7)
    """
    credit, size = np.asarray(sums, dtype=np.float64), np.asarray(sizes, dtype=np.float64)
    total = float(size.sum())
    if not total:
        raise UserError("no family has an answer yet")
    most, span = float(size.max()), 1 - lowest
    grid = np.linspace(lowest, 1.0, _GRID)
    # Outcomes lie between (lowest - m) and (1 - m) times size / most; variances are estimated before the family comes.
    value = float(credit.sum()) / total
    weight = size / most
    rate = (np.cumsum(credit) + span / 2 + lowest) / (np.cumsum(size) + 1)
    before = np.append((1 + lowest) / 2, rate[:-1])
    squares = (credit / most - before * weight) ** 2
    spread = (np.cumsum(squares) + span**2 / 4) / (np.arange(len(size)) + 1)
    variance = np.append(span**2 / 4, spread[:-1])
    share = np.append(1.0, (np.cumsum(weight) / np.arange(1, len(size) + 1))[:-1])
    distance = half_width * share
    stake = distance / (variance + distance**2)
    most_up, most_down = _MOST / np.maximum(grid - lowest, 1e-9), _MOST / np.maximum(1 - grid, 1e-9)
    limit = log(2 / ALPHA)
    higher, lower = np.zeros(_GRID), np.zeros(_GRID)
    excluded = np.zeros(_GRID, dtype=bool)
    for begin in range(0, len(size), _BLOCK):
        part = slice(begin, begin + _BLOCK)
        gain = credit[part, None] / most - grid[None, :] * weight[part, None]
        for capital, most_of, sign in ((higher, most_up, 1), (lower, most_down, -1)):
            steps = np.cumsum(np.log1p(sign * np.minimum(stake[part, None], most_of) * gain), axis=0) + capital
            excluded |= steps.max(axis=0) >= limit
            capital[:] = steps[-1]
    left = np.flatnonzero(~excluded)
    step = grid[1] - grid[0]
    # An empty set has probability alpha at most; the value is all that is left to show.
    low, high = (grid[left[0]] - step, grid[left[-1]] + step) if len(left) else (value, value)
    ends = float(max(lowest, min(low, value))), float(min(1.0, max(high, value)))
    return Estimate(value, ends, int(total), len(size), chance, method=METHOD, note=unit_note(len(size)))
