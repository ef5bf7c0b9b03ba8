"""Tables with a header: tabs, commas or semicolons between the cells, in quotation marks or not, packed or not.

`open_table` is the reader. `read_table` and `iter_rows` give its rows by column name: of tables that we ship or
describe, and of tables that people or programs filled in.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

import orjson

from horsesense.data.disk import writing
from horsesense.data.text import decoded_lines, numbered_lines
from horsesense.errors import UserError

_ENDINGS = (".csv", ".tsv", ".jsonl")


@dataclass(frozen=True, slots=True)
class Layout:
    """Delimiter, quoting and comments of a table."""

    delimiter: str = "\t"
    """The character between cells; empty: a tab, semicolon or comma, by the first line."""
    quoted: bool = False
    """Whether a cell may be quoted, and then contain delimiters and line ends."""
    remark: str = ""
    """Prefix of comment lines; empty if every line is a row."""


TABS = Layout()
COMMAS = Layout(",", quoted=True)
ANY_DELIMITER = Layout("", quoted=True)


@dataclass(frozen=True, slots=True)
class HeaderedRows:
    """A header, and the rows under it while they are read."""

    header: list[str]
    """Names of the columns; empty where the file has no line."""
    line: int
    """Line of the header."""
    rows: Iterator[tuple[int, list[str]]]
    """The line that each row begins on, and its cells as they are written."""


def open_table(path: str | Path, layout: Layout = TABS) -> HeaderedRows:
    """Open a table: its header, and its rows without empty lines."""
    path = Path(path)
    rows = _quoted_rows(path, layout.delimiter) if layout.quoted else _plain_rows(path, layout)
    line, header = next(rows, (0, []))
    check_header(header, path, line)
    return HeaderedRows(header, line, rows)


def check_header(header: Sequence[str], path: Path, line: int = 1) -> None:
    """Refuse a repeated column name: rows by name would silently keep only its last cell."""
    names = [name.strip() for name in header]
    twice = next((name for name in names if name and names.count(name) > 1), None)
    if twice is not None:
        raise UserError(f"the column {twice!r} is twice in the header", file=path, line=line, fix="rename one")


def _plain_rows(path: Path, layout: Layout) -> Iterator[tuple[int, list[str]]]:
    for number, line in numbered_lines(path):
        if not layout.remark or not line.startswith(layout.remark):
            yield number, line.split(layout.delimiter)


def _quoted_rows(path: Path, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    # Inside a line, a CR alone ends one too.
    lines = chain.from_iterable(io.StringIO(line, newline="") for _, line in decoded_lines(path))
    first, begins = next(lines, ""), 1
    reader = csv.reader(chain([first], lines), delimiter=delimiter or _delimiter_of(first), strict=True)
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield begins, cells
            begins = reader.line_num + 1
    except csv.Error as error:
        raise UserError(f"the row cannot be split into fields ({error})", file=path, line=begins) from None


def _delimiter_of(first: str) -> str:
    """Return the delimiter of a line: many European spreadsheets write CSV with semicolons."""
    return "\t" if "\t" in first else ";" if first.count(";") > first.count(",") else ","


def cells_of(line: str, layout: Layout) -> list[str]:
    """Split one line into cells, for readers that may skip a bad line.

    >>> cells_of('a,"b, or c"', COMMAS)
    ['a', 'b, or c']
    """
    if not layout.quoted:
        return line.split(layout.delimiter)
    try:
        return next(csv.reader([line], delimiter=layout.delimiter, strict=True))
    except csv.Error as error:
        raise UserError(f"the line cannot be split into fields ({error})", fix="repair or remove it") from None


def named_cells(
    cells: Sequence[str], header: Sequence[str], fix: str, *, called: str = "row", filled: bool = False
) -> dict[str, str]:
    """Return the cells by column name; a row of another length is an error.

    ``filled``: cells that are missing at the end are empty.

    >>> named_cells(["ice"], ["noun", "adjective"], "", filled=True)
    {'noun': 'ice', 'adjective': ''}
    """
    if len(cells) > len(header) or (len(cells) < len(header) and not filled):
        raise UserError(f"the {called} has {len(cells)} fields and the header {len(header)}", fix=fix)
    return dict(zip_longest(header, cells, fillvalue=""))


def read_table(path: str | Path, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield line number and cells of each row of a TSV file; ``columns`` must be in the header, in any order.

    Lines that begin with ``#`` are comments. Cells that are missing at the end of a row are empty.
    """
    table = open_table(path, Layout(remark="#"))
    header = [name.strip() for name in table.header]
    if not header:
        raise UserError("the table is empty", file=path, fix=f"begin with the columns: {', '.join(columns)}")
    missing = [name for name in columns if name not in header]
    if missing:
        raise UserError(
            f"the table has no column {', '.join(map(repr, missing))}",
            file=path,
            line=table.line,
            fix=f"its first line names the columns, tabs between them: {', '.join(columns)}",
        )
    yield from _stripped(table, header, path, "check tabs")


def ending(path: Path) -> str:
    """Return the format in the file name: ``.csv``, ``.tsv`` or ``.jsonl``."""
    for known in _ENDINGS:
        if path.name.endswith((known, f"{known}.gz")):
            return known
    raise UserError("the ending of the name is unknown", file=path, fix=f"use one of {', '.join(_ENDINGS)}")


def iter_rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield rows of CSV, TSV or JSON lines, each with its first line; cells are text without outer spaces."""
    if ending(path) == ".jsonl":
        for line, values in json_lines(path):
            if isinstance(values, UserError):
                raise values.at(path, line)
            yield line, values
        return
    table = open_table(path, Layout("\t", quoted=True) if ending(path) == ".tsv" else ANY_DELIMITER)
    if not table.header:
        raise UserError("the file is empty", file=path)
    header = [name.strip() for name in table.header]
    for line, row in _stripped(table, header, path, "put text with commas in quotes"):
        yield line, {name: _without_quote(cell) for name, cell in row.items()}


def _stripped(
    table: HeaderedRows, header: list[str], path: str | Path, fix: str
) -> Iterator[tuple[int, dict[str, str]]]:
    for line, cells in table.rows:
        try:
            row = named_cells([cell.strip() for cell in cells], header, fix, filled=True)
        except UserError as error:
            raise error.at(path, line) from None
        yield line, row


def json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any] | UserError]]:
    """Yield the object of each line; a line that is not one is yielded as an error."""
    for line, text in numbered_lines(path):
        try:
            values = orjson.loads(text)
        except orjson.JSONDecodeError as error:
            problem = f"the line is not JSON: {error.msg}, at column {error.colno}"
            yield line, UserError(problem, fix="repair or remove it")
            continue
        is_object = isinstance(values, dict)
        yield line, values if is_object else UserError("the line is not a JSON object", fix="write one {…} per line")


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> None:
    """Write a table whole or not at all. Columns name the cells of a CSV; in JSON lines all values are kept."""
    kind = ending(path)
    if path.suffix == ".gz":
        raise UserError("tables for people are not packed", file=path, fix="leave .gz out of the name")
    with writing(path) as temporary:
        if kind == ".jsonl":
            with temporary.open("wb") as lines:
                lines.writelines(orjson.dumps(dict(row), option=orjson.OPT_APPEND_NEWLINE) for row in rows)
            return
        with temporary.open("w", encoding="utf-8", newline="") as handle:
            writer = csv.DictWriter(
                handle, columns, extrasaction="ignore", delimiter="\t" if kind == ".tsv" else ",", lineterminator="\n"
            )
            writer.writeheader()
            writer.writerows({name: no_formula(value) for name, value in row.items()} for row in rows)


_FORMULA = re.compile(r"'*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]")
"""How a cell begins that a spreadsheet would compute, with the quotes that keep it from doing so."""


def no_formula(value: Any) -> Any:
    """Quote a cell that a spreadsheet would run as a formula.

    >>> no_formula("=1+1"), no_formula("-1.5"), no_formula("ice")
    ("'=1+1", '-1.5', 'ice')
    """
    if not isinstance(value, str) or not _FORMULA.match(value) or _is_number(value):
        return value
    return f"'{value}"


def _without_quote(cell: str) -> str:
    """Remove the quote that `no_formula` put before a cell."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
