"""Science questions in the lines that ARC and OpenBookQA share, the original tasks of WordNetQA's models.

Clark and others (2018), Mihaylov and others (2018): one JSON object per line,
``{"id", "question": {"stem", "choices"}, "answerKey"}``.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from horsesense.core import Card, Item, Probe, Source
from horsesense.errors import UserError
from horsesense.methods.published.reading import Reading, names_of, split_of, text_field


def read(paths: Sequence[Path], skip_bad: bool = False) -> Probe:
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
