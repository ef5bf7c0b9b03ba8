"""A progress bar on standard error for work that goes in stages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from horsesense.watching import Watcher

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class Stages(Watcher):
    """Told the stage, how much of it is done, and how much there is; it can be called as well."""

    def __init__(self, bar: Progress) -> None:
        self._bar = bar
        self._tasks: dict[str, TaskID] = {}

    def at(self, stage: str, done: int, total: int, unit: str = "", note: str = "") -> None:
        if stage not in self._tasks:
            for earlier in self._tasks.values():
                self._bar.update(earlier, completed=self._bar.tasks[earlier].total)
            self._tasks[stage] = self._bar.add_task(stage, total=total)
        self._bar.update(self._tasks[stage], completed=done, total=total)

    def __call__(self, stage: str, done: int, total: int) -> None:
        self.at(stage, done, total)


@contextmanager
def stages() -> Iterator[Stages]:
    """The bars, for the length of the block.

    Nothing is drawn where standard error is not a terminal.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True, highlight=False)
    columns = TextColumn("{task.description:10}"), BarColumn(), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        yield Stages(bar)
