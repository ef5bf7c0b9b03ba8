"""Check the fields of a file against the types of a record; a mismatch becomes one sentence.

pydantic does the checking, and is loaded only when a file is checked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, TypeVar

from horsesense.errors import UserError

Record = TypeVar("Record")


@dataclass(frozen=True, slots=True)
class FieldProblem:
    """The first thing that is wrong with the fields of a file."""

    kind: Literal["unknown", "missing", "wrong"]
    """There is no such field, a field is not there that must be, or its value does not fit."""
    path: tuple[str | int, ...]
    """Names and places from the outermost field inwards; empty if the value is not an object."""
    message: str
    """What the checker says."""
    value: Any
    """The value found."""
    allowed: tuple[str, ...] = ()
    """The texts that it could be, where there are only a few."""

    @property
    def field(self) -> str:
        """The outermost field.

        >>> FieldProblem("wrong", ("human", 0, "value"), "Input should be a valid number", "high").field
        'human'
        """
        return str(self.path[0]) if self.path else ""

    @property
    def where(self) -> str:
        """The whole way to it, joined by dots."""
        return ".".join(map(str, self.path))


Wording = Callable[[FieldProblem], UserError]
"""Turns a problem into the error message of one kind of file."""


def check_fields(record: type[Record], values: Mapping[str, Any], wording: Wording) -> Record:
    """Return a record from plain values, such as those of a TOML file. No value is converted to another type."""
    # Python's strict mode wants tuples where a file can only hold lists; the one for JSON knows better. What JSON does
    # not have, such as a date, is no value of any field.
    return check_json(record, json.dumps(values, default=lambda value: None), wording)


def check_json(record: type[Record], text: str, wording: Wording, strict: bool = True) -> Record:
    """Return a record from a JSON object; text that is not JSON is reported like a value that is not an object."""
    from pydantic import ValidationError

    try:
        kind: Any = record
        checked: Record = _checker(kind).validate_json(text, strict=strict, extra="forbid")
        return checked
    except ValidationError as error:
        problem = _first_problem(error.errors(include_url=False))
    raise wording(problem)


@cache
def _checker(record: type[Any]) -> Any:
    """Build the validator of a record once, because building takes longer than checking a file."""
    from pydantic import TypeAdapter

    return TypeAdapter(record)


_KINDS: Mapping[str, Literal["unknown", "missing"]] = {
    "unexpected_keyword_argument": "unknown",
    "extra_forbidden": "unknown",
    "missing": "missing",
}


def _first_problem(errors: list[Any]) -> FieldProblem:
    # A name that is unknown is most often the misspelt one of a field that is missing.
    error = min(errors, key=lambda error: _KINDS.get(error["type"]) != "unknown")
    allowed = re.findall(r"'([^']*)'", error["ctx"]["expected"]) if error["type"] == "literal_error" else ()
    return FieldProblem(
        kind=_KINDS.get(error["type"], "wrong"),
        path=error["loc"],
        message=error["msg"],
        value=error["input"],
        allowed=tuple(allowed),
    )
