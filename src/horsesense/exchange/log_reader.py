"""Log readers: the samples of a log, collected on disk; helpers for golds, options and columns."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import orjson

from horsesense.core import Facet, Item, check_item
from horsesense.core.item import OPEN
from horsesense.core.item_file import item_from_dict
from horsesense.data import sha256_of_file
from horsesense.errors import UserError, argument

ANOTHER = f"choose another {argument('out')}"
_LONGEST = 60
"""Maximum length of a facet value."""
_MOST_VALUES = 50
"""Maximum number of values of a facet."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One answer of one model to one item."""

    task: str
    model: str
    item: Item
    scores: tuple[float, ...] = ()
    """One log-likelihood per option; empty for a generated reply."""
    parsed: int | None = None
    """Option parsed from a generated reply; None if none was."""
    reply: str = ""
    """The reply."""
    why: str = ""
    """How the option was parsed."""
    repeat: int = 0
    """Number of the repeat, from 0."""
    columns: Mapping[str, Facet] = field(default_factory=dict)
    """Other columns of the item."""
    group: str = ""
    """The cluster named on the probe's card, for an exported probe."""

    @property
    def format(self) -> str:
        """Prompt format."""
        return "loglikelihood" if self.scores else "generate"


@dataclass(slots=True)
class Columns:
    """The columns of the items of a task, and which of them can be facets."""

    rows: int = 0
    values: dict[str, set[Facet] | None] = field(default_factory=dict)
    """Column → its values; None if there are too many."""
    kinds: dict[str, set[type]] = field(default_factory=dict)

    def see(self, columns: Mapping[str, Facet]) -> None:
        self.rows += 1
        for name, value in columns.items():
            self.kinds.setdefault(name, set()).add(type(value))
            seen = self.values.setdefault(name, set())
            if seen is None:
                continue
            seen.add(value)
            if len(seen) > _MOST_VALUES or (isinstance(value, str) and len(value) > _LONGEST):
                self.values[name] = None

    @property
    def names(self) -> list[str]:
        return list(self.values)

    def facets(self) -> list[str]:
        """Return columns with few, repeated values."""
        return [name for name, seen in self.values.items() if seen is not None and 2 * len(seen) <= max(self.rows, 4)]

    def shown(self, name: str, value: Facet) -> Facet:
        """Return a facet value, of one type in all items."""
        kinds = self.kinds[name]
        if len(kinds) == 1:
            return value
        return float(value) if kinds <= {int, float} else str(value)


def plain_columns(values: Mapping[str, Any], without: Sequence[str] = ()) -> dict[str, Facet]:
    """Return the values that are strings, numbers or booleans."""
    return {
        str(name): value
        for name, value in values.items()
        if name not in without
        and (
            isinstance(value, str | bool)
            or (type(value) is int and abs(value) < 2**63)
            or (type(value) is float and isfinite(value))
        )
    }


def loads_with_nan(content: bytes | str) -> Any:
    """Parse JSON in which a missing number may be NaN, as Python writes it; a `ValueError` says what is wrong."""
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError:
        try:
            return json.loads(content)
        except RecursionError as error:
            raise ValueError(str(error)) from None


def own_item(written: Any) -> Item | None:
    """Return the item that an exported probe includes; None for other logs."""
    if not isinstance(written, str) or not written.startswith("{"):
        return None
    try:
        values = orjson.loads(written)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(values, dict) or not {"probe", "form", "options"} <= values.keys():
        return None
    return item_from_dict(values)


def of_ours(beside: Mapping[str, Any], task: str, model: str, item: Item, **answered: Any) -> Sample:
    """Make a sample of an exported probe, with its name and cluster."""
    name, group = (value if isinstance(value := beside.get(key), str) else "" for key in ("probe", "group"))
    return Sample(name or task, model, item, group=group, **answered)


def number_of(value: Any, what: str) -> float:
    """Return a finite number from a number or a string.

    >>> number_of("-3.5", "score"), number_of(2, "score")
    (-3.5, 2.0)
    """
    if type(value) in (int, float, str):
        try:
            number = float(value)
        except (ValueError, OverflowError):
            raise UserError(f"the {what} {str(value)[:40]!r} is not a number") from None
        if isfinite(number):
            return number
    raise UserError(f"the {what} {str(value)[:40]!r} is not a finite number")


def gold_of(written: Any, options: Sequence[str]) -> int | None:
    """Return the gold option by its index, letter or text; None if there is none.

    >>> gold_of("1", ("a", "b")), gold_of("B", ("ice", "fire")), gold_of("ice", ("ice", "fire")), gold_of(None, ("a",))
    (1, 1, 0, None)
    """
    if isinstance(written, list) and len(written) == 1:
        written = written[0]
    if written is None or written == "":
        return None
    if type(written) is int:
        return _in_range(written, options)
    if type(written) is float and written.is_integer():
        return _in_range(int(written), options)
    if isinstance(written, str):
        text = written.strip()
        stripped = [option.strip() for option in options]
        if stripped.count(text) == 1:
            return stripped.index(text)
        if re.fullmatch(r"-?[0-9]{1,4}", text):
            return _in_range(int(text), options)
        if len(text) == 1 and text.upper() in ascii_uppercase:
            return _in_range(ascii_uppercase.index(text.upper()), options)
    raise UserError(f"the gold {str(written)[:60]!r} is not one of the {len(options)} options")


def _in_range(index: int, options: Sequence[str]) -> int | None:
    if index == -1:  # many datasets write an unknown gold as -1
        return None
    if not 0 <= index < len(options):
        raise UserError(f"the gold {index} is out of range: there are {len(options)} options")
    return index


def open_item(probe: str, text: str, gold: str) -> Item:
    """Make an item without options: the gold and everything else; chance is 0."""
    return checked(Item(probe=probe, form="choice", text=text or "?", options=(gold.strip() or "?", OPEN), answer=0))


def checked(item: Item) -> Item:
    """Check an item, and return it."""
    check_item(item)
    return item


def probe_name_of(task: str) -> str:
    """Return the name of a probe from the name of a task.

    >>> probe_name_of("mmlu/anatomy 2")
    'mmlu-anatomy-2'
    """
    return re.sub(r"[^A-Za-z0-9._-]+", "-", task).strip("-._") or "log"


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
            body = orjson.dumps([sample.scores, sample.parsed, sample.reply, sample.why])
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
        rows = self.base.execute("select place from items where task = ? and id = ?", (sample.task, sample.item.id))
        return int(rows.fetchone()[0])

    @property
    def parts(self) -> Mapping[tuple[str, str, str], int]:
        """Model, task and prompt format → its number in the database."""
        return self._parts

    def facets(self, task: str) -> Columns:
        return self._facets[task]
