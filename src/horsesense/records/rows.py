"""Rows of a table that people or programs filled in: CSV, TSV or JSON lines, each with its line."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from horsesense.errors import UserError
from horsesense.files import numbered_lines, read_text, writing

_ENDINGS = (".csv", ".tsv", ".jsonl")


def ending(path: Path) -> str:
    """How the table is written: ``.csv``, ``.tsv`` or ``.jsonl``, as its name says."""
    for known in _ENDINGS:
        if path.name.endswith((known, f"{known}.gz")):
            return known
    raise UserError("the ending of the name is unknown", file=path, fix=f"use one of {', '.join(_ENDINGS)}")


def iter_rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each row with the line that it begins on; cells of a CSV are text, outer spaces left out."""
    if ending(path) == ".jsonl":
        yield from _json_rows(path)
    else:
        yield from _cells(path, "\t" if ending(path) == ".tsv" else ",")


def _json_rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    for line, text in numbered_lines(path):
        try:
            values = orjson.loads(text)
        except orjson.JSONDecodeError as error:
            raise UserError(f"the line is not JSON: {error.msg}", file=path, line=line, fix="repair it") from error
        if not isinstance(values, dict):
            raise UserError("the line is not a JSON object", file=path, line=line, fix="write one {…} a line")
        yield line, values


def _cells(path: Path, delimiter: str) -> Iterator[tuple[int, dict[str, Any]]]:
    text = read_text(path)
    first = text.partition("\n")[0]
    # Spreadsheets of half of Europe write semicolons into what they call CSV.
    if delimiter == "," and first.count(";") > first.count(","):
        delimiter = ";"
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    header: list[str] | None = None
    begins = 1
    try:
        for cells in reader:
            if header is None:
                header = _header(cells, path)
            elif any(cell.strip() for cell in cells):
                if len(cells) > len(header):
                    raise UserError(
                        f"the row has {len(cells)} fields and the header {len(header)}",
                        file=path,
                        line=begins,
                        fix="put text with commas in quotes",
                    )
                padded = cells + [""] * (len(header) - len(cells))
                yield begins, {name: cell.strip() for name, cell in zip(header, padded, strict=True)}
            begins = reader.line_num + 1
    except csv.Error as error:
        raise UserError(f"the row cannot be split into fields ({error})", file=path, line=begins) from None
    if header is None:
        raise UserError("the file is empty", file=path)


def _header(cells: Sequence[str], path: Path) -> list[str]:
    names = [cell.strip() for cell in cells]
    twice = next((name for name in names if name and names.count(name) > 1), None)
    if twice is not None:
        raise UserError(f"the column {twice!r} stands twice in the header", file=path, line=1, fix="rename one")
    return names


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
            writer.writerows(rows)
