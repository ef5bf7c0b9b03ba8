"""Many answers as Arrow columns: a tenth of the memory that they take as objects, which are made when looked at.

One table is kept for each shard of a run; all shards of a part together, in the order of its probe, are
`StoredAnswers`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

from horsesense.records.answer import Answer
from horsesense.records.arrow import flat_of, lacks_values, offsets_of, values_of
from horsesense.records.item import FORMS

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

COLUMNS = ("item", "view", "scores", "logprobs", "starts", "ends", "flags", "baseline")
"""Fields of an answer, as the columns are called."""
_PER_OPTION = ("logprobs", "starts", "ends")
_BLOCK = 4_096
"""Answers that are made at once."""


def _schema() -> Any:
    import pyarrow as pa

    text, number = pa.string(), pa.list_(pa.float64())
    places = pa.list_(pa.list_(pa.int32()))
    return pa.schema(
        [
            ("model", text),
            ("probe", text),
            ("item", text),
            ("view", text),
            ("scores", number),
            ("logprobs", pa.list_(pa.list_(pa.float32()))),
            ("starts", places),
            ("ends", places),
            ("flags", pa.list_(text)),
            ("baseline", number),
        ]
    )


def table_of_answers(model: str, probe: str, answers: Sequence[Answer]) -> Any:
    """Answers as the table that is kept of them."""
    import pyarrow as pa

    columns: dict[str, list[Any]] = {"model": [model] * len(answers), "probe": [probe] * len(answers)}
    for name in COLUMNS:
        columns[name] = [getattr(answer, name) for answer in answers]
    return pa.table(columns, schema=_schema())


def answers_in(table: Any) -> Iterator[Answer]:
    """The answers of a table."""
    return iter(StoredAnswers.of_tables([table]))


def check_answers(table: Any, options: npt.NDArray[np.int64]) -> None:
    """A `ValueError` where rows are no answers to items with so many options; 0 where that is not known."""
    import numpy as np
    import pyarrow.compute as pc

    for name in COLUMNS:
        if lacks_values(table.column(name).combine_chunks()):
            raise ValueError(f"a value of {name} is missing")
    given = pc.list_value_length(table.column("scores")).to_numpy()
    wanted = np.where(options > 0, options, given)
    fits = given == wanted
    for name in _PER_OPTION:
        lengths = pc.list_value_length(table.column(name)).to_numpy()
        fits &= (lengths == 0) | (lengths == wanted)
    if not fits.all():
        raise ValueError(f"the answer to {table.column('item')[int(fits.argmin())]} does not fit its options")
    if unknown := set(table.column("view").unique().to_pylist()) - {*FORMS}:
        raise ValueError(f"no item is asked as {sorted(unknown)[0]}")


class StoredAnswers(Sequence[Answer]):
    """Answers in columns; an object is made of one when it is looked at, and not kept."""

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self.columns = columns
        """An Arrow array for each field of an answer."""

    @classmethod
    def of(cls, answers: Sequence[Answer]) -> StoredAnswers:
        """The same answers in columns."""
        return answers if isinstance(answers, cls) else cls.of_tables([table_of_answers("", "", answers)])

    @classmethod
    def of_tables(cls, tables: Iterable[Any], rows: npt.NDArray[np.int64] | None = None) -> StoredAnswers:
        """The answers of tables, one after the other; or these rows of all of them together, in this order."""
        import pyarrow as pa

        types = {name: _schema().field(name).type for name in COLUMNS}
        chunks: dict[str, list[Any]] = {name: [] for name in COLUMNS}
        for table in tables:
            for name in COLUMNS:
                chunks[name] += table.column(name).chunks
        columns = {}
        for name in COLUMNS:  # column by column, so that no more than one is held twice
            found = chunks.pop(name)
            whole = pa.concat_arrays(found) if found else pa.array([], types[name])
            del found
            columns[name] = whole if rows is None else whole.take(pa.array(rows))
        return cls(columns)

    def __len__(self) -> int:
        return len(self.columns["item"])

    @overload
    def __getitem__(self, place: int) -> Answer: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Answer]: ...

    def __getitem__(self, place: int | slice) -> Answer | Sequence[Answer]:
        if isinstance(place, slice):
            start, stop, step = place.indices(len(self))
            if step == 1:
                return list(self._block(start, max(0, stop - start)))
            return [self[each] for each in range(start, stop, step)]
        if not -len(self) <= place < len(self):
            raise IndexError(place)
        return next(self._block(place % len(self), 1))

    def __iter__(self) -> Iterator[Answer]:
        for start in range(0, len(self), _BLOCK):
            yield from self._block(start, min(_BLOCK, len(self) - start))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(mine == theirs for mine, theirs in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]  # as a list's: equal ones would have to have the same

    def _block(self, start: int, count: int) -> Iterator[Answer]:
        # By column: row by row it takes four times as long.
        return map(Answer, *(values_of(self.columns[name].slice(start, count)) for name in COLUMNS))

    def numbers(self, name: str) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64]]:
        """A column of numbers, one list an answer: all numbers, and where each list begins and the last one ends."""
        return flat_of(self.columns[name])

    def per_option(self, name: str) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """A column of numbers a token: all numbers, where each option's begin, and where each answer's options do."""
        column = self.columns[name]
        flat, inner = flat_of(column.flatten())
        return flat, inner, offsets_of(column)

    def first_flag_is(self, flag: str) -> npt.NDArray[np.bool_]:
        """Whether the first flag of each answer is this one."""
        import numpy as np
        import pyarrow.compute as pc

        begins = offsets_of(self.columns["flags"])
        said = np.append(pc.equal(self.columns["flags"].flatten(), flag).to_numpy(zero_copy_only=False), False)
        found: npt.NDArray[np.bool_] = said[begins[:-1]] & (np.diff(begins) > 0)
        return found
