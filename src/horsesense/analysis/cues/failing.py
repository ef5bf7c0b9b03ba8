"""Where cues fail: what a model gets right on items that cues answer, and on items that they miss.

A model that reads cues falls where they mislead; one that understands does not mind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from horsesense.analysis.accuracy import accuracy
from horsesense.analysis.intervals import Estimate, difference_interval, unit_note
from horsesense.analysis.resampling import Floats, Names, spread, totals
from horsesense.errors import UserError


@dataclass(frozen=True, slots=True)
class WhereCuesFail:
    """A model's accuracy on both sides of the cues."""

    answered: Estimate | None
    """On items that the best cue answers; None where there are none."""
    missed: Estimate | None
    """On items that it misses; None where there are none."""
    gap: Estimate | None
    """The first less the second: what the cues may be worth to the model; None where a side is empty."""


def where_cues_fail(
    credits: Sequence[float] | Floats,
    answered: Sequence[bool] | NDArray[np.bool_],
    units: Names,
    chance: float | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> WhereCuesFail:
    """Split a model's credits by whether cues answer the item. Items whose credit is nan are left out.

    >>> found = where_cues_fail([1, 1, 1, 0], [True, True, False, False], ["a", "b", "c", "d"])
    >>> found.answered.value, found.missed.value, found.gap.value
    (1.0, 0.5, 0.5)
    """
    earned, right = np.asarray(credits, dtype=np.float64), np.asarray(answered, dtype=bool)
    if not len(earned) == len(right) == len(units):
        raise UserError(f"there are {len(earned)} credits, {len(right)} answers of cues and {len(units)} units")
    names = np.asarray(units)
    judged = ~np.isnan(earned)
    sides = [
        accuracy(earned[side], names[side], chance, level, seed) if side.any() else None
        for side in (judged & right, judged & ~right)
    ]
    first, second = sides
    gap = None
    if first and second:
        gap = _gap(earned[judged], right[judged], names[judged], first.value - second.value, level, seed)
    return WhereCuesFail(first, second, gap)


def _gap(earned: Floats, right: NDArray[np.bool_], names: Names, value: float, level: float, seed: int) -> Estimate:
    """The difference with its interval: a unit may have items on both sides, so both are drawn together."""
    inside, outside = right.astype(np.float64), (~right).astype(np.float64)
    units = totals([earned * inside, inside, earned * outside, outside], names)

    def difference(drawn: Floats) -> Floats:
        with np.errstate(invalid="ignore"):
            found: Floats = drawn[:, 0] / drawn[:, 1] - drawn[:, 2] / drawn[:, 3]
        return np.where(np.isnan(found), value, found)  # a draw that missed one side altogether

    variance = spread(difference, units, seed) if units.number > 1 else 0.0
    ends = difference_interval(value, variance, units.number, level)
    method = "cluster bootstrap, Student's t"
    return Estimate(value, ends, len(earned), units.number, None, level, method, seed, unit_note(units.number))
