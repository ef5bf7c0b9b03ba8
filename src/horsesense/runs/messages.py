"""Tasks and what came of them as bytes: JSON for what is told and for items, Arrow for tables; nothing is pickled.

What crosses is a frame: a JSON header that says which parts there are and how long each is, then the parts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from horsesense.core import Item, item_from_dict, item_to_dict
from horsesense.errors import UserError
from horsesense.runs.engine import Done, Task

_LENGTH = 8
"""Bytes that say how long the header is."""


def packed(told: Mapping[str, Any], parts: Mapping[str, bytes]) -> bytes:
    """One frame.

    >>> unpacked(packed({"n": 1}, {"a": b"xy"}))
    ({'n': 1}, {'a': b'xy'})
    """
    header = orjson.dumps({"told": told, "parts": {name: len(part) for name, part in parts.items()}})
    return b"".join((len(header).to_bytes(_LENGTH, "big"), header, *parts.values()))


def unpacked(frame: bytes) -> tuple[dict[str, Any], dict[str, bytes]]:
    start = _LENGTH + int.from_bytes(frame[:_LENGTH], "big")
    header = orjson.loads(frame[_LENGTH:start])
    parts = {}
    for name, length in header["parts"].items():
        parts[name] = frame[start : start + length]
        start += length
    return header["told"], parts


def lines_of(items: Sequence[Item]) -> bytes:
    """Items as JSON lines."""
    stored = getattr(items, "lines", None)  # items that lie as lines already are not made objects for it
    if stored is not None:
        return b"\n".join(stored)
    return b"\n".join(orjson.dumps(item_to_dict(item)) for item in items)


def items_of(lines: bytes) -> list[Item]:
    return [item_from_dict(orjson.loads(line)) for line in lines.splitlines()]


def _table_bytes(table: Any) -> bytes:
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    whole: bytes = sink.getvalue().to_pybytes()
    return whole


def _table_of(part: bytes) -> Any:
    import pyarrow as pa

    return pa.ipc.open_stream(pa.py_buffer(part)).read_all()


def frame_of_task(task: Task) -> bytes:
    """A task without what it shares with others, which crosses once for all."""
    parts = {"items": lines_of(task.items)}
    parts |= {f"table {name}": _table_bytes(table) for name, table in task.tables.items()}
    told = {"function": task.function, "told": task.told, "shared": list(task.shared), "called": task.called}
    return packed(told, parts)


def task_of_frame(frame: bytes, shared: Sequence[Sequence[Item]]) -> Task:
    header, parts = unpacked(frame)
    items = items_of(parts.pop("items"))
    tables = {name.removeprefix("table "): _table_of(part) for name, part in parts.items()}
    sets = dict(zip(header["shared"], shared, strict=True))
    return Task(header["function"], header["told"], items, sets, tables, header["called"])


def frame_of_done(done: Done) -> bytes:
    tables = {f"table {name}": _table_bytes(table) for name, table in done.tables.items()}
    return packed({"told": done.told}, tables | {f"file {name}": content for name, content in done.files.items()})


def frame_of_error(error: UserError, where: str) -> bytes:
    """What the user can put right, told where it happened."""
    told = {"problem": f"{error.problem} (on {where})", "file": error.file, "line": error.line, "fix": error.fix}
    return packed({"error": told}, {})


def done_of_frame(frame: bytes) -> Done:
    """What came of a task; an error that a worker told of is raised here."""
    header, parts = unpacked(frame)
    if "error" in header:
        raise UserError(header["error"].pop("problem"), **header["error"])
    kinds: dict[str, dict[str, bytes]] = {"table": {}, "file": {}}
    for name, part in parts.items():
        kind, _, called = name.partition(" ")
        kinds[kind][called] = part
    return Done(header["told"], {name: _table_of(part) for name, part in kinds["table"].items()}, kinds["file"])
