"""A progress bar for trainings: step, loss, time left; beside that of the runs that measure them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from horsesense.runs.ask import Watcher


class LearningProgress(Watcher):
    """Shows a training; remarks go to standard error where nobody looks at a bar."""

    def __init__(self, bar: Progress) -> None:
        self._bar = bar
        self._task: TaskID | None = None
        self._step = 0

    def say(self, text: str) -> None:
        self._bar.console.print(text, markup=False, soft_wrap=True, highlight=False)

    def tick(self, step: int, total: int, loss: float) -> None:
        """One more log line of the Trainer."""
        if self._task is None or step < self._step:
            self._end()
            self._task = self._bar.add_task("training", total=total)
        self._step = step
        self._bar.update(self._task, completed=step, total=total, description=f"training, loss {loss:.3f}")

    def begin(self, model: str, probe: str, tokens: int, done: int) -> None:
        self._end()
        self._task = self._bar.add_task(f"asking {probe}", total=tokens, completed=done)

    def step(self, tokens: int) -> None:
        if self._task is not None:
            self._bar.advance(self._task, tokens)

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
