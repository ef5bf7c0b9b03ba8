"""Progress of a study: overall, by item and over time. Fast enough to read from the database at every request."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import case, func, select

from horsesense.annotate.database import tables
from horsesense.annotate.database.connections import reading
from horsesense.annotate.database.participants import WORKING, Person
from horsesense.annotate.database.served_study import ServedStudy
from horsesense.annotation_server.queue import ANSWERED

WIDTH, HEIGHT = 600, 120
"""Of the curve, in its own units."""
_POINTS = 200
"""More would not be seen."""
DONE = "done"
UNNEEDED = "nothing left"
"""State of a person for whom no question is left."""
_HOUR, _DAY = 3600, 24 * 3600
_items, _judgements, _leases = tables.items.c, tables.judgements.c, tables.leases.c


@dataclass(frozen=True, slots=True)
class StudyProgress:
    """Progress of a study."""

    items: int
    done: int
    """Items with all their judgements."""
    wanted: int
    answered: int
    held: int
    """Leased items, counted once per person."""
    escalated: int
    """Items for which more people are asked."""
    by_answers: Mapping[int, int]
    """Number of items by number of judgements, from 0."""


@dataclass(frozen=True, slots=True)
class OverTime:
    """When judgements came in."""

    first: str
    """Time of the first one, UTC."""
    last: str
    points: str
    """The curve of all so far, as the points of an SVG line; it goes from the first judgement to now."""
    last_hour: int
    last_day: int
    total: int


def study_progress(served: ServedStudy) -> StudyProgress:
    """Count items by state."""
    column = _items.answered
    with reading(served.engine) as connection:
        row = connection.execute(
            select(
                func.count(),
                func.coalesce(func.sum(case((column >= _items.wanted, 1), else_=0)), 0),
                func.coalesce(func.sum(_items.wanted), 0),
                func.coalesce(func.sum(column), 0),
                func.coalesce(func.sum(_items.held), 0),
                func.coalesce(func.sum(case((_items.wanted > served.study.per_item, 1), else_=0)), 0),
            ).where(_items.purpose == "item")
        ).one()
        counted = connection.execute(
            select(column, func.count()).where(_items.purpose == "item").group_by(column).order_by(column)
        ).all()
    counts = {int(answers): int(number) for answers, number in counted}
    every = range(max(served.study.per_item, *counts, 0) + 1)
    items, done, wanted, answered, held, escalated = map(int, row)
    by_answers = {answers: counts.get(answers, 0) for answers in every}
    return StudyProgress(items, done, wanted, answered, held, escalated, by_answers)


MOST_OPEN = 50
"""Open items that are listed."""


def open_items(served: ServedStudy) -> list[dict[str, Any]]:
    """Return rows of items with missing judgements, those with the fewest first."""
    query = (
        select(_items.key, _items.answered, _items.wanted, _items.held)
        .where(_items.purpose == "item", _items.answered < _items.wanted)
        .order_by(_items.answered, _items.place)
        .limit(MOST_OPEN)
    )
    with reading(served.engine) as connection:
        rows = connection.execute(query).all()
    tasks = served.tasks["item"]
    return [{**row._mapping, "question": tasks[row.key].question} for row in rows]


def over_time(served: ServedStudy) -> OverTime | None:
    """Return the times of judgements that were not retracted; None if there are none."""
    query = tables.standing(_judgements.at).where(_items.purpose == "item").order_by(_judgements.at)
    with reading(served.engine) as connection:
        times = list(connection.scalars(query))
    if not times:
        return None
    now = max(served.clock(), times[-1])
    return OverTime(
        first=format_time(times[0]),
        last=format_time(times[-1]),
        points=_curve(times, now),
        last_hour=sum(at > now - _HOUR for at in times),
        last_day=sum(at > now - _DAY for at in times),
        total=len(times),
    )


def _curve(times: Sequence[float], now: float) -> str:
    """Return the cumulative number of judgements as points of an SVG line."""
    begin, span = times[0], max(now - times[0], 1.0)
    step = max(1, len(times) // _POINTS)
    seen = sorted({*range(0, len(times), step), len(times) - 1})
    places = [((times[place] - begin) / span, (place + 1) / len(times)) for place in seen]
    line = [(0.0, 0.0), *places, (1.0, 1.0)]
    return " ".join(f"{WIDTH * x:.1f},{HEIGHT * (1 - y):.1f}" for x, y in line)


def format_time(at: float) -> str:
    """Format a time.

    >>> format_time(0.0)
    '1970-01-01 00:00:00 UTC'
    """
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def finished(served: ServedStudy, people: Sequence[Person]) -> set[int]:
    """Return the people for whom no question is left."""
    wanting = (_items.purpose == "item", _items.answered < _items.wanted)
    with reading(served.engine) as connection:
        by_queue = select(_items.queue, func.count()).where(*wanting).group_by(_items.queue)
        left: dict[str, int] = {row[0]: row[1] for row in connection.execute(by_queue)}
        seen = (
            select(_leases.person, func.count())
            .join_from(tables.leases, tables.items)
            .where(*wanting, _leases.state == ANSWERED)
            .group_by(_leases.person)
        )
        own: dict[int, int] = {row[0]: row[1] for row in connection.execute(seen)}
    limit, every = served.study.max_items, sum(left.values())
    done = set()
    for person in people:
        open_to = (left.get(person.queue, 0) if person.queue else every) - own.get(person.id, 0)
        if person.state == WORKING and (open_to <= 0 or (limit and person.answered >= limit)):
            done.add(person.id)
    return done


def state_of(person: Person, done: Collection[int]) -> str:
    """Return the state of a person, or that nothing is left for them."""
    return (DONE if person.answered else UNNEEDED) if person.id in done else person.state
