"""Files of items: JSON lines for people, Parquet for machines, and a temporary file for a large probe in memory."""

from __future__ import annotations

import gzip
import os
import tempfile
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, fields, replace
from itertools import islice
from pathlib import Path
from sys import intern
from typing import IO, TYPE_CHECKING, Any, NoReturn, cast, overload
from weakref import finalize

import orjson

from horsesense.core.arrow import LazySequence, Texts
from horsesense.core.item import NO_SOURCE, Item, Source, check_item
from horsesense.data import disk_errors, writing
from horsesense.data.table_formats import parquet_batches
from horsesense.data.tables import json_lines
from horsesense.errors import UserError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_FIELDS = {f.name: f for f in fields(Item)}
_NEEDED = ("probe", "form", "options")
_TEXTS = ("probe", "form", "premise", "text", "family", "member")
_SOURCE_FIELDS = {"file": str, "line": int, "id": str, "triples": list, "licence": str}


def item_from_dict(values: Any) -> Item:
    """Return a checked item from plain JSON values.

    An ``id`` that is not the item's own (a hand-written one, say) becomes ``source.id``; one that
    was made from other content is an error, because the item was edited after it got its id.
    """
    if not isinstance(values, dict):
        raise UserError("the line is not a JSON object", fix='write one {"probe": …, "form": …} a line')
    if not values.keys() <= _FIELDS.keys():
        unknown_field = next(name for name in values if name not in _FIELDS)
        raise UserError(f"the field {unknown_field!r} is unknown", fix=f"an item has {', '.join(_FIELDS)}")
    for name in _NEEDED:
        if name not in values:
            raise UserError(f"the field {name!r} is missing", fix=f"an item needs {', '.join(_NEEDED)}")
    for name in _TEXTS:
        if not isinstance(values.get(name, ""), str):
            raise UserError(f"the field {name!r} is not text")
    answer = values.get("answer")
    if answer is not None and type(answer) is not int:
        raise UserError(f"the answer {answer!r} is not a whole number", fix="give the 0-based index or null")
    ordered = values.get("ordered", False)
    if not isinstance(ordered, bool):
        raise UserError("the field 'ordered' is neither true nor false")
    item = Item(
        probe=intern(values["probe"]),
        form=intern(values["form"]),  # type: ignore[arg-type]  # check_item below refuses an unknown form
        premise=values.get("premise", ""),
        text=values.get("text", ""),
        options=_texts(values["options"], "options"),
        answer=answer,
        ordered=ordered,
        concepts=_texts(values.get("concepts", []), "concepts"),
        family=intern(values.get("family", "")),
        member=intern(values.get("member", "")),
        groups=_mapping(values.get("groups", {}), "groups"),
        facets=_mapping(values.get("facets", {}), "facets"),
        source=_source(values.get("source", {})),
    )
    check_item(item)
    return _with_given_id(item, values.get("id", item.id))


def _with_given_id(item: Item, identity: Any) -> Item:
    if identity == item.id:
        return item
    if not isinstance(identity, str):
        raise UserError("the field 'id' is not text")
    prefix, _, digits = identity.rpartition("-")
    if prefix == item.probe and len(digits) == 16 and not digits.strip("0123456789abcdef"):
        raise UserError(f"the id {identity} was made from other content", fix=f"remove it, or write {item.id}")
    return replace(item, source=replace(item.source, id=item.source.id or identity))


def _texts(value: Any, name: str) -> tuple[str, ...]:
    # The set of types costs a third of a loop with isinstance; a probe may have millions of options.
    if not isinstance(value, list) or not set(map(type, value)) <= {str}:
        raise UserError(f"the field {name!r} is not a list of texts")
    return tuple(value)


def _mapping(value: Any, name: str) -> Mapping[str, Any]:
    """Intern names and values, which recur in every item; `check_item` checks the values."""
    if not isinstance(value, dict):
        raise UserError(f"the field {name!r} is not an object")
    return {intern(key): intern(entry) if type(entry) is str else entry for key, entry in value.items()}


def _source(value: Any) -> Source:
    if not isinstance(value, dict):
        raise UserError("the field 'source' is not an object")
    if not value:
        return NO_SOURCE
    for name, entry in value.items():
        if type(entry) is not _SOURCE_FIELDS.get(name):
            _tell_source(name)
    triples = value.get("triples", [])
    for triple in triples:
        if not isinstance(triple, list) or len(triple) != 3 or not set(map(type, triple)) <= {str}:
            raise UserError("source.triples has an entry that is not three texts")
    return Source(
        file=intern(value.get("file", "")),
        line=value.get("line", 0),
        id=value.get("id", ""),
        triples=tuple([(relation, concept, target) for relation, concept, target in triples]),
        licence=intern(value.get("licence", "")),
    )


def _tell_source(name: str) -> NoReturn:
    if name not in _SOURCE_FIELDS:
        raise UserError(f"source.{name} is unknown", fix=f"a source has {', '.join(_SOURCE_FIELDS)}")
    raise UserError(f"source.{name} has the wrong type")


def iter_jsonl(path: Path) -> Iterator[tuple[int, Item]]:
    """Yield each item with its line."""
    for line, values in json_lines(path):
        try:
            if isinstance(values, UserError):
                raise values
            yield line, item_from_dict(values)
        except UserError as error:
            raise error.at(path, line) from None


def write_jsonl(path: Path, items: Iterable[Item]) -> None:
    """Write items one per line, atomically; a name that ends in ``.gz`` is packed.

    The packed bytes hold no time or name, so that the same items give the same file.
    """
    with writing(path) as temporary, temporary.open("wb") as raw, _packed(raw, path) as handle:
        for item in items:
            handle.write(orjson.dumps(item.to_json(), option=orjson.OPT_APPEND_NEWLINE))


def _packed(raw: IO[bytes], path: Path) -> AbstractContextManager[IO[bytes]]:
    if path.suffix != ".gz":
        return nullcontext(raw)
    # Level 9, the default, takes up to three times as long as 6 and saves a hundredth.
    packed = gzip.GzipFile(filename="", fileobj=raw, mode="wb", compresslevel=6, mtime=0)
    return cast(AbstractContextManager[IO[bytes]], packed)


_WRITTEN_AT_ONCE = 20_000

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

    all_items = list(items)
    try:
        schema = _schema(all_items)
    except UserError as error:
        raise error.at(path) from None
    with writing(path) as temporary, parquet.ParquetWriter(temporary, schema, compression="zstd") as writer:
        rows = iter(all_items)
        while batch := list(islice(rows, _WRITTEN_AT_ONCE)):
            writer.write_table(pa.Table.from_pylist([item.to_json() for item in batch], schema=schema))


def iter_parquet(path: Path) -> Iterator[tuple[int, Item]]:
    """Yield each item with its row, from 1."""
    rows = (values for batch in parquet_batches(path) for values in _present(batch))
    for row, values in enumerate(rows, start=1):
        try:
            yield row, item_from_dict(values)
        except UserError as error:
            raise error.at(path, row) from None


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


MANY = 250_000
"""Items from which a probe that is read is stored so."""
_CHUNK = 8_192
"""Items that are read at a time where all are gone through."""


class StoredItems(LazySequence[Item]):
    """Items decoded on access; their ids and families are in memory.

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
        """Hash by identity, so that derived data can be cached per object."""
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

    def line(self, index: int) -> bytes:
        """Return an item as JSON."""
        return self._lines(index, index + 1)[0]

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

    def member(self, index: int) -> Item:
        return item_from_dict(orjson.loads(self.line(index)))

    def __iter__(self) -> Iterator[Item]:
        for start in range(0, len(self), _CHUNK):
            for line in self._lines(start, min(start + _CHUNK, len(self))):
                yield item_from_dict(orjson.loads(line))


def _close(file: IO[bytes]) -> None:
    with suppress(OSError):  # what a full disk does not take is not wanted any longer
        file.close()


@dataclass(frozen=True, slots=True, eq=False)
class Subset(Sequence[Item]):
    """A subset of a sequence of items, by index, without a copy."""

    items: Sequence[Item]
    places: Sequence[int] | npt.NDArray[np.int64]

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (list(self),)  # another process gets the items of the subset alone

    def __len__(self) -> int:
        return len(self.places)

    @overload
    def __getitem__(self, index: int) -> Item: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Item]: ...

    def __getitem__(self, index: int | slice) -> Item | Sequence[Item]:
        return (
            Subset(self.items, self.places[index]) if isinstance(index, slice) else self.items[int(self.places[index])]
        )

    def __iter__(self) -> Iterator[Item]:
        return (self.items[int(index)] for index in self.places)

    @property
    def lines(self) -> list[bytes] | None:
        """Return the items as JSON lines where they are stored so; otherwise None."""
        return [self.items.line(int(index)) for index in self.places] if isinstance(self.items, StoredItems) else None


def ids_of(items: Sequence[Item]) -> Sequence[str]:
    """Return the ids of items, without decoding stored ones."""
    if isinstance(items, Subset) and isinstance(items.items, StoredItems):
        return [items.items.ids[int(index)] for index in items.places]
    return items.ids if isinstance(items, StoredItems) else [item.id for item in items]


def units_of(items: Sequence[Item]) -> Sequence[str]:
    """Return the family of each item, or its id if it has no family."""
    return items.units if isinstance(items, StoredItems) else [item.unit() for item in items]
