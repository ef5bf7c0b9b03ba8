"""The database of a study: SQLite in the folder, or PostgreSQL by its address. Commits reach the disk first."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock
from sqlalchemy import Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError

from horsesense.annotate.database.tables import metadata
from horsesense.data import disk_errors
from horsesense.errors import UserError

_BUSY_SECONDS = 30


def open_database(url: str) -> Engine:
    """Open an engine whose commits are on disk when they return; create the tables the first time."""
    try:
        kind = make_url(url).get_backend_name()
    except ArgumentError:
        raise UserError("the address of the database cannot be read", fix="write postgresql://user@host/name") from None
    if kind not in ("sqlite", "postgresql"):
        raise UserError(f"databases of the kind {kind} are not supported", fix="use PostgreSQL, or none for SQLite")
    engine = _sqlite(url) if kind == "sqlite" else _postgresql(url)
    try:
        _create_tables(engine)
    except DBAPIError as error:
        # The address may contain a password, so only the database's own message is shown.
        raise UserError(
            f"the database does not open: {str(error.orig).strip().splitlines()[0]}", fix="check it and its address"
        ) from None
    return engine


def _sqlite(url: str) -> Engine:
    path = Path(make_url(url).database or "")
    with disk_errors(path):
        # Created here, so that other users of the machine cannot read answers or hashes.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    engine = create_engine(
        url, connect_args={"timeout": _BUSY_SECONDS}, pool_size=8, max_overflow=32, hide_parameters=True
    )
    # SQLite has one writer at a time; waiting here is fair, waiting in SQLite is not.
    engine.dialect.writer = threading.Lock()  # type: ignore[attr-defined]  # kept with the engine it belongs to

    @event.listens_for(engine, "connect")
    def _settings(connection: Any, _: object) -> None:
        connection.isolation_level = None  # transactions begin where we say so, not at the first write
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", f"busy_timeout={_BUSY_SECONDS}000"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN" if connection.get_execution_options().get("reading") else "BEGIN IMMEDIATE")

    return engine


def _postgresql(url: str) -> Engine:
    return create_engine(
        url,
        pool_size=8,
        max_overflow=32,
        pool_pre_ping=True,
        hide_parameters=True,
        connect_args={"options": "-c synchronous_commit=on -c timezone=UTC", "connect_timeout": 5},
    )


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """A write transaction; it is on disk when the block ends."""
    lock = getattr(engine.dialect, "writer", None)
    if lock is None:
        with engine.begin() as connection:
            yield connection
        return
    with lock, engine.begin() as connection:
        yield connection


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """A read transaction."""
    with engine.connect().execution_options(reading=True) as connection, connection.begin():
        yield connection


def _create_tables(engine: Engine) -> None:
    with reading(engine) as connection:
        if inspect(connection).has_table("study"):
            return
    if engine.dialect.name == "sqlite":
        with FileLock(f"{engine.url.database}.lock"), writing(engine) as connection:
            metadata.create_all(connection)
        return
    with writing(engine) as connection:
        # Two servers may start at the same moment.
        connection.execute(text("SELECT pg_advisory_xact_lock(4816)"))
        metadata.create_all(connection)
