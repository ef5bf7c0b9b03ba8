"""Many items as lines of JSON in Arrow columns: a fourth of the memory that they take as objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from sys import intern
from typing import TYPE_CHECKING, Any, overload

import orjson

from horsesense.records.item import Item
from horsesense.records.jsonl import item_from_dict, item_to_dict

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

MANY = 250_000
"""Items from which a probe that is read is stored so."""
_CHUNK = 8_192
"""Items a column."""


class StoredItems(Sequence[Item]):
    """Items that are made when they are looked at; ids and families are at hand."""

    def __init__(self, items: Iterable[Item] = ()) -> None:
        self._columns: list[Any] = []
        self._last: list[bytes] = []
        self.ids: list[str] = []
        self.units: list[str] = []
        """The family of each, or its id where it stands alone."""
        for item in items:
            self.append(item)

    def append(self, item: Item) -> None:
        import pyarrow as pa

        self._last.append(orjson.dumps(item_to_dict(item)))
        self.ids.append(item.id)
        self.units.append(intern(item.family) if item.family else item.id)
        if len(self._last) == _CHUNK:
            self._columns.append(pa.array(self._last, pa.binary()))
            self._last = []

    def line(self, place: int) -> bytes:
        """An item as JSON."""
        column, row = divmod(place, _CHUNK)
        line: bytes = self._last[row] if column == len(self._columns) else self._columns[column][row].as_py()
        return line

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, place: int) -> Item: ...

    @overload
    def __getitem__(self, place: slice) -> list[Item]: ...

    def __getitem__(self, place: int | slice) -> Item | list[Item]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        if not -len(self) <= place < len(self):
            raise IndexError(place)
        return item_from_dict(orjson.loads(self.line(place % len(self))))

    def __iter__(self) -> Iterator[Item]:
        return (self[place] for place in range(len(self)))


@dataclass(frozen=True, slots=True, eq=False)
class Some(Sequence[Item]):
    """Some of a sequence's items, by their places; none is held apart from it."""

    items: Sequence[Item]
    places: Sequence[int] | npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.places)

    @overload
    def __getitem__(self, place: int) -> Item: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Item]: ...

    def __getitem__(self, place: int | slice) -> Item | Sequence[Item]:
        return Some(self.items, self.places[place]) if isinstance(place, slice) else self.items[int(self.places[place])]

    def __iter__(self) -> Iterator[Item]:
        return (self.items[int(place)] for place in self.places)

    @property
    def lines(self) -> list[bytes] | None:
        """The items as JSON, where they lie so."""
        return [self.items.line(int(place)) for place in self.places] if isinstance(self.items, StoredItems) else None


def ids_of(items: Sequence[Item]) -> Sequence[str]:
    """The ids of items, which stored ones have at hand."""
    if isinstance(items, Some) and isinstance(items.items, StoredItems):
        return [items.items.ids[int(place)] for place in items.places]
    return items.ids if isinstance(items, StoredItems) else [item.id for item in items]


def units_of(items: Sequence[Item]) -> Sequence[str]:
    """The family of each item, or its id where it stands alone."""
    return items.units if isinstance(items, StoredItems) else [item.unit() for item in items]
