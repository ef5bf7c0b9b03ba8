"""The judgements behind the part-whole release: crowd workers', the authors' own, and the qualification items.

One row a triple, its votes side by side. Nothing says whose vote is whose, so annotators are ``#1``, ``#2`` …
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from horsesense.errors import UserError
from horsesense.probes.released.partwhole import LABELS, LICENCE
from horsesense.probes.released.reading import Reading, fields_of, names_of
from horsesense.probes.released.votes import ReleasedVotes
from horsesense.records import Card, Item, Judgement, Source
from horsesense.records.judgements import NOBODY

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

_TRIPLE = ("whole", "part", "jj")


def read_partwhole_votes(paths: Sequence[Path], skip_bad: bool = False) -> ReleasedVotes:
    """Each row is an item that nobody has settled yet, and two to five judgements."""
    reading = Reading(skip_bad)
    judgements: list[Judgement] = []
    given: Counter[str] = Counter()
    for path in paths:
        lines = reading.lines(path)
        try:
            first, header = _layout(fields_of(lines[0][1], ",", quoted=True))
        except UserError as error:
            raise error.at(path, 1) from None
        for number, raw in lines[1 if header else 0 :]:
            with reading.line(path, number):
                fields = _joined([reading.clean(field) for field in fields_of(raw, ",", quoted=True)], reading)
                item, votes = _row(fields, first, path, number)
                reading.add(item)
                for value, reason in votes:
                    given[item.id] += 1
                    judgements.append(Judgement(item.id, f"{NOBODY}{given[item.id]}", INSTRUMENT, value, reason))
    card = Card(
        name="partwhole",
        method="partwhole",
        licence=LICENCE,
        made=f"The triples that people judged for the part-whole release ({names_of(paths)}), before adjudication.",
        group="whole",
    )
    return ReleasedVotes(reading.probe(card, paths), tuple(judgements))


def _layout(fields: Sequence[str]) -> tuple[int, bool]:
    """Where the triple begins, and whether this line is a header; the qualification items have none."""
    if "jj" not in fields:
        return 0, False
    first = fields.index("whole") if "whole" in fields else -1
    if first < 0 or tuple(fields[first : first + 3]) != _TRIPLE:
        raise UserError(
            "the columns are not those of part-whole judgements", fix="they begin with whole,part,jj,result1"
        )
    return first, True


def _joined(fields: Sequence[str], reading: Reading) -> list[str]:
    """The authors' own file has a few votes in two columns, ``word-`` and ``nonsense``."""
    joined: list[str] = []
    for field in fields:
        if field == NONSENSE and joined and f"{joined[-1]}{field}" in REASONS and joined[-1]:
            joined[-1] += field
            reading.notes["votes in two columns"] += 1
        else:
            joined.append(field)
    return joined


def _row(fields: Sequence[str], first: int, path: Path, number: int) -> tuple[Item, list[tuple[str, str]]]:
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
    """The question about a triple, as the reader of the released labels asks it, without an answer."""
    return Item(
        probe="partwhole",
        form="choice",
        text=f"If the {whole} is {adjective}, how likely is it that its {part} is {adjective}?",
        options=LABELS,
        ordered=True,
        groups={"whole": whole, "part": part, "adjective": adjective},
        facets={"whole": whole, "part": part, "adjective": adjective},
        source=source,
    )
