"""Which label is taken for which, where all items have the same few labels as options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from horsesense.records import Item

MOST_LABELS = 8


@dataclass(frozen=True, slots=True)
class Confusion:
    """Counts of items; one that ties is shared among the labels that tie."""

    labels: tuple[str, ...]
    """In the order of the first item, which is that of the scale where there is one."""
    counts: tuple[tuple[float, ...], ...]
    """Rows are what is right, columns what was chosen."""


def confusion(items: Sequence[Item], predicted: Sequence[tuple[int, ...]]) -> Confusion | None:
    """The confusion matrix, or None where options are not labels.

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
    for item, chosen in zip(items, predicted, strict=True):
        if item.answer is not None:
            for option in chosen:
                counts[place[item.options[item.answer]]][place[item.options[option]]] += 1 / len(chosen)
    return Confusion(labels, tuple(map(tuple, counts)))
