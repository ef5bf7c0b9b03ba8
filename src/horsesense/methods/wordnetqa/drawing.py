"""A small set that is balanced in itself: not a part of the large one, which would give its answers away.

In a part of a balanced set an answer is no longer wrong four times for each time it is right. So a limit draws
questions, and these share their own answers. Some find no distractors among so few; then more are drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

Made = TypeVar("Made")

_FACTORS = (1, 2, 3, 4, 6, 8, 12)
"""How many times the limit is drawn, until nearly as many items come of it."""
_ENOUGH = 0.9


def drawn_within(limit: int, attempt: Callable[[int], Made], items: Callable[[Made], Sequence[object]]) -> Made:
    """The largest attempt with at most ``limit`` items; ``attempt`` is told how many items' worth to draw.

    >>> drawn_within(10, lambda drawn: list(range(drawn // 3)), list)
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    """
    best = attempt(limit)
    for factor in _FACTORS[1:]:
        if len(items(best)) >= _ENOUGH * limit:
            break
        made = attempt(limit * factor)
        grown = len(items(made)) - len(items(best))
        if len(items(made)) > limit or (grown == 0 and len(items(best))):  # or there is no more to draw
            break
        best = made if grown > 0 else best
    return best
