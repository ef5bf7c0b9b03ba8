"""What a command prints: one JSON document on standard output, or something for people to read."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import orjson
import typer

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from horsesense.core import Probe
    from horsesense.errors import UserError

_MOST_LINES = 10

_OPTIONS = {
    "engine": "on",
    "columns": "map",
    "everything": "all",
    "folder": "from",
    "numbers": "number",
    "probe_name": "name",
    "rates": "lr",
    "slots": "slot",
    "strategies": "strategy",
    "tests": "test",
}
"""Arguments whose option is called otherwise."""

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document on standard output.")]


def print_json(document: Any) -> None:
    """The one document of ``--json``."""
    from horsesense.core.document import plain

    sys.stdout.buffer.write(orjson.dumps(plain(document), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    sys.stdout.flush()


def people() -> Console:
    """Where tables for people go: standard output."""
    from rich.console import Console

    class Output(Console):
        def on_broken_pipe(self) -> None:
            raise  # rich calls this while it handles the error, and would exit with 1

    # Texts of probes hold colons and brackets of their own.
    return Output(highlight=False, emoji=False)


def table(*columns: str, left: int = 1, drawn: int = 0, title: str | Text = "", padding: int = 1) -> Table:
    """The one frame of tables for people: first words (``left`` columns), then numbers, last drawings (``drawn``).

    Words fold where the terminal is narrow; numbers and drawings are never broken.
    """
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    frame = Table(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, padding, 0, 0) if padding else 0,
        title=(escape(title) if isinstance(title, str) else title) or None,
        title_justify="left",
    )
    for place, name in enumerate(columns):
        if place < left:
            frame.add_column(name, overflow="fold")
        elif place >= len(columns) - drawn:
            frame.add_column(name, no_wrap=True)
        else:
            frame.add_column(name, justify="right", no_wrap=True)
    return frame


def print_fitting(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    left: int = 1,
    optional: Sequence[str] = (),
    drawn: int = 0,
    title: str = "",
) -> None:
    """Print a table that breaks no name: optional columns are dropped in their order, then each row becomes a list."""
    from rich.markup import escape

    console, dropped = people(), set[str]()
    for name in ("", *optional):
        dropped.add(name)
        places = [place for place, column in enumerate(columns) if column not in dropped]
        last = sum(place >= len(columns) - drawn for place in places)
        frame = table(*(columns[place] for place in places), left=left, drawn=last, title=title)
        for row in rows:
            frame.add_row(*(escape(row[place]) for place in places))
        missing = console.measure(frame, options=console.options.update(width=10_000)).maximum - console.width
        names = [row[0] for row in rows]
        if missing > 0 and name == ("", *optional)[-1]:
            # Names may wrap between words.
            frame.columns[0].width = max(map(len, names), default=0) - missing
            words = [len(word) for each in (columns[0], *names) for word in each.split()]
            missing = 0 if frame.columns[0].width >= max(words) else missing
        if missing <= 0:
            console.print(frame)
            return
    if title:
        console.print(title, markup=False, soft_wrap=True)
    wide = max(len(column) for column in columns)
    for row in rows:
        console.print(", ".join(row[:left]), markup=False, soft_wrap=True)
        for name, cell in zip(columns[left:], row[left:], strict=True):
            if cell and name not in dropped:
                console.print(f"  {name:<{wide}}  {cell}", markup=False, soft_wrap=True)
    console.print()


def as_option(name: str, value: str) -> str:
    """An argument of the library as the command line writes it."""
    option = f"--{_OPTIONS.get(name, name).replace('_', '-')}"
    return f"{option} {value}" if value else option


def say_skipped(lines: Sequence[UserError]) -> None:
    """Which lines were skipped and why: the first few, then how many more."""
    for line in lines[:_MOST_LINES]:
        say(f"skipped {line.sentence(as_option)}")
    if len(lines) > _MOST_LINES:
        say(f"and {len(lines) - _MOST_LINES:,} more lines skipped")


def say(text: str) -> None:
    """A remark beside the result: standard error, so that it never mixes with it."""
    print(text, file=sys.stderr, flush=True)


def write_built(out: Path, probe: Probe, json: bool) -> None:
    """Write the probe, and say how many items it has and what was left out."""
    from horsesense.core.probe import written

    document = written(out, probe)
    if json:
        print_json(document)
        return
    print(f"{document.items:,} items in {document.families:,} families  {out}")
    if probe.card.soundness is not None:
        print(f"sound: {probe.card.soundness.in_words()}")
    for note, count in document.notes.items():
        print(f"  {note}: {count:,}")
