"""Results as plain data: a document is a frozen dataclass whose fields are the keys of its JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import PurePath
from typing import Annotated, Any, ClassVar

INTERNAL: Mapping[str, Any] = {"json": False}
"""``field(metadata=INTERNAL)``: a field of a document that is not part of its JSON."""


class Document:
    """What a function returns and ``--json`` prints: subclasses are frozen dataclasses with a sentence for each field.

    A JSON Schema can be generated from the class (pydantic's ``TypeAdapter``), sentences included. A field whose
    default is None is left out of the JSON where it is None; a field without a default is always there. A class with a
    ``to_json`` of its own names in ``ALWAYS`` the fields that it never leaves out.
    """

    __slots__ = ()
    ALWAYS: ClassVar[tuple[str, ...] | None] = None
    __pydantic_config__: ClassVar[dict[str, bool]] = {"use_attribute_docstrings": True, "arbitrary_types_allowed": True}

    def to_json(self) -> dict[str, Any]:
        """The same as what JSON knows: what ``--json`` prints."""
        values: dict[str, Any] = plain(self)
        return values


class _NotANumberIsNull:
    """Declares in the schema that a number without a value is null in JSON."""

    def __get_pydantic_json_schema__(self, core: Any, handler: Any) -> dict[str, Any]:
        return {"anyOf": [handler(core), {"type": "null"}]}


Number = Annotated[float, _NotANumberIsNull()]
"""A figure that may have no value: nan, which is null in JSON."""


def plain(value: Any) -> Any:
    """Dataclasses, tuples and paths as what JSON knows.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Written(Document):
    ...     out: PurePath
    ...     report: str | None
    ...     suite: str | None = None
    >>> plain(Written(PurePath("a.jsonl"), None))
    {'out': 'a.jsonl', 'report': None}
    """
    if isinstance(value, Document) and type(value).to_json is not Document.to_json:
        return value.to_json()
    if is_dataclass(value) and not isinstance(value, type):
        pairs = ((each, getattr(value, each.name)) for each in fields(value) if each.metadata.get("json", True))
        return {each.name: plain(part) for each, part in pairs if part is not None or each.default is not None}
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return str(value) if isinstance(value, PurePath) else value
