"""Joint tests of all cues: permutation test, a tree over all cues, and cues that reveal an option's position.

Permutation test: the answer key is shuffled within items and the whole search repeated. The null hypothesis is that
cues are independent of the key. A shuffle rotates the key of every cluster by one random step, the same for all items
of the cluster (their options in alphabetical order), which preserves dependence. The p-value of a cue is the share of
shuffles in which the best of all cues does at least as well (Westfall and Young's single step). It therefore accounts
for the search, for directions and for overfitting of learnt cues.
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
    """Compute the p-value of each cue, corrected for all of them."""
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
        # The first round is the true key, which is one of the possible shuffles.
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
    """Return the flat options of each item in alphabetical order, and each option's rank in that order."""
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
    """Return per item the mean credit of trees trained on the half without it, and the variance of their accuracy.

    The features of an option are its ranks within its item by each cue, from -1 to 1.
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
    """Return ranks by the learnt cues: on ``train`` learnt from the quarter without the item, elsewhere from ``train``.

    A tree trained on the same items as a learnt cue would overestimate that cue.
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
"""Accuracy below which a cue only hints at a position."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A cue that identifies the first option."""

    name: str
    share: float
    """Share of items in which it identifies the first option."""


def position_mark(prepared: Prepared, seed: int = 0) -> Mark | None:
    """Return the cue that best identifies the first option, if it does so in nine of ten items.

    Options from a small set in a fixed order (labels, "less" and "more") reveal their position by design and are
    exempt.
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
    # Among equally accurate cues the shortest name is the simplest to report.
    share, _, name = max(candidates, default=(0.0, 0, ""))
    return Mark(name, share) if share >= _GIVES_AWAY else None
