"""Judgements from the database: those that are not retracted, by salted codes."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import select

from horsesense.annotate.judgements import CollectedJudgements
from horsesense.annotate.server import database_tables as tables
from horsesense.annotate.server.database import reading
from horsesense.annotate.server.participants import ANNOTATOR, WITHDRAWN
from horsesense.annotate.server.served_study import ServedStudy, open_study
from horsesense.annotate.study import ITEMS
from horsesense.core import Judgement, read_probe

_items, _people, _judgements = tables.items.c, tables.people.c, tables.judgements.c


def standing_judgements(served: ServedStudy, purpose: str = "item") -> list[Judgement]:
    """Return the judgements that were not retracted, in the order in which they were given."""
    retracted = tables.retractions.c.judgement
    query = (
        select(
            *(_items.key, _people.code, _judgements.value, _judgements.reason),
            *(_judgements.round, _judgements.number, _judgements.at),
        )
        .join_from(tables.judgements, tables.items)
        .join(tables.people, _people.id == _judgements.person)
        .outerjoin(tables.retractions, retracted == _judgements.id)
        .where(_items.purpose == purpose, retracted.is_(None))
        .order_by(_judgements.id)
    )
    with reading(served.engine) as connection:
        rows = connection.execute(query).all()
    return [
        Judgement(row.key, row.code, served.instrument.name, row.value, row.reason, row.round, row.number, _iso(row.at))
        for row in rows
    ]


def _iso(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")


def read_study_judgements(folder: Path) -> CollectedJudgements:
    """Read the judgements of a served study."""
    served = open_study(folder)
    try:
        judgements = tuple(standing_judgements(served))
        retracted = tables.retractions.c
        with reading(served.engine) as connection:
            kinds = connection.scalars(select(retracted.kind)).all()
            wanted = connection.execute(select(_items.key, _items.wanted).where(_items.purpose == "item")).all()
            invited = connection.scalars(
                select(_people.code).where(_people.role == ANNOTATOR, _people.state != WITHDRAWN)
            ).all()
            waiting = connection.execute(
                select(_items.key, _people.code)
                .join_from(tables.leases, tables.items)
                .join(tables.people, _people.id == tables.leases.c.person)
                .where(tables.leases.c.state == "open", _items.purpose == "item")
            ).all()
    finally:
        served.engine.dispose()
    notes = {f"{kind} judgements": kinds.count(kind) for kind in dict.fromkeys(kinds)}
    scales = {item: task.scale for item, task in served.tasks["item"].items()}
    probe = read_probe(folder / ITEMS)
    open_tasks = tuple((row.key, row.code) for row in waiting)
    targets = {row.key: row.wanted for row in wanted}
    return CollectedJudgements(served.instrument, judgements, open_tasks, scales, notes, probe, targets, tuple(invited))
