"""Lists of names that a type constraint asks for: one's own in place of those that ship."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from horsesense.errors import UserError
from horsesense.files import read_text

LISTS = ("animals", "materials", "occupations", "adjectives")


def read_list(path: Path) -> Sequence[str]:
    """A name a line, or JSON: a list, or an object that holds one (as in public collections of lists)."""
    text = read_text(path)
    if path.suffix != ".json":
        found: object = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    else:
        try:
            found = json.loads(text)
        except json.JSONDecodeError as error:
            raise UserError("this is not JSON", file=path, line=error.lineno, fix="give a list of names") from error
    if isinstance(found, dict):
        found = next((value for value in found.values() if isinstance(value, list)), None)
    if not isinstance(found, list) or not found or not all(isinstance(name, str) for name in found):
        raise UserError("there is no list of names in the file", file=path, fix="give one name a line")
    return [name.lower() for name in found]
