"""The queue: who judges what next. A leased item counts as judged, so that no target is exceeded.

Two agree and an item is done; otherwise more people are asked (Zhou et al. 2021, section 3.2). People who leave or
withdraw release their items.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import BindParameter, ColumnElement, Connection, bindparam, delete, exists, func, insert, select, update

from horsesense.annotate.database import tables
from horsesense.annotate.database.connections import writing
from horsesense.annotate.database.participants import (
    NEW,
    WITHDRAWN,
    WORKING,
    Person,
    find_person,
    locked,
    new_token,
    note,
    retract,
)
from horsesense.annotate.database.served_study import ServedStudy
from horsesense.stats.raters.adjudication import find_rule

ITEM, GOLD, ATTENTION = "item", "gold", "attention"
OPEN, ANSWERED, RELEASED, UNDONE = "open", "answered", "released", "undone"

_items, _leases, _judgements = tables.items.c, tables.leases.c, tables.judgements.c


@dataclass(frozen=True, slots=True)
class Lease:
    """An item that is leased to a person."""

    key: str
    item: int
    """Its row in the database."""
    name: str
    """Its id in the probe."""
    purpose: str
    state: str
    round: int
    number: int
    """Position in the person's own sequence, from 1."""
    taken: float
    expires: float


_COLUMNS = (
    *(_leases.key, _leases.item, _items.key.label("name"), _items.purpose),
    *(_leases.state, _leases.round, _leases.number, _leases.taken, _leases.expires),
)


def _lease_of(row: Sequence[Any] | None) -> Lease | None:
    return None if row is None else Lease(*row)


_PERSON, _ITEM = _leases.person == bindparam("person_"), _items.id == bindparam("item_")
_JOINED = select(*_COLUMNS).join_from(tables.leases, tables.items)
_OWN = _JOINED.where(_leases.key == bindparam("key_"), _PERSON)
_IN_HAND = _JOINED.where(_PERSON, _leases.state == OPEN)
_NUMBER = select(func.max(_leases.number)).where(_PERSON, _leases.state == ANSWERED)
_PAUSED = select(tables.study.c.paused)
_ROOM = _items.held + _items.answered < _items.wanted
_TAKE = update(tables.items).where(_ITEM, _ROOM).values(held=_items.held + 1)
_GO_ON = update(tables.people).where(tables.people.c.id == bindparam("person_")).values(start=bindparam("start_"))
_LEASE = insert(tables.leases)
# The condition is written as in the index, or SQLite would not use the index.
_ASKED = select(func.count()).where(
    _leases.item == bindparam("item_"), _leases.round == bindparam("round_"), tables.LIVE
)


def own_lease(connection: Connection, person: int, key: str) -> Lease | None:
    """Return a lease by its key, if it is this person's."""
    return _lease_of(connection.execute(_OWN, {"key_": key, "person_": person}).first())


def open_lease(connection: Connection, person: int) -> Lease | None:
    """Return the person's current lease."""
    return _lease_of(connection.execute(_IN_HAND, {"person_": person}).first())


def hold(connection: Connection, served: ServedStudy, person: Person) -> Lease | None:
    """Return the person's current lease, renewed, or a new one."""
    lease = open_lease(connection, person.id)
    if lease is None:
        return take(connection, served, person)
    now, whole = served.clock(), served.study.lease_minutes * 60
    if lease.expires < now + whole / 2:
        connection.execute(update(tables.leases).where(_leases.key == lease.key).values(expires=now + whole))
    return lease


def take(connection: Connection, served: ServedStudy, person: Person, wait: bool = True) -> Lease | None:
    """Lease the next item to a person; None if there is none.

    Without ``wait`` a row that another server has locked is skipped, since a caller that already holds a lock must not
    wait for a second one.
    """
    if person.paused or connection.scalar(_PAUSED):
        return None
    if person.state == NEW:
        return _take_known(connection, served, person, GOLD)
    if person.state != WORKING:
        return None
    if served.study.max_items and person.answered >= served.study.max_items:
        return None
    if _attention_is_due(served, person):
        lease = _take_known(connection, served, person, ATTENTION)
        if lease is not None:
            return lease
    return _take_item(connection, served, person, wait)


def _attention_is_due(served: ServedStudy, person: Person) -> bool:
    attention = served.study.attention
    if attention is None:
        return False
    # Not exactly every tenth: people would notice the pattern.
    draw = random.Random(f"{served.study.seed} {person.id} {person.answered - person.since_attention}")
    return person.since_attention >= draw.randint(
        (attention.every + 1) // 2, attention.every + attention.every // 2 - 1
    )


def not_yet(person: int | BindParameter[int]) -> ColumnElement[bool]:
    """The condition that the person has no active lease of the item."""
    return ~exists().where(_leases.item == _items.id, _leases.person == person, _leases.state.in_((OPEN, ANSWERED)))


def _take_known(connection: Connection, served: ServedStudy, person: Person, purpose: str) -> Lease | None:
    """Return a gold item or attention check; these are for everybody, and have no target."""
    rows = connection.execute(
        select(_items.id, _items.key, _items.round).where(_items.purpose == purpose, not_yet(person.id))
    ).all()
    if not rows:
        return None
    row = random.Random(f"{served.study.seed} {person.id} {len(rows)}").choice(sorted(rows))
    return lease_out(connection, served, person, row.id, row.key, purpose, row.round)


_MINE = [_items.purpose == ITEM, _ROOM, not_yet(bindparam("person_"))]
_WANTED = {False: _MINE, True: [*_MINE, _items.queue == bindparam("queue_")]}
"""What a person can be given, without a queue and with one."""
_NEXT = select(_items.id, _items.key, _items.round, _items.place).order_by(_items.place).limit(1)
_ANY_LEFT = {queued: select(func.count()).where(*wanted) for queued, wanted in _WANTED.items()}
_HALVES = {
    (queued, wait): tuple(
        _NEXT.where(*wanted, half).with_for_update(skip_locked=not wait)
        for half in (_items.place >= bindparam("start_"), _items.place < bindparam("start_"))
    )
    for queued, wanted in _WANTED.items()
    for wait in (False, True)
}
"""From where the person is to the end, then from the beginning."""


def asked_in(connection: Connection, item: int, round: int) -> int:
    """Return how many people have answered or leased an item in a round."""
    return connection.scalar(_ASKED, {"item_": item, "round_": round}) or 0


def round_with_room(connection: Connection, served: ServedStudy, item: int, round: int) -> int:
    """Return the round in which an item is asked, up to ``round``.

    A vote of the first round that was withdrawn leaves its place there: put into the second, its replacement would
    give that round a vote too many. The caller has locked the item.
    """
    return 1 if round > 1 and asked_in(connection, item, 1) < served.study.per_item else round


def _take_item(connection: Connection, served: ServedStudy, person: Person, wait: bool) -> Lease | None:
    asked = {"person_": person.id, "start_": person.start, "queue_": person.queue}
    # Another server may fill a row between reading and locking it; then the next one is tried.
    for _ in range(50 if wait else 1):
        for half in _HALVES[bool(person.queue), wait]:
            row = connection.execute(half, asked).first()
            if row is None:
                continue
            if connection.execute(_TAKE, {"item_": row.id}).rowcount:
                connection.execute(_GO_ON, {"person_": person.id, "start_": row.place + 1})
                round = round_with_room(connection, served, row.id, row.round)
                return lease_out(connection, served, person, row.id, row.key, ITEM, round)
        if not wait or not connection.scalar(_ANY_LEFT[bool(person.queue)], asked):
            return None
    return None


def lease_out(
    connection: Connection, served: ServedStudy, person: Person, item: int, name: str, purpose: str, round: int
) -> Lease:
    """Add a lease; the caller updates the item's counts."""
    now = served.clock()
    number = connection.scalar(_NUMBER, {"person_": person.id})
    ends = now + served.study.lease_minutes * 60
    lease = Lease(new_token(), item, name, purpose, OPEN, round, (number or 0) + 1, now, ends)
    values = {"key": lease.key, "item": item, "person": person.id, "state": OPEN, "round": round}
    connection.execute(_LEASE, values | {"number": lease.number, "taken": now, "expires": ends})
    return lease


def release(connection: Connection, served: ServedStudy, lease: Lease) -> None:
    """Release a leased item.

    When nobody is left of the second round, and of the first a vote was withdrawn, there is no dispute any more.
    """
    put_back = update(tables.leases).where(_leases.key == lease.key, _leases.state == OPEN).values(state=RELEASED)
    if not connection.execute(put_back).rowcount or lease.purpose != ITEM:
        return
    connection.execute(update(tables.items).where(_items.id == lease.item).values(held=_items.held - 1))
    if lease.round > 1 and not asked_in(connection, lease.item, lease.round):
        first = served.study.per_item
        undisputed = update(tables.items).where(_items.id == lease.item, _items.answered < first)
        connection.execute(undisputed.values(wanted=first, round=1))


def sweep(served: ServedStudy) -> int:
    """Release expired leases, and return their number."""
    late = _JOINED.where(_leases.state == OPEN, _leases.expires < served.clock()).order_by(_leases.item)
    with writing(served.engine) as connection:
        expired = connection.execute(late.with_for_update(of=tables.leases, skip_locked=True)).all()
        for row in expired:
            release(connection, served, Lease(*row))
    return len(expired)


def settle(connection: Connection, served: ServedStudy, item: int) -> None:
    """Set the target number of judgements of an item by its current votes.

    Once further people work on it, the target stays, so that their work is not discarded. Where the rule distinguishes
    rounds, these are the people of the second round, however many are left of the first.
    """
    study = served.study
    row = connection.execute(
        select(_items.key, _items.wanted, _items.held, _items.answered).where(_items.id == item).with_for_update()
    ).one()
    # Only some rules distinguish rounds; for the others all votes are of one round.
    rounds = find_rule(study.instrument.rule).rounds
    if row.held + row.answered > study.per_item or (rounds and asked_in(connection, item, 2)):
        return
    votes = connection.scalars(tables.standing(_judgements.value).where(_judgements.item == item)).all()
    abstentions = served.tasks["item"][row.key].scale.abstentions
    settled = len(set(votes)) <= 1 and not set(votes) & set(abstentions)
    split = len(votes) >= study.per_item and not settled
    again = 2 if split and rounds else 1
    wanted = study.per_item + study.extra if split else study.per_item
    connection.execute(update(tables.items).where(_items.id == item).values(wanted=wanted, round=again))


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
        query = tables.standing(_judgements.id, _judgements.item, _judgements.lease, _items.purpose)
        rows = connection.execute(query.where(_judgements.person == person.id).order_by(_judgements.item)).all()
        for row in rows:
            retract(connection, served, row.id, "withdrawn")
            lease = update(tables.leases).where(_leases.key == row.lease, _leases.state == ANSWERED)
            connection.execute(lease.values(state=RELEASED))
            if row.purpose == ITEM:
                fewer = update(tables.items).where(_items.id == row.item).values(answered=_items.answered - 1)
                connection.execute(fewer)
                if served.study.extra:
                    settle(connection, served, row.item)
        gone = update(tables.people).where(tables.people.c.id == person.id).values(state=WITHDRAWN, answered=0)
        connection.execute(gone)
        _shut_out(connection, person.id)
        note(connection, served, "withdrawn", person.id, reason)
    return len(rows)
