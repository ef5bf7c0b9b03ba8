"""Leaving, revoked links and withdrawal; leased items are released."""

from __future__ import annotations

from sqlalchemy import Connection, delete, select, update

from horsesense.annotate.server import database_tables as tables
from horsesense.annotate.server.database import writing
from horsesense.annotate.server.participants import WITHDRAWN, find_person, locked, note, retract
from horsesense.annotate.server.queue import ANSWERED, ITEM, RELEASED, open_lease, release, settle
from horsesense.annotate.server.served_study import ServedStudy

_items, _leases, _judgements = tables.items.c, tables.leases.c, tables.judgements.c


def leave(served: ServedStudy, person: int, session: str) -> None:
    """Leave for now, and release the leased item."""
    with writing(served.engine) as connection:
        _put_down(connection, served, locked(connection, person).id)
        connection.execute(delete(tables.sessions).where(tables.sessions.c.key == session))


def revoke(served: ServedStudy, names: list[str]) -> None:
    """Revoke personal links and their sessions; the judgements stay."""
    with writing(served.engine) as connection:
        for name in names:
            person = locked(connection, find_person(connection, name).id)
            _put_down(connection, served, person.id)
            _shut_out(connection, person.id)
            note(connection, served, "revoked", person.id)


def _put_down(connection: Connection, served: ServedStudy, person: int) -> None:
    current = open_lease(connection, person)
    if current is not None:
        release(connection, served, current)


def _shut_out(connection: Connection, person: int) -> None:
    connection.execute(update(tables.people).where(tables.people.c.id == person).values(token=None))
    connection.execute(delete(tables.sessions).where(tables.sessions.c.person == person))


def withdraw(served: ServedStudy, name: str, reason: str = "") -> int:
    """Withdraw a person's judgements, revoke their link, ask others, and return the number of judgements."""
    with writing(served.engine) as connection:
        person = locked(connection, find_person(connection, name).id)
        _put_down(connection, served, person.id)
        retracted = tables.retractions.c.judgement
        rows = connection.execute(
            select(_judgements.id, _judgements.item, _judgements.lease, _items.purpose)
            .join_from(tables.judgements, tables.items)
            .outerjoin(tables.retractions, retracted == _judgements.id)
            .where(_judgements.person == person.id, retracted.is_(None))
            .order_by(_judgements.item)
        ).all()
        for row in rows:
            retract(connection, served, row.id, "withdrawn")
            lease = update(tables.leases).where(_leases.key == row.lease, _leases.state == ANSWERED)
            connection.execute(lease.values(state=RELEASED))
            if row.purpose == ITEM:
                fewer = update(tables.items).where(_items.id == row.item).values(answered=_items.answered - 1)
                connection.execute(fewer)
                if served.study.more:
                    settle(connection, served, row.item)
        gone = update(tables.people).where(tables.people.c.id == person.id).values(state=WITHDRAWN, answered=0)
        connection.execute(gone)
        _shut_out(connection, person.id)
        note(connection, served, "withdrawn", person.id, reason)
    return len(rows)
