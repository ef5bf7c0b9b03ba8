"""A progress bar for trainings: step, loss, time left; beside that of the runs that measure them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from horsesense.watching import Watcher


class LearningProgress(Watcher):
    """Shows a training; remarks go to standard error where nobody looks at a bar."""

    def __init__(self, bar: Progress) -> None:
        self._bar = bar
        self._task: TaskID | None = None
        self._stage, self._done = "", 0

    def say(self, text: str) -> None:
        self._bar.console.print(text, markup=False, soft_wrap=True, highlight=False)

    def at(self, stage: str, done: int, total: int, unit: str = "", note: str = "") -> None:
        if self._task is None or stage != self._stage or done < self._done:
            self._end()
            self._task = self._bar.add_task(stage, total=total)
        self._stage, self._done = stage, done
        told = f"{stage}, {note}" if note else stage
        self._bar.update(self._task, completed=done, total=total, description=told)

    def _end(self) -> None:
        if self._task is not None:
            self._bar.remove_task(self._task)
        self._task = None


@contextmanager
def learning() -> Iterator[LearningProgress]:
    """The bar, for the length of the block."""
    console = Console(stderr=True, highlight=False, emoji=False)
    columns = TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn()
    with Progress(*columns, console=console, refresh_per_second=2, disable=not console.is_terminal) as bar:
        yield LearningProgress(bar)
