"""Participants: invitations, pauses and tokens."""

from __future__ import annotations

import hashlib
import random
import secrets
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, insert, select, update

from horsesense.annotate.database import tables
from horsesense.annotate.database.connections import reading, writing
from horsesense.annotate.database.served_study import ServedStudy
from horsesense.errors import UserError, argument, unknown

ANNOTATOR, RESEARCHER = "annotator", "researcher"
NEW, WORKING, FAILED, STOPPED, WITHDRAWN = "new", "working", "failed", "stopped", "withdrawn"

BYTES = 24
"""192 bits: too many to guess, so a plain hash is safe to store."""
_MARKS = "._@:+-'’"
_LONGEST = 80


def is_name(text: str) -> bool:
    """Whether a name is valid: letters and digits of any script, some punctuation, and single spaces inside.

    >>> is_name("Zoë Ü"), is_name("हिन्दी"), is_name("a@b.org"), is_name(" ann"), is_name("<b>"), is_name("")
    (True, True, True, False, False, False)
    """
    fits = all(each in _MARKS or unicodedata.category(each)[0] in "LMN" for word in text.split(" ") for each in word)
    return fits and all(text.split(" ")) and len(text) <= _LONGEST


def new_token() -> str:
    """Make a token for a link."""
    return secrets.token_urlsafe(BYTES)


def hashed(token: str) -> str:
    """Return the hash of a token, which is all that is stored of it.

    >>> len(hashed("anything"))
    64
    """
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class Person:
    """One person of a study."""

    id: int
    name: str
    code: str
    """Code in exports."""
    role: str
    state: str
    """``new`` until qualified, then ``working``; ``failed`` the qualification, ``stopped`` by attention items, or
    ``withdrawn``."""
    paused: bool
    queue: str
    """The queue whose items they get; empty: any."""
    start: int
    """The position in the order of items at which they continue."""
    answered: int
    since_attention: int
    """Answers since the last attention check."""


COLUMNS = tuple(tables.people.c[name] for name in Person.__slots__)


def person_of(row: Sequence[Any]) -> Person:
    """Make a person from the first columns of a row."""
    return Person(*row[: len(COLUMNS)])


def find_person(connection: Connection, name: str) -> Person:
    """Return a person by name or code, or raise an error."""
    column = tables.people.c
    row = connection.execute(select(*COLUMNS).where((column.name == name) | (column.code == name))).first()
    if row is None:
        raise unknown("person of this study", name, connection.scalars(select(column.name)))
    return person_of(row)


# Statements that run for every answer are built once: building them takes longer than running them.
_LOCKED = select(*COLUMNS).where(tables.people.c.id == bindparam("person")).with_for_update()


def locked(connection: Connection, person: int) -> Person:
    """Return a person, locked until the transaction ends."""
    return person_of(connection.execute(_LOCKED, {"person": person}).one())


def retract(connection: Connection, served: ServedStudy, judgement: int, kind: str) -> None:
    """Add a retraction to the log: ``undone`` by the person, or ``withdrawn`` by the researcher."""
    at = served.clock()
    checksum = tables.row_checksum(judgement, kind, at)
    connection.execute(insert(tables.retractions).values(judgement=judgement, kind=kind, at=at, checksum=checksum))


def note(connection: Connection, served: ServedStudy, kind: str, person: int | None = None, detail: str = "") -> None:
    """Add an event to the log."""
    connection.execute(insert(tables.events).values(at=served.clock(), kind=kind, person=person, detail=detail))


def add_person(
    connection: Connection, served: ServedStudy, name: str, role: str = ANNOTATOR, queue: str = ""
) -> tuple[int, str]:
    """Add a person and return the token of their personal link, which is not stored."""
    if not is_name(name):
        raise UserError(
            f"the name {name!r} is not usable",
            fix=f"use letters, digits, single spaces and {' '.join(_MARKS)}, {_LONGEST} at most",
        )
    if queue and not connection.scalar(select(func.count()).where(tables.items.c.queue == queue)):
        known = set(connection.scalars(select(tables.items.c.queue))) - {""}
        raise unknown("queue", queue, known)
    token = new_token()
    total = connection.scalar(select(func.count()).where(tables.items.c.purpose == "item")) or 1
    values = {
        "name": name,
        "code": served.code(name),
        "role": role,
        "state": NEW if served.study.qualification else WORKING,
        "paused": False,
        "queue": queue,
        "start": random.Random(f"{served.study.seed} {name}").randrange(total),
        "answered": 0,
        "since_attention": 0,
        "token": hashed(token),
    }
    person = connection.execute(insert(tables.people).values(values).returning(tables.people.c.id)).scalar_one()
    note(connection, served, "invited", person, role)
    return person, token


def invite(
    served: ServedStudy, names: list[str], role: str = ANNOTATOR, queue: str = "", renew: bool = False
) -> list[str]:
    """Return a token for each name; a known name is an error unless its link is renewed."""
    column, tokens = tables.people.c, []
    with writing(served.engine) as connection:
        for name in names:
            query = select(column.id, column.state).where(column.name == name)
            # Not even asked about a name that cannot be one: PostgreSQL raises an error at a NUL.
            known = connection.execute(query).first() if is_name(name) else None
            if known is None:
                tokens.append(add_person(connection, served, name, role, queue)[1])
                continue
            if not renew:
                raise UserError(
                    f"{name} is invited already", fix=f"give a new link with {argument('renew')}; the old one then ends"
                )
            if known.state == WITHDRAWN:
                raise UserError(f"the work of {name} was withdrawn", fix="invite them under another name")
            token = new_token()
            connection.execute(update(tables.people).where(column.id == known.id).values(token=hashed(token)))
            connection.execute(delete(tables.sessions).where(tables.sessions.c.person == known.id))
            note(connection, served, "invited again", known.id)
            tokens.append(token)
    return tokens


def pause(served: ServedStudy, names: list[str], paused: bool = True) -> None:
    """Pause or resume people or, without names, the study; a stopped person can continue when resumed."""
    kind = "paused" if paused else "resumed"
    with writing(served.engine) as connection:
        if not names:
            connection.execute(update(tables.study).values(paused=paused))
            note(connection, served, kind)
        for name in names:
            person = find_person(connection, name)
            if person.state == WITHDRAWN:
                raise UserError(f"the work of {name} was withdrawn", fix="invite them under another name")
            state = WORKING if not paused and person.state in (STOPPED, FAILED) else person.state
            values = {"paused": paused, "state": state}
            connection.execute(update(tables.people).where(tables.people.c.id == person.id).values(values))
            note(connection, served, kind, person.id, "" if state == person.state else f"was {person.state}")


def all_people(served: ServedStudy) -> list[Person]:
    """Return all people by name."""
    with reading(served.engine) as connection:
        return [person_of(row) for row in connection.execute(select(*COLUMNS).order_by(tables.people.c.name))]
