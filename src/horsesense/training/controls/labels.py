"""Label sets and slots: what several controls count by."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from horsesense.core import Item
from horsesense.errors import UserError

Floats = NDArray[np.float64]
MOST_LABELS = 20
"""A training set with more distinct options than this has no label set."""


def kinds(items: Sequence[Item]) -> tuple[str, ...] | None:
    """Return the label set of a training set, in order; None if its options differ from item to item.

    >>> pair = Item(probe="demo", form="pair", premise="a", text="b", options=("yes", "no"), answer=0)
    >>> kinds([pair])
    ('yes', 'no')
    >>> which = Item(probe="demo", form="choice", text="Which?", options=("a hat", "a cup", "a pan"), answer=0)
    >>> kinds([which]) is None
    True
    """
    options = dict.fromkeys(option for item in items for option in item.options)
    if len(options) > MOST_LABELS:
        return None
    return tuple(options) if len(options) < max(3, len(items)) or _same_options(items) else None


def _same_options(items: Sequence[Item]) -> bool:
    """Whether a few items share one label set; a single question could have answers of its own."""
    alike = len(items) > 1 or all(item.form == "pair" for item in items)
    return alike and len({frozenset(item.options) for item in items}) == 1


def labels(items: Sequence[Item]) -> tuple[str, ...]:
    """Return the label set of a training set, or raise an error."""
    names = kinds(items)
    if names is None:
        raise UserError(
            "the options are not labels: they differ from item to item",
            fix="use a control for questions, or another probe",
        )
    return names


def of_labels(items: Sequence[Item], known: Sequence[str], table: Floats) -> list[tuple[float, ...]]:
    """Map scores of labels to scores of the options of each item; an unseen label is an error."""
    places = {label: place for place, label in enumerate(known)}
    scores = []
    for item, row in zip(items, table, strict=True):
        unseen = next((option for option in item.options if option not in places), None)
        if unseen is not None:
            raise UserError(
                f"item {item.id}: the label {unseen!r} never occurs in training (its labels: {', '.join(known)})",
                fix="train on items with the same options",
            )
        scores.append(tuple(float(row[places[option]]) for option in item.options))
    return scores


def gold_labels(items: Sequence[Item], known: Sequence[str]) -> NDArray[np.int64]:
    """Return the index of each item's right label."""
    places = {label: place for place, label in enumerate(known)}
    golds = [item.options[item.answer] if item.answer is not None else "" for item in items]
    unseen = next((gold for gold in golds if gold not in places), None)
    if unseen is not None:
        raise UserError(f"the label {unseen!r} never occurs in training", fix="train on items with the same options")
    return np.array([places[gold] for gold in golds], dtype=np.int64)


def slot_value(item: Item, slot: str) -> str:
    """Return the value of a facet or a group."""
    value = item.facets.get(slot, item.groups.get(slot))
    if value is None:
        known = sorted({*item.facets, *item.groups})
        raise UserError(
            f"item {item.id} has nothing under the name {slot!r}", fix=f"it has {', '.join(known) or 'no slots'}"
        )
    return str(value)
