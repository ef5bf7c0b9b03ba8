"""Collects the samples of a log in a database on disk, so that memory use does not depend on the length of the log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from horsesense.data import sha256_of_file
from horsesense.errors import UserError, argument
from horsesense.exchange.samples import Columns, Sample

TABLES = (
    "pragma journal_mode=off; pragma synchronous=off; begin;"
    "create table items(place integer primary key, task text, id text, body blob, columns blob);"
    "create unique index by_id on items(task, id);"
    "create table answers(part integer, item integer, repeat integer, body blob,"
    " primary key (part, item, repeat)) without rowid;"
)
_BATCH = 2_000
"""Samples per insert."""


@dataclass(slots=True)
class LogReader:
    """Collects samples, counts and warnings of a log."""

    skip_bad: bool = False
    """Skip and count unreadable samples."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """Table: role → column."""
    model: str = ""
    """Name of the model; empty: as in the log."""
    filter: str = ""
    """Filter of lm-eval; empty: the first."""
    scorer: str = ""
    """Scorer of Inspect; empty: the first."""
    notes: Counter[str] = field(default_factory=Counter)
    remarks: dict[str, None] = field(default_factory=dict)
    skipped: list[UserError] = field(default_factory=list)
    reported: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Model → its description in the log."""
    hashes: dict[str, list[str]] = field(default_factory=dict)
    """Model → SHA-256 of its files."""
    base: Any = None
    """The database, while a log is read."""
    _waiting: list[Sample] = field(default_factory=list)
    _parts: dict[tuple[str, str, str], int] = field(default_factory=dict)
    _facets: dict[str, Columns] = field(default_factory=dict)
    groups: dict[str, str] = field(default_factory=dict)
    """Task → the cluster named on the probe's card."""

    def warn(self, text: str) -> None:
        """Add a warning, once."""
        self.remarks[text] = None

    @contextmanager
    def at(self, path: Path, line: int | None = None) -> Iterator[None]:
        """Add file and line to errors, or skip and count them."""
        try:
            yield
        except UserError as error:
            if not self.skip_bad:
                fix = error.fix or f"repair it, or use {argument('skip_bad')} to continue without it"
                raise UserError(error.problem, fix=fix).at(path, line) from None
            self.skipped.append(error.at(path, line))
            self.notes["bad samples skipped"] += 1

    def describe(self, model: str, path: Path, reported: Mapping[str, Any]) -> None:
        """Add what a log says about a model."""
        self.reported.setdefault(model, {}).update(reported)
        self.hashes.setdefault(model, []).append(sha256_of_file(path))

    def add(self, sample: Sample) -> None:
        """Add a sample."""
        self._waiting.append(sample)
        if len(self._waiting) >= _BATCH:
            self.flush()

    def flush(self) -> None:
        """Insert the waiting samples into the database."""
        if self.base is None:
            raise ValueError("no database is open")
        for sample in self._waiting:
            self.groups.setdefault(sample.task, sample.group)
            part = self._parts.setdefault((sample.model, sample.task, sample.format), len(self._parts))
            place = self._place(sample)
            body = orjson.dumps([sample.scores, sample.parsed, sample.said, sample.why])
            row = (part, place, sample.repeat, body)
            if not self.base.execute("insert or ignore into answers values (?, ?, ?, ?)", row).rowcount:
                self.notes["duplicate samples, of which the first counts"] += 1
        self._waiting.clear()

    def _place(self, sample: Sample) -> int:
        body = orjson.dumps(sample.item.to_json())
        columns = orjson.dumps(dict(sample.columns))
        row = (sample.task, sample.item.id, body, columns)
        done = self.base.execute("insert or ignore into items(task, id, body, columns) values (?, ?, ?, ?)", row)
        if done.rowcount:
            self._facets.setdefault(sample.task, Columns()).see(sample.columns)
            return int(done.lastrowid)
        found = self.base.execute("select place from items where task = ? and id = ?", (sample.task, sample.item.id))
        return int(found.fetchone()[0])

    @property
    def parts(self) -> Mapping[tuple[str, str, str], int]:
        """Model, task and prompt format → its number in the database."""
        return self._parts

    def facets(self, task: str) -> Columns:
        return self._facets[task]
