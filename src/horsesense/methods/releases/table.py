"""Any CSV, TSV, JSONL or JSON list of questions, with the columns named by the user."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from horsesense.errors import UserError, argument, unknown
from horsesense.files import read_text
from horsesense.files.tables import quoted_table
from horsesense.methods.releases.reading import Reading, names_of, split_of, stem_of
from horsesense.records import BLANK, Card, Form, Item, Probe, Source

ROLES = ("question", "options", "answer", "premise", "family", "member", "id", "task")
"""What a column can be; only ``options`` is needed. Several columns of options are joined by ``+``."""

_FIX = f"write it like {argument('columns')} question=stem,options=a+b+c,answer=key"


def parse_map(text: str) -> dict[str, str]:
    """The columns of ``--map``.

    >>> parse_map("question=stem, options=a+b, answer=key")
    {'question': 'stem', 'options': 'a+b', 'answer': 'key'}
    """
    columns: dict[str, str] = {}
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        role, equals, column = (piece.strip() for piece in part.partition("="))
        if not equals or not column:
            raise UserError(f"{part!r} in {argument('columns')} is not of the form role=column", fix=_FIX)
        if role not in ROLES:
            raise unknown(f"role in {argument('columns')}", role, ROLES)
        if role in columns:
            raise UserError(f"{argument('columns')} gives {role!r} twice", fix=_FIX)
        columns[role] = column
    if "options" not in columns:
        raise UserError(f"{argument('columns')} does not say where the options are", fix=_FIX)
    return columns


def read_table(paths: Sequence[Path], skip_bad: bool, columns: Mapping[str, str], name: str = "") -> Probe:
    """Each row is an item: a cloze where the question has a blank, sentences where there is none, else a choice."""
    name = name or re.sub(r"[^A-Za-z0-9._-]+", "-", stem_of(paths[0])).strip("-._") or "table"
    reading = Reading(skip_bad)
    rows: list[tuple[Path, int, tuple[str, ...], Mapping[str, Any]]] = []
    for path in paths:
        for number, row in _rows(reading, path):
            with reading.line(path, number):
                rows.append((path, number, _options(row, columns["options"]), row))
    find = (
        _finder([(options, row.get(columns["answer"])) for _, _, options, row in rows]) if "answer" in columns else None
    )
    for path, number, options, row in rows:
        with reading.line(path, number):
            reading.add(_item(name, row, options, columns, find, path, number))
    answers = {item.answer for item in reading.items}
    if len(reading.items) > 1 and len(answers) == 1 and None not in answers:
        reading.notes["items whose answer is always the same place"] += len(reading.items)
    return reading.probe(Card(name=name, made=f"Read from {names_of(paths)}."), paths)


def _item(
    name: str,
    row: Mapping[str, Any],
    options: tuple[str, ...],
    columns: Mapping[str, str],
    find: Callable[[Sequence[str], Any], int | None] | None,
    path: Path,
    number: int,
) -> Item:
    cells = {role: _cell(row, columns[role]) for role in ROLES if role in columns and role not in ("options", "answer")}
    question = cells.get("question", "")
    form: Form = "cloze" if question.count(BLANK) == 1 else "choice" if "question" in columns else "sentences"
    answer = None
    if find is not None:
        written = _value(row, columns["answer"])
        answer = find(options, written)
        if answer is None:
            raise UserError(
                f"the answer {written!r} is none of the options", fix="give its index, its letter or its text"
            )
    return Item(
        probe=name,
        form=form,
        premise=cells.get("premise", ""),
        text=question,
        options=options,
        answer=answer,
        family=cells.get("family", ""),
        member=cells.get("member", ""),
        facets=({"task": cells["task"]} if cells.get("task") else {}) | split_of(path),
        source=Source(file=path.name, line=number, id=cells.get("id", "")),
    )


def _rows(reading: Reading, path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Rows with their line (or place, in a JSON list), by what the file begins with."""
    text = read_text(path)
    start = text.lstrip()[:1]
    if not start:
        raise UserError("the file is empty", file=path)
    if start == "[":
        yield from enumerate(_json_list(text, path), start=1)
    elif start == "{":
        for number, line in enumerate(text.split("\n"), start=1):
            row: dict[str, Any] = {}
            with reading.line(path, number):
                row = _json_object(line) if line.strip() else {}
            if row:
                yield number, row
    else:
        table = quoted_table(text, path, "\t" if "\t" in text.partition("\n")[0] else ",")
        for number, cells in table.rows:
            yield number, dict.fromkeys(table.header) | dict(zip(table.header, cells, strict=False))


def _json_list(text: str, path: Path) -> list[dict[str, Any]]:
    try:
        values = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise UserError(f"this is not JSON: {error.msg}", file=path, line=error.lineno) from None
    if not all(isinstance(entry, dict) for entry in values):
        raise UserError("an entry of the list is not an object", file=path)
    entries: list[dict[str, Any]] = values
    return entries


def _json_object(line: str) -> dict[str, Any]:
    try:
        values = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise UserError(f"the line is not JSON: {error.msg}", fix="repair or remove it") from None
    if not isinstance(values, dict):
        raise UserError("the line is not a JSON object", fix="repair or remove it")
    return values


def _value(row: Mapping[str, Any], column: str) -> Any:
    if column not in row:
        raise unknown("column", column, [" ".join(name.split()) for name in row if name])
    return row[column]


def _cell(row: Mapping[str, Any], column: str) -> str:
    value = _value(row, column)
    if isinstance(value, list | dict | bool) or value is None:
        raise UserError(f"the column {column!r} holds neither text nor a number")
    return str(value).strip()


def _options(row: Mapping[str, Any], wanted: str) -> tuple[str, ...]:
    """The options of a row: several columns, or one that holds a list."""
    if wanted not in row and "+" in wanted:
        return tuple(_cell(row, column.strip()) for column in wanted.split("+"))
    value = _value(row, wanted)
    if isinstance(value, str):
        try:
            value = orjson.loads(value)
        except orjson.JSONDecodeError:
            value = None
    if not isinstance(value, list) or not all(isinstance(entry, str | int | float) for entry in value):
        raise UserError(
            f"the column {wanted!r} does not hold a list of options",
            fix='write ["a", "b"], or name columns: options=a+b',
        )
    return tuple(str(entry).strip() for entry in value)


def _by_text(options: Sequence[str], written: Any) -> int | None:
    text = str(written).strip()
    return options.index(text) if text in options else None


def _by_letter(options: Sequence[str], written: Any) -> int | None:
    text = str(written).strip().upper()
    place = ord(text) - ord("A") if re.fullmatch("[A-Z]", text) else -1
    return place if 0 <= place < len(options) else None


def _by_index(options: Sequence[str], written: Any) -> int | None:
    text = str(written).strip()
    return int(text) if re.fullmatch("[0-9]{1,3}", text) and int(text) < len(options) else None


def _finder(rows: Sequence[tuple[Sequence[str], Any]]) -> Callable[[Sequence[str], Any], int | None]:
    """How the file writes its answers: the way that fits most rows.

    It is settled once for a file, since "1" may be an index in one row and happen to be an option's text in another.
    """
    ways = (_by_text, _by_letter, _by_index)
    fits = Counter({way: sum(way(options, written) is not None for options, written in rows) for way in ways})
    return max(ways, key=lambda way: fits[way])
