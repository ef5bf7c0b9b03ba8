"""Winograd schemas as JSON, lines or one list, of three kinds that are told by their fields.

- text, pronoun, pronoun_loc, options, label: one schema each;
- question_id, substitution, correctness: one sentence each, the pronoun replaced already (Trinh and Le 2018);
- text, target {span1_text, span2_text, span2_index}, label: one candidate each (SuperGLUE).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from horsesense.errors import UserError
from horsesense.files import read_text
from horsesense.probes.cats.schema import Schema, letter_place
from horsesense.probes.cats.winograd_table import parted
from horsesense.probes.released.reading import Reading

Placed = tuple[int, dict[str, Any]]


def schemas_of(reading: Reading, path: Path) -> Iterator[Schema]:
    """Every schema of the file; candidates of one text that stand in several objects are put together."""
    groups: dict[str, list[Placed]] = {}
    for line, values in _objects(reading, path):
        if "options" in values:
            with reading.line(path, line):
                found = _whole(values, line)
                yield found
        else:
            with reading.line(path, line):
                groups.setdefault(_shared(values), []).append((line, values))
    for members in groups.values():
        with reading.line(path, members[0][0]):
            found = _substitutions(members) if "substitution" in members[0][1] else _spans(members)
            yield found


def _objects(reading: Reading, path: Path) -> Iterator[Placed]:
    text = read_text(path)
    try:
        if text.lstrip().startswith("["):
            yield from ((place, _object(value)) for place, value in enumerate(orjson.loads(text), start=1))
            return
    except orjson.JSONDecodeError as error:
        raise UserError(f"this is not JSON: {error.msg}", file=path, line=error.lineno) from None
    for number, line in enumerate(text.split("\n"), start=1):
        values: dict[str, Any] = {}
        with reading.line(path, number):
            try:
                values = _object(orjson.loads(line)) if line.strip() else {}
            except orjson.JSONDecodeError as error:
                raise UserError(f"the line is not JSON: {error.msg}", fix="repair or remove it") from None
        if values:
            yield number, values


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UserError("an entry is not a JSON object", fix="repair or remove it")
    return value


def _text(values: dict[str, Any], name: str) -> str:
    value = values.get(name)
    if not isinstance(value, str) or not value.strip():
        raise UserError(f"the field {name!r} is missing or is not text", fix="check the file")
    return value


def _whole(values: dict[str, Any], line: int) -> Schema:
    options = values["options"]
    if not isinstance(options, list) or not all(isinstance(option, str) and option.strip() for option in options):
        raise UserError("the field 'options' is not a list of texts", fix="check the file")
    place = values.get("pronoun_loc")
    before, pronoun, after = parted(_text(values, "text"), _text(values, "pronoun"), place)
    label = values.get("label", "")
    return Schema(before, pronoun, after, tuple(options), letter_place(str(label), len(options)), line)


def _shared(values: dict[str, Any]) -> str:
    """What the candidates of one schema have in common."""
    if "substitution" in values:
        return str(values.get("question_id"))
    target = values.get("target")
    if not isinstance(target, dict):
        raise UserError("the object is of no known kind", fix="use text, pronoun, options and label")
    return f"{_text(values, 'text')} {target.get('span2_index')}"


def _right(members: list[Placed], field: str) -> int:
    right = [place for place, (_, values) in enumerate(members) if values.get(field) in (True, 1, "true", "True")]
    if len(right) != 1:
        raise UserError(f"{len(right)} of the {len(members)} candidates of this text are right", fix="one must be")
    return right[0]


def _substitutions(members: list[Placed]) -> Schema:
    """Sentences that are whole already: all of them is the candidate, so the pronoun is an empty stretch."""
    sentences = tuple(_text(values, "substitution") for _, values in members)
    return Schema("", "", "", sentences, _right(members, "correctness"), members[0][0])


def _spans(members: list[Placed]) -> Schema:
    text, target = members[0][1]["text"], members[0][1]["target"]
    words, place = text.split(), target.get("span2_index")
    pronoun = _text(target, "span2_text")
    if type(place) is not int or not 0 <= place < len(words) or not words[place].startswith(pronoun):
        raise UserError(f"word {place} of the text is not {pronoun!r}", fix="check the file")
    before, after = " ".join(words[:place]), " ".join([words[place][len(pronoun) :], *words[place + 1 :]])
    candidates = tuple(_text(values["target"], "span1_text") for _, values in members)
    return Schema(before, pronoun, after, candidates, _right(members, "label"), members[0][0])
