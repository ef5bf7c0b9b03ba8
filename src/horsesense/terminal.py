"""Text for the terminal: one console and one table."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console
    from rich.table import Table
    from rich.text import Text


def console() -> Console:
    """Return the console of standard output."""
    from rich.console import Console

    class Output(Console):
        def on_broken_pipe(self) -> None:
            raise  # rich calls this while it handles the error, and would exit with 1

    # Texts of probes hold colons and brackets of their own.
    return Output(highlight=False, emoji=False)


def line(text: str, style: str = "") -> None:
    """Print one line, whatever its length and whatever brackets it has."""
    console().print(text, style=style, markup=False, soft_wrap=True)


def say(text: str) -> None:
    """Print a message beside the result, on standard error."""
    print(text, file=sys.stderr, flush=True)


def table(*columns: str, left: int = 1, drawn: int = 0, title: str | Text = "", padding: int = 1) -> Table:
    """Return a table: ``left`` columns of words, then numbers, then ``drawn`` columns of drawings.

    Words fold where the terminal is narrow; numbers and drawings are never broken.
    """
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    class PlainTable(Table):
        """A table whose cells are plain text, whatever brackets they have."""

        def add_row(self, *cells: Any, **style: Any) -> None:
            super().add_row(*map(escape, cells), **style)

    frame = PlainTable(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, padding, 0, 0) if padding else 0,
        title=(escape(title) if isinstance(title, str) else title) or None,
        title_justify="left",
    )
    for i, name in enumerate(map(escape, columns)):
        if i < left:
            frame.add_column(name, overflow="fold")
        elif i >= len(columns) - drawn:
            frame.add_column(name, no_wrap=True)
        else:
            frame.add_column(name, justify="right", no_wrap=True)
    return frame


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1, title: str = "") -> None:
    """Print a table; nothing if it has no row."""
    if rows:
        frame = table(*columns, left=left, title=title)
        for row in rows:
            frame.add_row(*row)
        console().print(frame)


def print_fitting(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    left: int = 1,
    optional: Sequence[str] = (),
    drawn: int = 0,
    title: str = "",
) -> None:
    """Print a table that breaks no name: optional columns are dropped in their order, then each row becomes a list."""
    output, dropped = console(), set[str]()
    for name in ("", *optional):
        dropped.add(name)
        indices = [i for i, column in enumerate(columns) if column not in dropped]
        last = sum(i >= len(columns) - drawn for i in indices)
        frame = table(*(columns[i] for i in indices), left=left, drawn=last, title=title)
        for row in rows:
            frame.add_row(*(row[i] for i in indices))
        missing = output.measure(frame, options=output.options.update(width=10_000)).maximum - output.width
        names = [row[0] for row in rows]
        if missing > 0 and name == ("", *optional)[-1]:
            # Names may wrap between words.
            frame.columns[0].width = max(map(len, names), default=0) - missing
            words = [len(word) for each in (columns[0], *names) for word in each.split()]
            missing = 0 if frame.columns[0].width >= max(words) else missing
        if missing <= 0:
            output.print(frame)
            return
    if title:
        output.print(title, markup=False, soft_wrap=True)
    wide = max(len(column) for column in columns)
    for row in rows:
        output.print(", ".join(row[:left]), markup=False, soft_wrap=True)
        for name, cell in zip(columns[left:], row[left:], strict=True):
            if cell and name not in dropped:
                output.print(f"  {name:<{wide}}  {cell}", markup=False, soft_wrap=True)
    output.print()


def size(count: int) -> str:
    """Format a number of bytes.

    >>> size(12), size(2_340_000), size(1_500_000_000)
    ('12 B', '2.3 MB', '1.5 GB')
    """
    value, units = float(count), ["B", "kB", "MB", "GB"]
    while value >= 999.95 and len(units) > 1:
        value, units = value / 1000, units[1:]
    return f"{count} B" if units[0] == "B" else f"{value:.1f} {units[0]}"
