"""Search for the slices that differ most from the rest, corrected for the number of slices searched.

Among hundreds of slices some look unusual by chance. The p of a slice is the probability that *any* slice of the search
differs as much if facets have no effect. Under that hypothesis the credits of a cluster can be exchanged with those of
another cluster of its size, and reordered. They are permuted in this way many times, and each time the largest gap is
recorded (a permutation test of the maximum). Overlapping slices move together, which gives more power than Holm's
correction. A wild bootstrap (flipping the signs of clusters) was tried and has a false-positive rate near 1 where
accuracy is 0.9: small slices are too skewed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from horsesense.core import Facet
from horsesense.errors import UserError, unknown
from horsesense.stats.accuracy import accuracy
from horsesense.stats.facets import Facets
from horsesense.stats.intervals import Estimate, check_level
from horsesense.stats.resampling import CELLS, RESAMPLES, Floats, Names, unit_array
from horsesense.stats.slices import MOST_VALUES, facet_key

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
    pairs: bool = True,
    show: int = 10,
    level: float = 0.95,
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
    check_level(level)
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
    slices, note = _slices(columns, codes, names, pairs)
    if not slices:
        none = f"a slice and the rest need at least {LEAST_ITEMS} items in {LEAST_UNITS} clusters each"
        return Search((), 0, "; ".join(each for each in (none, drawn) if each))
    gaps = _gaps([places for _, places in slices], credit, codes, seed, permutations)
    # The data are one of the permutations, so the first row is standardised like the others.
    scale = gaps.std(axis=0)
    reach = np.abs(gaps - gaps.mean(axis=0)) / np.where(scale > 0, scale, np.inf)
    furthest = reach.max(axis=1)
    furthest_slices = []
    for k in np.argsort(-reach[0], kind="stable")[:show].tolist():
        where, places = slices[k]
        outside = np.ones(len(credit), dtype=bool)
        outside[places] = False
        inside, rest = (
            accuracy(credit[mask], unit_names[mask].tolist(), None, level, seed, resamples)
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
    kept = np.zeros(len(sizes), dtype=bool)
    kept[order[np.cumsum(sizes[order]) <= most]] = True
    kept[order[0]] = True
    return places[kept[codes]]


def _gaps(slices: Sequence[Places], credit: Floats, codes: Places, seed: int, permutations: int) -> Floats:
    """Return accuracy in each slice minus that outside it: first for the data, then for each permutation."""
    n, sizes = len(credit), np.array([len(places) for places in slices])
    order = np.argsort(codes, kind="stable")
    places = np.argsort(order)[np.concatenate(slices)]
    ends = np.concatenate([[0], np.cumsum(sizes)])
    member = scipy.sparse.csr_matrix((np.ones(len(places), dtype=np.float32), places, ends), shape=(len(slices), n))
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


def _slices(
    facets: Facets, codes: Places, names: Sequence[str] | None, pairs: bool
) -> tuple[list[tuple[Where, Places]], str]:
    """Return slices large enough to compare, each set of items once, one facet before two, and a note on omissions."""
    wanted = facets.names if names is None else [name for name in facets.names if name in names]
    units = np.bincount(codes)
    # Sums of random numbers identify sets of items; a set and its complement add up to the same total.
    marks = np.random.default_rng(0).integers(0, 2**62, len(codes), dtype=np.uint64)
    whole, seen = int(marks.sum()), set[int]()
    kept: list[tuple[Where, Places]] = []
    for where, places in _all_slices(facets, wanted, pairs):
        if min(len(places), len(codes) - len(places)) < LEAST_ITEMS:
            continue
        touched = np.bincount(codes[places], minlength=len(units))
        if min((touched > 0).sum(), (units > touched).sum()) < LEAST_UNITS:
            continue
        mark = int(marks[places].sum())
        if (key := min(mark, (whole - mark) % 2**64)) in seen:
            continue
        if len(kept) == MOST_SLICES:
            return kept, f"only the first {MOST_SLICES:,} slices were searched"
        seen.add(key)
        kept.append((where, places))
    return kept, ""


def _all_slices(facets: Facets, names: Sequence[str], pairs: bool) -> Iterator[tuple[Where, Places]]:
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
    for a, b in combinations(names, 2) if pairs else ():
        (values_a, codes_a), (values_b, codes_b) = columns[a], columns[b]
        both = np.where((codes_a < 0) | (codes_b < 0), -1, codes_a * len(values_b) + codes_b)
        order_of = np.argsort(both, kind="stable")
        cells, starts = np.unique(both[order_of], return_index=True)
        for cell, places in zip(cells.tolist(), np.split(order_of, starts[1:]), strict=True):
            if cell >= 0:
                first, second = divmod(cell, len(values_b))
                yield ((a, values_a[first]), (b, values_b[second])), places
