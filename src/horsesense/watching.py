"""Whoever wants to know how long work goes: one contract for runs, trainings, searches and readers."""

from __future__ import annotations


class Watcher:
    """Told how far work has come; this one does not look.

    The work says which *stage* it is in, how much of it is done and how much there is, as often as it likes. Whoever
    shows it decides how often to draw. A stage that is told again with less done has begun anew.
    """

    def at(self, stage: str, done: int, total: int, unit: str = "", note: str = "") -> None:
        """So much of a stage is done; ``unit`` is what is counted, ``note`` is what is worth seeing beside it.

        A total of 0 says that nobody knows how much there is.
        """

    def say(self, text: str) -> None:
        """A remark in one line."""


UNWATCHED = Watcher()
"""For work that nobody looks at."""
