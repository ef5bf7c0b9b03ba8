"""Cohen's kappa, plain and weighted: two people on the same items, or all pairs of votes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Literal

import numpy as np

from horsesense.analysis.agreement import bootstrapped, over
from horsesense.analysis.intervals import Estimate
from horsesense.analysis.resampling import RESAMPLES, Floats, Statistic
from horsesense.analysis.votes import Codes, Votes
from horsesense.errors import UserError

Weights = Literal["none", "linear", "quadratic"]


def kappa_of(tables: Floats, weights: Weights = "none") -> Floats:
    """Kappa of each table of counts (one person's labels down, the other's across).

    >>> kappa_of(np.array([[[20.0, 5.0], [10.0, 15.0]]])).round(3).tolist()
    [0.4]
    """
    size = tables.shape[-1]
    steps = np.abs(np.arange(size)[:, None] - np.arange(size)[None, :])
    cost = {"none": steps > 0, "linear": steps, "quadratic": steps**2}[weights].astype(np.float64)
    down, across = tables.sum(axis=2), tables.sum(axis=1)
    expected = (down[:, :, None] * across[:, None, :] * cost).sum(axis=(1, 2)) / down.sum(axis=1)
    return 1 - over((tables * cost).sum(axis=(1, 2)), expected)


def _statistic(size: int, weights: Weights) -> Statistic:
    return lambda drawn: kappa_of(drawn.reshape(-1, size, size), weights)


def cohen_kappa(
    one: Sequence[int] | Codes,
    other: Sequence[int] | Codes,
    labels: int,
    weights: Weights = "none",
    level: float = 0.95,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Estimate:
    """Cohen's kappa of two people: the places of their labels, item by item."""
    first, second = np.asarray(one, dtype=np.int64), np.asarray(other, dtype=np.int64)
    if len(first) != len(second):
        raise UserError(f"one person has {len(first)} labels and the other {len(second)}")
    if not len(first):
        raise UserError("the two people judged no item in common, so there is no kappa")
    cells = np.zeros((len(first), labels * labels))
    cells[np.arange(len(first)), first * labels + second] = 1
    names = [str(place) for place in range(len(first))]
    return bootstrapped(_statistic(labels, weights), list(cells.T), names, level, seed, resamples)


def pair_kappa(
    votes: Votes,
    weights: Weights = "none",
    level: float = 0.95,
    seed: int = 0,
    resamples: int = RESAMPLES,
    units: Sequence[str] | None = None,
) -> Estimate:
    """Kappa over all pairs of votes for the same item, each taken both ways round.

    This is what can be said where it is not known whose vote is whose (partwhole.txt, 4.3). Both ways round
    means that the two sides have the same margins, as in Scott's pi.
    """
    counts = votes.counts()
    twice = np.flatnonzero(counts.sum(axis=1) > 1)
    if not len(twice):
        raise UserError("no item was judged twice, so there is no kappa", fix="have some items judged by two people")
    counts, size = counts[twice], len(votes.labels)
    pairs = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(size)
    names = votes.items if units is None else units
    columns = list(pairs.reshape(len(pairs), -1).T)
    return bootstrapped(
        _statistic(size, weights), columns, [names[place] for place in twice.tolist()], level, seed, resamples
    )


def kappa_by_pair(
    votes: Votes, weights: Weights = "none", level: float = 0.95, seed: int = 0, resamples: int = RESAMPLES
) -> dict[tuple[str, str], Estimate]:
    """Cohen's kappa of each two people who judged items in common."""
    if not votes.people:
        raise UserError("it is not known whose votes these are, so there are no two people to compare")
    # The last vote of a person for an item counts.
    own = [
        dict(zip(votes.item[votes.annotator == place].tolist(), votes.label[votes.annotator == place], strict=True))
        for place in range(len(votes.annotators))
    ]
    found = {}
    for one, other in combinations(range(len(own)), 2):
        common = sorted(own[one].keys() & own[other].keys())
        if common:
            names = votes.annotators[one], votes.annotators[other]
            first, second = ([own[place][item] for item in common] for place in (one, other))
            found[names] = cohen_kappa(first, second, len(votes.labels), weights, level, seed, resamples)
    return found
