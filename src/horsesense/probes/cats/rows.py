"""Rows of a table with their lines, as the sources have them: quoted commas or plain tabs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from horsesense.errors import UserError
from horsesense.files.tables import COMMAS, TABS, named_cells, open_table
from horsesense.probes.released.reading import Reading, check_columns
from horsesense.records import Item

Row = Mapping[str, str]


def rows_of(
    reading: Reading, path: Path, wanted: Sequence[str] = (), *, tabs: bool = False
) -> Iterator[tuple[int, Row]]:
    """Each row by column name, with the line on which it begins; a row of another length is bad.

    Tab-separated files of these sources do not quote, so a quotation mark is one.
    """
    table = open_table(path, TABS if tabs else COMMAS)
    if not table.header:
        raise UserError("the file is empty", file=path, fix="check that it was fetched whole")
    header = [name.strip() for name in table.header]
    check_columns(header, wanted, path)
    for number, cells in table.rows:
        row: dict[str, str] = {}
        with reading.line(path, number):
            row = named_cells(cells, header, "is there a stray separator?")
        if row:
            yield number, row


def given(row: Row, column: str) -> str:
    """A field that must not be empty.

    >>> given({"label": "1 "}, "label")
    '1'
    """
    value = row[column].strip()
    if not value:
        raise UserError(f"the field {column!r} is empty", fix="fill it in, or leave the row out")
    return value


def distinct(item: Item) -> Item:
    """The item, where its options differ: between two of the same there is nothing to choose."""
    if len(set(item.options)) < len(item.options):
        raise UserError("two options are the same", fix="leave the instance out")
    return item
