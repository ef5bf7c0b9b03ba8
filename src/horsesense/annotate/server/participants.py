"""Who takes part: invitations, pauses, and the secrets that people hold."""

from __future__ import annotations

import hashlib
import random
import secrets
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, insert, select, update

from horsesense.annotate.server import database_tables as tables
from horsesense.annotate.server.database import reading, writing
from horsesense.annotate.server.served_study import Served
from horsesense.errors import UserError, argument, unknown

ANNOTATOR, RESEARCHER = "annotator", "researcher"
NEW, WORKING, FAILED, STOPPED, WITHDRAWN = "new", "working", "failed", "stopped", "withdrawn"

BYTES = 24
"""192 bits: nobody guesses one, so that a plain hash is enough to keep it by."""
_MARKS = "._@:+-'’"
_LONGEST = 80


def is_name(text: str) -> bool:
    """Whether a person may be called so: letters and digits of any script, some marks, and single spaces inside.

    >>> is_name("Zoë Ü"), is_name("हिन्दी"), is_name("a@b.org"), is_name(" ann"), is_name("<b>"), is_name("")
    (True, True, True, False, False, False)
    """
    fits = all(each in _MARKS or unicodedata.category(each)[0] in "LMN" for word in text.split(" ") for each in word)
    return fits and all(text.split(" ")) and len(text) <= _LONGEST


def new_token() -> str:
    """A token that can stand in a link."""
    return secrets.token_urlsafe(BYTES)


def hashed(token: str) -> str:
    """What is kept of a token.

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
    """What they are called in exports."""
    role: str
    state: str
    """``new`` until qualified, then ``working``; ``failed`` the qualification, ``stopped`` by attention items, or
    ``withdrawn``."""
    paused: bool
    queue: str
    """The only queue whose items they get; empty: any."""
    start: int
    """The place in the order of items at which they go on."""
    answered: int
    since_attention: int
    """Answers since the last attention item."""


COLUMNS = tuple(tables.people.c[name] for name in Person.__slots__)


def person_of(row: Sequence[Any]) -> Person:
    """A person from the columns of a row; what stands after them is left alone."""
    return Person(*row[: len(COLUMNS)])


def find_person(connection: Connection, name: str) -> Person:
    """A person by name or by code; an unknown one is an error."""
    column = tables.people.c
    row = connection.execute(select(*COLUMNS).where((column.name == name) | (column.code == name))).first()
    if row is None:
        raise unknown("person of this study", name, connection.scalars(select(column.name)))
    return person_of(row)


# Statements of every answer are put together once: putting them together takes longer than running them.
_LOCKED = select(*COLUMNS).where(tables.people.c.id == bindparam("person")).with_for_update()


def locked(connection: Connection, person: int) -> Person:
    """A person, and nobody else may change what hangs on them until the transaction ends."""
    return person_of(connection.execute(_LOCKED, {"person": person}).one())


def note(connection: Connection, served: Served, kind: str, person: int | None = None, detail: str = "") -> None:
    """Write down what happened."""
    connection.execute(insert(tables.events).values(at=served.clock(), kind=kind, person=person, detail=detail))


def add_person(
    connection: Connection, served: Served, name: str, role: str = ANNOTATOR, queue: str = ""
) -> tuple[int, str]:
    """A new person and the token of their personal link; the token is not kept."""
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


def invite(served: Served, names: list[str], role: str = ANNOTATOR, queue: str = "", renew: bool = False) -> list[str]:
    """A token for each name. A name that is there already is refused, unless it is to get a new link."""
    column, tokens = tables.people.c, []
    with writing(served.engine) as connection:
        for name in names:
            known = connection.execute(select(column.id, column.state).where(column.name == name)).first()
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


def pause(served: Served, names: list[str], paused: bool = True) -> None:
    """Pause or resume people; without names, the study. One who was stopped goes on where they are resumed."""
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


def all_people(served: Served) -> list[Person]:
    """Everybody, in order of names."""
    with reading(served.engine) as connection:
        return [person_of(row) for row in connection.execute(select(*COLUMNS).order_by(tables.people.c.name))]
