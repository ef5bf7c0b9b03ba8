"""People at work in a served study, without pages: what the tests of its rules do."""

from __future__ import annotations

from collections import Counter

from sqlalchemy import select

from horsesense.annotate.database import tables
from horsesense.annotate.database.connections import reading, writing
from horsesense.annotate.database.judgement_log import standing_judgements
from horsesense.annotate.database.participants import find_person, locked
from horsesense.annotate.database.served_study import ServedStudy
from horsesense.annotation_server.answering import submit
from horsesense.annotation_server.queue import Lease, hold

COUNTS = (tables.items.c.wanted, tables.items.c.held, tables.items.c.answered)


def person(served: ServedStudy, name: str) -> int:
    """The row of somebody."""
    with reading(served.engine) as connection:
        return find_person(connection, name).id


def next_lease(served: ServedStudy, who: int) -> Lease | None:
    """What somebody has in hand, or gets."""
    with writing(served.engine) as connection:
        return hold(connection, served, locked(connection, who))


def say(served: ServedStudy, who: int, value: str) -> Lease:
    """Answer what is in hand."""
    lease = next_lease(served, who)
    assert lease is not None
    return submit(served, who, lease.key, lambda task: (value, ""))


def counts(served: ServedStudy) -> list[tuple[int, ...]]:
    """Wanted, held and answered of each item."""
    with reading(served.engine) as connection:
        return [tuple(row) for row in connection.execute(select(*COUNTS).where(tables.items.c.purpose == "item"))]


def log_agrees(served: ServedStudy) -> bool:
    """The counts of the queue are those of the log, brute force."""
    votes = Counter(each.item for each in standing_judgements(served))
    with reading(served.engine) as connection:
        rows = connection.execute(select(tables.items.c.key, *COUNTS).where(tables.items.c.purpose == "item")).all()
        out = Counter(
            connection.scalars(
                select(tables.items.c.key)
                .join_from(tables.leases, tables.items)
                .where(tables.leases.c.state == "open", tables.items.c.purpose == "item")
            )
        )
    return all((row.answered, row.held) == (votes[row.key], out[row.key]) for row in rows)
