"""Is any cue better than chance? The answer key is shuffled within items and the whole search done again.

The null hypothesis is that cues know nothing of the key. A shuffle turns the key of every unit of
dependence by one random step, the same for all items of the unit (their options in alphabetical
order), so that what depends on one another stays so. The p-value of a cue is the share of
shuffles in which the best of all cues does as well as it does (Westfall and Young's single step),
so it accounts for the search, for directions and for what learnt cues can learn from noise.
"""

from __future__ import annotations

import numpy as np

from horsesense.analysis.cues.picking import credit, shares
from horsesense.analysis.cues.search import Prepared, Tick, halvings, quiet
from horsesense.analysis.cues.table import Table
from horsesense.analysis.cues.tokens import Floats, Ints


def permutation_test(prepared: Prepared, rounds: int = 199, seed: int = 0, tick: Tick = quiet) -> Floats:
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
        tick("shuffles", number, rounds + 1)
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
    own = np.concatenate([both, observed[2 * numbers :]])
    return np.asarray((highest[:, None] >= own - 1e-9).mean(axis=0))


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
