"""Facets of many items as integer columns, which take a fiftieth of the memory of one mapping per item."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from horsesense.core import Facet


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
