"""Any table of questions: CSV, TSV, JSON, JSON lines, Parquet, Arrow or a folder in hub layout.

Columns are named by the user, or guessed where the layout is a well-known one; a dotted name reaches into a column, a
value after a second equals sign is the same in every row, and columns that nobody maps are named. Each layout is that
of its dataset on the Hugging Face Hub; any table with the same columns is read the same way.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import zip_longest
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from horsesense.core import BLANK, Card, Facet, Form, Item, Probe, Source
from horsesense.core.item_file import item_from_dict
from horsesense.data.table_formats import Row, any_rows, table_files
from horsesense.errors import UserError, argument, unknown
from horsesense.methods.published.reading import Reading, names_of, stem_of

ROLES = (
    "question", "options", "second", "keys", "answer", "premise", "family", "member", "id", "task", "facet", "group",
    "item",
)  # fmt: skip
"""What a column can be; ``options`` (or a whole ``item``) is needed. Several columns of options, facets or groups are
joined by ``+``; ``a&b`` is the text of two columns in one; ``keys`` are what the answer calls the options. ``second``
are the options of a second item from the same row, with the same answer: both are a family."""
SEVERAL = ("options", "second", "keys", "facet", "group")

_FIX = f"write it like {argument('columns')} question=stem,options=a+b+c,answer=key"


@dataclass(frozen=True, slots=True)
class TableLayout:
    """How the columns of a known data set are mapped."""

    name: str
    """What it is called, for people."""
    needs: tuple[str, ...]
    """Columns that identify it; a dotted one is inside another."""
    columns: str
    """The map, as a user would write it."""


LAYOUTS = (
    TableLayout(
        "an export of horsesense",
        ("id", "form", "options", "answer", "item"),
        "item=item",
    ),
    TableLayout(
        "HellaSwag",
        ("ctx", "endings", "label", "activity_label"),
        "premise=ctx,options=endings,answer=label,facet=activity_label+split_type,group=source_id,id=ind",
    ),
    TableLayout(
        "OpenBookQA", ("choices.text", "choices.label", "answerKey", "question_stem"),
        "question=question_stem,options=choices.text,keys=choices.label,answer=answerKey,id=id",
    ),
    TableLayout(
        "CommonsenseQA", ("choices.text", "choices.label", "answerKey", "question", "question_concept"),
        "question=question,options=choices.text,keys=choices.label,answer=answerKey,group=question_concept,id=id",
    ),
    TableLayout(
        "ARC", ("choices.text", "choices.label", "answerKey", "question"),
        "question=question,options=choices.text,keys=choices.label,answer=answerKey,id=id",
    ),
    TableLayout("PIQA", ("goal", "sol1", "sol2", "label"), "question=goal,options=sol1+sol2,answer=label"),
    TableLayout(
        "SIQA", ("context", "question", "answerA", "answerB", "answerC", "label"),
        "premise=context,question=question,options=answerA+answerB+answerC,keys==1+2+3,answer=label",
    ),
    TableLayout(
        "WinoGrande", ("sentence", "option1", "option2", "answer"),
        "question=sentence,options=option1+option2,keys==1+2,answer=answer",
    ),
    TableLayout(
        "COPA", ("premise", "choice1", "choice2", "label", "question"),
        "premise=premise,options=choice1+choice2,answer=label,facet=question,id=idx",
    ),
    TableLayout(
        "BLiMP", ("sentence_good", "sentence_bad", "UID"),
        "options=sentence_good+sentence_bad,answer==0,task=UID,facet=field+linguistics_term,id=pair_id",
    ),
    TableLayout(
        "EWoK", ("Domain", "Context1", "Context2", "Target1", "Target2"),
        "options=Context1&Target1+Context2&Target1,second=Context2&Target2+Context1&Target2,answer==0,task=Domain,"
        "facet=ContextType+ContextDiff+TargetDiff,group=ConceptA",
    ),
    TableLayout(
        "COMPS", ("prefix_acceptable", "prefix_unacceptable", "property_phrase", "acceptable_concept"),
        "options=prefix_acceptable&property_phrase+prefix_unacceptable&property_phrase,answer==0,id=id,"
        "facet=negative_sample_type+distraction_type+condition,group=property",
    ),
    TableLayout(
        "good and bad sentences", ("sentence_good", "sentence_bad"), "options=sentence_good+sentence_bad,answer==0"
    ),
    TableLayout(
        "MMLU", ("question", "choices", "answer", "subject"),
        "question=question,options=choices,answer=answer,task=subject",
    ),
    TableLayout(
        "questions with choices", ("question", "choices", "answer"),
        "question=question,options=choices,answer=answer",
    ),
    TableLayout(
        "BoolQ", ("question", "passage", "answer"),
        "premise=passage,question=question,options==no+yes,answer=answer",
    ),
    TableLayout(
        "BoolQ", ("question", "passage", "label"),
        "premise=passage,question=question,options==no+yes,answer=label",
    ),
    TableLayout(
        "StrategyQA or another yes-or-no set", ("question", "answer"),
        "question=question,options==no+yes,answer=answer",
    ),
)  # fmt: skip
"""The most particular first: the first whose columns are all there is taken."""


def guessed(columns: Collection[str]) -> TableLayout | None:
    """The well-known layout with these columns; dotted names are fields inside a column.

    >>> guessed(["goal", "sol1", "sol2", "label"]).name
    'PIQA'
    """
    return next((layout for layout in LAYOUTS if all(name in columns for name in layout.needs)), None)


def parse_map(text: str) -> dict[str, str]:
    """The columns of ``--map``; a value that begins with ``=`` is the value itself, not a column.

    >>> parse_map("question=stem, options=a+b, answer==0")
    {'question': 'stem', 'options': 'a+b', 'answer': '=0'}
    """
    columns: dict[str, str] = {}
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        role, equals, column = (piece.strip() for piece in part.partition("="))
        if not equals or not column.lstrip("="):
            raise UserError(f"{part!r} in {argument('columns')} is not of the form role=column", fix=_FIX)
        if role not in ROLES:
            raise unknown(f"role in {argument('columns')}", role, ROLES)
        if role in columns:
            raise UserError(f"{argument('columns')} gives {role!r} twice", fix=_FIX)
        columns[role] = column
    if "options" not in columns and "item" not in columns:
        raise UserError(f"{argument('columns')} does not say where the options are", fix=_FIX)
    return columns


# Reading.

_BLANKS = re.compile(r"(?<!_)_{1,}(?!_)")
_YES = {"yes": 1, "true": 1, "1": 1, "no": 0, "false": 0, "0": 0}


class _TableRow(NamedTuple):
    """One row as an item: a row with a second item is there twice."""

    path: Path
    number: int
    split: str
    options: tuple[str, ...]
    row: Row
    member: int = 0


def read_table(paths: Sequence[Path], skip_bad: bool, columns: Mapping[str, str] | None, name: str = "") -> Probe:
    """Read each row as an item: a cloze if the question has a blank, sentences if it is missing, else a choice."""
    name = name or re.sub(r"[^A-Za-z0-9._-]+", "-", stem_of(paths[0])).strip("-._") or "table"
    reading = Reading(skip_bad)
    description = f"Read from {names_of(paths)}."
    rows: list[_TableRow] = []
    answers: list[tuple[Sequence[str], Any]] = []
    seen: Counter[str] = Counter()
    for file in (each for path in paths for each in table_files(path)):
        for number, row in any_rows(file.path):
            with reading.line(file.path, number):
                if isinstance(row, UserError):
                    raise row
                if not seen:
                    # Missing columns are a problem of the header, one line above the first row of a table with one.
                    with _at_header(file.path, number):
                        if columns is None:
                            columns, said = _guessed(row)
                            description = f"{description} {said}"
                        else:
                            _check_columns(row, columns)
                seen.update(row.keys())
                assert columns is not None
                for member, role in enumerate(role for role in ("options", "second") if role in columns):
                    options = _options(row, columns[role])
                    if "answer" in columns:
                        answers.append((_keys(row, columns, options), _value(row, columns["answer"])))
                    rows.append(_TableRow(file.path, number, file.split, options, row, member))
                if "item" in columns:
                    rows.append(_TableRow(file.path, number, file.split, (), row))
    if columns is None:
        raise UserError("the table has no row", file=paths[0], fix="check the file")
    if "item" in columns:
        return _whole_items(reading, rows, columns["item"], paths, name)
    find = _finder(answers) if answers else None
    for row_of_table, written in zip_longest(rows, answers):
        with reading.line(row_of_table.path, row_of_table.number):
            answer = None if find is None or written is None else _found(find, *written)
            reading.add(_item(name, row_of_table, columns, answer))
    indices = {item.answer for item in reading.items}
    _check_first_index(find, indices, reading.items, paths[0])
    if len(reading.items) > 1 and len(indices) == 1 and None not in indices:
        reading.notes["items whose answer is always the same place"] += len(reading.items)
    if unused := _unused(seen, columns):
        description = f"{description} Columns that nobody mapped: {', '.join(unused)}."
        reading.notes["columns that nobody mapped"] = len(unused)
    return reading.probe(Card(name=name, made=description, group=_unit(columns, reading.items)), paths)


@contextmanager
def _at_header(path: Path, first_row: int) -> Iterator[None]:
    try:
        yield
    except UserError as error:
        raise error.at(path, max(1, first_row - 1)) from None


def _check_columns(row: Row, columns: Mapping[str, str]) -> None:
    """Refuse a mapped column that the table does not have."""
    for written in columns.values():
        plain = written in row or written.startswith("=")
        for column in () if plain else re.split("[+&]", written):
            outer = column.partition(".")[0]
            if column and column not in row and outer not in row:
                raise unknown("column", column, [" ".join(str(name).split()) for name in row if name])


def _unit(columns: Mapping[str, str], items: Sequence[Item]) -> str:
    """Return the cluster: the first group column with a value, else the family."""
    groups = (column.rpartition(".")[2] for column in _names(columns.get("group", "")))
    return next((group for group in groups if any(group in item.groups for item in items)), "family")


def _guessed(row: Row) -> tuple[dict[str, str], str]:
    """The map of a well-known layout, and what to say about it."""
    inside = [f"{name}.{part}" for name, value in row.items() if isinstance(value, dict) for part in value]
    inside += [
        f"{name}.{part}"
        for name, value in row.items()
        if isinstance(value, list) and value and isinstance(value[0], dict)
        for part in value[0]
    ]
    layout = guessed([*row, *inside])
    if layout is not None and "==no+yes" in layout.columns:
        written = _value(row, parse_map(layout.columns)["answer"])
        layout = layout if str(written).strip().lower() in _YES else None  # questions and answers are not all yes or no
    if layout is None:
        raise UserError(
            f"the columns are of no layout that is known here ({', '.join(map(str, list(row)[:12]))})",
            fix=f"say what is what: {argument('columns', 'question=…,options=…,answer=…')}",
        )
    every = parse_map(layout.columns)
    present = {role: _present(row, column) if role in SEVERAL else column for role, column in every.items()}
    present = {role: column for role, column in present.items() if column and (role != "id" or column in row)}
    columns_option = ",".join(f"{role}={column}" for role, column in present.items())
    return present, f"The columns are those of {layout.name} ({columns_option})."


def _present(row: Row, columns: str) -> str:
    """Of several columns those that are there; a layout names more than every copy of a data set has."""
    if columns.startswith("=") or columns in row:
        return columns
    return "+".join(
        each for each in columns.split("+") if all(part.partition(".")[0] in row for part in each.split("&"))
    )


def _whole_items(
    reading: Reading,
    rows: Sequence[_TableRow],
    column: str,
    paths: Sequence[Path],
    name: str,
) -> Probe:
    """Items that travelled whole, with the card beside them where there is one."""
    from horsesense.core.card import read_card

    for each in rows:
        with reading.line(each.path, each.number):
            value = _value(each.row, column)
            reading.add(item_from_dict(orjson.loads(value) if isinstance(value, str) else value))
    cards = [card for path in paths if path.is_dir() for card in sorted(path.glob("*.card.json"))]
    card = read_card(cards[0]) if cards else Card(name=name, made=f"Read from {names_of(paths)}.")
    probe = reading.probe(replace(card, notes={}), paths)
    return replace(probe, card=replace(probe.card, notes={**card.notes, **probe.card.notes}))


def _item(name: str, table_row: _TableRow, columns: Mapping[str, str], answer: int | None) -> Item:
    path, number, split, options, row, member = table_row
    single = ("question", "premise", "family", "member", "id", "task")
    cells = {role: _cell(row, columns[role]) for role in single if role in columns}
    question = cells.get("question", "")
    if "question" in columns and BLANK not in question and len(_BLANKS.findall(question)) == 1:
        question = _BLANKS.sub(BLANK, question)  # WinoGrande writes one underscore
    form: Form = "cloze" if question.count(BLANK) == 1 else "choice" if "question" in columns else "sentences"
    facets: dict[str, Facet] = {"task": cells["task"]} if cells.get("task") else {}
    for column in _names(columns.get("facet", "")):
        value = _value(row, column)
        if _is_facet(value):
            facets[column.rpartition(".")[2]] = value
    groups = {column.rpartition(".")[2]: _cell(row, column) for column in _names(columns.get("group", ""))}
    return Item(
        probe=name,
        form=form,
        premise=cells.get("premise", ""),
        text=question,
        options=options,
        answer=answer,
        family=cells.get("family") or (f"{path.name} row {number}" if "second" in columns else ""),
        member=cells.get("member") or (str(member + 1) if "second" in columns else ""),
        groups={column: unit for column, unit in groups.items() if unit},
        facets=facets | ({"split": split} if split else {}),
        source=Source(file=path.name, line=number, id=cells.get("id", "")),
    )


def _is_facet(value: Any) -> bool:
    return isinstance(value, str | bool | int) or (isinstance(value, float) and isfinite(value))


def _names(columns: str) -> list[str]:
    return [each.strip() for each in columns.split("+") if each.strip()]


def _unused(seen: Mapping[str, int], columns: Mapping[str, str]) -> list[str]:
    written = {each for column in columns.values() for each in (column, *re.split("[+&]", column))}
    used = written | {each.partition(".")[0] for each in written}
    return sorted(name for name in seen if name and name not in used)


def _value(row: Row, column: str) -> Any:
    """Return the value of a column, of a field inside one (``choices.text``), or a constant (``=0``)."""
    if column.startswith("="):
        return column[1:]
    if column in row:
        return row[column]
    outer, dot, inner = column.partition(".")
    if dot and outer in row:
        value = row[outer]
        if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
            value = _json(value)
        if isinstance(value, dict) and inner.partition(".")[0] in value:
            return _value(value, inner)
        if isinstance(value, list) and all(isinstance(each, dict) and inner in each for each in value):
            return [each[inner] for each in value]
    raise unknown("column", column, [" ".join(str(name).split()) for name in row if name])


def _json(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None


def _cell(row: Row, column: str) -> str:
    value = _value(row, column)
    if isinstance(value, list | dict | bool) or value is None:
        raise UserError(f"the column {column!r} holds neither text nor a number")
    return str(value).strip()


def _options(row: Row, wanted: str) -> tuple[str, ...]:
    """The options of a row: several columns, one that holds a list, or the same for all rows."""
    if wanted.startswith("="):
        return tuple(wanted[1:].split("+"))
    if wanted not in row and "+" in wanted:
        return tuple(
            _cell(row, column) if column in row else " ".join(_cell(row, part) for part in column.split("&"))
            for column in _names(wanted)
        )
    value = _value(row, wanted)
    if isinstance(value, str):
        value = _json(value)
    if isinstance(value, dict) and value and all(isinstance(entry, str) for entry in value.values()):
        value = list(value.values())
    if not isinstance(value, list) or not all(isinstance(entry, str | int | float) for entry in value):
        raise UserError(
            f"the column {wanted!r} does not hold a list of options",
            fix='write ["a", "b"], or name columns: options=a+b',
        )
    return tuple(str(entry).strip() for entry in value)


def _keys(row: Row, columns: Mapping[str, str], options: Sequence[str]) -> Sequence[str]:
    """What the answer calls the options, where that is written down; else the options themselves."""
    if "keys" not in columns:
        return options
    keys = _options(row, columns["keys"])
    if len(keys) != len(options):
        raise UserError(f"there are {len(keys)} keys for {len(options)} options")
    return keys


Finder = Callable[[Sequence[str], Any], int | None]


def _found(find: Finder, keys: Sequence[str], written: Any) -> int | None:
    """Return the index of the answer; None in a test set with hidden answers."""
    if written is None or str(written).strip() in ("", "-1"):
        return None
    answer = find(keys, written)
    if answer is None:
        raise UserError(
            f"the answer {written!r} is not one of the options",
            fix=f"give its index, from 0, its letter or its text, or skip such lines with {argument('skip_bad')}",
        )
    return answer


def _by_text(options: Sequence[str], written: Any) -> int | None:
    text = str(written).strip()
    return list(options).index(text) if text in options else None


def _by_letter(options: Sequence[str], written: Any) -> int | None:
    text = str(written).strip().upper()
    index = ord(text) - ord("A") if re.fullmatch("[A-Z]", text) else -1
    return index if 0 <= index < len(options) else None


def _by_index(options: Sequence[str], written: Any) -> int | None:
    text = str(written).strip()
    return int(text) if re.fullmatch("[0-9]{1,3}", text) and int(text) < len(options) else None


def _check_first_index(find: Finder | None, places: set[int | None], items: Sequence[Item], path: Path) -> None:
    """Refuse indices that seem to count from 1: of several places, the first is never right.

    If the keys were random, so many items would have none of them in fewer than one of a hundred tables.
    """
    chance = math.prod(1 - 1 / len(item.options) for item in items if item.answer is not None)
    if find is _by_index and len(places - {None}) > 1 and 0 not in places and chance < 0.01:
        raise UserError(
            f"none of the {len(items):,} answers is 0, and indices count from 0",
            file=path,
            fix="write letters or the texts of the options, if yours count from 1",
        )


def _by_truth(options: Sequence[str], written: Any) -> int | None:
    """Read true and false where the options are "no" and "yes"."""
    index = _YES.get(str(written).strip().lower())
    return None if index is None or list(map(str.lower, options)) != ["no", "yes"] else index


def _finder(rows: Sequence[tuple[Sequence[str], Any]]) -> Finder:
    """How the file writes its answers: the way that fits most rows.

    It is decided once per file, because "1" may be an index in one row and happen to be an option's text in another.
    """
    ways: tuple[Finder, ...] = (_by_text, _by_letter, _by_index, _by_truth)
    fits = Counter({way: sum(way(options, written) is not None for options, written in rows) for way in ways})
    return max(ways, key=lambda way: fits[way])
