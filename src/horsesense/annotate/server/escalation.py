"""Two agree and it is done; otherwise more people are asked (rica.txt, 3.2)."""

from __future__ import annotations

from sqlalchemy import Connection, select, update

from horsesense.analysis.people.adjudication import find_rule
from horsesense.annotate.server import tables
from horsesense.annotate.server.queue import asked_in
from horsesense.annotate.server.served import Served

_items, _judgements = tables.items.c, tables.judgements.c


def settle(connection: Connection, served: Served, item: int) -> None:
    """Set how many judgements an item wants, by the votes that stand.

    Once more people are at work on it the target stays: what they were asked for is not thrown away. Where the rule
    tells rounds apart these are the people of the second, however many are left of the first.
    """
    study = served.study
    row = connection.execute(
        select(_items.key, _items.wanted, _items.held, _items.answered).where(_items.id == item).with_for_update()
    ).one()
    # Only some rules tell a second round from the first; for the others all votes are of one.
    rounds = find_rule(study.instrument.rule).rounds
    if row.held + row.answered > study.judgements or (rounds and asked_in(connection, item, 2)):
        return
    votes = connection.scalars(standing(item)).all()
    abstentions = served.tasks["item"][row.key].scale.abstentions
    settled = len(set(votes)) <= 1 and not set(votes) & set(abstentions)
    split = len(votes) >= study.judgements and not settled
    again = 2 if split and rounds else 1
    wanted = study.judgements + study.more if split else study.judgements
    connection.execute(update(tables.items).where(_items.id == item).values(wanted=wanted, round=again))


def standing(item: int):  # type: ignore[no-untyped-def]  # the type of a select of one column is longer than it
    """The values of an item that nobody took back."""
    retracted = tables.retractions.c.judgement
    return (
        select(_judgements.value)
        .outerjoin(tables.retractions, retracted == _judgements.id)
        .where(_judgements.item == item, retracted.is_(None))
        .order_by(_judgements.id)
    )
