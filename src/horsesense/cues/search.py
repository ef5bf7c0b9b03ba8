"""Held-out estimates of cues, and joint tests of all: permutations, a tree, and marks of an option's position."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from horsesense.cues.battery import Bools, Cue, Learner, Number, credit, in_item_rank, number_scores, shares
from horsesense.cues.table import Table
from horsesense.cues.tokens import Floats, Ints
from horsesense.errors import UserError, argument
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.stats.intervals import Estimate, rate_interval, unit_note
from horsesense.stats.resampling import Units, exchangeable_spread

SPLITS, ROUNDS = 10, 199
"""Default numbers of random halvings of the groups, and of permutations."""


def estimates(
    credit: NDArray[np.float32] | Floats,
    units: Ints,
    chance: float,
    level: float = 0.95,
    seed: int = 0,
    variance: Floats | None = None,
) -> list[Estimate]:
    """Estimate the mean of each column of ``credit`` (items × cues) with its interval.

    ``variance`` is that of each mean, needed if ``credit`` is itself a mean over splits.

    >>> estimates(np.array([[1.0], [0.0], [1.0], [1.0]]), np.array([0, 0, 1, 2]), 0.5)[0].value
    0.75
    """
    number = int(units.max()) + 1
    method, note = "linearised cluster variance, beta", unit_note(number)
    means = []
    for value, spread in zip(
        np.asarray(credit, dtype=np.float64).mean(axis=0).clip(max=1.0).tolist(),
        (variances(credit, units) if variance is None else variance).tolist(),
        strict=True,
    ):
        low, high = rate_interval(value, spread, number, level)
        means.append(Estimate(value, (low, high), len(credit), number, chance, level, method, seed, note))
    return means


def variances(credit: NDArray[np.float32] | Floats, units: Ints) -> Floats:
    """Compute the cluster-robust variance of the mean of each column.

    Credit over several splits needs one variance per split: a cue that picks the maximum after one half and the minimum
    after the other has a mean that hardly varies between items, and is as uncertain as a guess.
    """
    sizes = np.bincount(units).astype(np.float64)
    number, items = len(sizes), len(credit)
    if number < 2:
        return np.zeros(credit.shape[1])
    variance = []
    for column in np.asarray(credit, dtype=np.float64).T:
        sums = np.bincount(units, weights=column)
        residual = sums - column.mean() * sizes
        linear = float(residual @ residual) / items**2 * number / (number - 1)
        kinds = np.stack([sums, sizes, np.bincount(units, weights=column**2)], axis=1)
        variance.append(max(linear, exchangeable_spread(Units(kinds, np.ones(number, dtype=np.int64)))))
    return np.array(variance)


@dataclass(frozen=True)
class Prepared:
    """Cues that apply to a probe, with their scores."""

    table: Table
    cues: Sequence[Cue]
    directed: NDArray[np.float32]
    """Credit per item of each number cue by its maximum (first column) and its minimum (second)."""
    scores: Sequence[NDArray[np.float32]]
    """Flat scores of the number cues, in the order of `cues`."""
    coverage: Floats
    """Share of items on which each cue separates the options (nan for a learnt cue before training)."""
    learners: Sequence[Learner]
    """One learner per learnt cue; these follow the number cues."""

    @property
    def numbers(self) -> int:
        return len(self.scores)

    def take(self, chosen: Ints) -> Prepared:
        """Restrict the cues to some items; their scores do not change."""
        table = self.table.take(chosen)
        flat = self.table.options_of(chosen)
        return Prepared(
            table=table,
            cues=self.cues,
            directed=self.directed[chosen],
            scores=[scores[flat] for scores in self.scores],
            coverage=self.coverage,
            learners=[learner.take(table, chosen) for learner in self.learners],
        )


def prepare(table: Table, cues: Sequence[Cue], progress: Progress = NO_PROGRESS) -> Prepared:
    """Compute every cue; cues that never separate two options are left out."""
    numbers: list[tuple[Cue, NDArray[np.float32], Floats, Floats, float]] = []
    learners: list[tuple[Cue, Learner]] = []
    for done, cue in enumerate(cues):
        progress.update("cues", done, len(cues))
        if isinstance(cue, Number):
            # Rounded first: the order of summation must not break a tie.
            scores = np.round(number_scores(table, cue), 9).astype(np.float32)
            most, covered = shares(table, scores)
            if covered.any():
                least, _ = shares(table, -scores)
                numbers.append((cue, scores, most[table.gold], least[table.gold], float(covered.mean())))
        else:
            learner = Learner(table, cue.compute(table))
            if not learner.empty:
                learners.append((cue, learner))
    columns = [column for _, _, most, least, _ in numbers for column in (most, least)]
    directed = np.stack(columns, axis=1) if columns else np.zeros((len(table), 0))
    return Prepared(
        table=table,
        cues=[cue for cue, *_ in numbers] + [cue for cue, _ in learners],
        directed=directed.astype(np.float32),
        scores=[scores for _, scores, *_ in numbers],
        coverage=np.array([cover for *_, cover in numbers] + [np.nan] * len(learners)),
        learners=[learner for _, learner in learners],
    )


@dataclass(frozen=True)
class Searched:
    """Held-out results of the search, item by item."""

    credit: NDArray[np.float32]
    """Mean credit over the splits: items × cues."""
    best: Floats
    """Credit per item of the cue that is best on the other half."""
    variance: Floats
    """Variance of the accuracy of each cue, then of the best: that of one split, averaged over splits."""
    direction: Ints
    """0 for each cue whose maximum is correct more often over all items, 1 for its minimum."""
    coverage: Floats
    """Share of items on which each cue separates the options."""


def halvings(units: Ints, splits: int, seed: int) -> Iterator[Bools]:
    """Yield for each split the items of one half: half of the clusters, drawn by ``seed``."""
    rng = np.random.default_rng(seed)
    count = int(units.max()) + 1
    for _ in range(splits):
        half = np.zeros(count, dtype=bool)
        half[rng.permutation(count)[: count // 2]] = True
        yield half[units]


def check_units(table: Table) -> None:
    """Check that there are at least two clusters."""
    if len(np.unique(table.unit)) < 2:
        raise UserError(
            f"all {len(table)} items belong to one family or group, so nothing can be chosen on one half "
            "of them and measured on the other",
            fix=f"give items of several families, or {argument('group', 'item')} if they do not depend on one another",
        )


def search(prepared: Prepared, splits: int = SPLITS, seed: int = 0, progress: Progress = NO_PROGRESS) -> Searched:
    """Choose on one half and evaluate on the other, then vice versa, ``splits`` times."""
    table, width = prepared.table, len(prepared.cues)
    earned = np.zeros((len(table), width + 1), dtype=np.float32)
    variance = np.zeros(width + 1)
    answered = np.zeros(len(prepared.learners))
    once = np.zeros_like(earned)
    for done, half in enumerate(halvings(table.unit, splits, seed)):
        progress.update("halves", done, splits)
        for train in (half, ~half):
            test = np.flatnonzero(~train)
            chosen = choose(prepared, train, seed + done)
            for number, credits in enumerate(chosen.credit):
                once[test, number] = credits[test]
            answered += [covered[test].sum() for covered in chosen.covered]
            once[test, width] = once[test, int(np.argmax(chosen.worth))] if width else 0.0
        earned += once
        variance += variances(once, table.unit)
    earned /= np.float32(splits)
    means = prepared.directed.mean(axis=0, dtype=np.float64).reshape(-1, 2)
    direction = np.zeros(len(prepared.cues), dtype=np.int64)
    direction[: prepared.numbers] = np.argmax(means, axis=1) if len(means) else 0
    coverage = prepared.coverage.copy()
    coverage[prepared.numbers :] = answered / (splits * len(table))
    return Searched(earned[:, :width], earned[:, width].astype(np.float64), variance / splits, direction, coverage)


@dataclass(frozen=True)
class Choice:
    """Accuracy of cues on training items, and their credit on all items after training."""

    worth: Floats
    """Accuracy of each cue on the training items."""
    direction: Sequence[int]
    """0 for the maximum, 1 for the minimum, per number cue."""
    credit: Sequence[NDArray[np.float32]]
    """Credit of each cue on every item; for a learnt cue valid only outside the training items."""
    covered: Sequence[Bools]
    """Items outside on which each learnt cue separates the options."""


def choose(prepared: Prepared, train: Bools, seed: int) -> Choice:
    """Train every cue on ``train``."""
    table = prepared.table
    means = (train.astype(np.float32) @ prepared.directed / train.sum()).reshape(-1, 2)
    direction = np.argmax(means, axis=1).tolist() if len(means) else []
    worth = [float(pair.max()) for pair in means]
    earned = [prepared.directed[:, 2 * number + way] for number, way in enumerate(direction)]
    covered = []
    inner = inner_half(table.unit, train, seed)
    for learner in prepared.learners:
        # A cue of many categories is always correct on its training items; its accuracy is estimated by training on one
        # quarter and evaluating on the other.
        worth.append(_crossed(table, learner, train & inner, train & ~inner))
        share, apart = shares(table, learner.scores(train, table.gold, learner.offered(train, ~train)))
        covered.append(apart)
        earned.append(share[table.gold].astype(np.float32))
    return Choice(np.array(worth), direction, earned, covered)


def inner_half(units: Ints, train: Bools, seed: int) -> Bools:
    """Return half of the clusters of ``train``, for training inside the training half."""
    inside = np.unique(units[train])
    drawn = np.random.default_rng([seed, 1]).permutation(inside)[: len(inside) // 2]
    half = np.zeros(int(units.max()) + 1, dtype=bool)
    half[drawn] = True
    return half[units]


def _crossed(table: Table, learner: Learner, first: Bools, second: Bools) -> float:
    """Return the accuracy over two parts, each predicted from the other."""
    total = 0.0
    for teach, test in ((first, second), (second, first)):
        scores = learner.scores(teach, table.gold, learner.offered(teach, test))
        total += float(credit(table, scores, table.gold)[test].sum())
    return total / float((first | second).sum())


def permutation_test(
    prepared: Prepared, rounds: int = ROUNDS, seed: int = 0, progress: Progress = NO_PROGRESS
) -> Floats:
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
        for index, learner in enumerate(prepared.learners):
            earned = 0.0
            for train, offered in zip((half, ~half), known[index], strict=True):
                earned += float(credit(table, learner.scores(train, gold, offered), gold)[~train].sum())
            statistics[number, flat.shape[1] + index] = earned / len(table)
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
        for position, number in enumerate(sorted(range(len(item.options)), key=item.options.__getitem__)):
            order[start + position] = start + number
            rank[start + number] = position
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
