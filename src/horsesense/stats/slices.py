"""Accuracy by facet, and the slices that differ most from the rest."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from horsesense.core import Facet, Item
from horsesense.errors import UserError, unknown
from horsesense.stats.accuracy import accuracy
from horsesense.stats.families import family_accuracy
from horsesense.stats.intervals import Estimate
from horsesense.stats.resampling import CELLS, RESAMPLES, Floats, Names, unit_array


@dataclass(frozen=True, slots=True)
class FacetColumn:
    """One facet of all items."""

    values: tuple[Facet, ...]
    """Distinct values in order of first occurrence; True and 1 are distinct."""
    codes: NDArray[np.int32]
    """Index of each item's value in ``values``; -1 for items without the facet."""


class Facets:
    """Facets of items as columns.

    >>> facets = Facets([{"hops": 1}, {"hops": 2, "task": "isa"}, {"hops": 1}])
    >>> facets["hops"].values, facets["hops"].codes.tolist(), facets["task"].codes.tolist(), len(facets)
    ((1, 2), [0, 1, 0], [-1, 0, -1], 3)
    """

    def __init__(self, facets: Iterable[Mapping[str, Facet]]) -> None:
        known: dict[str, tuple[dict[object, int], list[Facet], array[int]]] = {}
        number = 0
        for number, each in enumerate(facets, start=1):
            for name, value in each.items():
                numbers, values, codes = known.setdefault(name, ({}, [], array("i")))
                # True == 1 in Python, so booleans are keyed as tuples.
                code = numbers.setdefault((value,) if isinstance(value, bool) else value, len(values))
                if code == len(values):
                    values.append(value)
                codes.extend([-1] * (number - 1 - len(codes)))
                codes.append(code)
        self._length = number
        self._columns = {}
        for name in sorted(known):
            _, values, codes = known.pop(name)
            codes.extend([-1] * (number - len(codes)))
            self._columns[name] = FacetColumn(tuple(values), np.array(codes, np.int32))

    @classmethod
    def of(cls, facets: Iterable[Mapping[str, Facet]] | Facets) -> Facets:
        return facets if isinstance(facets, Facets) else cls(facets)

    @property
    def names(self) -> list[str]:
        """Return the names of all facets, sorted."""
        return list(self._columns)

    def __len__(self) -> int:
        """Return the number of items."""
        return self._length

    def __contains__(self, name: str) -> bool:
        return name in self._columns

    def __getitem__(self, name: str) -> FacetColumn:
        return self._columns[name]

    def at(self, places: NDArray[np.int64]) -> Facets:
        """Select items by index."""
        some = Facets(())
        some._length = len(places)
        for name, column in self._columns.items():
            codes = column.codes[places]
            if (codes >= 0).any():
                some._columns[name] = FacetColumn(column.values, codes)
        return some


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
    resamples: int = RESAMPLES,
) -> Sliced:
    """Estimate accuracy for each value of a facet, or each pair of values of two.

    ``facets`` are those of each item; ``chances`` the chance level of each item.

    >>> sliced = by_facet([1, 1, 0, 0], ["a", "b", "c", "d"], [{"hops": 1}, {"hops": 1}, {"hops": 2}, {}], "hops")
    >>> [(each.where, each.accuracy.value) for each in sliced.slices], sliced.missing
    ([((1,), 1.0), ((2,), 0.0)], 1)
    """
    facet_names = (names,) if isinstance(names, str) else names
    credit = np.asarray(values, dtype=np.float64)
    if not len(credit) == len(units) == len(facets):
        raise UserError(f"there are {len(credit)} values for {len(units)} clusters and facets of {len(facets)} items")
    columns = Facets.of(facets)
    for name in facet_names:
        if name not in columns:
            raise unknown("facet", name, columns.names)
    names_of_units, judged = unit_array(units), ~np.isnan(credit)
    guesses = None if chances is None else np.asarray(chances, dtype=np.float64)
    keys, cells = _cells([columns[name] for name in facet_names], judged)
    counts = np.bincount(cells[cells >= 0], minlength=len(keys)).tolist()
    largest = sorted(
        sorted(range(len(keys)), key=lambda cell: (-counts[cell], keys[cell]))[:most], key=keys.__getitem__
    )
    slices = []
    for cell in largest:
        indices = np.flatnonzero(cells == cell)
        guess = None if guesses is None else float(np.mean(guesses[indices]))
        rate = accuracy(credit[indices], names_of_units[indices], guess, resamples=resamples)
        slices.append(Slice(tuple(value for _, value in keys[cell]), rate))
    present, covered = sum(counts), sum(counts[cell] for cell in largest)
    cut = f"{' × '.join(facet_names)} has {len(keys):,} values; the {most} with most items are shown"
    return Sliced(
        facets=facet_names,
        slices=tuple(slices),
        missing=int(judged.sum()) - present,
        left_out=present - covered,
        note=cut if len(keys) > most else "",
    )


_Key = tuple[tuple[int, Facet], ...]


def _cells(columns: Sequence[FacetColumn], judged: NDArray[np.bool_]) -> tuple[list[_Key], NDArray[np.int64]]:
    """Return the combinations of values, and the index of each item's combination; -1 without a facet or a gold."""
    there = judged & np.logical_and.reduce([column.codes >= 0 for column in columns])
    cells = np.zeros(len(judged), np.int64)
    for column in columns:
        cells = cells * len(column.values) + column.codes
    present, cells[there] = np.unique(cells[there], return_inverse=True)
    cells[~there] = -1
    keys: list[_Key] = []
    for cell in present.tolist():
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
    """Accuracy for one value of a facet, by item and by cluster (Richardson and Sabharwal 2020, tables 7 and 8)."""

    facet: str
    """Name of the facet."""
    value: Facet
    """Value of the facet that these items have."""
    items: Estimate
    """Share of correct items."""
    clusters: Estimate | None
    """Share of families whose items with this value are all correct; its chance is that of guessing them all. None
    where every family has one item."""


def facet_rows(items: Sequence[Item], values: Floats, sliced: Sliced, units: Names) -> list[FacetRow]:
    """Return one row per value of the facet by which credits were sliced, in the order of the values.

    ``units`` are the clusters of the items; families that they tear apart are clusters themselves.
    """
    (facet,) = sliced.facets
    names = [item.unit() for item in items]
    pairs, clusters = set(zip(names, np.asarray(units).tolist(), strict=True)), np.asarray(units)
    several, whole_families = len(set(names)) < len(names), len(pairs) == len(set(names))
    rows = []
    for each in sliced.slices:
        (value,) = each.where
        key = facet_key(value)
        indices = [n for n, item in enumerate(items) if facet in item.facets and facet_key(item.facets[facet]) == key]
        whole = None
        if several:
            families = [names[index] for index in indices]
            counts = [len(items[index].options) for index in indices]
            own = clusters[indices] if whole_families else None
            whole = family_accuracy(values[indices], families, units=own, option_counts=counts)[0].strict
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
    rows, columns = (sorted({key[axis] for key in cells}) for axis in (0, 1))
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


LEAST_ITEMS = 20
LEAST_UNITS = 10
"""Minimum number of items and clusters in a slice, and outside it."""
MOST_SLICES = 5000
MOST_ITEMS = 200_000
"""Number of items above which a sample of clusters is searched, to limit memory."""

Places = NDArray[np.int64]
Where = tuple[tuple[str, Facet], ...]


@dataclass(frozen=True, slots=True)
class Standout:
    """A slice compared with the remaining items."""

    where: Where
    """Facets and values that define the slice."""
    inside: Estimate
    """Accuracy in the slice."""
    outside: Estimate
    """Accuracy outside the slice."""
    gap: float
    """Inside minus outside."""
    p: float
    """Probability that any slice of the search differs as much if none does."""


@dataclass(frozen=True, slots=True)
class Search:
    """Result of a search among slices."""

    standouts: tuple[Standout, ...]
    """Slices by decreasing gap, significant or not: see ``p``."""
    searched: int
    """Number of slices compared; slices with the same items, or complements, count once."""
    note: str = ""
    """Description of the omitted slices, or empty."""


def standouts(
    values: Floats | Sequence[float],
    units: Names,
    facets: Sequence[Mapping[str, Facet]] | Facets,
    names: Sequence[str] | None = None,
    show: int = 10,
    seed: int = 0,
    resamples: int = RESAMPLES,
    permutations: int = 1000,
    most: int = MOST_ITEMS,
) -> Search:
    """Find the slices by one or two facets that differ most from the rest; ``names`` limits the facets.

    >>> facets = [{"negated": i % 2 == 1, "task": "ab"[i // 50]} for i in range(100)]
    >>> search = standouts([0, 1, 1, 0, 1, 0, 1, 0, 1, 0] * 10, [str(i) for i in range(100)], facets)
    >>> first = search.standouts[0]
    >>> first.where, round(first.gap, 2), first.p < 0.01
    ((('negated', True),), -0.6, True)
    """
    credit = np.asarray(values, dtype=np.float64)
    if not len(credit) == len(units) == len(facets):
        raise UserError(f"there are {len(credit)} values for {len(units)} clusters and facets of {len(facets)} items")
    judged = np.flatnonzero(~np.isnan(credit))
    if not len(judged):
        raise UserError("no item has a gold answer, so there is no accuracy")
    columns = Facets.of(facets).at(judged)
    for name in names or ():
        if name not in columns:
            raise unknown("facet", name, columns.names)
    drawn, asked = "", len(judged)
    if asked > most:
        judged = _drawn(judged, unit_array(units)[judged], most, seed)
        drawn = f"searched in {len(judged):,} of {asked:,} items, clusters sampled with seed {seed}"
        columns = Facets.of(facets).at(judged)
    credit, unit_names = credit[judged], unit_array(units)[judged]
    _, codes = np.unique(unit_names, return_inverse=True)
    slices, note = _slices(columns, codes, names)
    if not slices:
        none = f"a slice needs at least {LEAST_ITEMS} items in {LEAST_UNITS} clusters, and as many outside it"
        return Search((), 0, "; ".join(each for each in (none, drawn) if each))
    gaps = _gaps([indices for _, indices in slices], credit, codes, seed, permutations)
    # The data are one of the permutations, so the first row is standardised like the others.
    scale = gaps.std(axis=0)
    reach = np.abs(gaps - gaps.mean(axis=0)) / np.where(scale > 0, scale, np.inf)
    furthest = reach.max(axis=1)
    furthest_slices = []
    for k in np.argsort(-reach[0], kind="stable")[:show].tolist():
        where, indices = slices[k]
        outside = np.ones(len(credit), dtype=bool)
        outside[indices] = False
        inside, rest = (
            accuracy(credit[mask], unit_names[mask].tolist(), seed=seed, resamples=resamples)
            for mask in (~outside, outside)
        )
        furthest_slices.append(
            Standout(where, inside, rest, float(gaps[0, k]), float((furthest >= reach[0, k]).mean()))
        )
    return Search(tuple(furthest_slices), len(slices), "; ".join(each for each in (note, drawn) if each))


def _drawn(places: Places, units: NDArray[Any], most: int, seed: int) -> Places:
    """Sample whole clusters until there are enough items."""
    _, codes, sizes = np.unique(units, return_inverse=True, return_counts=True)
    order = np.random.default_rng(seed).permutation(len(sizes))
    mask = np.zeros(len(sizes), dtype=bool)
    mask[order[np.cumsum(sizes[order]) <= most]] = True
    mask[order[0]] = True
    return places[mask[codes]]


def _gaps(slices: Sequence[Places], credit: Floats, codes: Places, seed: int, permutations: int) -> Floats:
    """Return accuracy in each slice minus that outside it: first for the data, then for each permutation."""
    n, sizes = len(credit), np.array([len(indices) for indices in slices])
    order = np.argsort(codes, kind="stable")
    indices = np.argsort(order)[np.concatenate(slices)]
    ends = np.concatenate([[0], np.cumsum(sizes)])
    member = scipy.sparse.csr_matrix((np.ones(len(indices), dtype=np.float32), indices, ends), shape=(len(slices), n))
    moved = _moved(credit[order].astype(np.float32), np.bincount(codes), seed, permutations)
    sums, rows = [], max(1, CELLS // n)
    while block := list(islice(moved, rows)):
        sums.append(member @ np.stack(block, axis=1))
    inside = np.concatenate(sums, axis=1).T.astype(np.float64)
    gaps: Floats = inside / sizes - (credit.sum() - inside) / (n - sizes)
    return gaps


def _moved(credit: NDArray[np.float32], sizes: Places, seed: int, permutations: int) -> Iterator[NDArray[np.float32]]:
    """Yield credits sorted by cluster, then permutations: clusters of one size swapped, each optionally reversed."""
    yield credit
    rng = np.random.default_rng(seed)
    first = np.cumsum(sizes) - sizes
    unit = np.repeat(np.arange(len(sizes)), sizes)
    step, size = np.arange(len(credit)) - first[unit], sizes[unit]
    by_size = np.argsort(sizes, kind="stable")
    swapped = np.empty(len(sizes), dtype=np.int64)
    for _ in range(permutations):
        swapped[by_size] = np.argsort(sizes + rng.random(len(sizes)))
        turned = step + (rng.random(len(sizes)) * sizes).astype(np.int64)[unit]
        turned -= np.where(turned >= size, size, 0)
        yield credit[first[swapped][unit] + turned]


def _slices(facets: Facets, codes: Places, names: Sequence[str] | None) -> tuple[list[tuple[Where, Places]], str]:
    """Return slices large enough to compare, each set of items once, one facet before two, and a note on omissions."""
    facet_names = facets.names if names is None else [name for name in facets.names if name in names]
    units = np.bincount(codes)
    # Sums of random numbers identify sets of items; a set and its complement add up to the same total.
    marks = np.random.default_rng(0).integers(0, 2**62, len(codes), dtype=np.uint64)
    whole, seen = int(marks.sum()), set[int]()
    slices_found: list[tuple[Where, Places]] = []
    for where, indices in _all_slices(facets, facet_names):
        if min(len(indices), len(codes) - len(indices)) < LEAST_ITEMS:
            continue
        touched = np.bincount(codes[indices], minlength=len(units))
        if min((touched > 0).sum(), (units > touched).sum()) < LEAST_UNITS:
            continue
        mark = int(marks[indices].sum())
        if (key := min(mark, (whole - mark) % 2**64)) in seen:
            continue
        if len(slices_found) == MOST_SLICES:
            return slices_found, f"only the first {MOST_SLICES:,} slices were searched"
        seen.add(key)
        slices_found.append((where, indices))
    return slices_found, ""


def _all_slices(facets: Facets, names: Sequence[str]) -> Iterator[tuple[Where, Places]]:
    """Yield slices by each facet, then by each pair; only the commonest values of a facet, the rarer of them first."""
    columns: dict[str, tuple[list[Facet], Places]] = {}
    for name in names:
        values, known = facets[name].values, facets[name].codes
        counts = np.bincount(known[known >= 0], minlength=len(values)).tolist()
        there = [code for code, count in enumerate(counts) if count]
        common = sorted(there, key=lambda code: (-counts[code], facet_key(values[code])))[:MOST_VALUES][::-1]
        order = np.full(len(values) + 1, -1)  # last entry: items without the facet
        order[common] = np.arange(len(common))
        codes = order[known]
        columns[name] = [values[code] for code in common], codes
        for number, code in enumerate(common):
            yield ((name, values[code]),), np.flatnonzero(codes == number)
    for a, b in combinations(names, 2):
        (values_a, codes_a), (values_b, codes_b) = columns[a], columns[b]
        both = np.where((codes_a < 0) | (codes_b < 0), -1, codes_a * len(values_b) + codes_b)
        order_of = np.argsort(both, kind="stable")
        cells, starts = np.unique(both[order_of], return_index=True)
        for cell, indices in zip(cells.tolist(), np.split(order_of, starts[1:]), strict=True):
            if cell >= 0:
                first, second = divmod(cell, len(values_b))
                yield ((a, values_a[first]), (b, values_b[second])), indices
