"""Results as plain data: documents whose fields are the keys of their JSON, and tables."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from itertools import islice, repeat
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from horsesense.data.fields import NullIsNan
from horsesense.data.tables import no_formula
from horsesense.errors import UserError

if TYPE_CHECKING:
    import pyarrow

INTERNAL: Mapping[str, Any] = {"json": False}
"""``field(metadata=INTERNAL)``: a field of a document that is not part of its JSON."""


class Document:
    """Result of a public function, printed by ``--json``: a frozen dataclass with a sentence for each field.

    A JSON Schema can be generated from the class (pydantic's ``TypeAdapter``); ``tools.docs`` adds the sentences. A
    field whose default is None is left out of the JSON where it is None; a field without a default is always there. A
    class with a ``to_json`` of its own names in ``ALWAYS`` the fields that it never leaves out.
    """

    __slots__ = ()
    ALWAYS: ClassVar[tuple[str, ...] | None] = None
    __pydantic_config__: ClassVar[dict[str, bool]] = {"arbitrary_types_allowed": True}

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values, as ``--json`` prints them."""
        values: dict[str, Any] = plain(self)
        return values


class TableDocument(Document):
    """A result with a table, which a notebook shows."""

    __slots__ = ()

    def frame(self) -> Frame:
        """Return the result as a table."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return self.frame()._repr_html_()


class _NotANumberIsNull(NullIsNan):
    """A number without a value is null in JSON: in the schema, and where a stored document is read."""

    def __get_pydantic_json_schema__(self, core: Any, handler: Any) -> dict[str, Any]:
        return {"anyOf": [handler(core), {"type": "null"}]}


Number = Annotated[float, _NotANumberIsNull()]
"""A figure that may have no value: nan, which is null in JSON."""


def plain(value: Any) -> Any:
    """Convert dataclasses, tuples and paths to JSON values.

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


ENDINGS = (".csv", ".json", ".jsonl", ".parquet")
"""What a table can be written as."""
_END = f"use one of {', '.join(ENDINGS)}"

_SHOWN = 20
"""Rows that a notebook shows of a long table."""
_LONGEST = 80
"""Characters of a cell that a notebook shows."""
_STYLE = (
    "font:14px/1.45 system-ui,sans-serif;border-collapse:collapse;color:#1c1b19;background:#fbfaf7",
    "text-align:left;padding:.3em .8em .3em 0;border-bottom:1px solid #5f5b54;font-weight:600",
    "padding:.25em .8em .25em 0;border-bottom:1px solid #e4e0d6;vertical-align:top",
)
"""Of the table, its head and its cells: the colours of the report."""


class Frame:
    """Columns of equal length with their names, in the order they are shown.

    Any library that speaks the Arrow PyCapsule interface takes it as it is: ``polars.DataFrame(frame)``,
    ``pyarrow.table(frame)``, DuckDB's ``from frame``.
    """

    def __init__(self, columns: Mapping[str, Sequence[Any]], title: str = "") -> None:
        self._columns = {name: list(values) for name, values in columns.items()}
        self.title = title

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self._columns)

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()), []))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        names = self.columns
        return (dict(zip(names, row, strict=True)) for row in zip(*self._columns.values(), strict=True))

    def __getitem__(self, column: str) -> list[Any]:
        if column not in self._columns:
            from horsesense.errors import unknown

            raise unknown("column", column, self._columns)
        return list(self._columns[column])

    def to_arrow(self) -> pyarrow.Table:
        """Convert to an Arrow table."""
        import pyarrow

        return pyarrow.table({name: pyarrow.array(values) for name, values in self._columns.items()})

    def to_pandas(self) -> Any:
        """Convert to a pandas data frame, where pandas is installed."""
        _need("pandas")
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """Convert to a polars data frame, where polars is installed."""
        return _need("polars").DataFrame(self.to_arrow())

    def to_json(self) -> list[dict[str, Any]]:
        """Return the rows as plain values."""

        rows: list[dict[str, Any]] = plain(list(self))
        return rows

    def write(self, path: str | Path, format: str = "") -> Path:
        """Write the rows into a file, whole or not at all; its ending decides: .csv, .jsonl, .json or .parquet.

        ``format`` goes before the ending. In CSV a list is written as JSON in its cell.
        """
        out = Path(path)
        ending = f".{format}" if format else out.suffix
        if ending not in ENDINGS:
            raise UserError(
                f"a table cannot be written as {out.suffix or 'a file without an ending'}", file=out, fix=_END
            )
        from horsesense.data import writing

        with writing(out) as temporary:
            if ending in (".jsonl", ".json"):
                import orjson

                rows, end = self.to_json(), orjson.OPT_APPEND_NEWLINE
                lines = (orjson.dumps(row, option=end) for row in rows)
                temporary.write_bytes(b"".join(lines) if ending == ".jsonl" else orjson.dumps(rows, option=end))
            elif ending == ".csv":
                import csv

                with temporary.open("w", encoding="utf-8", newline="") as handle:
                    writer = csv.writer(handle, lineterminator="\n")
                    writer.writerow(self.columns)
                    writer.writerows(zip(*(map(_cell, column) for column in self._columns.values()), strict=True))
            else:
                from pyarrow import parquet

                parquet.write_table(self.to_arrow(), temporary, compression="zstd")
        return out

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return f"Frame of {len(self):,} rows: {', '.join(self.columns)}" + (f" ({self.title})" if self.title else "")

    def __str__(self) -> str:
        """The first rows as an aligned table.

        >>> print(Frame({"model": ["smollm2", "guesser"], "accuracy": [0.625, 0.5]}))
        model    accuracy
        smollm2  0.625
        guesser  0.500
        """
        lines = [self.columns, *([_shown(value) for value in row.values()] for row in islice(self, _SHOWN))]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        table = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in lines]
        rest = [f"and {len(self) - _SHOWN:,} more rows"] if len(self) > _SHOWN else []
        return "\n".join([*table, *rest])

    def _repr_html_(self) -> str:
        table, head, cell = _STYLE
        rows = list(islice(self, _SHOWN))
        names = "".join(f'<th style="{head}">{html.escape(name)}</th>' for name in self.columns)
        body = "".join(
            "<tr>"
            + "".join(f'<td style="{cell}">{html.escape(_shown(value))}</td>' for value in row.values())
            + "</tr>"
            for row in rows
        )
        rest = f"<p>and {len(self) - _SHOWN:,} more rows</p>" if len(self) > _SHOWN else ""
        caption = f"<caption>{html.escape(self.title)}</caption>" if self.title else ""
        return f'<table style="{table}">{caption}<thead><tr>{names}</tr></thead><tbody>{body}</tbody></table>{rest}'


def columns_of(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Convert rows to columns, with None for a missing key; rows are not held in memory.

    >>> columns_of([{"model": "a", "n": 1}, {"model": "b"}])
    {'model': ['a', 'b'], 'n': [1, None]}
    """
    columns: dict[str, list[Any]] = {}
    number = 0
    for row in rows:
        for name, value in row.items():
            column = columns.setdefault(name, [])
            column.extend(repeat(None, number - len(column)))
            column.append(value)
        number += 1
    for column in columns.values():
        column.extend(repeat(None, number - len(column)))
    return columns


def _cell(value: Any) -> Any:
    """Convert a value to a spreadsheet cell: lists as JSON, booleans in lower case, no formulas."""
    if isinstance(value, list | tuple | dict):
        import orjson

        return orjson.dumps(plain(value)).decode()
    return str(value).lower() if isinstance(value, bool) else no_formula(value)


def _shown(value: Any) -> str:
    if value is None:
        return ""
    text = f"{value:z.3f}" if isinstance(value, float) else str(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _need(library: str) -> Any:
    """Import an optional library, or raise an error that names it."""
    from importlib import import_module

    try:
        return import_module(library)
    except ImportError as error:
        raise UserError(f"{library} is not installed", fix=f"pip install {library}, or take to_arrow()") from error
