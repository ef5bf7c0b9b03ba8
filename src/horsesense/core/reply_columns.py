"""Replies in Arrow tables, one per shard, decoded on access to save memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import Any

from horsesense.core.answer import Reply
from horsesense.core.arrow import Shards, lacks_values, values_of
from horsesense.core.lazy import Made

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
    """A `ValueError` where a value is missing that every reply has."""
    for name in table.column_names:
        column = table.column(name).combine_chunks()
        if name != _MAY_LACK and lacks_values(column):
            raise ValueError(f"a value of {name} is missing")


class StoredReplies(Made[Reply]):
    """Replies in tables; an object is made of one when it is looked at, and not kept."""

    def __init__(self, shards: Shards | None = None) -> None:
        self._shards = shards or Shards()

    @classmethod
    def of(cls, replies: Sequence[Reply]) -> StoredReplies:
        """The same replies in columns."""
        return replies if isinstance(replies, cls) else cls(Shards.of_tables([table_of_replies(replies)]))

    def columns(self, *names: str) -> dict[str, Any]:
        """Some columns of all replies, each as an Arrow array."""
        import pyarrow as pa

        none = schema_of_replies().empty_table().select(list(names))
        whole = pa.concat_tables([none, *self._shards.tables(list(names))])
        return {name: whole.column(name).combine_chunks() for name in names}

    def __len__(self) -> int:
        return len(self._shards)

    def member(self, place: int) -> Reply:
        return next(_replies(self._shards.row(place, NAMES)))

    def __iter__(self) -> Iterator[Reply]:
        for table in self._shards.tables(NAMES):
            yield from _replies(table)


def _replies(table: Any) -> Iterator[Reply]:
    columns = {name: table.column(name).combine_chunks() for name in NAMES}
    return map(Reply, *(c.to_pylist() if name == _MAY_LACK else values_of(c) for name, c in columns.items()))
