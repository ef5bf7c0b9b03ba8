"""Human judgements of items: single annotators' judgements, adjudicated labels, and files of both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime
from pathlib import Path
from typing import Any

from horsesense.data.tables import iter_rows, write_rows
from horsesense.errors import UserError

NOBODY = "#"
"""Begins the annotator of a vote whose owner is not known: ``#1``, ``#2`` … are places in a row, not people."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """One person's answer to one item.

    >>> Judgement(item="pw-1", annotator="#2", instrument="likelihood", value="unlikely").anonymous
    True
    """

    item: str
    """Id of the item as it was asked; the name of its family where the instrument judges families."""
    annotator: str
    """A code for the person; ``#1``, ``#2`` … where only the place of the vote is known, not whose it was."""
    instrument: str
    """Name of the instrument: what was asked, and which answers there are."""
    value: str
    """The label, the text of the option, the criteria that fail joined by ``+``, or the words written."""
    reason: str = ""
    """Why, where the instrument asks for it."""
    round: int = 1
    """Which round of judging, from 1."""
    order: int = 0
    """Position in the annotator's own sequence."""
    at: str = ""
    """When, as ISO 8601."""

    @property
    def anonymous(self) -> bool:
        """Whether it is not known whose judgement this is."""
        return self.annotator.startswith(NOBODY)


FIELDS = tuple(f.name for f in fields(Judgement))
NEEDED = ("item", "annotator", "instrument", "value")
"""Columns that a file of judgements must have."""


@dataclass(frozen=True, slots=True)
class JudgementLine:
    """A judgement with its file and line, for error messages."""

    judgement: Judgement
    file: Path
    line: int

    def error(self, problem: str, fix: str | None = None) -> UserError:
        """What is wrong with it, with file and line."""
        return UserError(problem, file=self.file, line=self.line, fix=fix)


def judgement_from_dict(values: Mapping[str, Any]) -> Judgement:
    """Check a row and return its judgement; other columns are ignored.

    >>> judgement_from_dict({"item": "a", "annotator": "p1", "instrument": "choice", "value": "", "comment": "?"})
    Traceback (most recent call last):
    ...
    horsesense.errors.UserError: the value is empty; give an answer, or remove the row
    """
    check_columns(values)
    texts = {name: values.get(name, "") for name in FIELDS if name not in ("round", "order")}
    for name, value in texts.items():
        if not isinstance(value, str):
            raise UserError(f"the {name} {value!r} is not text", fix="put it in quotes")
        if name in NEEDED and not value.strip():
            fix = "give an answer, or remove the row" if name == "value" else "fill it in"
            raise UserError(f"the {name} is empty", fix=fix)
    if texts["at"]:
        try:
            datetime.fromisoformat(texts["at"])
        except ValueError:
            raise UserError(
                f"the time {texts['at']!r} is not ISO 8601", fix="write it like 2026-01-31T12:00:00Z"
            ) from None
    return Judgement(
        **{name: value.strip() for name, value in texts.items()},
        round=_whole(values.get("round", 1), "round", 1),
        order=_whole(values.get("order", 0), "order", 0),
    )


def check_columns(values: Mapping[str, Any]) -> None:
    """Check that the required columns are present."""
    missing = [name for name in NEEDED if name not in values]
    if missing:
        there = ", ".join(list(values)[:8]) or "none"
        raise UserError(
            f"the column {missing[0]!r} is missing (there are: {there})", fix=f"a judgement has {', '.join(NEEDED)}"
        )


def _whole(value: Any, name: str, least: int) -> int:
    """Parse a whole number, given as a number or as digits; an empty cell is the least value."""
    if value == "":
        return least
    if isinstance(value, str) and value.isdecimal() and len(value) < 10:
        value = int(value)
    if type(value) is not int or value < least:
        raise UserError(f"the {name} {value!r} is not a whole number from {least}")
    return value


def iter_judgements(path: str | Path) -> Iterator[JudgementLine]:
    """Yield each judgement of a file with its line."""
    path = Path(path)
    for line, row in iter_rows(path):
        try:
            yield JudgementLine(judgement_from_dict(row), path, line)
        except UserError as error:
            raise error.at(path, line) from None


def write_judgements(path: str | Path, judgements: Iterable[Judgement]) -> None:
    """Write judgements as JSON lines, CSV or TSV, as the name ends."""
    write_rows(Path(path), map(asdict, judgements), FIELDS)


@dataclass(frozen=True, slots=True)
class Label:
    """The outcome of adjudication for one item."""

    item: str
    """Id of the item as it was asked, or the name of its family."""
    instrument: str
    rule: str
    """Name of the adjudication rule."""
    value: str | None
    """The label; None if the item is dropped."""
    reason: str = ""
    """Why it is dropped, in the same words for every item dropped for that reason."""
    votes: Mapping[str, int] = field(default_factory=dict)
    """How many judged what, the labels in their own order."""
    share: float = 0.0
    """Part of the votes that went to the value; a probability under Dawid and Skene's model."""
    tie: bool = False
    """Whether the votes were even, so that the rule had to choose or to drop."""

    @property
    def people(self) -> int:
        """Number of judgements it is based on."""
        return sum(self.votes.values())


_LABEL_FIELDS = tuple(f.name for f in fields(Label))


def label_from_dict(values: Mapping[str, Any]) -> Label:
    """Return a checked label from plain JSON values."""
    missing = [name for name in ("item", "instrument", "rule", "value") if name not in values]
    if missing:
        raise UserError(f"the field {missing[0]!r} of a label is missing", fix="give a file of exported labels")
    strange = [name for name in values if name not in _LABEL_FIELDS]
    if strange:
        fix = f"a label has {', '.join(_LABEL_FIELDS)}"
        raise UserError(f"the field {strange[0]!r} of a label is unknown", fix=fix)
    kinds: Sequence[tuple[str, Any, str]] = (
        ("item", str, "text"),
        ("instrument", str, "text"),
        ("rule", str, "text"),
        ("value", (str, type(None)), "text or null"),
        ("reason", str, "text"),
        ("votes", dict, "an object"),
        ("share", (int, float), "a number"),
        ("tie", bool, "true or false"),
    )
    for name, kind, in_words in kinds:
        if name in values and not isinstance(values[name], kind):
            raise UserError(f"the field {name!r} of a label is not {in_words}")
    if not all(type(count) is int for count in values.get("votes", {}).values()):
        raise UserError("the votes of a label are not whole numbers")
    return Label(**values)


def read_labels(path: str | Path) -> list[tuple[int, Label]]:
    """Read the labels of a JSON lines file with their lines."""
    path, labels = Path(path), []
    lines: dict[str, int] = {}
    for line, row in iter_rows(path):
        try:
            label = label_from_dict(row)
            if label.item in lines:
                raise UserError(f"the item {label.item} has a label already in line {lines[label.item]}")
        except UserError as error:
            raise error.at(path, line) from None
        lines[label.item] = line
        labels.append((line, label))
    if not labels:
        raise UserError("there is no label", file=path, fix="give a file of exported labels")
    return labels


def write_labels(path: str | Path, labels: Iterable[Label]) -> None:
    """Write labels as JSON lines, or as a table for people (.csv, .tsv) that is not read back."""
    path = Path(path)
    write_rows(path, map(asdict, labels), _LABEL_FIELDS)
