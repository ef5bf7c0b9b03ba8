"""A progress bar on standard error, twice a second at most."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from horsesense.runs.ask import Watcher

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
        self._done = self._left = 0
        self._told = False

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._bar.stop()

    def say(self, text: str) -> None:
        self._console.print(text, markup=False, soft_wrap=True)

    def begin(self, model: str, probe: str, tokens: int, done: int) -> None:
        kept = f", {done:,} of them kept already" if done else ""
        self.say(f"{model} on {probe}: {tokens:,} tokens to compute{kept}")
        self._task = self._bar.add_task(f"{model} on {probe}", total=tokens, completed=done)
        self._began, self._done, self._left, self._told = time.monotonic(), 0, tokens - done, False

    def step(self, tokens: int) -> None:
        if self._task is not None:
            self._bar.advance(self._task, tokens)
        self._done += tokens
        passed = time.monotonic() - self._began
        if not self._told and passed > _SOON:
            self._told = True
            rate = self._done / passed
            minutes = (self._left - self._done) / rate / 60
            if minutes > 1:
                self.say(f"about {minutes:,.0f} minutes left, at {rate:,.0f} tokens a second")
