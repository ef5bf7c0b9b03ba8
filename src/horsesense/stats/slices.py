"""Accuracy by facet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from horsesense.core import Facet, Item
from horsesense.errors import UserError, unknown
from horsesense.stats.accuracy import accuracy
from horsesense.stats.facets import FacetColumn, Facets
from horsesense.stats.families import family_accuracy
from horsesense.stats.intervals import Estimate
from horsesense.stats.resampling import RESAMPLES, Floats, Names, unit_array

MOST_VALUES = 50
"""Maximum number of values of a facet in a table."""
MOST_TO_SLICE_BY = 30
"""Number of values above which a facet is a label rather than a slice."""


@dataclass(frozen=True, slots=True)
class Slice:
    """Items that share the value of one or two facets."""

    where: tuple[Facet, ...]
    """Value of each facet."""
    accuracy: Estimate


@dataclass(frozen=True, slots=True)
class Sliced:
    """Accuracy by one facet or by a pair of facets."""

    facets: tuple[str, ...]
    slices: tuple[Slice, ...]
    """Slices sorted by value: booleans, numbers, then strings."""
    missing: int
    """Number of items with a gold that do not have the facet."""
    left_out: int
    """Number of items with a gold in the omitted slices."""
    note: str = ""
    """Description of the omitted slices, or empty."""


def by_facet(
    values: Floats | Sequence[float],
    units: Names,
    facets: Sequence[Mapping[str, Facet]] | Facets,
    names: str | tuple[str, ...],
    chances: Sequence[float] | Floats | None = None,
    most: int = MOST_VALUES,
    level: float = 0.95,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Sliced:
    """Estimate accuracy for each value of a facet, or each pair of values of two.

    ``facets`` are those of each item; ``chances`` the chance level of each item.

    >>> sliced = by_facet([1, 1, 0, 0], ["a", "b", "c", "d"], [{"hops": 1}, {"hops": 1}, {"hops": 2}, {}], "hops")
    >>> [(each.where, each.accuracy.value) for each in sliced.slices], sliced.missing
    ([((1,), 1.0), ((2,), 0.0)], 1)
    """
    wanted = (names,) if isinstance(names, str) else names
    credit = np.asarray(values, dtype=np.float64)
    if not len(credit) == len(units) == len(facets):
        raise UserError(f"there are {len(credit)} values for {len(units)} clusters and facets of {len(facets)} items")
    columns = Facets.of(facets)
    for name in wanted:
        if name not in columns:
            raise unknown("facet", name, columns.names)
    names_of_units, judged = unit_array(units), ~np.isnan(credit)
    guesses = None if chances is None else np.asarray(chances, dtype=np.float64)
    keys, cells = _cells([columns[name] for name in wanted], judged)
    counts = np.bincount(cells[cells >= 0], minlength=len(keys)).tolist()
    kept = sorted(sorted(range(len(keys)), key=lambda cell: (-counts[cell], keys[cell]))[:most], key=keys.__getitem__)
    slices = []
    for cell in kept:
        places = np.flatnonzero(cells == cell)
        guess = None if guesses is None else float(np.mean(guesses[places]))
        rate = accuracy(credit[places], names_of_units[places], guess, level, seed, resamples)
        slices.append(Slice(tuple(value for _, value in keys[cell]), rate))
    present, shown = sum(counts), sum(counts[cell] for cell in kept)
    cut = f"{' × '.join(wanted)} has {len(keys):,} values; the {most} with most items are shown"
    return Sliced(
        facets=wanted,
        slices=tuple(slices),
        missing=int(judged.sum()) - present,
        left_out=present - shown,
        note=cut if len(keys) > most else "",
    )


_Key = tuple[tuple[int, Facet], ...]


def _cells(columns: Sequence[FacetColumn], judged: NDArray[np.bool_]) -> tuple[list[_Key], NDArray[np.int64]]:
    """Return the combinations of values, and the index of each item's combination; -1 without a facet or a gold."""
    there = judged & np.logical_and.reduce([column.codes >= 0 for column in columns])
    cells = np.zeros(len(judged), np.int64)
    for column in columns:
        cells = cells * len(column.values) + column.codes
    found, cells[there] = np.unique(cells[there], return_inverse=True)
    cells[~there] = -1
    keys: list[_Key] = []
    for cell in found.tolist():
        key: _Key = ()
        for column in reversed(columns):
            cell, code = divmod(cell, len(column.values))
            key = (facet_key(column.values[code]), *key)
        keys.append(key)
    return keys, cells


def by_every_facet(
    values: Floats, units: Names, facets: Sequence[Mapping[str, Facet]] | Facets, chances: Sequence[float] | Floats
) -> tuple[dict[str, Sliced], dict[str, int]]:
    """Estimate accuracy by each facet with several values; also return the label facets with their number of values."""
    slices, labels = {}, {}
    columns = Facets.of(facets)
    for name in columns.names:
        known = columns[name].values
        if len(known) > MOST_TO_SLICE_BY:
            labels[name] = len(known)
        elif len(known) > 1:
            sliced = by_facet(values, units, columns, name, chances)
            if len(sliced.slices) > 1:
                slices[name] = sliced
    return slices, labels


@dataclass(frozen=True, slots=True)
class FacetRow:
    """Accuracy for one value of a facet, by item and by cluster (wordnetqa, tables 7 and 8)."""

    facet: str
    """Name of the facet."""
    value: Facet
    """Value of the facet that these items have."""
    items: Estimate
    """Share of correct items."""
    clusters: Estimate
    """Share of families whose items with this value are all correct; its chance is that of guessing them all."""


def facet_rows(items: Sequence[Item], values: Floats, sliced: Sliced) -> list[FacetRow]:
    """Return one row per value of the facet by which credits were sliced, in the order of the values."""
    (facet,) = sliced.facets
    rows = []
    for each in sliced.slices:
        (value,) = each.where
        key = facet_key(value)
        places = [n for n, item in enumerate(items) if facet in item.facets and facet_key(item.facets[facet]) == key]
        families = [items[place].unit() for place in places]
        counts = [len(items[place].options) for place in places]
        whole = family_accuracy(values[places], families, option_counts=counts)[0].strict
        rows.append(FacetRow(facet, value, each.accuracy, whole))
    return rows


@dataclass(frozen=True, slots=True)
class HeatTable:
    """Accuracy by two facets: cells in the order of rows and columns; None for cells without items."""

    rows: tuple[Facet, ...]
    columns: tuple[Facet, ...]
    cells: tuple[tuple[Estimate | None, ...], ...]


def heat_table(sliced: Sliced) -> HeatTable:
    """Arrange the slices of two facets as a table."""
    cells = {tuple(map(facet_key, each.where)): each.accuracy for each in sliced.slices}
    rows, columns = (sorted({key[place] for key in cells}) for place in (0, 1))
    return HeatTable(
        rows=tuple(value for _, value in rows),
        columns=tuple(value for _, value in columns),
        cells=tuple(tuple(cells.get((row, column)) for column in columns) for row in rows),
    )


def facet_key(value: Facet) -> tuple[int, Facet]:
    """Return a sort key for mixed values that distinguishes True from 1.

    >>> sorted([facet_key(v) for v in ("b", 2, True, "a", 1, 0.5)])
    [(0, True), (1, 0.5), (1, 1), (1, 2), (2, 'a'), (2, 'b')]
    """
    if isinstance(value, bool):
        return 0, value
    return (1, value) if isinstance(value, int | float) else (2, value)
