"""What a command prints: one JSON document on standard output, or something for people to read."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import orjson
import typer

from horsesense.terminal import console, say, table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from horsesense.core import Probe
    from horsesense.errors import UserError

__all__ = ["Json", "as_option", "people", "print_json", "say", "say_skipped", "table", "write_built"]

_MOST_LINES = 10

_OPTIONS = {
    "engine": "on",
    "formats": "format",
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
"""Parameters whose option has another name, in commands that are not generated yet."""

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document on standard output.")]


def print_json(document: Any) -> None:
    """The one document of ``--json``."""
    from horsesense.core.document import plain

    sys.stdout.buffer.write(orjson.dumps(plain(document), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    sys.stdout.flush()


people = console  # until the last command is generated


def as_option(name: str, value: str) -> str:
    """A parameter as the command line writes it."""
    from horsesense.cli import generate

    return generate.as_option(_OPTIONS.get(name, name) if generate.is_idle() else name, value)


def say_skipped(lines: Sequence[UserError]) -> None:
    """Which lines were skipped and why: the first few, then how many more."""
    for line in lines[:_MOST_LINES]:
        say(f"skipped {line.sentence(as_option)}")
    if len(lines) > _MOST_LINES:
        say(f"and {len(lines) - _MOST_LINES:,} more lines skipped")


def write_built(out: Path, probe: Probe, json: bool) -> None:
    """Write the probe, and say how many items it has and what was left out."""
    document = probe.save(out)
    if json:
        print_json(document)
        return
    print(f"{document.items:,} items in {document.families:,} families  {out}")
    if probe.card.label_quality is not None:
        print(f"sound: {probe.card.label_quality.in_words()}")
    for note, count in document.notes.items():
        print(f"  {note}: {count:,}")
