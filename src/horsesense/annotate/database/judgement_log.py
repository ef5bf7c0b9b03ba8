"""Judgements from the database: those that are not retracted, by salted codes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import func, select

from horsesense.annotate.database import tables
from horsesense.annotate.database.connections import reading
from horsesense.annotate.database.participants import ANNOTATOR, WITHDRAWN
from horsesense.annotate.database.served_study import ServedStudy, open_study
from horsesense.annotate.judgements import CollectedJudgements
from horsesense.annotate.study import ITEMS
from horsesense.core import Judgement, read_probe
from horsesense.errors import UserError

_items, _people, _judgements = tables.items.c, tables.people.c, tables.judgements.c


def standing_judgements(served: ServedStudy) -> list[Judgement]:
    """Return the judgements that were not retracted, in the order in which they were given; refuse damaged rows."""
    rows, damaged = _checked_rows(served)
    if damaged:
        fix = "restore the database from a backup, since original and changed answers cannot be distinguished"
        raise UserError(f"{damaged[0]} does not match its checksum", file=served.study.folder, fix=fix)
    return [
        Judgement(row.key, row.code, served.instrument.name, row.value, row.reason, row.round, row.number, _iso(row.at))
        for row in rows
        if row.purpose == "item" and row.retracted is None
    ]


def check_rows(folder: Path) -> tuple[int, list[str]]:
    """Return how many rows of a study's log are intact, and names of those that do not match their checksums."""
    with open_study(folder) as served:
        rows, damaged = _checked_rows(served)
    retracted = sum(row.retracted is not None for row in rows)
    return len(rows) + retracted - len(damaged), damaged


def _checked_rows(served: ServedStudy) -> tuple[Sequence[Any], list[str]]:
    """Return all judgements with their retractions, and names of the rows that do not match their checksums."""
    gone = tables.retractions.c
    query = (
        select(
            *(_items.key, _items.purpose, _people.code, _judgements.value, _judgements.reason),
            *(_judgements.round, _judgements.number, _judgements.at, _judgements.id, _judgements.checksum),
            *(
                gone.judgement.label("retracted"),
                gone.kind,
                gone.at.label("gone"),
                gone.checksum.label("gone_sum"),
            ),
        )
        .join_from(tables.judgements, tables.items)
        .join(tables.people, _people.id == _judgements.person)
        .outerjoin(tables.retractions, gone.judgement == _judgements.id)
        .order_by(_judgements.id)
    )
    with reading(served.engine) as connection:
        rows = connection.execute(query).all()
        total = connection.execute(select(func.count()).select_from(tables.judgements)).scalar_one()
    damaged = []
    for row in rows:
        stated = (row.key, row.code, row.value, row.reason, row.round, row.number, row.at)
        if row.checksum != tables.row_checksum(*stated):
            damaged.append(f"judgement {row.id} (of {row.code} on {row.key})")
        if row.retracted is not None and row.gone_sum != tables.row_checksum(row.retracted, row.kind, row.gone):
            damaged.append(f"the retraction of judgement {row.id}")
    if total != len(rows):  # a flipped key leaves a judgement without its item or its person
        damaged.append(f"one of {total:,} judgements, which names an item or a person that is not in the study,")
    return rows, damaged


def _iso(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")


def read_study_judgements(folder: Path) -> CollectedJudgements:
    """Read the judgements of a served study."""
    with open_study(folder) as served:
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
    notes = {f"{kind} judgements": kinds.count(kind) for kind in dict.fromkeys(kinds)}
    scales = {item: task.scale for item, task in served.tasks["item"].items()}
    probe = read_probe(folder / ITEMS)
    open_tasks = tuple((row.key, row.code) for row in waiting)
    targets = {row.key: row.wanted for row in wanted}
    return CollectedJudgements(served.instrument, judgements, open_tasks, scales, notes, probe, targets, tuple(invited))
