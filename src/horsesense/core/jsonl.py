"""Items as JSON lines, for people."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import fields, replace
from pathlib import Path
from sys import intern
from typing import IO, Any, NoReturn, cast

import orjson

from horsesense.core.item import NO_SOURCE, Item, Source, check_item
from horsesense.data import numbered_lines, writing
from horsesense.errors import UserError

_FIELDS = {f.name: f for f in fields(Item)}
_NEEDED = ("probe", "form", "options")
_TEXTS = ("probe", "form", "premise", "text", "family", "member")
_SOURCE_FIELDS = {"file": str, "line": int, "id": str, "triples": list, "licence": str}


def item_from_dict(values: Any) -> Item:
    """An item from plain JSON values, checked.

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
        form=intern(values["form"]),  # type: ignore[arg-type]  # check_item below tells an unknown form
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


def _with_given_id(item: Item, given: Any) -> Item:
    if given == item.id:
        return item
    if not isinstance(given, str):
        raise UserError("the field 'id' is not text")
    prefix, _, digits = given.rpartition("-")
    if prefix == item.probe and len(digits) == 16 and not digits.strip("0123456789abcdef"):
        raise UserError(f"the id {given} was made from other content", fix=f"remove it, or write {item.id}")
    return replace(item, source=replace(item.source, id=item.source.id or given))


def _texts(value: Any, name: str) -> tuple[str, ...]:
    # The set of types costs a third of a loop with isinstance; a probe may have millions of options.
    if not isinstance(value, list) or not set(map(type, value)) <= {str}:
        raise UserError(f"the field {name!r} is not a list of texts")
    return tuple(value)


def _mapping(value: Any, name: str) -> Mapping[str, Any]:
    """Names and values recur in every item, so each is kept once in memory; `check_item` looks at the values."""
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
    """Each item with its line."""
    for line, text in numbered_lines(path):
        try:
            values = orjson.loads(text)
        except orjson.JSONDecodeError as error:
            raise UserError(
                f"the line is not JSON: {error.msg}, at column {error.colno}",
                file=path,
                line=line,
                fix="repair or remove it",
            ) from error
        try:
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
