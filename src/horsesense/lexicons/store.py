"""Store of all knowledge sources: one DuckDB file in the user's cache, with the ancestors of each concept.

The file is never changed in place: a new source is added to a copy, which then replaces it. A killed import leaves no
partial file, and readers are not blocked.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from horsesense.data import cache_folder, writing
from horsesense.errors import UserError, unknown
from horsesense.lexicons.triples import BETWEEN_CONCEPTS, INSTANCE, ISA, Origin, Triple

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


Ints = NDArray[np.int64]

_TABLES = """
create table if not exists sources (name text, version text, licence text, fingerprint text, language text);
create table if not exists concepts (source text, number integer, id text);
create table if not exists triples (source text, number integer, relation text, concept integer, target text,
                                    word text, target_word text);
create table if not exists ancestors (source text, concept integer, ancestor integer, hops utinyint);
create table if not exists left_out (source text, reason text, count integer);
"""
"""``ancestors.hops`` counts isa links; 0 where the way up needs an instance link."""


def store_path() -> Path:
    """Return the path of the file; its number is raised when the tables change."""
    return cache_folder("knowledge", "graph-3.duckdb")


@contextmanager
def reading_store() -> Iterator[DuckDBPyConnection]:
    """Open the file for reading; without a file, an empty store."""
    import duckdb

    path = store_path()
    try:
        connection = duckdb.connect(path, read_only=True) if path.is_file() else duckdb.connect()
    except duckdb.Error as error:
        raise UserError("the kept knowledge is damaged", file=path, fix="remove the file and try again") from error
    with connection:
        if not path.is_file():
            connection.execute(_TABLES)
        yield connection


def list_sources() -> list[Origin]:
    """Return the stored sources by name."""
    with reading_store() as connection:
        query = "select name, version, licence, fingerprint, language from sources order by name"
        rows = connection.execute(query).fetchall()
    return [Origin(*row) for row in rows]


def find_source(name: str) -> Origin:
    """Return a stored source, or raise an error with the names of those that are stored."""
    known = {origin.name: origin for origin in list_sources()}
    if name not in known:
        raise (
            unknown("knowledge source", name, known)
            if known
            else UserError(
                f"there is no knowledge source '{name}'", fix="horsesense fetch or horsesense knowledge add gets one"
            )
        )
    return known[name]


def add_source(
    origin: Origin, triples: Iterable[Triple], *, left_out: Mapping[str, int] | None = None, loops: bool = False
) -> None:
    """Add a source to the file, replacing an older one of that name.

    ``left_out`` counts rejected entries by reason; ``loops``: whether isa links may form cycles.
    """
    import duckdb
    from filelock import FileLock

    facts = list(triples)
    numbers: dict[str, int] = {}
    for fact in facts:
        numbers.setdefault(fact.concept, len(numbers))
    for fact in facts:
        if fact.relation in BETWEEN_CONCEPTS and fact.target not in numbers:
            raise UserError(f"{fact.concept} {fact.relation} {fact.target}: nothing is said about the latter")
    above, hops = _ancestors(facts, numbers)
    if len(above.loops) and not loops:
        names = list(numbers)
        raise UserError(f"{names[above.loops[0]]} is above itself", fix="break the circle of isa")
    path = store_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(path.with_suffix(".lock")), writing(path) as temporary:
        if path.is_file():
            shutil.copyfile(path, temporary)
        log = temporary.with_name(f"{temporary.name}.wal")
        try:
            with duckdb.connect(temporary) as connection:
                _fill(connection, origin, facts, numbers, above, hops)
                _note(connection, origin.name, left_out or {})
                connection.execute("checkpoint")  # closing would hide that the disk is full
            _check_whole(temporary, origin.name, len(facts))
        except duckdb.Error as error:
            if "space" not in str(error) and not isinstance(error, duckdb.IOException):
                raise
            raise UserError(
                "the disk is full, or the store cannot be written", file=path, fix="free some space and try again"
            ) from error
        finally:
            log.unlink(missing_ok=True)


def _check_whole(path: Path, name: str, facts: int) -> None:
    """Replace the store only if everything that was written can be read back."""
    import duckdb

    with duckdb.connect(path, read_only=True) as connection:
        found = connection.execute("select count(*) from triples where source = ?", [name]).fetchone()
    if found is None or found[0] != facts:
        raise duckdb.IOException("not all of it was written")


def _ancestors(facts: list[Triple], numbers: dict[str, int]) -> tuple[Closure, Ints]:
    """Return all pairs with their isa distance (0 where an instance link is on the path)."""

    def pairs(*relations: str) -> tuple[Ints, Ints]:
        links = [(numbers[f.concept], numbers[f.target]) for f in facts if f.relation in relations]
        columns = np.array(links, dtype=np.int64).reshape(-1, 2)
        return columns[:, 0], columns[:, 1]

    size = max(len(numbers), 1)
    every, only = closure(size, *pairs(ISA, INSTANCE)), closure(size, *pairs(ISA))
    hops = np.zeros(len(every.concept), dtype=np.int64)
    hops[np.searchsorted(every.concept * size + every.ancestor, only.concept * size + only.ancestor)] = only.hops
    return every, hops


def _fill(
    connection: DuckDBPyConnection,
    origin: Origin,
    facts: list[Triple],
    numbers: dict[str, int],
    above: Closure,
    hops: Ints,
) -> None:
    import pyarrow as pa

    name = origin.name
    columns: dict[str, dict[str, object]] = {
        "concepts": {"number": list(numbers.values()), "id": list(numbers)},
        "triples": {
            "number": np.arange(len(facts)),
            "relation": [f.relation for f in facts],
            "concept": [numbers[f.concept] for f in facts],
            "target": [f.target for f in facts],
            "word": [f.word for f in facts],
            "target_word": [f.target_word for f in facts],
        },
        "ancestors": {"concept": above.concept, "ancestor": above.ancestor, "hops": hops},
    }
    connection.execute(_TABLES)
    connection.execute("delete from sources where name = ?", [name])
    connection.execute("insert into sources values (?, ?, ?, ?, ?)", [name, *_about(origin)])
    for table, values in columns.items():
        connection.execute(f"delete from {table} where source = ?", [name])
        connection.register("new", pa.table(values))
        connection.execute(f"insert into {table} select ?, {', '.join(values)} from new", [name])
        connection.unregister("new")


def _note(connection: DuckDBPyConnection, name: str, left_out: Mapping[str, int]) -> None:
    connection.execute("delete from left_out where source = ?", [name])
    for reason, count in left_out.items():
        connection.execute("insert into left_out values (?, ?, ?)", [name, reason, count])


def _about(origin: Origin) -> tuple[str, str, str, str]:
    return origin.version, origin.licence, origin.fingerprint, origin.language


@dataclass(frozen=True, slots=True)
class Closure:
    """Pairs of a concept and an ancestor, each once."""

    concept: Ints
    ancestor: Ints
    hops: Ints
    """Length of the shortest path up."""
    loops: Ints
    """Concepts that are their own ancestors."""


def closure(size: int, child: Ints, parent: Ints) -> Closure:
    """All pairs of concept and ancestor of a graph of ``size`` concepts; a loop ends where it began.

    >>> above = closure(4, np.array([0, 1, 1]), np.array([1, 2, 3]))
    >>> list(zip(above.concept.tolist(), above.ancestor.tolist(), above.hops.tolist()))
    [(0, 1, 1), (0, 2, 2), (0, 3, 2), (1, 2, 1), (1, 3, 1)]
    """
    order = np.argsort(child, kind="stable")
    parents = parent[order]
    starts = np.searchsorted(child[order], np.arange(size + 1))
    level = _distinct(child * size + parent)
    seen, distances, hops = level, np.ones(len(level), dtype=np.int64), 1
    while len(level):
        hops += 1
        concept, ancestor = np.divmod(level, size)
        lengths = np.diff(starts)[ancestor]
        place = np.arange(lengths.sum()) + np.repeat(starts[ancestor] - (np.cumsum(lengths) - lengths), lengths)
        level = _distinct(np.repeat(concept, lengths) * size + parents[place])
        level = level[seen[np.minimum(np.searchsorted(seen, level), len(seen) - 1)] != level]
        merged = np.concatenate([seen, level])
        order = np.argsort(merged, kind="stable")
        seen = merged[order]
        distances = np.concatenate([distances, np.full(len(level), hops)])[order]
    concept, ancestor = np.divmod(seen, size)
    loop = concept == ancestor
    return Closure(concept[~loop], ancestor[~loop], distances[~loop], concept[loop])


def _distinct(codes: Ints) -> Ints:
    """Return sorted distinct codes; ``numpy.unique`` hashes, which is a hundred times slower for these codes."""
    codes = np.sort(codes)
    return codes[np.diff(codes, prepend=-1) > 0]
