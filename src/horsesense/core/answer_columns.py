"""Answers and replies as Arrow columns, decoded on access: a tenth of the memory that they take as objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from horsesense.core.answer import Answer, Reply
from horsesense.core.arrow import LazySequence, Shards, flat_of, join_columns, lacks_values, offsets_of, values_of
from horsesense.core.item import FORMS

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

COLUMNS = ("item", "view", "scores", "logprobs", "starts", "ends", "flags", "baseline")
"""Fields of an answer, as the columns are called."""
_PER_OPTION = ("logprobs", "starts", "ends")
WITHOUT_TOKENS = (*(name for name in COLUMNS if name not in _PER_OPTION), "tokens", "first", "last")
"""The columns of `without_tokens`."""
_BLOCK = 4_096
"""Answers that are made at once."""


def schema_of_answers() -> Any:
    import pyarrow as pa

    text, number = pa.string(), pa.list_(pa.float64())
    positions = pa.list_(pa.list_(pa.int32()))
    return pa.schema(
        [
            ("model", text),
            ("probe", text),
            ("item", text),
            ("view", text),
            ("scores", number),
            ("logprobs", pa.list_(pa.list_(pa.float32()))),
            ("starts", positions),
            ("ends", positions),
            ("flags", pa.list_(text)),
            ("baseline", number),
        ]
    )


def table_of_answers(model: str, probe: str, answers: Sequence[Answer]) -> Any:
    """Convert answers to the table that is stored."""
    import pyarrow as pa

    columns: dict[str, list[Any]] = {"model": [model] * len(answers), "probe": [probe] * len(answers)}
    for name in COLUMNS:
        columns[name] = [getattr(answer, name) for answer in answers]
    return pa.table(columns, schema=schema_of_answers())


def check_answers(table: Any) -> None:
    """Raise `ValueError` if a row is not an answer: a value is missing, or the columns do not fit each other."""
    import numpy as np
    import pyarrow.compute as pc

    for name in COLUMNS:
        if lacks_values(table.column(name).combine_chunks()):
            raise ValueError(f"a value of {name} is missing")
    options, tokens = (pc.list_value_length(table.column(name)).to_numpy() for name in ("scores", "logprobs"))
    if not (fits := (tokens == 0) | (tokens == options)).all():
        raise ValueError(f"the answer to {table.column('item')[int(fits.argmin())]} does not fit its options")
    logprobs, *positions = (_layout(table.column(name).combine_chunks()) for name in _PER_OPTION)
    if any(not np.array_equal(*both) for column in positions for both in zip(logprobs, column, strict=True)):
        raise ValueError("an option has tokens without places, or places without tokens")
    if unknown := set(table.column("view").unique().to_pylist()) - {*FORMS}:
        raise ValueError(f"no item is asked as {sorted(unknown)[0]}")


def _layout(column: Any) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the offsets of answers and of options in a column of tokens."""
    return offsets_of(column), offsets_of(column.flatten())


def without_tokens(table: Any) -> Any:
    """Return a table without tokens: each option has their number, start and end."""
    import numpy as np
    import pyarrow as pa

    columns = {name: table.column(name) for name in COLUMNS if name not in _PER_OPTION}
    tokens, starts, ends = (table.column(name).combine_chunks() for name in _PER_OPTION)
    columns["tokens"] = _per_option(tokens, np.diff(offsets_of(tokens.flatten())))
    for name, column, last in (("first", starts, False), ("last", ends, True)):
        values, begins = flat_of(column.flatten())
        totals, some = np.zeros(len(begins) - 1, np.int32), np.diff(begins) > 0
        totals[some] = values[begins[1:][some] - 1 if last else begins[:-1][some]]
        columns[name] = _per_option(column, totals)
    return pa.table(columns)


def _per_option(lists: Any, values: npt.NDArray[Any]) -> Any:
    """Sum token scores to one score per option."""
    import pyarrow as pa

    return pa.ListArray.from_arrays(pa.array(offsets_of(lists), pa.int32()), pa.array(values, pa.int32()))


class StoredAnswers(LazySequence[Answer]):
    """Answers in columns, decoded on access.

    The tokens of many answers, nine tenths of all there is, stay in their files.
    """

    def __init__(self, columns: Mapping[str, Any], whole: Shards, rows: npt.NDArray[np.int64] | None = None) -> None:
        self.columns = columns
        """An Arrow array for each column of `without_tokens`, in the order of the answers."""
        self._whole, self._rows = whole, rows
        """The tables with all columns, and the row of each answer in them; None for the order of the tables."""

    @classmethod
    def of(cls, answers: Sequence[Answer]) -> StoredAnswers:
        """Convert answers to columns."""
        return answers if isinstance(answers, cls) else cls.of_tables([table_of_answers("", "", answers)])

    @classmethod
    def of_tables(cls, tables: Iterable[Any], rows: npt.NDArray[np.int64] | None = None) -> StoredAnswers:
        """Concatenate tables, or select ``rows`` of their concatenation in this order."""
        import pyarrow as pa

        whole = pa.table(join_columns(tables, COLUMNS, schema_of_answers(), rows))
        return cls(join_columns([without_tokens(whole)], WITHOUT_TOKENS, None), Shards.of_tables([whole]))

    @classmethod
    def of_shards(cls, whole: Shards, small: Iterable[Any], rows: npt.NDArray[np.int64]) -> StoredAnswers:
        """Select rows of tables in files, whose columns without tokens are in memory."""
        return cls(join_columns(small, WITHOUT_TOKENS, None, rows), whole, rows)

    def __len__(self) -> int:
        return len(self.columns["item"])

    def member(self, index: int) -> Answer:
        return next(_answers(self._whole.row(index if self._rows is None else int(self._rows[index]), list(COLUMNS))))

    def __iter__(self) -> Iterator[Answer]:
        if self._rows is not None:
            # In files they stand in another order, so that all are taken off the disk to be gone through.
            yield from StoredAnswers.of_tables(self._whole.tables(list(COLUMNS)), self._rows)
            return
        for start in range(0, len(self), _BLOCK):
            yield from self._block(start, min(_BLOCK, len(self) - start))

    def _block(self, start: int, count: int) -> Iterator[Answer]:
        (whole,) = self._whole.tables(list(COLUMNS))
        return _answers(whole.slice(start, count))

    def numbers(self, name: str) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64]]:
        """Return a column of lists as its flat values and the offsets of the lists."""
        return flat_of(self.columns[name])

    @property
    def has_tokens(self) -> bool:
        """Whether any answer has tokens, and not its sums alone."""
        return len(self.columns["tokens"].flatten()) > 0

    def first_flag_is(self, *flags: str) -> npt.NDArray[np.bool_]:
        """Whether the first flag of each answer is one of these."""
        import numpy as np
        import pyarrow as pa
        import pyarrow.compute as pc

        begins = offsets_of(self.columns["flags"])
        matches = pc.is_in(self.columns["flags"].flatten(), value_set=pa.array(flags))
        flagged = np.append(matches.to_numpy(zero_copy_only=False), False)
        result: npt.NDArray[np.bool_] = flagged[begins[:-1]] & (np.diff(begins) > 0)
        return result


def _answers(table: Any) -> Iterator[Answer]:
    # By column: row by row it takes four times as long.
    return map(Answer, *(values_of(table.column(name).combine_chunks()) for name in COLUMNS))


NAMES = [each.name for each in fields(Reply)]
"""Fields of a reply, as the columns are called."""
_MAY_LACK = "parsed"
"""The column that is null where a reply could not be parsed."""


def schema_of_replies() -> Any:
    import pyarrow as pa

    kinds = {"int": pa.int32(), "str": pa.string(), "int | None": pa.int32()}
    lists = {"tuple[float, ...]": pa.list_(pa.float64()), "tuple[bool, ...]": pa.list_(pa.bool_())}
    lists["tuple[int, ...]"] = pa.list_(pa.int32())
    return pa.schema([(each.name, (kinds | lists)[str(each.type)]) for each in fields(Reply)])


def table_of_replies(replies: Sequence[Reply]) -> Any:
    """Convert replies to the table that is stored."""
    import pyarrow as pa

    columns = {name: [getattr(reply, name) for reply in replies] for name in NAMES}
    return pa.table(columns, schema=schema_of_replies())


def check_replies(table: Any) -> None:
    """Raise a `ValueError` where a required value is missing."""
    for name in table.column_names:
        column = table.column(name).combine_chunks()
        if name != _MAY_LACK and lacks_values(column):
            raise ValueError(f"a value of {name} is missing")


class StoredReplies(LazySequence[Reply]):
    """Replies in tables, decoded on access."""

    def __init__(self, shards: Shards | None = None) -> None:
        self._shards = shards or Shards()

    @classmethod
    def of(cls, replies: Sequence[Reply]) -> StoredReplies:
        """Convert replies to columns."""
        return replies if isinstance(replies, cls) else cls(Shards.of_tables([table_of_replies(replies)]))

    def columns(self, *names: str) -> dict[str, Any]:
        """Return columns of all replies as Arrow arrays."""
        import pyarrow as pa

        none = schema_of_replies().empty_table().select(list(names))
        whole = pa.concat_tables([none, *self._shards.tables(list(names))])
        return {name: whole.column(name).combine_chunks() for name in names}

    def __len__(self) -> int:
        return len(self._shards)

    def member(self, index: int) -> Reply:
        return next(_replies(self._shards.row(index, NAMES)))

    def __iter__(self) -> Iterator[Reply]:
        for table in self._shards.tables(NAMES):
            yield from _replies(table)


def _replies(table: Any) -> Iterator[Reply]:
    columns = {name: table.column(name).combine_chunks() for name in NAMES}
    return map(Reply, *(c.to_pylist() if name == _MAY_LACK else values_of(c) for name, c in columns.items()))
