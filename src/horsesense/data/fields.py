"""Check the fields of a file against the types of a record; a mismatch becomes one sentence."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from math import nan
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from horsesense.errors import UserError

Record = TypeVar("Record")
_LEAST, _MOST = -(2**63), 2**64 - 1
"""The whole numbers that orjson writes."""


@dataclass(frozen=True, slots=True)
class FieldProblem:
    """The first thing that is wrong with the fields of a file."""

    kind: Literal["unknown", "missing", "wrong"]
    """There is no such field, a field is not there that must be, or its value does not fit."""
    path: tuple[str | int, ...]
    """Names and indices from the outermost field inwards; empty if the value is not an object."""
    value: Any
    """The value in the file."""
    allowed: tuple[str, ...] = ()
    """The texts that it could be, if there are only a few."""

    @property
    def field(self) -> str:
        """The outermost field.

        >>> FieldProblem("wrong", ("human", 0, "value"), "high").field
        'human'
        """
        return str(self.path[0]) if self.path else ""

    @property
    def where(self) -> str:
        """The whole path, joined by dots."""
        return ".".join(map(str, self.path))


Wording = Callable[[FieldProblem], UserError]
"""Turns a problem into the error message of one kind of file."""


@dataclass(frozen=True, slots=True)
class NonBlank:
    """Constraint of a text: it has more than white space (``Annotated[str, NonBlank()]``)."""


@dataclass(frozen=True, slots=True)
class Positive:
    """Constraint of a number: it is above 0 (``Annotated[int, Positive()]``)."""


@dataclass(frozen=True, slots=True)
class NullIsNan:
    """Constraint of a float: null in the file is a number without a value (``Annotated[float, NullIsNan()]``)."""


class _MisfitError(Exception):
    """Carries a problem out of nested fields."""

    def __init__(self, problem: FieldProblem) -> None:
        self.problem = problem


def check_fields(record: type[Record], values: Mapping[str, Any], wording: Wording) -> Record:
    """Return a record from plain values, such as those of a TOML file. No value is converted to another type."""
    try:
        checked: Record = _fit(record, values, ())
        return checked
    except _MisfitError as misfit:
        raise wording(misfit.problem) from None


def check_json(record: type[Record], text: str, wording: Wording) -> Record:
    """Return a record from a JSON object; text that is not JSON is reported like a value that is not an object."""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        raise wording(FieldProblem("wrong", (), text)) from None
    return check_fields(record, values, wording)


def _fit(kind: Any, value: Any, path: tuple[str | int, ...]) -> Any:
    """Return a value as a type has it: lists become tuples, objects records, and whole numbers floats."""
    if kind is Any:
        return value
    origin, args = get_origin(kind), get_args(kind)
    if origin is Annotated:
        if value is None and any(isinstance(each, NullIsNan) for each in args[1:]):
            return nan
        return _constrained(_fit(args[0], value, path), args[1:], path)
    if origin in (Union, UnionType):
        return _any_of(args, value, path)
    if origin is Literal:
        if any(type(value) is type(each) and value == each for each in args):
            return value
        raise _MisfitError(FieldProblem("wrong", path, value, tuple(each for each in args if isinstance(each, str))))
    if origin is None and is_dataclass(kind):
        return _record(kind, value, path)
    if origin in (tuple, list, Sequence):
        return _several(origin, args, value, path)
    if origin in (dict, Mapping) and isinstance(value, Mapping):
        return {_fit(args[0], key, (*path, key)): _fit(args[1], each, (*path, key)) for key, each in value.items()}
    if kind is float and type(value) is int:
        return float(value) if abs(value) < 2**1000 else _refuse(value, path)
    if kind is Path and type(value) is str:
        return Path(value)
    if type(value) is not kind or (kind is int and not _LEAST <= value <= _MOST):
        _refuse(value, path)
    return value


def _refuse(value: Any, path: tuple[str | int, ...]) -> Any:
    raise _MisfitError(FieldProblem("wrong", path, value))


def _constrained(value: Any, constraints: Sequence[Any], path: tuple[str | int, ...]) -> Any:
    for each in constraints:
        if (isinstance(each, NonBlank) and not value.strip()) or (isinstance(each, Positive) and value <= 0):
            _refuse(value, path)
    return value


def _any_of(kinds: Sequence[Any], value: Any, path: tuple[str | int, ...]) -> Any:
    if value is None and NoneType in kinds:
        return None
    others = [kind for kind in kinds if kind is not NoneType]
    for kind in others[:-1]:
        try:
            return _fit(kind, value, path)
        except _MisfitError:
            continue
    return _fit(others[-1], value, path)


def _several(origin: Any, args: tuple[Any, ...], value: Any, path: tuple[str | int, ...]) -> Any:
    if not isinstance(value, list | tuple):
        return _refuse(value, path)
    if origin is tuple and args[-1] is not Ellipsis:
        kinds: Sequence[Any] = args
        if len(kinds) != len(value):
            return _refuse(value, path)
    else:
        kinds = [args[0]] * len(value)
    fitted = [_fit(kind, each, (*path, i)) for i, (kind, each) in enumerate(zip(kinds, value, strict=True))]
    return fitted if origin is list else tuple(fitted)


def _record(kind: Any, value: Any, path: tuple[str | int, ...]) -> Any:
    if not isinstance(value, Mapping):
        return _refuse(value, path)
    kinds, needed = _fields_of(kind)
    # An unknown name comes first: it is most often the misspelt one of a field that is missing.
    for name in value:
        if name not in kinds:
            raise _MisfitError(FieldProblem("unknown", (*path, name), value[name]))
    for name in needed:
        if name not in value:
            raise _MisfitError(FieldProblem("missing", (*path, name), None))
    return kind(**{name: _fit(kinds[name], each, (*path, name)) for name, each in value.items()})


@cache
def _fields_of(kind: Any) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """Return the types of a record's fields by name, and the names without a default."""
    hints = get_type_hints(kind, include_extras=True)
    listed = [each for each in fields(kind) if each.init]
    needed = (each.name for each in listed if each.default is MISSING and each.default_factory is MISSING)
    return {each.name: hints[each.name] for each in listed}, tuple(needed)
