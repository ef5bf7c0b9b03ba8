"""SciQ: Welbl, Liu and Gardner, "Crowdsourcing Multiple Choice Science Questions" (2017), a JSON list."""

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


def read(paths: Sequence[Path], skip_bad: bool = False) -> Probe:
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
