"""Accuracy by facet: where a model is strong and where it breaks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from horsesense.analysis.accuracy import accuracy
from horsesense.analysis.families import family_accuracy
from horsesense.analysis.intervals import Estimate
from horsesense.analysis.resampling import RESAMPLES, Floats, Names, unit_array
from horsesense.errors import UserError, unknown
from horsesense.records import Facet, Item

MOST_VALUES = 50
"""A facet with more values than this is cut: a table of a thousand rows says nothing."""
MOST_TO_SLICE_BY = 30
"""A facet with more values than this is not a slice but a label."""


@dataclass(frozen=True, slots=True)
class Slice:
    """Items that share the value of one facet, or of two."""

    where: tuple[Facet, ...]
    """The value of each facet."""
    accuracy: Estimate


@dataclass(frozen=True, slots=True)
class Sliced:
    """Accuracy by one facet, or by a pair of facets."""

    facets: tuple[str, ...]
    slices: tuple[Slice, ...]
    """Sorted by value: truth values, numbers, then words."""
    missing: int
    """Items with a gold that do not have the facet."""
    left_out: int
    """Items with a gold in the slices that were cut."""
    note: str = ""
    """What was cut, or empty."""


def by_facet(
    values: Floats | Sequence[float],
    units: Names,
    facets: Sequence[Mapping[str, Facet]],
    names: str | tuple[str, ...],
    chances: Sequence[float] | None = None,
    most: int = MOST_VALUES,
    level: float = 0.95,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Sliced:
    """Accuracy for each value of a facet, or each pair of values of two.

    ``facets`` are those of each item; ``chances`` what guessing earns on each item.

    >>> sliced = by_facet([1, 1, 0, 0], ["a", "b", "c", "d"], [{"hops": 1}, {"hops": 1}, {"hops": 2}, {}], "hops")
    >>> [(each.where, each.accuracy.value) for each in sliced.slices], sliced.missing
    ([((1,), 1.0), ((2,), 0.0)], 1)
    """
    wanted = (names,) if isinstance(names, str) else names
    credit = np.asarray(values, dtype=np.float64)
    if not len(credit) == len(units) == len(facets):
        raise UserError(f"there are {len(credit)} values for {len(units)} units and facets of {len(facets)} items")
    names_of_units = unit_array(units)
    judged = np.flatnonzero(~np.isnan(credit)).tolist()
    places: dict[tuple[tuple[int, Facet], ...], list[int]] = {}
    for place in judged:
        if all(name in facets[place] for name in wanted):
            places.setdefault(tuple(facet_key(facets[place][name]) for name in wanted), []).append(place)
    for name in wanted:
        if not any(name in each for each in facets):
            raise unknown("facet", name, {known for each in facets for known in each})
    kept = sorted(sorted(places, key=lambda key: (-len(places[key]), key))[:most])
    slices = tuple(
        Slice(
            tuple(value for _, value in key),
            accuracy(
                credit[places[key]],
                names_of_units[places[key]],
                None if chances is None else float(np.mean([chances[place] for place in places[key]])),
                level,
                seed,
                resamples,
            ),
        )
        for key in kept
    )
    present = sum(len(each) for each in places.values())
    shown = sum(len(places[key]) for key in kept)
    cut = f"{' × '.join(wanted)} has {len(places):,} values; the {most} with most items are shown"
    return Sliced(
        facets=wanted,
        slices=slices,
        missing=len(judged) - present,
        left_out=present - shown,
        note=cut if len(places) > most else "",
    )


def by_every_facet(
    values: Floats, units: Names, facets: Sequence[Mapping[str, Facet]], chances: Sequence[float]
) -> tuple[dict[str, Sliced], dict[str, int]]:
    """Accuracy by each facet that has several values; and the facets that are labels, with how many values each has."""
    slices, labels = {}, {}
    for name in sorted({name for each in facets for name in each}):
        known = {each[name] for each in facets if name in each}
        if len(known) > MOST_TO_SLICE_BY:
            labels[name] = len(known)
        elif len(known) > 1:
            sliced = by_facet(values, units, facets, name, chances)
            if len(sliced.slices) > 1:
                slices[name] = sliced
    return slices, labels


@dataclass(frozen=True, slots=True)
class FacetRow:
    """One value of a facet, item by item and cluster by cluster (wordnetqa, tables 7 and 8)."""

    facet: str
    value: Facet
    items: Estimate
    """Share of items right."""
    clusters: Estimate
    """Share of families of which every item with this value is right; its chance is that of guessing them all."""


def facet_rows(items: Sequence[Item], values: Floats, sliced: Sliced) -> list[FacetRow]:
    """One row a value of the facet that credits were sliced by, in the order of the values."""
    (facet,) = sliced.facets
    rows = []
    for each in sliced.slices:
        (value,) = each.where
        places = [place for place, item in enumerate(items) if item.facets.get(facet) == value]
        families = [items[place].unit() for place in places]
        counts = [len(items[place].options) for place in places]
        whole = family_accuracy(values[places], families, option_counts=counts)[0].strict
        rows.append(FacetRow(facet, value, each.accuracy, whole))
    return rows


@dataclass(frozen=True, slots=True)
class HeatTable:
    """Accuracy by two facets: cells in the order of rows and columns; None where no item is."""

    rows: tuple[Facet, ...]
    columns: tuple[Facet, ...]
    cells: tuple[tuple[Estimate | None, ...], ...]


def heat_table(sliced: Sliced) -> HeatTable:
    """Lay the slices of two facets out as a table."""
    cells = {tuple(map(facet_key, each.where)): each.accuracy for each in sliced.slices}
    rows, columns = (sorted({key[place] for key in cells}) for place in (0, 1))
    return HeatTable(
        rows=tuple(value for _, value in rows),
        columns=tuple(value for _, value in columns),
        cells=tuple(tuple(cells.get((row, column)) for column in columns) for row in rows),
    )


def facet_key(value: Facet) -> tuple[int, Facet]:
    """A key that sorts any values and keeps true apart from 1, which Python takes for the same.

    >>> sorted([facet_key(v) for v in ("b", 2, True, "a", 1, 0.5)])
    [(0, True), (1, 0.5), (1, 1), (1, 2), (2, 'a'), (2, 'b')]
    """
    if isinstance(value, bool):
        return 0, value
    return (1, value) if isinstance(value, int | float) else (2, value)
