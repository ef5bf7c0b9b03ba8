"""Progress-reporting protocol and warnings."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from horsesense.errors import in_words


class Progress:
    """Progress callback; this base class ignores every call.

    Long work calls `update` with its *stage*, how much is done and the total, as often as it likes. Subclasses decide
    how often to draw. A stage that is reported with less done than before has started again.
    """

    def update(self, stage: str, done: int, total: int, unit: str = "", note: str = "") -> None:
        """Report that ``done`` of ``total`` units of a stage are done; ``note`` is shown beside them.

        A total of 0 means that the total is unknown.
        """

    def log(self, text: str) -> None:
        """Show a one-line message."""

    def detail(self, text: str) -> None:
        """Show a one-line message about a part of the work; work of many parts leaves these out."""
        self.log(text)


NO_PROGRESS = Progress()
"""Ignores every call: the default of public functions."""


class SumProgress(Progress):
    """Progress of many stages as one: what is done is added up, and their details are left out."""

    def __init__(self, progress: Progress, stage: str, total: int, unit: str) -> None:
        """``total`` is that of all stages; a stage that counts another unit is passed on by itself."""
        self._progress, self._stage, self._total, self._unit = progress, stage, total, unit
        self._done: dict[str, int] = {}

    def update(self, stage: str, done: int, total: int, unit: str = "", note: str = "") -> None:
        if unit != self._unit:
            self._progress.update(stage, done, total, unit, note)
            return
        self._done[stage] = done
        self._progress.update(self._stage, sum(self._done.values()), self._total, unit, note)

    def log(self, text: str) -> None:
        self._progress.log(text)

    def detail(self, text: str) -> None:
        pass


class HorsesenseWarning(UserWarning):
    """A warning of horsesense: a Python warning, and one line on the command line."""

    def __init__(self, text: str) -> None:
        self.text = text
        super().__init__(in_words(text))


def warn(text: str) -> None:
    """Issue a `HorsesenseWarning` at the line that called horsesense; for code without a `Progress`."""
    frame, level = sys._getframe(1), 2
    while frame.f_back and frame.f_globals.get("__name__", "").startswith(("horsesense.", "contextlib")):
        frame, level = frame.f_back, level + 1
    warnings.warn(HorsesenseWarning(text), stacklevel=level)


@contextmanager
def capture_warnings(hear: Callable[[str], None]) -> Iterator[None]:
    """Pass each distinct `HorsesenseWarning` of the block to ``hear``; other warnings are shown as usual.

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
