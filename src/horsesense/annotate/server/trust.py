"""Who may go on: gold items before the work, attention items within it."""

from __future__ import annotations

from sqlalchemy import Connection, select, update

from horsesense.annotate.gold import held_against
from horsesense.annotate.server import tables
from horsesense.annotate.server.people import FAILED, STOPPED, WORKING, Person, note
from horsesense.annotate.server.served import Served
from horsesense.records import Judgement

_items, _judgements = tables.items.c, tables.judgements.c


def known_answers(connection: Connection, served: Served, person: int, purpose: str) -> list[Judgement]:
    """What a person answered to items whose answer is known."""
    retracted = tables.retractions.c.judgement
    rows = connection.execute(
        select(_items.key, _judgements.value)
        .join_from(tables.judgements, tables.items)
        .outerjoin(tables.retractions, retracted == _judgements.id)
        .where(_judgements.person == person, _items.purpose == purpose, retracted.is_(None))
    )
    return [Judgement(row.key, str(person), served.instrument.name, row.value) for row in rows]


def look_at_gold(connection: Connection, served: Served, person: Person) -> None:
    """After the last gold item a person is qualified or not."""
    given = known_answers(connection, served, person.id, "gold")
    gold, threshold = served.answers["gold"], served.study.qualification
    if threshold is None or len(given) < len(gold):
        return
    result = held_against(given, gold, served.tasks["gold"], served.instrument, threshold)
    state = WORKING if result.passed else FAILED
    connection.execute(update(tables.people).where(tables.people.c.id == person.id).values(state=state))
    kappa = "none" if result.kappa is None else f"{result.kappa:.3f}"
    told = f"kappa {kappa}, accuracy {result.accuracy:.3f}" + (f": {result.reason}" if result.reason else "")
    note(connection, served, "qualified" if result.passed else "not qualified", person.id, told)


def look_at_attention(connection: Connection, served: Served, person: Person) -> None:
    """Whoever misses too many attention items is stopped; what they said stays until it is withdrawn."""
    attention = served.study.attention
    given = known_answers(connection, served, person.id, "attention")
    if attention is None or len(given) < attention.after:
        return
    right = sum(each.value == served.answers["attention"][each.item] for each in given)
    if right / len(given) < attention.accuracy:
        connection.execute(update(tables.people).where(tables.people.c.id == person.id).values(state=STOPPED))
        note(connection, served, "stopped", person.id, f"{right} of {len(given)} attention items right")
