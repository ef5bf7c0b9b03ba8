"""Drop questions until no cue answers a set much above chance.

Near distractors are balanced one relatedness at a time, so that something else may still point to the answer: how often
an option is offered, or its length. Every number cue of the battery is counted, by its maximum and by its minimum, with
each encoder and the sum of all. The question that the cues above the limit answer most is dropped, again and again.
Some cues depend on which questions are left, so that all are computed again until nothing is dropped.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from horsesense.core import Item
from horsesense.cues.battery import Number, battery
from horsesense.cues.relatedness import Encoder, cosines, relatedness_cue
from horsesense.cues.search import prepare
from horsesense.cues.table import Table, table_of
from horsesense.cues.tokens import Floats
from horsesense.lexicons.graph import Graph

MOST = 0.24
"""Accuracy of a cue on five options, at most."""
_ROUNDS = 20


def trim(
    items: Sequence[Item],
    encoders: Sequence[Encoder],
    taxonomy: Graph | None,
    group: str,
    most: float = MOST,
    fixed: int = 0,
) -> list[int]:
    """Return the indices of the items that are left, in order; the first ``fixed`` items are never dropped."""
    cues = [*number_cues(), *relatedness_cues(items, encoders)]
    left = list(range(len(items)))
    for _ in range(_ROUNDS):
        credit = prepare(table_of([items[index] for index in left], group, taxonomy), cues).directed
        kept = drop_answered(credit.astype(np.float64), most, fixed)
        if len(kept) == len(left):
            break
        left = [left[index] for index in kept]
    return left


def number_cues() -> list[Number]:
    """Return the cues of the battery that assign a number to each option."""
    return [cue for cue in battery() if isinstance(cue, Number)]


def relatedness_cues(items: Sequence[Item], encoders: Sequence[Encoder]) -> list[Number]:
    """Return a cue per encoder, and their sum, each in units of its spread."""
    every = [(encoder, cosines(items, encoder)) for encoder in encoders]
    cues = [relatedness_cue(encoder, items, cosine) for encoder, cosine in every]
    if len(cues) > 1:
        spreads = [float(np.nanstd([value for row in cosine for value in row])) for _, cosine in every]

        single = tuple(cues)

        def compute(table: Table) -> Floats:
            total: Floats = np.sum([each.compute(table) / s for each, s in zip(single, spreads, strict=True)], axis=0)
            return total

        cues.append(Number("relatedness by all", "sum of the cosines", "nearest by all", "farthest by all", compute))
    return cues


def drop_answered(credit: NDArray[np.float64], most: float, fixed: int = 0) -> list[int]:
    """Return the rows (items) of which no column (cue) has a mean above ``most``; the first ``fixed`` rows are kept.

    >>> drop_answered(np.array([[1.0], [0.0], [1.0], [0.0]]), 0.4)
    [1, 2, 3]
    >>> drop_answered(np.array([[1.0], [0.0], [1.0], [0.0]]), 0.4, fixed=1)
    [0, 1, 3]
    """
    left = np.ones(len(credit), dtype=bool)
    total = credit.sum(axis=0)
    while left[fixed:].any():
        above = np.clip(total / left.sum() - most, 0, None)
        if not above.any():
            break
        worst = fixed + int(np.argmax(np.where(left, credit @ above, -np.inf)[fixed:]))
        left[worst] = False
        total = total - credit[worst]
    return np.flatnonzero(left).tolist()
