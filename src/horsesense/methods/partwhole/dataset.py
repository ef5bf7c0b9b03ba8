"""Read the published part-whole dataset: triples, inference rows, and the votes behind the labels.

Mullenbach, Gordon, Peng, May, "Do Nuclear Submarines Have Nuclear Captains? A Challenge Dataset for Commonsense
Reasoning over Adjectives and Objects" (EMNLP 2019). Triples are comma-separated with a header. Inference
rows (section 5), a retrieved sentence and a hypothesis about the part, are one JSON object per line; parses and token
matches are left out. Votes are those of crowd workers, of the authors, and of the qualification items: one row per
triple with its votes. Annotators are not identified, so they are called ``#1``, ``#2`` …
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from horsesense.core import Card, Facet, Item, Judgement, Probe, Source
from horsesense.core.judgements import NOBODY
from horsesense.errors import UserError
from horsesense.methods.published.reading import (
    Reading,
    ReleasedVotes,
    fields_of,
    names_of,
    split_of,
    text_field,
    whole_number,
)

LICENCE = "none stated"
COLUMNS = ("whole", "part", "jj", "label", "bin_label")
LABELS = ("impossible", "unlikely", "unrelated", "probably", "guaranteed")
"""The labels, in order."""
_DAMAGED = re.compile("[\u0080-\u009f]")
INSTRUMENT = "partwhole"
NONSENSE = "nonsense"
REASONS = {
    "wjj-nonsense": "whole-adjective",
    "pjj-nonsense": "part-adjective",
    "pw-nonsense": "part-whole",
    "word-nonsense": "word",
    "nonsense": "",
}
"""What makes no sense: the adjective with the whole, with the part, the part with the whole, or a word."""
ROLES = ("whole", "part", "adjective")
_TRIPLE = ("whole", "part", "jj")


def read_partwhole(paths: Sequence[Path], skip_bad: bool = False) -> Probe:
    """Read each row as a ``choice`` of five ordered labels; the question is ours, the dataset has only the triple."""
    reading = Reading(skip_bad)
    reading.add_rows(paths, COLUMNS, _triple_item, ",", quoted=True)
    card = Card(
        "partwhole",
        method="partwhole",
        licence=LICENCE,
        group="whole",
        made=f"Read from the judged triples of the part-whole release ({names_of(paths)}); the question is ours.",
    )
    return reading.probe(card, paths)


def _triple_item(reading: Reading, row: dict[str, str], path: Path, number: int) -> Item:
    answer, about = judged(reading, row)
    whole, part, adjective = (str(about[name]) for name in ROLES)
    item = unjudged(whole, part, adjective, Source(file=path.name, line=number, licence=LICENCE))
    return replace(item, answer=answer, facets=about | split_of(path))


def judged(reading: Reading, row: Mapping[str, Any]) -> tuple[int, dict[str, Facet]]:
    """Return a labelled triple; ``binary`` is the published yes or no.

    The two were aggregated separately and disagree in a few rows, which are counted and not changed.
    """
    values = dict(row)
    about: dict[str, Facet] = {}
    for name, column in zip(ROLES, _TRIPLE, strict=True):
        about[name] = reading.clean(text_field(values, column))
    answer = whole_number(values.get("label"), "label", len(LABELS) - 1)
    binary = whole_number(values.get("bin_label"), "bin_label", 1)
    if binary != (answer >= 3):
        reading.notes["label and bin_label disagree"] += 1
    about["binary"] = binary
    return answer, about


# Inference.


def read_partwhole_nli(paths: Sequence[Path], skip_bad: bool = False) -> Probe:
    """Read each line as a ``pair`` of premise and hypothesis with five ordered labels."""
    reading = Reading(skip_bad)
    reading.add_json(paths, _inference_item)
    card = Card(
        "partwhole-nli",
        method="partwhole",
        licence=LICENCE,
        group="whole",
        made=f"Read from the inference format of the part-whole release ({names_of(paths)}).",
    )
    return reading.probe(card, paths)


def _inference_item(reading: Reading, values: dict[str, Any], path: Path, number: int) -> Item:
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
        groups={name: str(about[name]) for name in ROLES},
        facets=about | split_of(path),
        source=Source(file=path.name, line=number, licence=LICENCE),
    )


# Votes.


def read_partwhole_votes(paths: Sequence[Path], skip_bad: bool = False) -> ReleasedVotes:
    """Read each row as an unlabelled item with two to five votes."""
    reading = Reading(skip_bad)
    judgements: list[Judgement] = []
    votes_of: Counter[str] = Counter()
    for path in paths:
        lines = reading.lines(path)
        try:
            first, header = _votes_layout(fields_of(lines[0][1], ",", quoted=True))
        except UserError as error:
            raise error.at(path, 1) from None
        for number, raw in lines[1 if header else 0 :]:
            with reading.line(path, number):
                fields = _with_joined_votes(
                    [reading.clean(field) for field in fields_of(raw, ",", quoted=True)], reading
                )
                item, votes = _voted_triple(fields, first, path, number)
                reading.add(item)
                for value, reason in votes:
                    votes_of[item.id] += 1
                    judgements.append(Judgement(item.id, f"{NOBODY}{votes_of[item.id]}", INSTRUMENT, value, reason))
    card = Card(
        "partwhole",
        method="partwhole",
        licence=LICENCE,
        group="whole",
        made=f"The triples that people judged for the part-whole release ({names_of(paths)}), before adjudication.",
    )
    return ReleasedVotes(reading.probe(card, paths), tuple(judgements))


def _votes_layout(fields: Sequence[str]) -> tuple[int, bool]:
    """Return the first column of the triple, and whether the line is a header; qualification items have none."""
    if "jj" not in fields:
        return 0, False
    first = fields.index("whole") if "whole" in fields else -1
    if first < 0 or tuple(fields[first : first + 3]) != _TRIPLE:
        raise UserError(
            "the columns are not those of part-whole judgements", fix="they begin with whole,part,jj,result1"
        )
    return first, True


def _with_joined_votes(fields: Sequence[str], reading: Reading) -> list[str]:
    """The authors' own file has a few votes in two columns, ``word-`` and ``nonsense``."""
    joined: list[str] = []
    for field in fields:
        if field == NONSENSE and joined and f"{joined[-1]}{field}" in REASONS and joined[-1]:
            joined[-1] += field
            reading.notes["votes in two columns"] += 1
        else:
            joined.append(field)
    return joined


def _voted_triple(fields: Sequence[str], first: int, path: Path, number: int) -> tuple[Item, list[tuple[str, str]]]:
    triple, votes = fields[first : first + 3], [field for field in fields[first + 3 :] if field]
    if len(triple) < 3 or not all(triple) or not votes:
        raise UserError("the line is not a triple and its judgements", fix="repair or remove it")
    whole, part, adjective = triple
    source = Source(file=path.name, line=number, licence=LICENCE)
    return unjudged(whole, part, adjective, source), [_vote(vote) for vote in votes]


def _vote(text: str) -> tuple[str, str]:
    if text in REASONS:
        return NONSENSE, REASONS[text]
    if text not in LABELS:
        raise UserError(f"the judgement {text!r} is unknown", fix=f"the labels are {', '.join((*LABELS, *REASONS))}")
    return text, ""


def unjudged(whole: str, part: str, adjective: str, source: Source) -> Item:
    """Return the question about a triple without an answer, in the wording of `read_partwhole`."""
    triple = {"whole": whole, "part": part, "adjective": adjective}
    return Item(
        probe="partwhole",
        form="choice",
        text=f"If the {whole} is {adjective}, how likely is it that its {part} is {adjective}?",
        options=LABELS,
        ordered=True,
        groups=triple,
        facets=dict(triple),
        source=source,
    )
