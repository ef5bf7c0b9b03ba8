"""What numbers are made of, item by item and without the items: a large probe is gone through once.

The items of a large probe are made when they are looked at, at some 15 µs each; what results, comparisons and the
strict metric want to know of them fits into a few arrays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from sys import intern
from weakref import WeakKeyDictionary

import numpy as np
import orjson
from numpy.typing import NDArray

from horsesense.analysis.ablation import asked_again
from horsesense.records import FORMS, Facet, Item
from horsesense.records.item import guess_of
from horsesense.records.stored import StoredItems


@dataclass(frozen=True, slots=True, eq=False)
class ItemColumns:
    """The items of a probe as arrays, in its order."""

    ids: Sequence[str]
    forms: NDArray[np.int8]
    """The place of each one's form in `FORMS`."""
    golds: NDArray[np.int64]
    """The right option; -1 where nobody has judged."""
    options: NDArray[np.int64]
    """How many there are to choose from."""
    guesses: NDArray[np.float64]
    """What guessing earns."""
    families: Sequence[str]
    """The family, or the id of an item that stands alone."""
    units: NDArray[np.int64]
    """The unit of dependence, as a number."""
    again: NDArray[np.bool_]
    """Whether it asks again what another one asks."""
    in_families: bool
    """Whether any item has a family."""
    facets: Sequence[Mapping[str, Facet]]
    """Values to slice by; items of a large probe that have the same ones share them."""

    @property
    def judged(self) -> NDArray[np.bool_]:
        """Whether there is a gold."""
        judged: NDArray[np.bool_] = self.golds >= 0
        return judged


_SHARED = 50_000
"""Different facets of items that are looked for again."""
_known: WeakKeyDictionary[StoredItems, dict[str, ItemColumns]] = WeakKeyDictionary()
"""Of large probes, by the group of their card: several models are asked one."""


def item_columns(items: Sequence[Item], group: str) -> ItemColumns:
    """The columns of items under a unit of dependence."""
    if not isinstance(items, StoredItems):
        return _gone_through(items, group)
    known = _known.setdefault(items, {})
    if group not in known:
        known[group] = _gone_through(items, group)
    return known[group]


def _gone_through(items: Sequence[Item], group: str) -> ItemColumns:
    number = len(items)
    ids, families = list[str](), list[str]()
    forms, golds, options = np.empty(number, np.int8), np.empty(number, np.int64), np.empty(number, np.int64)
    guesses, units, again = np.empty(number), np.empty(number, np.int64), np.empty(number, bool)
    places, numbers, in_families = {form: place for place, form in enumerate(FORMS)}, dict[str, int](), False
    facets, shared = list[Mapping[str, Facet]](), dict[bytes, Mapping[str, Facet]]()
    for n, item in enumerate(items):
        if isinstance(items, StoredItems):
            key = orjson.dumps(item.facets)  # which tells 1 from true
            facets.append(shared.get(key, item.facets))
            if len(shared) < _SHARED:
                shared.setdefault(key, item.facets)
        else:
            facets.append(item.facets)
        ids.append(item.id)
        families.append(intern(item.family) if item.family else item.id)
        forms[n] = places[item.form]
        golds[n] = -1 if item.answer is None else item.answer
        options[n] = len(item.options)
        guesses[n] = guess_of(item)
        units[n] = numbers.setdefault(item.unit(group), len(numbers))
        again[n] = asked_again(item)
        in_families = in_families or bool(item.family)
    if isinstance(items, StoredItems):  # it has these already
        ids, families = items.ids, items.units
    return ItemColumns(ids, forms, golds, options, guesses, families, units, again, in_families, facets)
