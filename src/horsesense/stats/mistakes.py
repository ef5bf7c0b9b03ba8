"""What is got wrong: which label is taken for which, which errors are the surest, and which ones models share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from horsesense.core import Item
from horsesense.core.item_file import ids_of
from horsesense.stats.resampling import Floats

Earned = tuple[Sequence[Item], Floats]
"""The items that a model was asked, and what it earned on each; nan where there is no gold."""

MOST_LABELS = 8


@dataclass(frozen=True, slots=True)
class Confusion:
    """Counts of items; one that ties is shared among the labels that tie."""

    labels: tuple[str, ...]
    """In the order of the first item, which is that of the scale where there is one."""
    counts: tuple[tuple[float, ...], ...]
    """Rows are what is right, columns what was chosen."""


def confusion(items: Sequence[Item], predicted: Sequence[tuple[int, ...]]) -> Confusion | None:
    """The confusion matrix; None where options are not labels: all items have the same few.

    >>> pair = {"probe": "demo", "form": "pair", "options": ("yes", "no")}
    >>> items = [Item(**pair, text="A hand is wet.", answer=0), Item(**pair, text="A sock is wet.", answer=1)]
    >>> confusion(items, [(0,), (0,)]).counts
    ((1.0, 0.0), (1.0, 0.0))
    """
    labels = items[0].options
    known = set(labels)
    if len(labels) > MOST_LABELS or len(items) < 2 or any(set(item.options) != known for item in items):
        return None
    place = {label: number for number, label in enumerate(labels)}
    counts = [[0.0] * len(labels) for _ in labels]
    for item, picked in zip(items, predicted, strict=True):
        if item.answer is not None:
            for option in picked:
                counts[place[item.options[item.answer]]][place[item.options[option]]] += 1 / len(picked)
    return Confusion(labels, tuple(map(tuple, counts)))


def confident_errors(margins: Floats, most: int) -> list[int]:
    """Places of items that are wrong, by the widest margin first.

    >>> confident_errors(np.array([0.5, -0.1, -2.0, np.nan]), 5)
    [2, 1]
    """
    order = np.argsort(margins, kind="stable")
    return [int(place) for place in order[:most] if margins[place] < 0]


@dataclass(frozen=True, slots=True)
class SharedErrors:
    """Items that two models miss; a tie counts as missed."""

    both: int
    either: int
    expected: float
    """The Jaccard index if the two had nothing to do with each other."""

    @property
    def jaccard(self) -> float:
        return self.both / self.either


def shared_errors(models: Mapping[str, Earned]) -> dict[tuple[str, str], SharedErrors]:
    """For each pair of models that miss anything, on the judged items that both were asked."""
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
    """Ids of items that some models get and others miss."""
    ids, rows = _aligned(models)
    got = np.logical_or.reduce([row == 1 for row in rows])
    missed = np.logical_or.reduce([row < 1 for row in rows])
    return [ids[place] for place in np.flatnonzero(got & missed).tolist()]


def _aligned(models: Sequence[Earned]) -> tuple[Sequence[str], list[Floats]]:
    """All ids, by their first places, and what each model earned on them; nan where it was not asked."""
    known = [ids_of(items) for items, _ in models]
    if all(ids is known[0] or ids == known[0] for ids in known):
        return known[0] if known else (), [values for _, values in models]
    places: dict[str, int] = {}
    for ids in known:
        for identity in ids:
            places.setdefault(identity, len(places))
    rows = [np.full(len(places), np.nan) for _ in models]
    for row, ids, (_, values) in zip(rows, known, models, strict=True):
        row[[places[identity] for identity in ids]] = values
    return list(places), rows
