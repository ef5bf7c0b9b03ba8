"""Statistics by annotator and by item: deviating annotators and disputed items."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from horsesense.errors import UserError
from horsesense.stats.intervals import Estimate
from horsesense.stats.raters.agreement import Weights, bootstrapped, kappa_of
from horsesense.stats.raters.votes import Votes
from horsesense.stats.resampling import RESAMPLES, Floats


@dataclass(frozen=True, slots=True)
class Annotator:
    """One annotator compared with the others."""

    annotator: str
    votes: int
    shared: int
    """Votes for items that others judged too."""
    agrees: float | None
    """Mean share of the others' votes on the same items that agree; None without shared items."""
    kappa: Estimate | None
    """Weighted kappa of own votes and the others' votes on the same items; None without shared items."""
    favourite: str
    """Most frequent label of this annotator."""
    favourite_share: float
    """Share of that label; near 1 for constant answers."""


@dataclass(frozen=True, slots=True)
class Dispute:
    """Agreement on one item."""

    item: str
    votes: dict[str, int]
    agree: float
    """Share of pairs of votes that agree."""


def by_annotator(
    votes: Votes, weights: Weights = "none", level: float = 0.95, seed: int = 0, resamples: int = RESAMPLES
) -> list[Annotator]:
    """Compare each annotator with the others, in order of names."""
    if not votes.people:
        raise UserError("it is not known whose votes these are, so there are no statistics by annotator")
    counts = votes.counts()
    annotators = []
    for place in np.argsort(np.array(votes.annotators, dtype=str)).tolist():
        mine = np.flatnonzero(votes.annotator == place)
        items, labels = votes.item[mine], votes.label[mine]
        others = counts[items]
        others[np.arange(len(mine)), labels] -= 1
        given = Counter(votes.labels[label] for label in labels.tolist())
        favourite, times = min(given.items(), key=lambda entry: (-entry[1], entry[0]))
        shared = np.flatnonzero(others.sum(axis=1) > 0)
        agrees, kappa = None, None
        if len(shared):
            others, labels = others[shared], labels[shared]
            agrees = float((others[np.arange(len(shared)), labels] / others.sum(axis=1)).mean())
            kappa = _beside(
                labels, others, [votes.items[item] for item in items[shared]], weights, level, seed, resamples
            )
        annotators.append(
            Annotator(votes.annotators[place], len(mine), len(shared), agrees, kappa, favourite, times / len(mine))
        )
    return annotators


def _beside(
    labels: np.ndarray[tuple[int, ...], np.dtype[np.int64]],
    others: Floats,
    names: list[str],
    weights: Weights,
    level: float,
    seed: int,
    resamples: int,
) -> Estimate:
    size = others.shape[1]
    cells = np.zeros((len(labels), size, size))
    # Each own vote counts once, divided among the others' votes for the item.
    cells[np.arange(len(labels)), labels] = others / others.sum(axis=1, keepdims=True)
    columns = list(cells.reshape(len(cells), -1).T)
    return bootstrapped(
        lambda drawn: kappa_of(drawn.reshape(-1, size, size), weights), columns, names, level, seed, resamples
    )


def by_item(votes: Votes) -> list[Dispute]:
    """Return items with at least two votes, most disputed first."""
    counts = votes.counts()
    number = counts.sum(axis=1)
    disputes = []
    for place in np.flatnonzero(number > 1).tolist():
        row = counts[place]
        agree = float((row * (row - 1)).sum() / (number[place] * (number[place] - 1)))
        given = {name: int(count) for name, count in zip(votes.labels, row, strict=True) if count}
        disputes.append(Dispute(votes.items[place], given, agree))
    return sorted(disputes, key=lambda dispute: (dispute.agree, dispute.item))
