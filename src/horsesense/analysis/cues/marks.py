"""Does an option's text give away its position? Then whoever knows where the answers stand need not read."""

from __future__ import annotations

from dataclasses import dataclass

from horsesense.analysis.cues.picking import credit, shares
from horsesense.analysis.cues.search import Prepared, halvings
from horsesense.analysis.cues.tokens import Ints

_GIVES_AWAY = 0.9
"""Below this a position is hinted at, not given away."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A cue that tells the first option from the others."""

    name: str
    share: float
    """Share of items in which it finds the first option."""


def position_mark(prepared: Prepared, seed: int = 0) -> Mark | None:
    """The cue that finds the first option best, where it does so in nine items of ten.

    Options from a small set in a fixed order (labels, "less" and "more") give it away by design;
    they are not spoken of.
    """
    table = prepared.table
    if table.closed or table.labels.all():
        return None
    first: Ints = table.starts[:-1]
    found: list[tuple[float, int, str]] = []
    for cue, scores in zip(prepared.cues, prepared.scores, strict=False):
        share = max(float(shares(table, sign * scores)[0][first].mean()) for sign in (1, -1))
        found.append((share, -len(cue.name), cue.name))
    (half,) = halvings(table.unit, 1, seed)
    for cue, learner in zip(prepared.cues[prepared.numbers :], prepared.learners, strict=True):
        if cue.name == "position":
            continue
        share = 0.0
        for train in (half, ~half):
            share += float(credit(table, learner.scores(train, first), first)[~train].sum())
        found.append((share / len(table), -len(cue.name), cue.name))
    # Of cues that find it equally often the one with the shortest name is the simplest to tell.
    share, _, name = max(found, default=(0.0, 0, ""))
    return Mark(name, share) if share >= _GIVES_AWAY else None
