"""A study that is served: settings, tasks in memory, and the database."""

from __future__ import annotations

import hashlib
import hmac
import random
import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from sqlalchemy import Connection, Engine, insert, select, text

from horsesense.annotate.database import tables
from horsesense.annotate.database.connections import open_database, reading, writing
from horsesense.annotate.instrument import Instrument
from horsesense.annotate.study import ATTENTION, GOLD, ITEMS, Picture, Study, answers_of, read_pictures, read_study
from horsesense.annotate.task import Task, tasks_of
from horsesense.core import Item, Probe, read_probe
from horsesense.data import sha256_of_file
from horsesense.errors import UserError

PURPOSES: Mapping[str, str] = {"item": ITEMS, "gold": GOLD, "attention": ATTENTION}
"""Purpose of items -> their file."""
_BATCH = 5000


@dataclass(frozen=True, slots=True)
class ServedStudy:
    """Everything that a request needs."""

    study: Study
    engine: Engine
    tasks: Mapping[str, Mapping[str, Task]]
    """By purpose and item."""
    answers: Mapping[str, Mapping[str, str]]
    """Answers of gold items and attention checks."""
    salt: bytes
    secret: bytes
    pictures: Mapping[str, tuple[Picture, ...]] = field(default_factory=dict)
    """By item."""
    clock: Callable[[], float] = time.time

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.engine.dispose()

    @property
    def instrument(self) -> Instrument:
        return self.study.instrument

    def code(self, name: str) -> str:
        """Return the code of a person in exports: salted, so that names cannot be guessed."""
        return "p" + hmac.new(self.salt, name.encode(), hashlib.sha256).hexdigest()[:12]

    def completion(self, name: str) -> str:
        """Return the completion code for a platform: the study's, or a personal one."""
        return self.study.crowd.code or self.signed("completion", name)[:12].upper()

    def signed(self, *parts: str) -> str:
        """Return a signature that only servers of this study can make."""
        return hmac.new(self.secret, "\x1f".join(parts).encode(), hashlib.sha256).hexdigest()[:40]


def open_study(folder: Path, clock: Callable[[], float] = time.time) -> ServedStudy:
    """Read a study and open its database; items are loaded the first time."""
    study = read_study(folder)
    probes = {purpose: read_probe(folder / file) for purpose, file in PURPOSES.items() if (folder / file).is_file()}
    if "item" not in probes:
        raise UserError("the study has no items", file=folder / ITEMS, fix="make the study again")
    for section, purpose in (("qualification", "gold"), ("attention", "attention")):
        if getattr(study, section) is not None and purpose not in probes:
            raise UserError(
                f"the study has [{section}] and no items for it", file=folder / PURPOSES[purpose], fix="add them"
            )
    tasks = {
        purpose: {task.item: task for task in tasks_of(probe, study.instrument)} for purpose, probe in probes.items()
    }
    answers = {purpose: answers_of(probes[purpose], study.instrument) for purpose in probes if purpose != "item"}
    for purpose, known in answers.items():
        if missing := tasks[purpose].keys() - known.keys():
            raise UserError(
                f"the item {min(missing)} has no answer", file=folder / PURPOSES[purpose], fix="give it one"
            )
    engine = open_database(study.url)
    fingerprint = "-".join(sha256_of_file(folder / PURPOSES[purpose])[:16] for purpose in probes)
    salt, secret = _loaded(engine, study, probes, tasks, fingerprint)
    pictures = read_pictures(folder, probes)
    return ServedStudy(study, engine, tasks, answers, salt, secret, pictures, clock)


def _loaded(
    engine: Engine,
    study: Study,
    probes: Mapping[str, Probe],
    tasks: Mapping[str, Mapping[str, Task]],
    fingerprint: str,
) -> tuple[bytes, bytes]:
    column = tables.study.c
    query = select(column.fingerprint, column.salt, column.secret, column.version)
    row: Sequence[Any] | None
    with reading(engine) as connection:
        row = connection.execute(query).one_or_none()
    if row is None:
        with writing(engine) as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(text("SELECT pg_advisory_xact_lock(4817)"))
            # Another server may have loaded the items while this one waited.
            row = connection.execute(query).one_or_none() or _load(connection, study, probes, tasks, fingerprint)
    assert row is not None, "it was loaded just now"
    if row[3] != tables.VERSION:
        raise UserError(
            "the database was written by another version of horsesense",
            file=study.folder,
            fix="use that version, or make a new study",
        )
    if row[0] != fingerprint:
        raise UserError(
            "the items are not those that the database was made with",
            file=study.folder,
            fix="put the files back, or make a new study",
        )
    return bytes(row[1]), bytes(row[2])


def _load(
    connection: Connection,
    study: Study,
    probes: Mapping[str, Probe],
    tasks: Mapping[str, Mapping[str, Task]],
    fingerprint: str,
) -> tuple[str, bytes, bytes, int]:
    for purpose, probe in probes.items():
        rows = list(_rows(study, purpose, probe, tasks[purpose]))
        for first in range(0, len(rows), _BATCH):
            connection.execute(insert(tables.items), rows[first : first + _BATCH])
    salt, secret = secrets.token_bytes(32), secrets.token_bytes(32)
    values = {"version": tables.VERSION, "fingerprint": fingerprint, "salt": salt, "secret": secret, "paused": False}
    connection.execute(insert(tables.study).values(id=1, **values))
    return fingerprint, salt, secret, tables.VERSION


def _rows(study: Study, purpose: str, probe: Probe, tasks: Mapping[str, Task]) -> Iterator[dict[str, object]]:
    queues: dict[str, str] = {}
    for item in probe.items:
        queues.setdefault(item.id if study.instrument.unit == "item" else item.family, _queue(item, study.queue))
    # Neighbours in a probe are often of one family; nobody should get them in a row.
    indices = random.Random(study.seed).sample(range(len(tasks)), len(tasks))
    counts = {"held": 0, "answered": 0, "round": 1, "wanted": study.per_item if purpose == "item" else 0}
    for index, key in zip(indices, tasks, strict=True):
        yield {"key": key, "purpose": purpose, "place": index, "queue": queues[key]} | counts


def _queue(item: Item, name: str) -> str:
    if not name:
        return ""
    return str(item.facets.get(name, item.groups.get(name, "")))
