"""Paired comparison of the same questions under two conditions, such as changed names or an added fact."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from horsesense.core import Item
from horsesense.errors import UserError
from horsesense.stats.accuracy import accuracy
from horsesense.stats.intervals import Estimate
from horsesense.stats.paired import PairedTest, compare
from horsesense.stats.resampling import Floats, Names

Key = TypeVar("Key", bound=Hashable)


def ablation(
    keys: Sequence[Key],
    values: Floats | Sequence[float],
    other_keys: Sequence[Key],
    other_values: Floats | Sequence[float],
    unit_of: Mapping[Key, object],
) -> PairedTest:
    """Compare two conditions question by question, such as novel entities with names, or without and with the fact.

    ``keys`` identify the question of an item, ``unit_of`` its cluster. A question with several items in a condition
    (three pairs of names) counts once, with its mean.

    >>> units = {"x": "u", "y": "v", "z": "w"}
    >>> comparison = ablation(["x", "y", "z"], [1, 0, 1], ["x", "x", "y"], [1, 0, 0], units)
    >>> comparison.a.value, comparison.b.value, comparison.a.n
    (0.5, 0.25, 2)
    """
    first, second = _means(keys, values), _means(other_keys, other_values)
    shared = [key for key in first if key in second]
    if not shared:
        raise UserError("the two conditions have no question in common", fix="build both from the same axioms")
    return compare([first[k] for k in shared], [second[k] for k in shared], [str(unit_of[k]) for k in shared])


def _means(keys: Sequence[Key], values: Floats | Sequence[float]) -> dict[Key, float]:
    by_key: dict[Key, list[float]] = {}
    for key, value in zip(keys, np.asarray(values, dtype=np.float64).tolist(), strict=True):
        if value == value:  # judged
            by_key.setdefault(key, []).append(value)
    return {key: float(np.mean(each)) for key, each in by_key.items()}


def asked_again(item: Item) -> bool:
    """Return whether an item repeats another item's question with exchanged names (the facet ``retest`` of rica)."""
    return item.facets.get("retest") is True


def retest(keys: Sequence[Hashable], values: Floats | Sequence[float], again: Sequence[bool], units: Names) -> Estimate:
    """Estimate the retest consistency, the noise floor: how often a repeated question gets the same credit.

    ``again`` marks the repeated question, which differs from the first only in the exchanged names.

    >>> retest(["x", "x", "y", "y"], [1, 1, 1, 0], [False, True, False, True], ["u", "u", "v", "v"]).value
    0.5
    """
    credit = np.asarray(values, dtype=np.float64)
    first = {key: (place, str(units[place])) for place, key in enumerate(keys) if not again[place]}
    same, names = [], []
    for place, key in enumerate(keys):
        if again[place] and key in first and not np.isnan(credit[[place, first[key][0]]]).any():
            same.append(float(credit[place] == credit[first[key][0]]))
            names.append(first[key][1])
    if not same:
        raise UserError("no question was asked twice")
    return accuracy(same, names)
