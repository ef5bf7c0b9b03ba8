"""What is got wrong: which label is taken for which, which errors are the surest, and which ones models share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from horsesense.analysis.resampling import Floats
from horsesense.records import Item
from horsesense.records.stored import ids_of

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
    for first, second in combinations(models, 2):
        _, a, b = _of_both(models[first], models[second])
        if (either := int((a | b).sum())) > 0:
            p, q = float(a.mean()), float(b.mean())
            shared[first, second] = SharedErrors(int((a & b).sum()), either, p * q / (p + q - p * q))
    return shared


def _of_both(one: Earned, other: Earned) -> tuple[list[int], NDArray[np.bool_], NDArray[np.bool_]]:
    """The places, among the first one's items, of those that are judged and both were asked; whether each missed it."""
    ids, others = ids_of(one[0]), ids_of(other[0])
    a, b = one[1], other[1]
    if ids is others or ids == others:
        places = np.arange(len(ids))
    else:
        known = {identity: place for place, identity in enumerate(others)}
        found = np.array([known.get(identity, -1) for identity in ids], np.int64)
        places = np.flatnonzero(found >= 0)
        b = b[found[places]]
    a = a[places]
    judged = ~np.isnan(a) & ~np.isnan(b)
    return places[judged].tolist(), a[judged] < 1, b[judged] < 1


def disagreements(models: Sequence[Earned]) -> list[str]:
    """Ids of items that some models get and others miss."""
    found: dict[str, int] = {}
    for one, other in combinations(models, 2):
        places, a, b = _of_both(one, other)
        ids = ids_of(one[0])
        found |= {ids[places[n]]: places[n] for n in np.flatnonzero(a != b).tolist()}
    return sorted(found, key=found.__getitem__)
