"""Files of judgements: JSON lines, CSV or TSV, one judgement a row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import Any

from horsesense.errors import UserError
from horsesense.files.tables import iter_rows, write_rows
from horsesense.records.judgement import Judgement

FIELDS = tuple(f.name for f in fields(Judgement))
NEEDED = ("item", "annotator", "instrument", "value")
"""Columns that a file of judgements must have."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A judgement and where it stands, so that an error can say so."""

    judgement: Judgement
    file: Path
    line: int

    def error(self, problem: str, fix: str | None = None) -> UserError:
        """What is wrong with it, with file and line."""
        return UserError(problem, file=self.file, line=self.line, fix=fix)


def judgement_from_dict(values: Mapping[str, Any]) -> Judgement:
    """A judgement from a row, checked; columns that are no field of it are left alone.

    >>> judgement_from_dict({"item": "a", "annotator": "p1", "instrument": "choice", "value": "", "comment": "?"})
    Traceback (most recent call last):
    ...
    horsesense.errors.UserError: the value is empty; give an answer, or remove the row
    """
    check_columns(values)
    texts = {name: values.get(name, "") for name in FIELDS if name not in ("round", "order")}
    for name, value in texts.items():
        if not isinstance(value, str):
            raise UserError(f"the {name} {value!r} is not text", fix="put it in quotes")
        if name in NEEDED and not value.strip():
            fix = "give an answer, or remove the row" if name == "value" else "fill it in"
            raise UserError(f"the {name} is empty", fix=fix)
    if texts["at"]:
        try:
            datetime.fromisoformat(texts["at"])
        except ValueError:
            raise UserError(
                f"the time {texts['at']!r} is not ISO 8601", fix="write it like 2026-01-31T12:00:00Z"
            ) from None
    return Judgement(
        **{name: value.strip() for name, value in texts.items()},
        round=_whole(values.get("round", 1), "round", 1),
        order=_whole(values.get("order", 0), "order", 0),
    )


def check_columns(values: Mapping[str, Any]) -> None:
    """The columns that every judgement needs must be there."""
    missing = [name for name in NEEDED if name not in values]
    if missing:
        there = ", ".join(list(values)[:8]) or "none"
        raise UserError(
            f"the column {missing[0]!r} is missing (there are: {there})", fix=f"a judgement has {', '.join(NEEDED)}"
        )


def _whole(value: Any, name: str, least: int) -> int:
    """A whole number, given as a number or as its digits; an empty cell is the least."""
    if value == "":
        return least
    if isinstance(value, str) and value.isdecimal() and len(value) < 10:
        value = int(value)
    if type(value) is not int or value < least:
        raise UserError(f"the {name} {value!r} is not a whole number from {least}")
    return value


def iter_judgements(path: str | Path) -> Iterator[Placed]:
    """Each judgement of a file with its place."""
    path = Path(path)
    for line, row in iter_rows(path):
        try:
            yield Placed(judgement_from_dict(row), path, line)
        except UserError as error:
            raise error.at(path, line) from None


def write_judgements(path: str | Path, judgements: Iterable[Judgement]) -> None:
    """Write judgements as JSON lines, CSV or TSV, as the name ends."""
    write_rows(Path(path), map(asdict, judgements), FIELDS)
