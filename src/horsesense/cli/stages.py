"""A progress bar on standard error for work that goes in stages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def stages() -> Iterator[Callable[[str, int, int], None]]:
    """Gives a function to be told the stage, how much of it is done, and how much there is.

    Nothing is drawn where standard error is not a terminal.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

    console = Console(stderr=True, highlight=False)
    columns = TextColumn("{task.description:10}"), BarColumn(), TimeElapsedColumn()
    tasks: dict[str, TaskID] = {}
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:

        def tick(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                for earlier in tasks.values():
                    bar.update(earlier, completed=bar.tasks[earlier].total)
                tasks[stage] = bar.add_task(stage, total=total)
            bar.update(tasks[stage], completed=done, total=total)

        yield tick
