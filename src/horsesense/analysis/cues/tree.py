"""A shallow tree over all cues: what they answer together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from horsesense.analysis.cues.interval import variances
from horsesense.analysis.cues.picking import Bools, credit, in_item_rank
from horsesense.analysis.cues.search import Prepared, Tick, halvings, inner_half, quiet
from horsesense.analysis.cues.tokens import Floats

DEPTH = 4
_SMALLEST_LEAF = 0.01


def tree_credit(prepared: Prepared, splits: int = 3, seed: int = 0, tick: Tick = quiet) -> tuple[Floats, Floats]:
    """Per item, the mean credit of a tree that was grown on the half without it; and the variance of its accuracy.

    The tree sees where an option stands among the others of its item by each cue, from -1 to 1.
    """
    from sklearn.tree import DecisionTreeClassifier

    table = prepared.table
    earned, variance = np.zeros(len(table)), np.zeros(1)
    once = np.zeros(len(table))
    right = np.zeros(len(table.text_of), dtype=bool)
    right[table.gold] = True
    fixed = [in_item_rank(table, scores) for scores in prepared.scores]
    for done, half in enumerate(halvings(table.unit, splits, seed)):
        tick("tree", done, splits)
        for train in (half, ~half):
            columns = fixed + _learnt_columns(prepared, train, seed + done)
            seen = np.stack(columns, axis=1) if columns else np.zeros((len(right), 1), dtype=np.float32)
            teach = train[table.item_of]
            leaf = max(5, int(_SMALLEST_LEAF * teach.sum()))
            tree = DecisionTreeClassifier(max_depth=DEPTH, min_samples_leaf=leaf, random_state=seed)
            tree.fit(seen[teach], right[teach])
            once[~train] = credit(table, tree.predict_proba(seen)[:, -1].round(9), table.gold)[~train]
        earned += once
        variance += variances(once[:, None], table.unit)
    return earned / splits, variance / splits


def _learnt_columns(prepared: Prepared, train: Bools, seed: int) -> list[NDArray[np.float32]]:
    """Ranks by the learnt cues: on ``train`` from the quarter without the item, elsewhere from all of ``train``.

    A tree that saw what a cue had learnt from the very same items would trust it too much.
    """
    table, columns = prepared.table, []
    inner = inner_half(table.unit, train, seed)
    for learner in prepared.learners:
        scores = learner.scores(train, table.gold, learner.offered(train, ~train))
        for teach, test in ((train & inner, train & ~inner), (train & ~inner, train & inner)):
            flat = test[table.item_of]
            scores[flat] = learner.scores(teach, table.gold, learner.offered(teach, test))[flat]
        columns.append(in_item_rank(table, scores))
    return columns
