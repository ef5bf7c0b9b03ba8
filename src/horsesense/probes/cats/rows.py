"""Rows of a table with their lines, as the sources have them: quoted commas or plain tabs."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from horsesense.errors import UserError
from horsesense.files import read_text
from horsesense.probes.released.reading import Reading, check_columns
from horsesense.records import Item

Row = Mapping[str, str]


def rows_of(
    reading: Reading, path: Path, wanted: Sequence[str] = (), *, tabs: bool = False
) -> Iterator[tuple[int, Row]]:
    """Each row by column name, with the line on which it begins; a row of another length is bad.

    Tab-separated files of these sources do not quote, so a quotation mark is one.
    """
    text = read_text(path)
    if not text.strip():
        raise UserError("the file is empty", file=path, fix="check that it was fetched whole")
    header: list[str] = []
    for number, fields in _fields(text, path, tabs):
        if not header:
            header = [name.strip() for name in fields]
            check_columns(header, wanted, path)
            continue
        row: dict[str, str] = {}
        with reading.line(path, number):
            if len(fields) != len(header):
                raise UserError(
                    f"the row has {len(fields)} fields and the header {len(header)}", fix="is there a stray separator?"
                )
            row = dict(zip(header, fields, strict=True))
        if row:
            yield number, row


def _fields(text: str, path: Path, tabs: bool) -> Iterator[tuple[int, list[str]]]:
    if tabs:
        for number, line in enumerate(text.split("\n"), start=1):
            if line.strip():
                yield number, line.removesuffix("\r").split("\t")
        return
    reader, begins = csv.reader(io.StringIO(text, newline=""), strict=True), 1
    try:
        for fields in reader:
            if any(field.strip() for field in fields):
                yield begins, fields
            begins = reader.line_num + 1
    except csv.Error as error:
        raise UserError(f"the row cannot be split into fields ({error})", file=path, line=begins) from None


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
