"""Store answers: check, write once, count, and decide what follows for the item and the person."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, bindparam, insert, select, update
from sqlalchemy.exc import IntegrityError

from horsesense.annotate.database import tables
from horsesense.annotate.database.connections import writing
from horsesense.annotate.database.participants import (
    FAILED,
    NEW,
    STOPPED,
    WITHDRAWN,
    WORKING,
    Person,
    locked,
    note,
    retract,
)
from horsesense.annotate.database.served_study import ServedStudy
from horsesense.annotate.study import compare_with_gold
from horsesense.annotate.task import Task
from horsesense.annotation_server.queue import (
    ANSWERED,
    ATTENTION,
    GOLD,
    ITEM,
    OPEN,
    RELEASED,
    UNDONE,
    Lease,
    lease_out,
    open_lease,
    own_lease,
    release,
    round_with_room,
    settle,
    take,
)
from horsesense.core import Judgement

_items, _leases, _judgements, _people = tables.items.c, tables.leases.c, tables.judgements.c, tables.people.c

_WRITE = insert(tables.judgements)
_MARK = update(tables.leases).where(_leases.key == bindparam("key_")).values(state=ANSWERED, round=bindparam("round_"))
_OF_ITEM, _OF_PERSON = _items.id == bindparam("item_"), _people.id == bindparam("person_")
_COUNT = update(tables.items).where(_OF_ITEM).values(answered=_items.answered + 1, held=_items.held - 1)
_ROOM = _items.held + _items.answered < _items.wanted
_ROUND = select(_items.round).where(_OF_ITEM).with_for_update()
_COUNT_LATE = update(tables.items).where(_OF_ITEM, _ROOM).values(answered=_items.answered + 1)
_ATTENDED = update(tables.people).where(_OF_PERSON).values(since_attention=0)
_ONE_MORE = (
    update(tables.people)
    .where(_OF_PERSON)
    .values(answered=_people.answered + 1, since_attention=_people.since_attention + 1)
)
_LAST = (
    select(_judgements.id, _judgements.lease, _items.purpose, tables.retractions.c.judgement.label("retracted"))
    .join_from(tables.judgements, tables.items)
    .outerjoin(tables.retractions, tables.retractions.c.judgement == _judgements.id)
    .where(_judgements.person == bindparam("person_"))
    .order_by(_judgements.id.desc())
    .limit(1)
)

Check = Callable[[Task], tuple[str, str]]
"""Returns the answer to a task and its reason, or raises a UserError."""


class RejectedAnswerError(Exception):
    """An answer that cannot be accepted: of another person, or too late."""

    def __init__(self, status: int, why: str) -> None:
        self.status, self.why = status, why
        super().__init__(why)


def submit(served: ServedStudy, person: int, key: str, check: Check) -> Lease:
    """Store an answer; it is on disk when this returns, and the same answer again changes nothing."""
    with writing(served.engine) as connection:
        who = locked(connection, person)
        lease = own_lease(connection, person, key)
        if lease is None:
            raise RejectedAnswerError(403, "This question is not yours to answer.")
        task = served.tasks[lease.purpose][lease.name]
        value, reason = check(task)
        if lease.state == ANSWERED:
            _same_again(connection, lease, value, reason)
            return lease
        if who.state in (STOPPED, WITHDRAWN):
            raise RejectedAnswerError(403, "No more answers can be taken.")
        if lease.state == UNDONE:
            raise RejectedAnswerError(409, "You took this answer back; please answer the question as it is shown now.")
        lease = replace(lease, round=_round(connection, served, lease))
        _count(connection, lease)
        _write(connection, served, who, lease, value, reason)
        _follow_up(connection, served, who, lease)
        if lease.state == OPEN:
            # The next item in the same commit: one write to disk per answer.
            take(connection, served, locked(connection, person), wait=False)
    return lease


def _same_again(connection: Connection, lease: Lease, value: str, reason: str) -> None:
    stored = connection.execute(
        select(_judgements.value, _judgements.reason).where(_judgements.lease == lease.key)
    ).one()
    if (stored.value, stored.reason) != (value, reason):
        raise RejectedAnswerError(
            409, "You answered this question already, and otherwise; take the answer back to change it."
        )


def _round(connection: Connection, served: ServedStudy, lease: Lease) -> int:
    """Return the round in which an answer counts; the round of a late answer may have been filled since."""
    if lease.state != RELEASED or lease.purpose != ITEM:
        return lease.round
    return round_with_room(
        connection, served, lease.item, connection.execute(_ROUND, {"item_": lease.item}).scalar_one()
    )


def _count(connection: Connection, lease: Lease) -> None:
    """Count a leased item as answered; an expired lease counts if the item still needs answers."""
    try:
        connection.execute(_MARK, {"key_": lease.key, "round_": lease.round})
    except IntegrityError:
        raise RejectedAnswerError(
            409, "You were given this question again; please answer it as it is shown now."
        ) from None
    if lease.purpose != ITEM:
        return
    if not connection.execute(_COUNT_LATE if lease.state == RELEASED else _COUNT, {"item_": lease.item}).rowcount:
        raise RejectedAnswerError(409, "The time for this question had run out, and others have answered it since.")


def _write(connection: Connection, served: ServedStudy, who: Person, lease: Lease, value: str, reason: str) -> None:
    values = {"lease": lease.key, "item": lease.item, "person": who.id, "value": value, "reason": reason}
    values |= {"round": lease.round, "number": lease.number, "asked": lease.taken, "at": served.clock()}
    stated = (lease.name, who.code, value, reason, lease.round, lease.number, values["at"])
    values["checksum"] = tables.row_checksum(*stated)
    connection.execute(_WRITE, values)
    if lease.purpose != GOLD:
        connection.execute(_ONE_MORE if lease.purpose == ITEM else _ATTENDED, {"person_": who.id})


def _follow_up(connection: Connection, served: ServedStudy, who: Person, lease: Lease) -> None:
    if lease.purpose == GOLD and who.state == NEW:
        look_at_gold(connection, served, who)
    elif lease.purpose == ATTENTION:
        look_at_attention(connection, served, who)
    elif lease.purpose == ITEM and served.study.extra:
        settle(connection, served, lease.item)


def last_answer(connection: Connection, person: Person) -> Any:
    """Return the answer that a person can retract: the last one, once, unless it decided their qualification."""
    row = connection.execute(_LAST, {"person_": person.id}).first()
    if row is None or row.retracted is not None or (row.purpose == GOLD) != (person.state == NEW):
        return None
    return None if person.state in (STOPPED, WITHDRAWN) else row


def undo(served: ServedStudy, person: int) -> None:
    """Retract the last answer and show its question again; the log has both."""
    with writing(served.engine) as connection:
        who = locked(connection, person)
        last = last_answer(connection, who)
        if last is None:
            raise RejectedAnswerError(409, "There is no answer to take back.")
        current = open_lease(connection, person)
        if current is not None:
            _put_back(connection, served, who, current)
        lease = own_lease(connection, person, last.lease)
        assert lease is not None, "a judgement has a lease of the same person"
        connection.execute(update(tables.leases).where(_leases.key == lease.key).values(state=UNDONE))
        retract(connection, served, last.id, "undone")
        if lease.purpose == ITEM:
            moved = {"answered": _items.answered - 1, "held": _items.held + 1}
            connection.execute(update(tables.items).where(_items.id == lease.item).values(moved))
            fewer = {"answered": _people.answered - 1, "since_attention": max(who.since_attention - 1, 0)}
            connection.execute(update(tables.people).where(_people.id == person).values(fewer))
        lease_out(connection, served, who, lease.item, lease.name, lease.purpose, lease.round)
        if lease.purpose == ITEM and served.study.extra:
            settle(connection, served, lease.item)
        note(connection, served, "undone", person, str(last.id))


def _put_back(connection: Connection, served: ServedStudy, who: Person, lease: Lease) -> None:
    """Keep the next item next."""
    release(connection, served, replace(lease, state=OPEN))
    if lease.purpose == ITEM:
        place = select(_items.place).where(_items.id == lease.item).scalar_subquery()
        connection.execute(update(tables.people).where(_people.id == who.id).values(start=place))


def known_answers(connection: Connection, served: ServedStudy, person: int, purpose: str) -> list[Judgement]:
    """Return a person's answers to gold items."""
    query = tables.standing(_items.key, _judgements.value)
    rows = connection.execute(query.where(_judgements.person == person, _items.purpose == purpose))
    return [Judgement(row.key, str(person), served.instrument.name, row.value) for row in rows]


def look_at_gold(connection: Connection, served: ServedStudy, person: Person) -> None:
    """Decide the qualification after the last gold item."""
    answers = known_answers(connection, served, person.id, "gold")
    gold, threshold = served.answers["gold"], served.study.qualification
    if threshold is None or len(answers) < len(gold):
        return
    result = compare_with_gold(answers, gold, served.tasks["gold"], served.instrument, threshold)
    state = WORKING if result.passed else FAILED
    connection.execute(update(tables.people).where(tables.people.c.id == person.id).values(state=state))
    kappa = "none" if result.kappa is None else f"{result.kappa:z.3f}"
    detail = f"kappa {kappa}, accuracy {result.accuracy:.3f}" + (f": {result.reason}" if result.reason else "")
    note(connection, served, "qualified" if result.passed else "not qualified", person.id, detail)


def look_at_attention(connection: Connection, served: ServedStudy, person: Person) -> None:
    """Stop a person who fails too many attention checks; their judgements stay until they are withdrawn."""
    attention = served.study.attention
    answers = known_answers(connection, served, person.id, "attention")
    if attention is None or len(answers) < attention.after:
        return
    right = sum(each.value == served.answers["attention"][each.item] for each in answers)
    if right / len(answers) < attention.accuracy:
        connection.execute(update(tables.people).where(tables.people.c.id == person.id).values(state=STOPPED))
        note(connection, served, "stopped", person.id, f"{right} of {len(answers)} attention checks right")
