"""Many items as lines of JSON in a temporary file: in memory are only their ids and families, as Arrow columns."""

from __future__ import annotations

import os
import tempfile
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, overload
from weakref import finalize

import orjson

from horsesense.core.arrow import Texts
from horsesense.core.item import Item
from horsesense.core.jsonl import item_from_dict
from horsesense.core.lazy import Made
from horsesense.data import disk_errors

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

MANY = 250_000
"""Items from which a probe that is read is stored so."""
_CHUNK = 8_192
"""Items that are read at a time where all are gone through."""


class StoredItems(Made[Item]):
    """Items that are made when they are looked at; ids and families are at hand.

    The file has no name, so that nothing is left of it however the process ends.
    """

    def __init__(self, items: Iterable[Item] = ()) -> None:
        with disk_errors("the folder of temporary files (TMPDIR)"):
            self._folder = tempfile.gettempdir()
        with disk_errors(self._folder):
            self._file = tempfile.TemporaryFile(prefix="horsesense-items-")  # noqa: SIM115  # closed with this object
        finalize(self, _close, self._file)
        self._ends = array("q")
        self._written = 0
        """How many of them the file has for certain; later ones are in its buffer."""
        self.ids = Texts()
        self.units = Texts()
        """The family of each item, or its id if it has no family."""
        for item in items:
            self.append(item)

    def __eq__(self, other: object) -> bool:
        """No two of them are equal: what is known of one is looked up by which it is."""
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return StoredItems, (list(self),)

    def append(self, item: Item) -> None:
        line = orjson.dumps(item.to_json())
        try:
            self._file.write(line)
        except OSError:
            with disk_errors(self._folder):
                raise
        self._ends.append((self._ends[-1] if self._ends else 0) + len(line))
        self.ids.append(item.id)
        self.units.append(item.family or item.id)

    def line(self, place: int) -> bytes:
        """An item as JSON."""
        return self._lines(place, place + 1)[0]

    def _lines(self, start: int, end: int) -> list[bytes]:
        begin = self._ends[start - 1] if start else 0
        ends = [each - begin for each in self._ends[start:end]]
        with disk_errors(self._folder):
            if self._written < end:
                self._file.flush()
                self._written = len(self)
            # By place and not by reading on, so that several threads can look at once.
            read = os.pread(self._file.fileno(), ends[-1], begin)
        return [read[a:b] for a, b in zip([0, *ends[:-1]], ends, strict=True)]

    def __len__(self) -> int:
        return len(self._ends)

    def member(self, place: int) -> Item:
        return item_from_dict(orjson.loads(self.line(place)))

    def __iter__(self) -> Iterator[Item]:
        for start in range(0, len(self), _CHUNK):
            for line in self._lines(start, min(start + _CHUNK, len(self))):
                yield item_from_dict(orjson.loads(line))


def _close(file: IO[bytes]) -> None:
    with suppress(OSError):  # what a full disk does not take is not wanted any longer
        file.close()


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
    """Return the family of each item, or its id if it has no family."""
    return items.units if isinstance(items, StoredItems) else [item.unit() for item in items]
