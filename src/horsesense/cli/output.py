"""What a command prints: one JSON document on standard output, or something for people to read."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import orjson
import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from horsesense.errors import UserError

_MOST_TOLD = 10

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document on standard output.")]


def print_json(document: Any) -> None:
    """The one document of ``--json``."""
    sys.stdout.buffer.write(orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    sys.stdout.flush()


def people() -> Console:
    """Where tables for people go: standard output."""
    from rich.console import Console

    class Output(Console):
        def on_broken_pipe(self) -> None:
            raise  # rich calls this while it handles the error, and would exit with 1

    # Texts of probes hold colons and brackets of their own.
    return Output(highlight=False, emoji=False)


def say_skipped(lines: Sequence[UserError]) -> None:
    """Which lines were skipped and why: the first few, then how many more."""
    for line in lines[:_MOST_TOLD]:
        say(f"skipped {line}")
    if len(lines) > _MOST_TOLD:
        say(f"and {len(lines) - _MOST_TOLD:,} more lines skipped")


def say(text: str) -> None:
    """A remark beside the result: standard error, so that it never mixes with it."""
    print(text, file=sys.stderr, flush=True)
