"""The facets of many items as columns of numbers: a fiftieth of the memory of a mapping for each item."""

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
    """Each value once, by its first place; true is not 1."""
    codes: NDArray[np.int32]
    """The place of each item's value among them; -1 where it does not have the facet."""


class Facets:
    """The facets of items, column by column.

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
                # Python takes true for 1, and a tuple of it not.
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
        """The facets that any item has, sorted."""
        return list(self._columns)

    def __len__(self) -> int:
        """How many items there are."""
        return self._length

    def __contains__(self, name: str) -> bool:
        return name in self._columns

    def __getitem__(self, name: str) -> FacetColumn:
        return self._columns[name]

    def at(self, places: NDArray[np.int64]) -> Facets:
        """Those of some items."""
        some = Facets(())
        some._length = len(places)
        for name, column in self._columns.items():
            codes = column.codes[places]
            if (codes >= 0).any():
                some._columns[name] = FacetColumn(column.values, codes)
        return some
