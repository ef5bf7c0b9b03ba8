"""Winograd schemas as a table with a header: a text, its pronoun, two or more candidates, the right one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from horsesense.errors import UserError
from horsesense.files import read_text
from horsesense.probes.cats.rows import Row, given, rows_of
from horsesense.probes.cats.schema import Schema, letter_place
from horsesense.probes.released.reading import Reading

_COLUMNS = {
    "text": ("text", "sentence", "context"),
    "pronoun": ("pronoun", "pron"),
    "answer": ("answer", "label", "correct", "correct_answer", "correctanswer"),
    "place": ("pronoun_loc", "pronoun_start", "pronoun_offset"),
}
_CANDIDATES = (
    ("a", "b"),
    ("answer_a", "answer_b"),
    ("option_a", "option_b"),
    ("option1", "option2"),
    ("candidate_a", "candidate_b"),
    ("candidate_0", "candidate_1"),
    ("candidate1", "candidate2"),
)
_LISTED = ("options", "candidates", "answers")
_BETWEEN = re.compile(r"\s*[,;|/]\s*")


def schemas_of(reading: Reading, path: Path) -> Iterator[Schema]:
    """Every row of the table."""
    tabs = "\t" in read_text(path).partition("\n")[0]
    for line, row in rows_of(reading, path, tabs=tabs):
        with reading.line(path, line):
            found = _schema({name.strip().lower(): value for name, value in row.items()}, line)
            yield found


def _schema(row: Row, line: int) -> Schema:
    text, pronoun, answer = (given(row, _column(row, role)) for role in ("text", "pronoun", "answer"))
    place = next((row[name] for name in _COLUMNS["place"] if row.get(name)), None)
    before, found, after = parted(text, pronoun, int(place) if place and place.isdecimal() else None)
    candidates = _candidates(row)
    if answer in candidates:
        return Schema(before, found, after, candidates, candidates.index(answer), line)
    return Schema(before, found, after, candidates, letter_place(answer, len(candidates)), line)


def _column(row: Row, role: str) -> str:
    for name in _COLUMNS[role]:
        if name in row:
            return name
    raise UserError(f"there is no column for the {role}", fix=f"call it {' or '.join(_COLUMNS[role])}")


def _candidates(row: Row) -> tuple[str, ...]:
    for names in _CANDIDATES:
        if all(name in row for name in names):
            return tuple(given(row, name) for name in names)
    for name in _LISTED:
        if name in row:
            return tuple(part for part in _BETWEEN.split(given(row, name)) if part)
    raise UserError("there are no columns for the candidates", fix="call them A and B, or give one column 'options'")


def parted(text: str, pronoun: str, place: object = None) -> tuple[str, str, str]:
    """The text before the pronoun, the pronoun as it stands there, and the text after it.

    The place is told by a number of characters, by marks around the pronoun ([it], _it_, *it*), or by itself where
    the pronoun occurs once.

    >>> parted("The jar hit the cup and [it] broke.", "it")
    ('The jar hit the cup and ', 'it', ' broke.')
    """
    escaped = re.escape(pronoun)
    marked = re.search(rf"[\[_*]+({escaped})[\]_*]+", text, re.IGNORECASE)
    if marked:
        return text[: marked.start()], marked[1], text[marked.end() :]
    found = list(re.finditer(rf"\b{escaped}\b", text, re.IGNORECASE))
    if type(place) is int:
        found = [match for match in found if match.start() == place]
    if len(found) != 1:
        where = f" at character {place}" if type(place) is int else ""
        raise UserError(
            f"the pronoun {pronoun!r} occurs {len(found)} times in the text{where}", fix="mark it: … [it] …"
        )
    return text[: found[0].start()], found[0][0], text[found[0].end() :]
