"""The best cue as if it were a model: an answer to every item, by a cue chosen on the half without it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from horsesense.analysis.cues.battery import battery, given
from horsesense.analysis.cues.picking import Bools, shares
from horsesense.analysis.cues.search import Prepared, check_units, choose, halvings, prepare
from horsesense.analysis.cues.table import table_of
from horsesense.analysis.cues.tokens import Floats
from horsesense.knowledge.taxonomy import Taxonomy
from horsesense.records import Answer, Item


def cue_answers(
    items: Sequence[Item],
    group: str = "family",
    taxonomy: Taxonomy | None = None,
    extra: Mapping[str, Sequence[Sequence[float]]] | None = None,
    seed: int = 0,
) -> list[Answer]:
    """One answer an item, in their order. The option that the cue picks scores 1, options that tie share it.

    An item without a gold takes no part in the choice, so nobody chose a cue for it: its options tie.
    """
    table = table_of(items, group, taxonomy)
    check_units(table)
    cues = battery() + [given(name, scores, items) for name, scores in (extra or {}).items()]
    flat = _crossed(prepare(table, cues), seed)
    place = {id(item): number for number, item in enumerate(table.items)}
    answers = []
    for item in items:
        scores = tuple(1 / len(item.options) for _ in item.options)
        number = place.get(id(item))
        if number is not None:
            scores = tuple(flat[table.starts[number] : table.starts[number + 1]].tolist())
        answers.append(Answer(item=item.id, view=item.form, scores=scores))
    return answers


def cues_right(answers: Sequence[Answer], items: Sequence[Item]) -> NDArray[np.bool_]:
    """Per item, whether the cue picks the right option and no other with it."""
    return np.array(
        [i.answer is not None and a.scores[i.answer] == 1.0 for a, i in zip(answers, items, strict=True)], dtype=bool
    )


def _crossed(prepared: Prepared, seed: int) -> Floats:
    """Flat shares by the cue that is best on the half without the item."""
    table = prepared.table
    flat = table.chance[table.item_of]
    (half,) = halvings(table.unit, 1, seed)
    for train in (half, ~half):
        chosen = choose(prepared, train, seed)
        if len(chosen.worth):
            winner = int(np.argmax(chosen.worth))
            test = ~train[table.item_of]
            flat[test] = _shares_of(prepared, winner, chosen.direction, train)[test]
    return flat


def _shares_of(prepared: Prepared, cue: int, direction: Sequence[int], train: Bools) -> Floats:
    table = prepared.table
    if cue < prepared.numbers:
        scores = prepared.scores[cue].astype(np.float64)
        return shares(table, -scores if direction[cue] else scores)[0]
    return shares(table, prepared.learners[cue - prepared.numbers].scores(train, table.gold))[0]
