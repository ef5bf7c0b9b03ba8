"""Accuracy on a two-choice scale: what share of the wrong options does the right one beat? (CATs, figure 2.)

Sets with two, three and four options have other chances; on this scale guessing earns one half in all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from horsesense.analysis.accuracy import accuracy
from horsesense.analysis.intervals import Estimate
from horsesense.analysis.resampling import Floats
from horsesense.errors import UserError


def beaten(scores: Sequence[Sequence[float]], answers: Sequence[int | None]) -> Floats:
    """For each item the share of wrong options with a lower score than the right one; a tie is half a win.

    nan where there is no gold, or no wrong option. For two options it is the credit of plain accuracy.

    >>> beaten([[-1.0, -2.0, -0.5], [-3.0, -3.0], [0.0, 1.0]], [0, 1, None]).tolist()
    [0.5, 0.5, nan]
    """
    if len(scores) != len(answers):
        raise UserError(f"there are scores for {len(scores)} items and answers for {len(answers)}")
    found = np.full(len(scores), np.nan)
    for place, (row, answer) in enumerate(zip(scores, answers, strict=True)):
        if answer is not None and len(row) > 1:
            others = [score for option, score in enumerate(row) if option != answer]
            wins = sum(1.0 if row[answer] > score else 0.5 if row[answer] == score else 0.0 for score in others)
            found[place] = wins / len(others)
    return found


@dataclass(frozen=True, slots=True)
class ByNumber:
    """Items that take the same number of steps."""

    steps: float
    """How many."""
    accuracy: Estimate
    """Share of wrong options that the right one beats."""


def by_number(values: Floats, units: Sequence[str], numbers: Sequence[float | None]) -> list[ByNumber]:
    """Two-choice accuracy for each number, the smallest first; items without a number or a gold are left out.

    >>> found = by_number(np.array([1.0, 1.0, 0.0, 0.5]), list("abcd"), [1, 1, 2, None])
    >>> [(each.steps, each.accuracy.value) for each in found]
    [(1, 1.0), (2, 0.0)]
    """
    if not len(values) == len(units) == len(numbers):
        raise UserError(f"there are {len(values)} values for {len(units)} units and {len(numbers)} numbers")
    places: dict[float, list[int]] = {}
    for place, number in enumerate(numbers):
        if number is not None and not np.isnan(values[place]):
            places.setdefault(number, []).append(place)
    return [
        ByNumber(number, accuracy(values[chosen], [units[place] for place in chosen], chance=0.5))
        for number, chosen in sorted(places.items())
    ]


@dataclass(frozen=True, slots=True)
class Counted:
    """Numbers that several people gave."""

    means: Mapping[str, float]
    """By item, the mean of what people said."""
    agreement: float
    """Share of pairs of people who said the same of an item."""
    pairs: int
    """How many such pairs there are."""


def counted(votes: Sequence[tuple[str, float]]) -> Counted:
    """Mean and percent agreement of numbers by item (section "Number of Inference Steps").

    >>> counted([("i", 1), ("i", 2), ("j", 3), ("j", 3)])
    Counted(means={'i': 1.5, 'j': 3.0}, agreement=0.5, pairs=2)
    """
    by_item: dict[str, list[float]] = {}
    for item, number in votes:
        by_item.setdefault(item, []).append(number)
    same = pairs = 0
    for numbers in by_item.values():
        for place, one in enumerate(numbers):
            pairs += len(numbers) - place - 1
            same += sum(one == other for other in numbers[place + 1 :])
    if not pairs:
        raise UserError("no item was counted by two people", fix="give every item to two people")
    return Counted({item: sum(numbers) / len(numbers) for item, numbers in by_item.items()}, same / pairs, pairs)
