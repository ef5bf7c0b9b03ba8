"""What results need of the items, as arrays: a large probe is read once.

Items of a large probe are decoded on access, at about 15 µs each; what results, comparisons and the strict metric need
of them fits into a few arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from horsesense.core import FORMS, Item
from horsesense.core.arrow import Texts
from horsesense.core.item import guess_of
from horsesense.core.item_file import StoredItems, ids_of, units_of
from horsesense.stats.paired import is_retest
from horsesense.stats.slices import Facets


@dataclass(frozen=True, slots=True, eq=False)
class ItemColumns:
    """The items of a probe as arrays, in its order."""

    ids: Sequence[str]
    forms: NDArray[np.int8]
    """Index of each item's form in `FORMS`."""
    golds: NDArray[np.int64]
    """Index of the gold option; -1 where there is none."""
    options: NDArray[np.int64]
    """Number of options."""
    guesses: NDArray[np.float64]
    """Expected score of guessing."""
    families: NDArray[np.int64]
    """Index of the family; an item without one has its own."""
    units: NDArray[np.int64]
    """Index of the cluster."""
    again: NDArray[np.bool_]
    """Whether it repeats the question of another item."""
    in_families: bool
    """Whether any item has a family."""

    @property
    def judged(self) -> NDArray[np.bool_]:
        """Whether there is a gold answer."""
        judged: NDArray[np.bool_] = self.golds >= 0
        return judged


_known: WeakKeyDictionary[StoredItems, dict[str, ItemColumns]] = WeakKeyDictionary()
"""Columns of large probes, by the group of their card: several models share them."""
_facets: WeakKeyDictionary[StoredItems, Facets] = WeakKeyDictionary()


def item_columns(items: Sequence[Item], group: str) -> ItemColumns:
    """Return the columns of items, clustered by a group."""
    if not isinstance(items, StoredItems):
        return _read_columns(items, group)
    known = _known.setdefault(items, {})
    if group not in known:
        known[group] = _read_columns(items, group)
    return known[group]


def item_facets(items: Sequence[Item]) -> Facets:
    """Return the facets of items, which take as much memory as everything else and which only slices need."""
    if not isinstance(items, StoredItems):
        return Facets(item.facets for item in items)
    if items not in _facets:
        _facets[items] = Facets(item.facets for item in items)
    return _facets[items]


def _read_columns(items: Sequence[Item], group: str) -> ItemColumns:
    number = len(items)
    forms, golds, options = np.empty(number, np.int8), np.empty(number, np.int64), np.empty(number, np.int64)
    guesses, again = np.empty(number), np.empty(number, bool)
    indices, in_families = {form: index for index, form in enumerate(FORMS)}, False
    numbers, units = dict[str, int](), np.empty(number, np.int64)
    for n, item in enumerate(items):
        forms[n] = indices[item.form]
        golds[n] = -1 if item.answer is None else item.answer
        options[n] = len(item.options)
        guesses[n] = guess_of(item)
        again[n] = is_retest(item)
        in_families = in_families or bool(item.family)
        if group != "family":
            units[n] = numbers.setdefault(item.unit(group), len(numbers))
    families = _indices_of(units_of(items))
    return ItemColumns(
        ids=ids_of(items),
        forms=forms,
        golds=golds,
        options=options,
        guesses=guesses,
        families=families,
        units=families if group == "family" else units,
        again=again,
        in_families=in_families,
    )


def _indices_of(names: Sequence[str]) -> NDArray[np.int64]:
    """Return an index for each name, in the order of first appearance."""
    if isinstance(names, Texts):
        numbers: NDArray[np.int64] = names.column.combine_chunks().dictionary_encode().indices.to_numpy()
        return numbers.astype(np.int64)
    known: dict[str, int] = {}
    return np.array([known.setdefault(name, len(known)) for name in names], np.int64)
