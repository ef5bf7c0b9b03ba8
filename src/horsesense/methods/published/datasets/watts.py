"""Statements that people and 35 language models judged: do you agree, and would other people agree?

Nguyen, Watts and Whiting, "Empirically evaluating commonsense intelligence in large language models with large-scale
human judgments" (2026). One CSV row per statement: an unnamed row number, the statement, six 0/1 features, category and
source (``elicitation``), the majority of people (``human_q1``), then one 0/1 column per model and question.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from horsesense.core import Card, Facet, Item, Probe, Source
from horsesense.errors import UserError
from horsesense.lexicons.words import words
from horsesense.methods.published.linking import alike, linked, sentence_key
from horsesense.methods.published.reading import Reading, check_columns, fields_of, names_of, row_of

LICENCE = "MIT"
QUESTIONS = {
    "agree": ("q1", "Do you agree with this statement?"),
    "others": ("q2", "Would most other people agree with this statement?"),
}
"""Name of each question: the ending of its columns, and its wording."""
OPTIONS = ("yes", "no")
_FEATURES = ("behavior", "everyday", "figure_of_speech", "judgment", "opinion", "reasoning")
_PEOPLE = "human_q1"
_CITATION = "Nguyen, Watts and Whiting (2026)"


def read(paths: Sequence[Path], skip_bad: bool = False) -> Probe:
    """Read both questions about every statement; the two are a family, and the key is the majority of people."""
    reading = Reading(skip_bad)
    for path in paths:
        for number, row in _rows(reading, path):
            with reading.line(path, number):
                for question in QUESTIONS:
                    reading.add(_item(reading, row, question, path, number))
    reading.items = clustered(reading.items)
    description = f"Read from {_CITATION} ({names_of(paths)}); the key is the majority of people."
    return reading.probe(Card(name="watts", licence=LICENCE, made=description, group="similar"), paths)


def watts_answers(
    reading: Reading, paths: Sequence[Path]
) -> Iterator[tuple[Path, int, str, Item, Mapping[str, int | None]]]:
    """Yield file, line, question, item and the option that each model chose; None for a model without an answer."""
    answers: list[tuple[Path, int, str, Item, dict[str, int | None]]] = []
    for path in paths:
        for number, row in _rows(reading, path):
            with reading.line(path, number):
                for question, (ending, _) in QUESTIONS.items():
                    chosen = {
                        name.removesuffix(f"_{ending}"): _option(cell, name)
                        for name, cell in row.items()
                        if name.endswith(f"_{ending}") and name != _PEOPLE
                    }
                    answers.append((path, number, question, _item(reading, row, question, path, number), chosen))
    for item, (path, number, question, _, chosen) in zip(
        clustered([answer[3] for answer in answers]), answers, strict=True
    ):
        yield path, number, question, item, chosen


def clustered(items: Sequence[Item]) -> list[Item]:
    """Group items by similar statements, which share 70% of their words: those about one event of ATOMIC, say."""
    statements = list(dict.fromkeys(item.premise for item in items))
    pairs = alike([set(words(statement)) or {statement} for statement in statements], 0.7)
    group = dict(zip(statements, linked([{sentence_key(each)} for each in statements], pairs), strict=True))
    return [replace(item, groups={"similar": group[item.premise]}) for item in items]


def _rows(reading: Reading, path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    (_, first), *lines = reading.lines(path)
    header = fields_of(first, ",", quoted=True)
    header = [name or "row" for name in header]
    check_columns(header, ("statement", *_FEATURES, "category", "elicitation", _PEOPLE), path)
    for number, raw in lines:
        with reading.line(path, number):
            row = row_of(raw, header, ",", quoted=True)
            _option(row[_PEOPLE], _PEOPLE, needed=True)
            yield number, row


def _item(reading: Reading, row: Mapping[str, str], question: str, path: Path, number: int) -> Item:
    features: dict[str, Facet] = {name: _option(row[name], name, needed=True) == 0 for name in _FEATURES}
    return Item(
        probe="watts",
        form="choice",
        premise=reading.clean(row["statement"]),
        text=QUESTIONS[question][1],
        options=OPTIONS,
        answer=_option(row[_PEOPLE], _PEOPLE, needed=True),
        family=f"statement {row.get('row') or number}",
        member=question,
        facets={"question": question, "category": row["category"], "source": row["elicitation"], **features},
        source=Source(file=path.name, line=number, id=row.get("row", ""), licence=LICENCE),
    )


def _option(cell: str, column: str, needed: bool = False) -> int | None:
    """Return the option of a cell: 1 is yes, 0 is no, empty for none."""
    text = cell.strip()
    if not text and not needed:
        return None
    if text not in ("0", "1"):
        raise UserError(f"the column {column!r} holds {cell!r}, which is not 0 or 1", fix="repair or remove the line")
    return 0 if text == "1" else 1
