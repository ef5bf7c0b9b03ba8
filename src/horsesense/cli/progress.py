"""A progress bar on standard error, twice a second at most."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from horsesense.watching import Watcher

_SOON = 10.0
"""Seconds after which the speed is known well enough to say how long it will take."""


class RunProgress(Watcher):
    """Shows a run: tokens done, tokens a second, time left."""

    def __init__(self) -> None:
        self._console = Console(stderr=True, highlight=False, emoji=False)
        self._bar = Progress(
            TextColumn("{task.description}", markup=False),  # a path may hold [/brackets]
            BarColumn(),
            TextColumn("{task.completed:,.0f}/{task.total:,.0f} tokens"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=self._console,
            refresh_per_second=2,
            disable=not self._console.is_terminal,
        )
        self._task: TaskID | None = None
        self._began = 0.0
        self._stage = ""
        self._first = self._done = 0
        self._told = False

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._bar.stop()

    def say(self, text: str) -> None:
        self._console.print(text, markup=False, soft_wrap=True)

    def at(self, stage: str, done: int, total: int, unit: str = "", note: str = "") -> None:
        if self._task is None or stage != self._stage or done < self._done:
            self._task = self._bar.add_task(stage, total=total)
            self._stage, self._began, self._first, self._told = stage, time.monotonic(), done, False
        self._done = done
        self._bar.update(self._task, completed=done)
        passed = time.monotonic() - self._began
        if not self._told and passed > _SOON:
            self._told = True
            rate = (done - self._first) / passed
            minutes = (total - done) / rate / 60 if rate else 0.0
            if minutes > 1:
                self.say(f"about {minutes:,.0f} minutes left, at {rate:,.0f} {unit} a second")
