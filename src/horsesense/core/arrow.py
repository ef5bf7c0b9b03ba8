"""Arrow columns as Python and NumPy values, and lazy sequences whose elements are decoded on access to save memory."""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, TypeVar, overload

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Member = TypeVar("Member", covariant=True)


class LazySequence(Sequence[Member]):
    """A sequence decoded on access; it equals any sequence of the same members, so it has no hash."""

    @abstractmethod
    def member(self, index: int) -> Member:
        """Return the member at a valid index, counted from 0."""

    @overload
    def __getitem__(self, index: int) -> Member: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Member]: ...

    def __getitem__(self, index: int | slice) -> Member | Sequence[Member]:
        if isinstance(index, slice):
            return [self.member(each) for each in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        return self.member(index % len(self))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        if self is other or len(self) != len(other):
            return self is other
        return all(mine == theirs for mine, theirs in zip(self, other, strict=True))


_CHUNK = 8_192
"""Texts a column."""


def offsets_of(column: Any) -> npt.NDArray[np.int64]:
    """Return the offsets of a list column in its flattened values."""
    import numpy as np

    begins: npt.NDArray[np.int64] = column.offsets.to_numpy().astype(np.int64)
    begins -= begins[0]
    return begins


def flat_of(column: Any) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64]]:
    return column.flatten().to_numpy(), offsets_of(column)


def values_of(column: Any) -> Sequence[Any]:
    """Convert a column to Python values, with tuples for lists of any depth."""
    import pyarrow as pa

    if column.null_count:
        raise ValueError("a value is missing")
    if not pa.types.is_list(column.type):
        numbers = pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
        values: Sequence[Any] = column.to_numpy().tolist() if numbers else column.to_pylist()
        return values
    inner, offsets = values_of(column.flatten()), offsets_of(column).tolist()
    return [tuple(inner[start:end]) for start, end in pairwise(offsets)]


def join_columns(
    tables: Iterable[Any], names: Sequence[str], schema: Any, rows: npt.NDArray[np.int64] | None = None
) -> dict[str, Any]:
    """Concatenate columns of tables, or select ``rows`` of the concatenation in this order."""
    import pyarrow as pa

    chunks: dict[str, list[Any]] = {name: [] for name in names}
    for table in tables:
        for name in names:
            chunks[name] += table.column(name).chunks
    columns = {}
    for name in names:  # column by column, so that no more than one is held twice
        chunk = chunks.pop(name)
        whole = pa.concat_arrays(chunk) if chunk else pa.array([], schema.field(name).type)
        del chunk
        columns[name] = whole if rows is None else whole.take(pa.array(rows))
    return columns


def lacks_values(column: Any) -> bool:
    """Whether anything is missing in a column, or in its lists."""
    import pyarrow as pa

    return column.null_count > 0 or (pa.types.is_list(column.type) and lacks_values(column.flatten()))


Source = Callable[[list[str]], Any]
"""From the names of columns to a table of them."""


class Shards:
    """Tables in sequence, in memory or in files that are read on access."""

    def __init__(self, sources: Iterable[tuple[int, Source]] = ()) -> None:
        """How many rows each table has, and what reads some columns of it."""
        known = list(sources)
        self._sources = [source for _, source in known]
        self._ends = list(accumulate(count for count, _ in known))

    @classmethod
    def of_tables(cls, tables: Iterable[Any]) -> Shards:
        """Wrap tables in memory."""
        return cls((len(table), table.select) for table in tables)

    def __len__(self) -> int:
        """Rows of all tables."""
        return self._ends[-1] if self._ends else 0

    def tables(self, names: list[str]) -> Iterator[Any]:
        """Yield columns of each table in turn."""
        return (source(names) for source in self._sources)

    def row(self, index: int, names: list[str]) -> Any:
        """Return columns of one row as a table."""
        number = bisect_right(self._ends, index)
        before = self._ends[number - 1] if number else 0
        return self._sources[number](names).slice(index - before, 1)


class Texts(LazySequence[str]):
    """Short texts as Arrow columns, a third of the memory of objects; decoded on access."""

    def __init__(self) -> None:
        self._columns: list[Any] = []
        self._last: list[str] = []

    def append(self, text: str) -> None:
        self._last.append(text)
        if len(self._last) == _CHUNK:
            self._columns.append(_column(self._last))
            self._last = []

    @property
    def column(self) -> Any:
        """Return all texts as a chunked array."""
        import pyarrow as pa

        return pa.chunked_array([*self._columns, _column(self._last)])

    def __len__(self) -> int:
        return len(self._columns) * _CHUNK + len(self._last)

    def member(self, index: int) -> str:
        number, row = divmod(index, _CHUNK)
        text: str = self._last[row] if number == len(self._columns) else self._columns[number][row].as_py()
        return text

    def __iter__(self) -> Iterator[str]:
        for column in self._columns:
            yield from column.to_pylist()
        yield from self._last


def places_in(names: Sequence[str], columns: Sequence[Any]) -> npt.NDArray[np.int64]:
    """Return the index of each text of some Arrow columns in a list of names; -1 if it is not among them."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    among = names.column.combine_chunks() if isinstance(names, Texts) else _column(names)
    chunks = [chunk for column in columns for chunk in (column.chunks if hasattr(column, "chunks") else [column])]
    values = pa.chunked_array(chunks, pa.string())
    indices = pc.index_in(values, value_set=among).fill_null(-1)
    return np.asarray(indices.to_numpy(), np.int64)


def _column(texts: Sequence[str]) -> Any:
    import pyarrow as pa

    return pa.array(texts, pa.string())
