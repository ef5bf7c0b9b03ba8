"""Science exams, the original tasks of WordNetQA's models: SciQ, and the lines that ARC and OpenBookQA share.

Welbl, Liu, Gardner, "Crowdsourcing Multiple Choice Science Questions" (2017): a JSON list. Clark and others (2018),
Mihaylov and others (2018): one JSON object a line, ``{"id", "question": {"stem", "choices"}, "answerKey"}``.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson

from horsesense.core import Card, Item, Probe, Source
from horsesense.data import read_bytes
from horsesense.errors import UserError
from horsesense.methods.published.reading import Reading, names_of, split_of, text_field

_SCIQ = ("correct_answer", "distractor1", "distractor2", "distractor3")


def read_sciq(paths: Sequence[Path], skip_bad: bool = False) -> Probe:
    """Each entry is a ``choice`` of four, in alphabetical order, since the published files have the right one first.

    The supporting text is left out: the questions are asked with closed books.
    """
    reading = Reading(skip_bad)
    for path in paths:
        try:
            entries = orjson.loads(read_bytes(path))
        except orjson.JSONDecodeError as error:
            raise UserError(
                f"this is not JSON ({error.msg})", file=path, fix="give SciQ's train, valid or test.json"
            ) from None
        if not isinstance(entries, list):
            raise UserError("this is not a list of questions", file=path, fix="give SciQ's train, valid or test.json")
        for number, values in enumerate(entries, start=1):
            with reading.line(path, number):
                reading.add(_sciq(reading, values, path, number))
    licence = "CC BY-NC 3.0"
    return reading.probe(Card(name="sciq", licence=licence, made=f"Read from SciQ ({names_of(paths)})."), paths)


def _sciq(reading: Reading, values: Any, path: Path, number: int) -> Item:
    if not isinstance(values, dict):
        raise UserError("the entry is not a JSON object")
    right, *wrong = (reading.clean(text_field(values, name)) for name in _SCIQ)
    distractors = list(dict.fromkeys(other for other in wrong if other != right))
    if len(distractors) < len(wrong):
        reading.notes["repeated answers left out"] += len(wrong) - len(distractors)
    options = tuple(sorted([right, *distractors]))
    return Item(
        probe="sciq",
        form="choice",
        text=reading.clean(text_field(values, "question")),
        options=options,
        answer=options.index(right),
        facets=split_of(path),
        source=Source(file=path.name, line=number, licence="CC BY-NC 3.0"),
    )


def read_arc(paths: Sequence[Path], skip_bad: bool = False) -> Probe:
    """Each line is a ``choice`` of as many options as it has; labels may be letters or numbers."""
    reading = Reading(skip_bad)
    reading.add_json(paths, _arc)
    return reading.probe(Card(name="arc", made=f"Read from science questions ({names_of(paths)})."), paths)


def _arc(reading: Reading, values: dict[str, Any], path: Path, number: int) -> Item:
    question = values.get("question")
    choices = question.get("choices") if isinstance(question, dict) else None
    if not isinstance(question, dict) or not isinstance(choices, list) or not all(isinstance(c, dict) for c in choices):
        raise UserError(
            "the line has no question with choices", fix='write {"question": {"stem", "choices"}, "answerKey"}'
        )
    labels = [str(choice.get("label")) for choice in choices]
    key = str(values.get("answerKey"))
    if key not in labels:
        raise UserError(f"the answerKey {key!r} is not one of the labels {', '.join(labels)}")
    return Item(
        probe="arc",
        form="choice",
        text=reading.clean(text_field(question, "stem")),
        options=tuple(reading.clean(text_field(choice, "text")) for choice in choices),
        answer=labels.index(key),
        facets=split_of(path),
        source=Source(file=path.name, line=number, id=str(values.get("id", ""))),
    )
