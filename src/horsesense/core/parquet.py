"""Items as Parquet, for machines: one column a field, facets and groups as structs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import IO, Any

from horsesense.core.item import Item
from horsesense.core.jsonl import item_from_dict
from horsesense.data import disk_errors, writing
from horsesense.errors import UserError

_WRITTEN_AT_ONCE = 20_000
_READ_AT_ONCE = 2_000
"""Rows held as Python values; more of them keep the garbage collector busy, and reading takes twice as long."""

_WORDS = {str: "text", bool: "true or false", int: "whole numbers", float: "numbers"}


def _type_of(values: set[type], name: str) -> Any:
    import pyarrow as pa

    if values == {str}:
        return pa.string()
    if values == {bool}:
        return pa.bool_()
    if values == {int}:
        return pa.int64()
    if values <= {int, float}:
        return pa.float64()
    kinds = " and ".join(sorted(_WORDS[kind] for kind in values))
    raise UserError(f"the facet {name!r} has values of several kinds ({kinds})", fix="use one kind, or write JSONL")


def _struct(items: Sequence[Item], field: str) -> Any:
    import pyarrow as pa

    kinds: dict[str, set[type]] = {}
    for item in items:
        for name, value in getattr(item, field).items():
            kinds.setdefault(name, set()).add(type(value))
    return pa.struct([pa.field(name, _type_of(kinds[name], name)) for name in sorted(kinds)])


def _schema(items: Sequence[Item]) -> Any:
    import pyarrow as pa

    text, texts = pa.string(), pa.list_(pa.string())
    source = pa.struct(
        [("file", text), ("line", pa.int64()), ("id", text), ("triples", pa.list_(texts)), ("licence", text)]
    )
    columns = [("id", text), ("probe", text), ("form", text), ("premise", text), ("text", text)]
    columns += [("options", texts), ("answer", pa.int64()), ("ordered", pa.bool_()), ("concepts", texts)]
    columns += [("family", text), ("member", text)]
    for field in ("groups", "facets"):
        struct = _struct(items, field)
        if struct.num_fields:  # Parquet has no struct without fields
            columns.append((field, struct))
    return pa.schema([*columns, ("source", source)])


def write_parquet(path: Path, items: Iterable[Item]) -> None:
    """Write items as one Parquet file, whole or not at all."""
    import pyarrow as pa
    from pyarrow import parquet

    kept = list(items)
    try:
        schema = _schema(kept)
    except UserError as error:
        raise error.at(path) from None
    with writing(path) as temporary, parquet.ParquetWriter(temporary, schema, compression="zstd") as writer:
        rows = iter(kept)
        while batch := list(islice(rows, _WRITTEN_AT_ONCE)):
            writer.write_table(pa.Table.from_pylist([item.to_json() for item in batch], schema=schema))


def iter_parquet(path: Path) -> Iterator[tuple[int, Item]]:
    """Each item with its row, from 1."""
    with disk_errors(path), path.open("rb") as handle:
        for row, values in enumerate(_rows(handle, path), start=1):
            try:
                yield row, item_from_dict(values)
            except UserError as error:
                raise error.at(path, row) from None


def _rows(handle: IO[bytes], path: Path) -> Iterator[dict[str, Any]]:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        for batch in parquet.ParquetFile(handle).iter_batches(_READ_AT_ONCE):
            yield from _present(batch)
    except (pa.ArrowException, OSError, ValueError) as error:
        # What the system says about the disk has a number; what Arrow says about damaged bytes has none.
        if getattr(error, "errno", None) is not None:
            raise
        raise UserError(
            "this is not a Parquet file, or it is damaged", file=path, fix="make or get it again"
        ) from error


def _present(batch: Any) -> Iterator[dict[str, Any]]:
    """Remove the nulls of omitted fields; only ``answer`` may be null."""
    import pyarrow as pa

    columns = dict(zip(batch.schema.names, batch.columns, strict=True))
    absent = [name for name, column in columns.items() if column.null_count and name != "answer"]
    structs = [name for name, column in columns.items() if pa.types.is_struct(column.type)]
    ragged = [name for name in structs if any(part.null_count for part in columns[name].flatten())]
    for values in batch.to_pylist():
        for name in ragged:
            if values[name] is not None:
                values[name] = {part: value for part, value in values[name].items() if value is not None}
        for name in absent:
            if values[name] is None:
                del values[name]
        yield values
