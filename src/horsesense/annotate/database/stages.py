"""Studies that follow each other in a pipeline: count answers, close and reopen tasks, and carry people over."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import func, insert, select, update

from horsesense.annotate.database import tables
from horsesense.annotate.database.connections import reading, writing
from horsesense.annotate.database.participants import WORKING
from horsesense.annotate.database.served_study import ServedStudy, open_study
from horsesense.annotate.judgements import StudyCounts

_items = tables.items.c


@dataclass(frozen=True, slots=True)
class StudyStages:
    """What a server needs to know of a pipeline whose studies follow each other."""

    current: Callable[[], Path | None]
    """Returns the current study; None if all is done."""
    prepare: Callable[[], None]
    """Prepares the next stage."""
    enough: float = 1.0
    """Share of the target answers that is enough."""


def count_answers(served: ServedStudy) -> StudyCounts:
    """Count tasks and answers."""
    query = select(func.count(), func.sum(_items.wanted), func.sum(_items.answered))
    with reading(served.engine) as connection:
        tasks, wanted, answered = connection.execute(query.where(_items.purpose == "item", _items.wanted > 0)).one()
        people = connection.scalars(select(tables.people.c.code).where(tables.people.c.answered > 0)).all()
    return StudyCounts(int(tasks), int(wanted or 0), int(answered or 0), frozenset(people))


def keep_open(served: ServedStudy, current: Collection[str]) -> None:
    """Close tasks that are no longer asked and reopen those that are; judgements stay."""
    with writing(served.engine) as connection:
        for row in connection.execute(select(_items.id, _items.key, _items.wanted, _items.held, _items.answered)).all():
            wanted = served.study.per_item if row.key in current else row.held + row.answered
            wanted = max(wanted, row.held + row.answered)
            if wanted != row.wanted:
                connection.execute(update(tables.items).where(_items.id == row.id).values(wanted=wanted))


def carry_people(before: Path, after: Path) -> None:
    """Copy people, their links and their cookies from one study to the next; their codes stay the same."""
    with open_study(before) as old, open_study(after) as new:
        with reading(old.engine) as connection:
            people = connection.execute(select(tables.people)).mappings().all()
            sessions = connection.execute(select(tables.sessions)).mappings().all()
            joins = connection.execute(select(tables.joins)).mappings().all()
        with writing(new.engine) as connection:
            known = set(connection.scalars(select(tables.people.c.name)))
            if not known:
                connection.execute(update(tables.study).values(salt=old.salt, secret=old.secret))
            total = connection.scalar(select(func.count()).where(_items.purpose == "item")) or 1
            for person in people:
                if person["name"] in known:
                    continue
                fresh = {"id": None, "answered": 0, "since_attention": 0, "start": person["start"] % total}
                state = WORKING if person["state"] == "new" else person["state"]
                values = {**person, **fresh, "queue": "", "state": state}
                del values["id"]
                added = connection.execute(insert(tables.people).values(values).returning(tables.people.c.id))
                number = added.scalar_one()
                own = [{**each, "person": number} for each in sessions if each["person"] == person["id"]]
                if own:
                    connection.execute(insert(tables.sessions), own)
            have = set(connection.scalars(select(tables.joins.c.token)))
            links = [{key: each[key] for key in each if key != "id"} for each in joins if each["token"] not in have]
            if links:
                connection.execute(insert(tables.joins), links)
