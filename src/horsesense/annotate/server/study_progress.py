"""How far a study has come: in all, item by item, and over time. Read from the database at every look: it is quick."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import case, func, select

from horsesense.annotate.server import database_tables as tables
from horsesense.annotate.server.database import reading
from horsesense.annotate.server.participants import WORKING, Person
from horsesense.annotate.server.queue import ANSWERED
from horsesense.annotate.server.served_study import Served

WIDTH, HEIGHT = 600, 120
"""Of the curve, in its own units."""
_POINTS = 200
"""More would not be seen."""
DONE = "done"
UNNEEDED = "nothing left"
"""Of somebody for whom others have left no question."""
_HOUR, _DAY = 3600, 24 * 3600
_items, _judgements, _leases = tables.items.c, tables.judgements.c, tables.leases.c


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the study has come."""

    items: int
    done: int
    """Items that have all the judgements they want."""
    wanted: int
    answered: int
    held: int
    """Items that are with somebody now, counted once a person."""
    escalated: int
    """Items for which more people are asked."""
    by_answers: Mapping[int, int]
    """How many items have so many judgements, from none."""


@dataclass(frozen=True, slots=True)
class OpenItem:
    """An item that still wants judgements."""

    item: str
    question: str
    answered: int
    wanted: int
    held: int


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


def progress_of(served: Served) -> Progress:
    """The counts of the queue."""
    column = _items.answered
    with reading(served.engine) as connection:
        row = connection.execute(
            select(
                func.count(),
                func.coalesce(func.sum(case((column >= _items.wanted, 1), else_=0)), 0),
                func.coalesce(func.sum(_items.wanted), 0),
                func.coalesce(func.sum(column), 0),
                func.coalesce(func.sum(_items.held), 0),
                func.coalesce(func.sum(case((_items.wanted > served.study.judgements, 1), else_=0)), 0),
            ).where(_items.purpose == "item")
        ).one()
        counted = connection.execute(
            select(column, func.count()).where(_items.purpose == "item").group_by(column).order_by(column)
        ).all()
    found = {int(answers): int(number) for answers, number in counted}
    every = range(max(served.study.judgements, *found, 0) + 1)
    items, done, wanted, answered, held, escalated = map(int, row)
    by_answers = {answers: found.get(answers, 0) for answers in every}
    return Progress(items, done, wanted, answered, held, escalated, by_answers)


def open_items(served: Served, most: int = 50) -> list[OpenItem]:
    """Items that want more judgements, those with the fewest first."""
    query = (
        select(_items.key, _items.answered, _items.wanted, _items.held)
        .where(_items.purpose == "item", _items.answered < _items.wanted)
        .order_by(_items.answered, _items.place)
        .limit(most)
    )
    with reading(served.engine) as connection:
        rows = connection.execute(query).all()
    tasks = served.tasks["item"]
    return [OpenItem(row.key, tasks[row.key].question, row.answered, row.wanted, row.held) for row in rows]


def over_time(served: Served) -> OverTime | None:
    """The judgements that stand, by when they were given; None where there are none."""
    retracted = tables.retractions.c.judgement
    query = (
        select(_judgements.at)
        .join_from(tables.judgements, tables.items)
        .outerjoin(tables.retractions, retracted == _judgements.id)
        .where(_items.purpose == "item", retracted.is_(None))
        .order_by(_judgements.at)
    )
    with reading(served.engine) as connection:
        times = list(connection.scalars(query))
    if not times:
        return None
    now = max(served.clock(), times[-1])
    return OverTime(
        first=told_time(times[0]),
        last=told_time(times[-1]),
        points=_curve(times, now),
        last_hour=sum(at > now - _HOUR for at in times),
        last_day=sum(at > now - _DAY for at in times),
        total=len(times),
    )


def _curve(times: Sequence[float], now: float) -> str:
    """The number of judgements so far, from the first to now, as points of a line; the top is all of them."""
    begin, span = times[0], max(now - times[0], 1.0)
    step = max(1, len(times) // _POINTS)
    seen = sorted({*range(0, len(times), step), len(times) - 1})
    places = [((times[place] - begin) / span, (place + 1) / len(times)) for place in seen]
    line = [(0.0, 0.0), *places, (1.0, 1.0)]
    return " ".join(f"{WIDTH * x:.1f},{HEIGHT * (1 - y):.1f}" for x, y in line)


def told_time(at: float) -> str:
    """A time for people to read.

    >>> told_time(0.0)
    '1970-01-01 00:00:00 UTC'
    """
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def finished(served: Served, people: Sequence[Person]) -> set[int]:
    """For whom nothing is left: they, or others, have answered it all, or they as much as one person may."""
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
    limit, every = served.study.limit, sum(left.values())
    done = set()
    for person in people:
        open_to = (left.get(person.queue, 0) if person.queue else every) - own.get(person.id, 0)
        if person.state == WORKING and (open_to <= 0 or (limit and person.answered >= limit)):
            done.add(person.id)
    return done


def state_told(person: Person, done: Collection[int]) -> str:
    """How far a person is, for the researcher: their state, or that nothing is left for them."""
    return (DONE if person.answered else UNNEEDED) if person.id in done else person.state
