"""Read answers from a table: one row per item and model, with the chosen option or one score per option."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from horsesense.core import Item
from horsesense.data.table_formats import Row, any_rows, table_files
from horsesense.errors import UserError, argument, unknown
from horsesense.exchange.log_reader import LogReader
from horsesense.exchange.samples import (
    Sample,
    checked,
    gold_of,
    number_of,
    own_item,
    plain_columns,
    probe_name_of,
)

ROLES = ("item", "model", "choice", "scores", "text", "options", "gold", "task", "repeat", "said")
"""Roles of columns. ``item`` is the item; ``choice`` or ``scores`` is the answer."""
_FIX = f"write it like {argument('columns')} item=id,model=name,choice=prediction,options=choices,gold=key"
_LETTERS = 40
"""Maximum number of distinct answers that can serve as options."""


def parse_answer_columns(text: str) -> dict[str, str]:
    """Parse the columns; those named like a role can be left out.

    >>> parse_answer_columns("item=id, choice=said")
    {'item': 'id', 'choice': 'said'}
    """
    columns: dict[str, str] = {}
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        role, equals, column = (piece.strip() for piece in part.partition("="))
        if not equals or not column:
            raise UserError(f"{part!r} in {argument('columns')} is not of the form role=column", fix=_FIX)
        if role not in ROLES:
            raise unknown(f"role in {argument('columns')}", role, ROLES)
        columns[role] = column
    return columns


@dataclass(slots=True)
class _Labels:
    """The distinct answers, which are the options of every item if there is no column of options."""

    seen: dict[str, None] = field(default_factory=dict)

    def see(self, value: Any) -> None:
        if value is None or value == "":
            return
        self.seen[_label(value)] = None
        if len(self.seen) > _LETTERS:
            raise UserError(
                f"there are more than {_LETTERS} different answers and no column of options",
                fix=f"map {argument('columns', 'options=…')}",
            )


def read_answer_table(paths: Sequence[Path], reader: LogReader) -> None:
    """Add the rows of all files to the reader."""
    files = [each.path for path in paths for each in table_files(path)]
    columns = _columns(files[0], reader.columns)
    labels = _Labels()
    if "options" not in columns:
        for path in files:
            for _, row in any_rows(path):
                if not isinstance(row, UserError) and own_item(row.get("item")) is None:
                    labels.see(row.get(columns.get("choice", "")))
                    labels.see(row.get(columns.get("gold", "")))
        if labels.seen:
            shown = ", ".join(list(labels.seen)[:8])
            reader.warn(
                f"the table has no options, so the answers that occur are the options ({shown}), and cues see no more"
            )
    if "text" not in columns:
        reader.warn("the table has no text, so items are shown by name, and cues in the wording cannot be searched")
    if "gold" not in columns:
        reader.warn("the table has no golds, so there is no accuracy")
    for path in files:
        models = set()
        for line, row in any_rows(path):
            with reader.at(path, line):
                if isinstance(row, UserError):
                    raise row
                sample = _sample(row, columns, reader, path, tuple(sorted(labels.seen)))
                if sample.model not in models:
                    models.add(sample.model)
                    reader.describe(sample.model, path, {"tool": "a table of answers"})
                reader.add(sample)
    used = {*columns.values(), "item"}
    first = next((row for path in files for _, row in any_rows(path) if not isinstance(row, UserError)), {})
    if left := [name for name in first if name not in used and not isinstance(first[name], str | int | float | bool)]:
        reader.warn(f"columns that are neither mapped nor facets: {', '.join(left)}")


def _columns(path: Path, given: Mapping[str, str]) -> dict[str, str]:
    """Return the given columns and those named like a role; raise an error if a needed one is missing."""
    first = next((row for _, row in any_rows(path) if not isinstance(row, UserError)), None)
    if first is None:
        raise UserError("the table has no row", file=path, fix="check the file")
    for column in given.values():
        if column not in first:
            raise unknown("column", column, map(str, first)).at(path)
    columns = {role: role for role in ROLES if role in first} | dict(given)
    if "item" not in columns:
        raise UserError("there is no column for the item", file=path, fix=_FIX)
    if "choice" not in columns and "scores" not in columns:
        raise UserError("there is no column for the answer", file=path, fix=_FIX)
    return columns


def _sample(row: Row, columns: Mapping[str, str], reader: LogReader, path: Path, labels: tuple[str, ...]) -> Sample:
    def value(role: str) -> Any:
        return row.get(columns[role]) if role in columns else None

    name = value("item")
    if name is None or name == "":
        raise UserError("the row names no item")
    model = reader.model or str(value("model") or "").strip() or "model"
    task = str(value("task") or "").strip() or path.name.partition(".")[0]
    item = own_item(name) or _item(task, str(name), value, labels)
    repeat = value("repeat")
    number = int(number_of(repeat, "repeat")) if repeat not in (None, "") else 0
    extra = plain_columns({key: each for key, each in row.items() if key not in columns.values()})
    scores = _list(value("scores"))
    if scores is not None:
        if len(scores) != len(item.options):
            raise UserError(f"there are {len(scores)} scores for {len(item.options)} options")
        return Sample(
            task, model, item, tuple(number_of(each, "score") for each in scores), repeat=number, columns=extra
        )
    chosen, said = value("choice"), str(value("said") or "")
    try:
        option = None if chosen in (None, "") else gold_of(_label(chosen) if labels else chosen, item.options)
    except UserError:
        option = None
    why = "as the table has it" if option is not None else "names no option"
    return Sample(
        task, model, item, parsed=option, said=said or str(chosen or ""), why=why, repeat=number, columns=extra
    )


def _item(task: str, name: str, value: Any, labels: tuple[str, ...]) -> Item:
    options = _list(value("options"))
    texts = tuple(str(each).strip() for each in options) if options is not None else labels
    if not texts:
        raise UserError("the row has no options", fix=f"map {argument('columns', 'options=…')}")
    gold = value("gold")
    answer = gold_of(_label(gold) if options is None and gold not in (None, "") else gold, texts)
    text = str(value("text") or "").strip() or name
    # The name is part of the identity: two rows may have the same text but different items.
    family = "" if options is not None and value("text") else name
    return checked(
        Item(probe=probe_name_of(task), form="choice", text=text, options=texts, answer=answer, member=family)
    )


def _label(value: Any) -> str:
    return str(int(value)) if type(value) is float and value.is_integer() else str(value).strip()


def _list(value: Any) -> list[Any] | None:
    """Return a list that is written as a list, as JSON, or separated by | or ;."""
    if isinstance(value, str) and value.strip():
        try:
            value = orjson.loads(value)
        except orjson.JSONDecodeError:
            value = value.split("|") if "|" in value else value.split(";") if ";" in value else None
    return value if isinstance(value, list) and value else None
