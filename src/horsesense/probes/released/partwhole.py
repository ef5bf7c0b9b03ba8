"""Part-whole adjectives: does an adjective of the whole hold for the part?

Mullenbach, Gordon, Peng, May, "Do Nuclear Submarines Have Nuclear Captains? A Challenge Dataset for
Commonsense Reasoning over Adjectives and Objects" (EMNLP 2019). Comma-separated with a header.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from horsesense.errors import UserError
from horsesense.probes.released.reading import (
    Reading,
    check_columns,
    fields_of,
    names_of,
    row_of,
    split_of,
    text_field,
    whole_number,
)
from horsesense.records import Card, Facet, Item, Probe, Source

LICENCE = "none stated"
COLUMNS = ("whole", "part", "jj", "label", "bin_label")
LABELS = ("impossible", "unlikely", "unrelated", "probably", "guaranteed")
"""The scale of the judgements, in order."""


def read_partwhole(paths: Sequence[Path], skip_bad: bool = False) -> Probe:
    """Each row is a ``choice`` on a scale of five; the question is our wording, the release has only the triple."""
    reading = Reading(skip_bad)
    for path in paths:
        lines = reading.lines(path)
        try:
            header = fields_of(lines[0][1], ",", quoted=True)
        except UserError as error:
            raise error.at(path, 1) from None
        check_columns(header, COLUMNS, path)
        for number, raw in lines[1:]:
            with reading.line(path, number):
                reading.add(_item(reading, row_of(raw, header, ",", quoted=True), path, number))
    card = Card(
        name="partwhole",
        method="partwhole",
        licence=LICENCE,
        made=f"Read from the judged triples of the part-whole release ({names_of(paths)}); the question is ours.",
        group="whole",
    )
    return reading.probe(card, paths)


def _item(reading: Reading, row: dict[str, str], path: Path, number: int) -> Item:
    answer, about = judged(reading, row)
    whole, part, adjective = (about[name] for name in ("whole", "part", "adjective"))
    return Item(
        probe="partwhole",
        form="choice",
        text=f"If the {whole} is {adjective}, how likely is it that its {part} is {adjective}?",
        options=LABELS,
        answer=answer,
        ordered=True,
        groups={"whole": str(whole), "part": str(part), "adjective": str(adjective)},
        facets=about | split_of(path),
        source=Source(file=path.name, line=number, licence=LICENCE),
    )


def judged(reading: Reading, row: Mapping[str, Any]) -> tuple[int, dict[str, Facet]]:
    """The label of a triple and what it is about; ``binary`` is the release's own yes or no.

    The two were aggregated on their own, so that they disagree in a few rows: counted, not changed.
    """
    values = dict(row)
    about: dict[str, Facet] = {}
    for name, column in (("whole", "whole"), ("part", "part"), ("adjective", "jj")):
        about[name] = reading.clean(text_field(values, column))
    answer = whole_number(values.get("label"), "label", len(LABELS) - 1)
    binary = whole_number(values.get("bin_label"), "bin_label", 1)
    if binary != (answer >= 3):
        reading.notes["label and bin_label disagree"] += 1
    about["binary"] = binary
    return answer, about
