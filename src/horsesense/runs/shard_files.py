"""Answers and replies in Parquet, one file per shard: written once, checked when read.

Tokens and replies of a large part stay in their files, and are read on access.
"""

from __future__ import annotations

import hashlib
import re
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from horsesense.core.answer_columns import (
    COLUMNS,
    NAMES,
    StoredAnswers,
    StoredReplies,
    check_answers,
    check_replies,
    schema_of_answers,
    schema_of_replies,
    without_tokens,
)
from horsesense.core.arrow import Shards, Source, places_in
from horsesense.core.item_file import MANY
from horsesense.data import disk_errors
from horsesense.data.store import Store
from horsesense.errors import UserError
from horsesense.runs.item_columns import ItemColumns
from horsesense.runs.manifest import Part

_AGAIN = "remove it and run again"
_ELSEWHERE = "run it again in another folder"


def shard_path(folder: Path, model: str, probe: str, number: int, prompt_format: str = "loglikelihood") -> Path:
    """Return the file of a shard's answers; ``loglikelihood``, the default, is not part of the name."""
    return folder / "answers" / _shard_name(model, probe, number, prompt_format)


def replies_path(folder: Path, model: str, probe: str, number: int, prompt_format: str) -> Path:
    """Return the file of a shard's replies, beside its answers."""
    return folder / "replies" / _shard_name(model, probe, number, prompt_format)


def _shard_name(model: str, probe: str, number: int, prompt_format: str) -> str:
    asked = "" if prompt_format == "loglikelihood" else f"~{prompt_format}"
    return f"{_slug(model)}~{_slug(probe)}{asked}.{number:05d}.parquet"


def _slug(name: str) -> str:
    """Turn a name into part of a file name; a changed one gets a hash, so that no two collide.

    >>> _slug("smollm2"), _slug("org/name@main")
    ('smollm2', 'org_name_main-bfe56419')
    """
    plain = re.sub(r"[^\w.-]+", "_", name).strip("_.")
    return plain if plain == name else f"{plain}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def write_table(path: Path, table: Any) -> None:
    """Write one shard, whole or not at all; the same answers give the same bytes."""
    from pyarrow import parquet

    # A folder of thousands of shards is swept once, by the process that locks it.
    with Store(path.parents[1]).writing(path, sweep=False) as temporary:
        parquet.write_table(table, temporary, compression="zstd")


def read_answers(folder: Path, part: Part, columns: ItemColumns) -> StoredAnswers:
    """Read the answers of one part, in the order of its items; a missing or damaged shard is an error."""
    large = len(columns.ids) >= MANY
    paths = [shard_path(folder, part.model.name, part.probe.name, number, part.format) for number in range(part.shards)]
    tables, sources = deque[Any](), list[tuple[int, Source]]()
    for number, path in enumerate(paths):
        if not path.is_file():
            raise UserError(
                f"the run of {part.model.name} on {part.probe.name} is not finished: "
                f"{number} of {part.shards} answer files exist",
                file=folder,
                fix="run the same command again to finish it",
            )
        Store(folder).check(path, "run the same command again, which computes it again")
        read = partial(_read, _ANSWERS, path.resolve(), _version(path))
        table = read(list(COLUMNS))
        tables.append(without_tokens(table) if large else table)
        if large:
            sources.append((len(table), read))
    indices = places_in(columns.ids, [table.column("item") for table in tables])
    rows, before = np.full(len(columns.ids), -1), 0
    for path, table in zip(paths, tables, strict=True):
        here = indices[before : before + len(table)]
        asked = here >= 0
        lengths = np.diff(table.column("scores").combine_chunks().offsets.to_numpy())
        if (lengths[asked] != columns.options[here[asked]]).any():
            raise _damage("answer file", path, _AGAIN)
        rows[here[asked]] = np.flatnonzero(asked) + before
        before += len(here)
    if (rows < 0).any():
        raise UserError(
            f"{(rows < 0).sum()} of {len(rows)} items of {part.probe.name} have no answer of {part.model.name} "
            f"({columns.ids[int(rows.argmin())]} …)",
            file=folder,
            fix="run it again in another folder",
        )
    parts = (tables.popleft() for _ in range(len(tables)))  # frees each table
    return StoredAnswers.of_shards(Shards(sources), parts, rows) if large else StoredAnswers.of_tables(parts, rows)


def read_replies(folder: Path, part: Part) -> StoredReplies:
    """Read the replies of one part; empty for a prompt format without replies."""
    from pyarrow import parquet

    sources: list[tuple[int, Source]] = []
    for number in range(part.shards):
        path = replies_path(folder, part.model.name, part.probe.name, number, part.format)
        if not path.is_file():
            continue
        Store(folder).check(path, _ELSEWHERE)
        read = partial(_read, _REPLIES, path.resolve(), _version(path))
        if part.probe.items < MANY:
            table = read(NAMES)
            sources.append((len(table), table.select))
        else:
            with _undamaged("file of replies", path, _ELSEWHERE):
                sources.append((parquet.read_metadata(path).num_rows, read))
    return StoredReplies(Shards(sources))


Version = tuple[int, int, int]


def _version(path: Path) -> Version:
    """Return what distinguishes a file from one that replaced it."""
    with disk_errors(path):
        stat = path.stat()
    return stat.st_ino, stat.st_size, stat.st_mtime_ns


_ANSWERS = "answer file", _AGAIN, schema_of_answers, check_answers
_REPLIES = "file of replies", _ELSEWHERE, schema_of_replies, check_replies


def _read(
    kind: tuple[str, str, Callable[[], Any], Callable[[Any], None]], path: Path, version: Version, columns: list[str]
) -> Any:
    """Return columns of a file of answers or replies, checked."""
    from pyarrow import parquet

    what, fix, schema, check = kind
    if _version(path) != version:
        raise UserError("the file was changed since the run was opened", file=path, fix="open the run again")
    with _undamaged(what, path, fix):
        table = parquet.read_table(path, schema=schema(), columns=columns)
        check(table)
    return table


@contextmanager
def _undamaged(what: str, path: Path, fix: str) -> Iterator[None]:
    """Translate the errors of a damaged file into one sentence."""
    import pyarrow as pa

    try:
        with disk_errors(path):
            yield
    except (pa.ArrowException, OSError, ValueError, KeyError, TypeError) as error:
        raise _damage(what, path, fix) from error


def _damage(what: str, path: Path, fix: str) -> UserError:
    return UserError(f"the {what} is damaged", file=path, fix=fix)
