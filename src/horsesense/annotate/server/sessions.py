"""Who is asking: the cookie that a personal link is exchanged for."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, delete, insert, select

from horsesense.annotate.server import tables
from horsesense.annotate.server.database import reading, writing
from horsesense.annotate.server.people import COLUMNS, Person, note, person_of
from horsesense.annotate.server.served import Served
from horsesense.annotate.server.tokens import hashed, new_token

DAYS = 14
COOKIE = "horsesense"


@dataclass(frozen=True, slots=True)
class Visitor:
    """A person who is in."""

    person: Person
    session: str
    """Hash of their cookie."""
    study_paused: bool

    def form(self, served: Served) -> str:
        """What a form of theirs must carry: another site cannot know it."""
        return served.signed("form", self.session)


def who_holds(served: Served, token: str) -> Person | None:
    """The person whose personal link this is. Looking does not use it up."""
    with reading(served.engine) as connection:
        row = connection.execute(select(*COLUMNS).where(tables.people.c.token == hashed(token))).first()
    return None if row is None else person_of(row)


def enter(served: Served, token: str) -> str | None:
    """Exchange a personal link for a cookie; the link stays good for the next browser."""
    with writing(served.engine) as connection:
        row = connection.execute(select(*COLUMNS).where(tables.people.c.token == hashed(token))).first()
        return None if row is None else new_session(connection, served, person_of(row).id)


def new_session(connection: Connection, served: Served, person: int) -> str:
    """A cookie for a person; cookies that have run out are forgotten."""
    now, cookie = served.clock(), new_token()
    connection.execute(delete(tables.sessions).where(tables.sessions.c.expires < now))
    ends = now + DAYS * 24 * 3600
    connection.execute(insert(tables.sessions).values(key=hashed(cookie), person=person, expires=ends))
    note(connection, served, "entered", person)
    return cookie


_VISITOR = (
    select(*COLUMNS, tables.study.c.paused.label("study_paused"))
    .join_from(tables.sessions, tables.people, tables.sessions.c.person == tables.people.c.id)
    .join(tables.study, tables.study.c.id == 1)
    .where(tables.sessions.c.key == bindparam("key_"), tables.sessions.c.expires > bindparam("now_"))
)


def visitor_with(served: Served, cookie: str) -> Visitor | None:
    """Who a cookie belongs to, if it is still good."""
    key = hashed(cookie)
    with reading(served.engine) as connection:
        row = connection.execute(_VISITOR, {"key_": key, "now_": served.clock()}).first()
    return None if row is None else Visitor(person_of(row), key, row.study_paused)
