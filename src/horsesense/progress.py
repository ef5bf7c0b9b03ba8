"""Whoever wants to know how long work goes: one contract for runs, trainings, searches and readers."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from horsesense.errors import in_words


class Progress:
    """Told how far work has come; this one does not look.

    The work says which *stage* it is in, how much of it is done and how much there is, as often as it likes. Whoever
    shows it decides how often to draw. A stage that is told again with less done has begun anew.
    """

    def update(self, stage: str, done: int, total: int, unit: str = "", note: str = "") -> None:
        """So much of a stage is done; ``unit`` is what is counted, ``note`` is what is worth seeing beside it.

        A total of 0 says that nobody knows how much there is.
        """

    def log(self, text: str) -> None:
        """A remark in one line."""


NO_PROGRESS = Progress()
"""For work that nobody looks at."""


class HorsesenseWarning(UserWarning):
    """What a user should know of what was read: a warning in Python, a line on the command line."""

    def __init__(self, text: str) -> None:
        self.text = text
        super().__init__(in_words(text))


def warn(text: str) -> None:
    """Tell it, as a warning at the line that called us; for work that nobody watches yet, such as reading a file."""
    frame, level = sys._getframe(1), 2
    while frame.f_back and frame.f_globals.get("__name__", "").startswith(("horsesense.", "contextlib")):
        frame, level = frame.f_back, level + 1
    warnings.warn(HorsesenseWarning(text), stacklevel=level)


@contextmanager
def capture_warnings(hear: Callable[[str], None]) -> Iterator[None]:
    """Remarks of the block go to ``hear``, each once; other warnings go their way.

    >>> with capture_warnings(print):
    ...     warn("the card is missing")
    ...     warn("the card is missing")
    the card is missing
    """
    heard: set[str] = set()
    with warnings.catch_warnings():
        warnings.simplefilter("always", HorsesenseWarning)
        others = warnings.showwarning

        def show(message: Warning | str, *about: Any, **more: Any) -> None:
            if not isinstance(message, HorsesenseWarning):
                others(message, *about, **more)
            elif message.text not in heard:
                heard.add(message.text)
                hear(message.text)

        warnings.showwarning = show
        yield
