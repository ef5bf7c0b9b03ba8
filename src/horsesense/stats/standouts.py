"""Search for the slices that differ most from the rest, and pay for having searched.

Among hundreds of slices some look odd by luck. The p of a slice is the chance that *any* slice of the search
would stand out so far if facets did not matter. If they did not, the credits of a unit could as well stand
in another unit of its size, and in another order: so they are moved about in this way, many times, and each time
the slice that stands out most is noted (a permutation test of the maximum). Slices that overlap move
together, which makes this sharper than Holm's correction. A wild bootstrap (flipping the signs of units) was
tried and finds something nearly always where accuracy is 0.9 and nothing is there: small slices are too skewed.
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
"""A slice, and its rest, must have so many items in so many units: fewer can't be told from luck."""
MOST_SLICES = 5000
MOST_ITEMS = 200_000
"""Of more items whole units are drawn: what stands out among so many is found, and memory stays flat."""

Places = NDArray[np.int64]
Where = tuple[tuple[str, Facet], ...]


@dataclass(frozen=True, slots=True)
class Standout:
    """A slice beside the rest of the items."""

    where: Where
    """The facets and values that make the slice."""
    inside: Estimate
    """Accuracy in the slice."""
    outside: Estimate
    """Accuracy in the rest."""
    gap: float
    """Inside minus outside."""
    p: float
    """Chance that any slice of the search would stand out so far if none differed."""


@dataclass(frozen=True, slots=True)
class Search:
    """What a search among slices found."""

    standouts: tuple[Standout, ...]
    """The furthest first, whether or not they can be told from luck: see ``p``."""
    searched: int
    """Slices that were compared; two with the same items, or each the other's rest, are one."""
    note: str = ""
    """What was left out, or empty."""


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
    """The slices, by one facet or two, that differ most from the rest; ``names`` limits the facets.

    >>> facets = [{"negated": i % 2 == 1, "task": "ab"[i // 50]} for i in range(100)]
    >>> search = standouts([0, 1, 1, 0, 1, 0, 1, 0, 1, 0] * 10, [str(i) for i in range(100)], facets)
    >>> first = search.standouts[0]
    >>> first.where, round(first.gap, 2), first.p < 0.01
    ((('negated', True),), -0.6, True)
    """
    check_level(level)
    credit = np.asarray(values, dtype=np.float64)
    if not len(credit) == len(units) == len(facets):
        raise UserError(f"there are {len(credit)} values for {len(units)} units and facets of {len(facets)} items")
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
        drawn = f"searched in {len(judged):,} of {asked:,} items, whole units drawn by seed {seed}"
        columns = Facets.of(facets).at(judged)
    credit, unit_names = credit[judged], unit_array(units)[judged]
    _, codes = np.unique(unit_names, return_inverse=True)
    slices, note = _slices(columns, codes, names, pairs)
    if not slices:
        none = f"no slice has {LEAST_ITEMS} items in {LEAST_UNITS} clusters both inside and outside it"
        return Search((), 0, "; ".join(each for each in (none, drawn) if each))
    gaps = _gaps([places for _, places in slices], credit, codes, seed, permutations)
    # The data are one of the permutations, so that the first row is judged by the measure of all.
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
    """The items of whole units, drawn until there are enough of them."""
    _, codes, sizes = np.unique(units, return_inverse=True, return_counts=True)
    order = np.random.default_rng(seed).permutation(len(sizes))
    kept = np.zeros(len(sizes), dtype=bool)
    kept[order[np.cumsum(sizes[order]) <= most]] = True
    kept[order[0]] = True
    return places[kept[codes]]


def _gaps(slices: Sequence[Places], credit: Floats, codes: Places, seed: int, permutations: int) -> Floats:
    """Accuracy in each slice minus that in its rest: first as it is, then with the credits moved about."""
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
    """Credits sorted by unit, then the same again and again with units of one size swapped, each turned round."""
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
    """Slices large enough to compare, each set of items once, by one facet before two, and a note on what was cut."""
    wanted = facets.names if names is None else [name for name in facets.names if name in names]
    units = np.bincount(codes)
    # Sums of random numbers stand for sets of items; a set and its rest add up to the same whole.
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
    """Slices by each facet, then by each pair; of a facet only the commonest values, the rarer of them first."""
    columns: dict[str, tuple[list[Facet], Places]] = {}
    for name in names:
        values, known = facets[name].values, facets[name].codes
        counts = np.bincount(known[known >= 0], minlength=len(values)).tolist()
        there = [code for code, count in enumerate(counts) if count]
        common = sorted(there, key=lambda code: (-counts[code], facet_key(values[code])))[:MOST_VALUES][::-1]
        order = np.full(len(values) + 1, -1)  # the last for items that do not have it
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
