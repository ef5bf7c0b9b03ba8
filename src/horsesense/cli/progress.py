"""Progress on standard error: bars on a terminal, messages everywhere."""

from __future__ import annotations

import time
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Self

from horsesense.progress import Progress
from horsesense.terminal import say

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

_SOON = 10.0
"""Seconds after which the speed is known well enough to say how long it will take."""
_AGAIN = 30.0
"""Seconds after which the time that is left is reported again, where no bars are drawn."""


@dataclass(slots=True)
class _Stage:
    """A stage that is being drawn."""

    bar: TaskID
    began: float
    first: int
    """How much was done when it began."""
    done: int
    forecast: float | None = None
    """When the time that is left was said, or looked at and not worth saying."""


class Bars(Progress):
    """A bar for each stage, drawn twice a second at most; nothing is drawn where nobody looks at a terminal.

    Where things are counted, the time that is left is also said in words, once a stage and after ten seconds; without
    bars, every half minute.
    """

    def __init__(self, stay: bool = False) -> None:
        """``stay`` leaves the bars on the screen when all is done."""
        self._stay = stay
        self._drawn: RichProgress | None = None
        self._stages: dict[str, _Stage] = {}

    @property
    def _bars(self) -> RichProgress:
        """Built when the first stage begins: most commands are done before there is anything to draw."""
        if self._drawn is None:
            from rich.console import Console
            from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
            from rich.progress import Progress as RichProgress

            console = Console(stderr=True, highlight=False, emoji=False)
            self._drawn = RichProgress(
                TextColumn("{task.description}", markup=False),  # a path may hold [/brackets]
                BarColumn(),
                TextColumn("{task.fields[counted]}", markup=False),
                TimeElapsedColumn(),
                TextColumn("left"),
                TimeRemainingColumn(),
                console=console,
                refresh_per_second=2,
                transient=not self._stay,
                disable=not console.is_terminal,
            )
            self._drawn.start()
        return self._drawn

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._drawn is not None:
            self._drawn.stop()

    def log(self, text: str) -> None:
        if self._drawn is None:
            say(text)
        else:
            self._drawn.console.print(text, markup=False, soft_wrap=True)

    def update(self, stage: str, done: int, total: int, unit: str = "", note: str = "") -> None:
        now = self._stages.get(stage)
        if now is None or done < now.done:
            now = self._begin(stage, done, total)
        now.done = done
        description = f"{stage}, {note}" if note else stage
        counted = told_count(done, total, unit) + _told_rate(now, unit)
        self._bars.update(now.bar, completed=done, total=total or None, description=description, counted=counted)
        if unit and total and self._is_time(now):
            self._say_forecast(stage, now, total, unit)

    def _begin(self, stage: str, done: int, total: int) -> _Stage:
        earlier = self._stages.pop(stage, None)
        if earlier is not None:  # it has begun anew
            self._bars.remove_task(earlier.bar)
        for task in self._bars.tasks:
            self._bars.update(task.id, total=task.total or task.completed, completed=task.total or task.completed)
        bar = self._bars.add_task(stage, total=total or None, completed=done, counted="")
        self._stages[stage] = new = _Stage(bar, time.monotonic(), done, done)
        return new

    def _is_time(self, now: _Stage) -> bool:
        """Whether to say how much time is left."""
        if now.forecast is None:
            return time.monotonic() - now.began > _SOON and now.done > now.first
        return self._bars.disable and time.monotonic() - now.forecast > _AGAIN

    def _say_forecast(self, stage: str, now: _Stage, total: int, unit: str) -> None:
        again, now.forecast = now.forecast is not None, time.monotonic()
        rate = (now.done - now.first) / (now.forecast - now.began)
        minutes = (total - now.done) / rate / 60
        if minutes > 1 or again:
            duration = "less than a minute" if minutes < 0.75 else _in_minutes(minutes)
            self.log(f"{stage}: {now.done / total:.0%}, {duration} left, at {rate:,.0f} {unit} per second")


def _in_minutes(minutes: float) -> str:
    return f"about {minutes:,.0f} minutes" if round(minutes) > 1 else "about a minute"


def _told_rate(now: _Stage, unit: str) -> str:
    """Return the tokens per second, once there is an estimate."""
    passed = time.monotonic() - now.began
    done = now.done - now.first
    return f", {done / passed:,.0f} per second" if unit == "tokens" and done > 0 and passed > 1 else ""


def told_count(done: int, total: int, unit: str) -> str:
    """What is counted, for people: bytes as megabytes, and no total where nobody knows it.

    >>> told_count(3, 7, "items"), told_count(12_340_000, 0, "bytes"), told_count(0, 2_000_000, "bytes")
    ('3/7 items', '12.3 MB', '0.0/2.0 MB')
    """
    if not unit:
        return ""
    numbers = [f"{each / 1e6:,.1f}" if unit == "bytes" else f"{each:,}" for each in (done, total)[: 1 + bool(total)]]
    return f"{'/'.join(numbers)} {'MB' if unit == 'bytes' else unit}"
