"""Part-whole adjectives as inference: a retrieved sentence, and what it says of the part.

Mullenbach, Gordon, Peng, May, "Do Nuclear Submarines Have Nuclear Captains?" (EMNLP 2019), section 5.
One JSON object a line; parses and token matches are left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from horsesense.probes.released.partwhole import LABELS, LICENCE, judged
from horsesense.probes.released.reading import Reading, json_of, names_of, split_of, text_field
from horsesense.records import Card, Item, Probe, Source

_DAMAGED = re.compile("[\u0080-\u009f]")


def read_partwhole_nli(paths: Sequence[Path], skip_bad: bool = False) -> Probe:
    """Each line is a ``pair`` of premise and hypothesis on a scale of five."""
    reading = Reading(skip_bad)
    for path in paths:
        for number, raw in reading.lines(path):
            with reading.line(path, number):
                reading.add(_item(reading, json_of(raw), path, number))
    card = Card(
        name="partwhole-nli",
        method="partwhole",
        licence=LICENCE,
        made=f"Read from the inference format of the part-whole release ({names_of(paths)}).",
        group="whole",
    )
    return reading.probe(card, paths)


def _item(reading: Reading, values: dict[str, Any], path: Path, number: int) -> Item:
    premise = reading.clean(text_field(values, "sentence1"))
    hypothesis = reading.clean(text_field(values, "sentence2"))
    if _DAMAGED.search(premise):
        # News wire that was decoded twice; guessing it back could change what a model reads.
        reading.notes["premises with damaged characters, kept"] += 1
    answer, about = judged(reading, values)
    return Item(
        probe="partwhole-nli",
        form="pair",
        premise=premise,
        text=hypothesis,
        options=LABELS,
        answer=answer,
        ordered=True,
        groups={name: str(about[name]) for name in ("whole", "part", "adjective")},
        facets=about | split_of(path),
        source=Source(file=path.name, line=number, licence=LICENCE),
    )
