"""A study's database under faults: made, people invited, every item answered; in a file, and in PostgreSQL.

Of PostgreSQL it is the client that is under faults: the n-th thing that it sends does not arrive, or it is killed there.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.faults.harness import Case

SQLITE, POSTGRESQL = "server's database", "PostgreSQL"
_ASKED = {
    "people": "SELECT name FROM people ORDER BY name",
    "items": "SELECT count(*) FROM items",
    "held": "SELECT sum(held) FROM items",
    "answered": "SELECT answered, count(*) FROM items GROUP BY answered",
    "judgements": "SELECT count(*) FROM judgements",
}


def sqlite_study() -> Case:
    return Case(SQLITE, _carried_out, _in_sqlite)


def postgresql_study(address: str) -> Case:
    """Each folder has a database of its own on the server at an address."""
    import psycopg

    def prepare(folder: Path) -> None:
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{folder.name}"')

    def own(folder: Path) -> str:
        return address.replace("/postgres?", f"/{folder.name}?")

    def run(folder: Path) -> None:
        os.environ["HORSESENSE_DATABASE"] = own(folder)
        try:
            _carried_out(folder)
        finally:
            del os.environ["HORSESENSE_DATABASE"]

    def tree(folder: Path) -> Mapping[str, str]:
        with psycopg.connect(own(folder)) as connection:
            return {name: str(connection.execute(asked).fetchall()) for name, asked in _ASKED.items()}

    return Case(POSTGRESQL, run, tree, lambda folder: folder.name, prepare)


def _carried_out(folder: Path) -> None:
    from horsesense.annotate.database.participants import invite
    from horsesense.annotate.database.served_study import open_study
    from horsesense.annotate.instrument import find_instrument
    from horsesense.annotate.study import Study, make_study
    from horsesense.errors import UserError
    from tests.support.judged_probes import choices

    place = folder / "study"
    if not (place / "study.toml").is_file():
        make_study(place, choices(3), "choice", Study(place, find_instrument("choice"), per_item=1))
    served = open_study(place, lambda: 1_800_000_000.0)
    try:
        for name in ("ann", "ben"):
            try:
                invite(served, [name])
            except UserError as error:
                if "already" not in str(error):
                    raise
        for name in ("ann", "ben"):
            _answer_all(served, name)
    finally:
        served.engine.dispose()


def _answer_all(served: Any, name: str) -> None:
    from horsesense.annotate.database.connections import reading, writing
    from horsesense.annotate.database.participants import find_person, locked
    from horsesense.annotation_server.answering import submit
    from horsesense.annotation_server.queue import hold

    with reading(served.engine) as connection:
        who = find_person(connection, name).id
    while True:
        with writing(served.engine) as connection:
            lease = hold(connection, served, locked(connection, who))
        if lease is None:
            return
        submit(served, who, lease.key, lambda task: ("0", ""))


def _in_sqlite(folder: Path) -> Mapping[str, str]:
    with closing(sqlite3.connect(f"file:{folder}/study/study.sqlite?mode=ro", uri=True)) as connection:
        found = {name: str(connection.execute(asked).fetchall()) for name, asked in _ASKED.items()}
        return found | {"sound": str(connection.execute("PRAGMA integrity_check").fetchone())}
