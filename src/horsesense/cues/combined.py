"""What all cues say together: is any better than chance, what would a tree of them get, does one mark a position?

Permutation test: the answer key is shuffled within items and the whole search done again. The null hypothesis is
that cues know nothing of the key. A shuffle turns the key of every unit of dependence by one random step, the same
for all items of the unit (their options in alphabetical order), so that what depends on one another stays so. The
p-value of a cue is the share of shuffles in which the best of all cues does as well as it does (Westfall and Young's
single step), so it accounts for the search, for directions and for what learnt cues can learn from noise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from horsesense.cues.battery import Bools, credit, in_item_rank, shares
from horsesense.cues.search import Prepared, halvings, inner_half, variances
from horsesense.cues.table import Table
from horsesense.cues.tokens import Floats, Ints
from horsesense.progress import NO_PROGRESS, Progress


def permutation_test(prepared: Prepared, rounds: int = 199, seed: int = 0, progress: Progress = NO_PROGRESS) -> Floats:
    """The p-value of each cue, corrected for all of them."""
    table = prepared.table
    if not prepared.cues:
        return np.zeros(0)
    rng = np.random.default_rng([seed, 2])
    order, rank = _alphabetical(table)
    shares_of = [shares(table, sign * scores)[0].astype(np.float32) for scores in prepared.scores for sign in (1, -1)]
    flat = np.stack(shares_of, axis=1) if shares_of else np.zeros((len(table.text_of), 0), dtype=np.float32)
    (half,) = halvings(table.unit, 1, seed)
    known = [[learner.offered(train, ~train) for train in (half, ~half)] for learner in prepared.learners]
    statistics = np.zeros((rounds + 1, flat.shape[1] + len(prepared.learners)))
    for number in range(rounds + 1):
        progress.update("shuffles", number, rounds + 1)
        # The first round is the true key: it is one of the shuffles that might have been.
        gold = _turned(table, order, rank, rng) if number else table.gold
        statistics[number, : flat.shape[1]] = flat[gold].mean(axis=0, dtype=np.float64)
        for place, learner in enumerate(prepared.learners):
            earned = 0.0
            for train, offered in zip((half, ~half), known[place], strict=True):
                earned += float(credit(table, learner.scores(train, gold, offered), gold)[~train].sum())
            statistics[number, flat.shape[1] + place] = earned / len(table)
    return _corrected(statistics, prepared.numbers)


def _corrected(statistics: Floats, numbers: int) -> Floats:
    spread = statistics.std(axis=0)
    centred = statistics - statistics.mean(axis=0)
    standard = np.divide(centred, spread, out=np.zeros_like(centred), where=spread > 1e-12)
    highest = standard.max(axis=1)
    observed = standard[0]
    both = observed[: 2 * numbers].reshape(-1, 2).max(axis=1)
    by_cue = np.concatenate([both, observed[2 * numbers :]])
    return np.asarray((highest[:, None] >= by_cue - 1e-9).mean(axis=0))


def _alphabetical(table: Table) -> tuple[Ints, Ints]:
    """Flat: the options of each item in the order of their texts, and each option's place in that order."""
    order = np.empty(len(table.text_of), dtype=np.int64)
    rank = np.empty(len(table.text_of), dtype=np.int64)
    for start, item in zip(table.starts.tolist(), table.items, strict=False):
        for place, number in enumerate(sorted(range(len(item.options)), key=item.options.__getitem__)):
            order[start + place] = start + number
            rank[start + number] = place
    return order, rank


def _turned(table: Table, order: Ints, rank: Ints, rng: np.random.Generator) -> Ints:
    step = rng.integers(0, 1 << 40, size=int(table.unit.max()) + 1)[table.unit]
    return order[table.starts[:-1] + (rank[table.gold] + step) % table.counts]


DEPTH = 4
_SMALLEST_LEAF = 0.01


def tree_credit(
    prepared: Prepared, splits: int = 3, seed: int = 0, progress: Progress = NO_PROGRESS
) -> tuple[Floats, Floats]:
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
        progress.update("tree", done, splits)
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
    candidates: list[tuple[float, int, str]] = []
    for cue, scores in zip(prepared.cues, prepared.scores, strict=False):
        share = max(float(shares(table, sign * scores)[0][first].mean()) for sign in (1, -1))
        candidates.append((share, -len(cue.name), cue.name))
    (half,) = halvings(table.unit, 1, seed)
    for cue, learner in zip(prepared.cues[prepared.numbers :], prepared.learners, strict=True):
        if cue.name == "position":
            continue
        share = 0.0
        for train in (half, ~half):
            share += float(credit(table, learner.scores(train, first), first)[~train].sum())
        candidates.append((share / len(table), -len(cue.name), cue.name))
    # Of cues that find it equally often the one with the shortest name is the simplest to tell.
    share, _, name = max(candidates, default=(0.0, 0, ""))
    return Mark(name, share) if share >= _GIVES_AWAY else None
