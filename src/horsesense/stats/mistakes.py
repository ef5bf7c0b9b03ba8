"""Error analysis: confusion matrix, most confident errors, and errors shared by models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from horsesense.core import Item
from horsesense.core.item_file import ids_of
from horsesense.stats.resampling import Floats

Earned = tuple[Sequence[Item], Floats]
"""Ids of a model's items, and its credit on each; nan for items without a gold."""

MOST_LABELS = 8


@dataclass(frozen=True, slots=True)
class Confusion:
    """Counts of items; a tie is split among the labels that tie."""

    labels: tuple[str, ...]
    """Labels in the order of the first item's options, which is that of the scale if there is one."""
    counts: tuple[tuple[float, ...], ...]
    """Rows are gold labels, columns predicted labels."""


def confusion(items: Sequence[Item], predicted: Sequence[tuple[int, ...]]) -> Confusion | None:
    """Compute the confusion matrix; None unless all items have the same options.

    >>> pair = {"probe": "demo", "form": "pair", "options": ("yes", "no")}
    >>> items = [Item(**pair, text="A hand is wet.", answer=0), Item(**pair, text="A sock is wet.", answer=1)]
    >>> confusion(items, [(0,), (0,)]).counts
    ((1.0, 0.0), (1.0, 0.0))
    """
    labels = items[0].options
    known = set(labels)
    if len(labels) > MOST_LABELS or len(items) < 2 or any(set(item.options) != known for item in items):
        return None
    index_of = {label: number for number, label in enumerate(labels)}
    counts = [[0.0] * len(labels) for _ in labels]
    for item, picked in zip(items, predicted, strict=True):
        if item.answer is not None:
            for option in picked:
                counts[index_of[item.options[item.answer]]][index_of[item.options[option]]] += 1 / len(picked)
    return Confusion(labels, tuple(map(tuple, counts)))


def confident_errors(margins: Floats, most: int) -> list[int]:
    """Return the indices of wrong items, widest margin first.

    >>> confident_errors(np.array([0.5, -0.1, -2.0, np.nan]), 5)
    [2, 1]
    """
    order = np.argsort(margins, kind="stable")
    return [int(index) for index in order[:most] if margins[index] < 0]


@dataclass(frozen=True, slots=True)
class SharedErrors:
    """Items that two models get wrong; a tie counts as wrong."""

    both: int
    either: int
    expected: float
    """Expected Jaccard index under independence."""

    @property
    def jaccard(self) -> float:
        return self.both / self.either


def shared_errors(models: Mapping[str, Earned]) -> dict[tuple[str, str], SharedErrors]:
    """Count shared errors of each pair of models with any error, on judged items that both answered."""
    shared = {}
    rows = dict(zip(models, _aligned(list(models.values()))[1], strict=True))
    for first, second in combinations(models, 2):
        both = ~np.isnan(rows[first]) & ~np.isnan(rows[second])
        a, b = rows[first][both] < 1, rows[second][both] < 1
        if (either := int((a | b).sum())) > 0:
            p, q = float(a.mean()), float(b.mean())
            shared[first, second] = SharedErrors(int((a & b).sum()), either, p * q / (p + q - p * q))
    return shared


def disagreements(models: Sequence[Earned]) -> list[str]:
    """Return the ids of items that some models get right and others wrong."""
    ids, rows = _aligned(models)
    got = np.logical_or.reduce([row == 1 for row in rows])
    missed = np.logical_or.reduce([row < 1 for row in rows])
    return [ids[index] for index in np.flatnonzero(got & missed).tolist()]


def _aligned(models: Sequence[Earned]) -> tuple[Sequence[str], list[Floats]]:
    """Return all ids by first occurrence, and each model's credits on them; nan for items without its answer."""
    known = [ids_of(items) for items, _ in models]
    if all(ids is known[0] or ids == known[0] for ids in known):
        return known[0] if known else (), [values for _, values in models]
    indices: dict[str, int] = {}
    for ids in known:
        for identity in ids:
            indices.setdefault(identity, len(indices))
    rows = [np.full(len(indices), np.nan) for _ in models]
    for row, ids, (_, values) in zip(rows, known, models, strict=True):
        row[[indices[identity] for identity in ids]] = values
    return list(indices), rows
