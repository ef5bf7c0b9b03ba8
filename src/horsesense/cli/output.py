"""Print the JSON document of a command, and names of options in messages."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import orjson

from horsesense.terminal import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from horsesense.errors import UserError

_MOST_LINES = 10


def print_json(document: Any) -> None:
    """Print the document of ``--json``."""
    from horsesense.core.document import plain

    sys.stdout.buffer.write(orjson.dumps(plain(document), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    sys.stdout.flush()


def as_option(name: str, value: str) -> str:
    """Return a parameter as the command line spells it."""
    from horsesense.cli import generate

    return generate.as_option(name, value)


def say_skipped(lines: Sequence[UserError]) -> None:
    """Print the first skipped lines with their reasons, and how many more there are."""
    for line in lines[:_MOST_LINES]:
        say(f"skipped {line.sentence(as_option)}")
    if len(lines) > _MOST_LINES:
        say(f"and {len(lines) - _MOST_LINES:,} more lines skipped")
