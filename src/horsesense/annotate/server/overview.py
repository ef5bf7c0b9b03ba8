"""How a study stands: progress, agreement so far, slow and odd annotators, items in dispute."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from sqlalchemy import case, func, select

from horsesense.analysis.people.annotators import Annotator, Dispute, by_annotator, by_item
from horsesense.analysis.people.votes import votes_on_scale
from horsesense.annotate.instrument import NO_ONE_LABEL, WRITTEN
from horsesense.annotate.judgement_files import Collected
from horsesense.annotate.server import database_tables as tables
from horsesense.annotate.server.database import reading
from horsesense.annotate.server.judgement_log import standing_judgements
from horsesense.annotate.server.participants import ANNOTATOR, Person, all_people
from horsesense.annotate.server.served_study import Served
from horsesense.annotate.study_figures import Figure, agreement_figures
from horsesense.records import Judgement

RESAMPLES = 200
"""Enough for a look; annotate agreement takes more."""
_FEW = 10
"""Fewer answers say nothing of a person."""
_TIMES = 3
"""So many times slower or faster than the others is worth a look."""
_items, _judgements = tables.items.c, tables.judgements.c


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


@dataclass(frozen=True, slots=True)
class Standing:
    """One person and how they work."""

    person: Person
    seconds: float | None
    """Median time for an answer."""
    attention: str
    """Attention items right, of those answered."""
    beside: Annotator | None
    """The person beside the others; None where there is nothing to compare."""
    flags: Sequence[str]


@dataclass(frozen=True, slots=True)
class Overview:
    """All that the researcher's page shows."""

    progress: Progress
    figures: Sequence[Figure]
    people: Sequence[Standing]
    disputes: Sequence[tuple[Dispute, str]]
    """Items most in dispute, with their questions."""


def progress_of(served: Served) -> Progress:
    with reading(served.engine) as connection:
        row = connection.execute(
            select(
                func.count(),
                func.coalesce(func.sum(case((_items.answered >= _items.wanted, 1), else_=0)), 0),
                func.coalesce(func.sum(_items.wanted), 0),
                func.coalesce(func.sum(_items.answered), 0),
                func.coalesce(func.sum(_items.held), 0),
                func.coalesce(func.sum(case((_items.wanted > served.study.judgements, 1), else_=0)), 0),
            ).where(_items.purpose == "item")
        ).one()
    return Progress(*map(int, row))


def overview(served: Served, most: int = 20) -> Overview:
    """The whole page; it reads every judgement, so that it is not made for every request."""
    judgements = standing_judgements(served)
    tasks = served.tasks["item"]
    collected = Collected(served.instrument, tuple(judgements), (), {k: t.scale for k, t in tasks.items()}, {})
    written = served.instrument.kind in WRITTEN
    figures = [] if written or not judgements else agreement_figures(collected, RESAMPLES)
    beside, disputes = _closer(served, judgements)
    return Overview(
        progress_of(served),
        figures,
        _standings(served, beside),
        [(each, tasks[each.item].question) for each in disputes[:most]],
    )


def _closer(served: Served, judgements: Sequence[Judgement]) -> tuple[Mapping[str, Annotator], list[Dispute]]:
    if served.instrument.kind in NO_ONE_LABEL or not judgements:
        return {}, []
    votes = votes_on_scale(judgements, lambda item: served.tasks["item"][item].scale)
    if not votes.number:
        return {}, []
    ordered = all(task.scale.ordered for task in served.tasks["item"].values())
    persons = by_annotator(votes, "quadratic" if ordered else "none", resamples=RESAMPLES)
    return {each.annotator: each for each in persons}, [each for each in by_item(votes) if each.agree < 1]


def _standings(served: Served, beside: Mapping[str, Annotator]) -> list[Standing]:
    seconds, attention = _times(served), _attention(served)
    middle = median(list(seconds.values())) if seconds else 0.0
    agreed = [each.agrees for each in beside.values() if each.agrees is not None]
    usual = median(agreed) if agreed else 0.0
    standings = []
    for person in all_people(served):
        if person.role != ANNOTATOR:
            continue
        mine, time = beside.get(person.code), seconds.get(person.id)
        flags = _flags(person, mine, time, middle, usual, len(seconds))
        standings.append(Standing(person, time, attention.get(person.id, ""), mine, flags))
    return sorted(standings, key=lambda each: (-len(each.flags), each.person.name))


def _flags(
    person: Person, mine: Annotator | None, time: float | None, middle: float, usual: float, others: int
) -> list[str]:
    flags = ["paused"] if person.paused else []
    if person.answered >= _FEW and time is not None and others > 1:
        flags += ["slow"] * (time > _TIMES * middle) + ["fast"] * (time < middle / _TIMES)
    if mine is not None and mine.votes >= _FEW:
        flags += ["one answer only"] * (mine.favourite_share >= 0.95)
        if mine.agrees is not None and mine.shared >= _FEW:
            flags += ["differs"] * (mine.agrees < usual - 0.2)
    return flags


def _times(served: Served) -> dict[int, float]:
    with reading(served.engine) as connection:
        rows = connection.execute(
            select(_judgements.person, _judgements.at - _judgements.asked)
            .join_from(tables.judgements, tables.items)
            .where(_items.purpose == "item")
        ).all()
    times: dict[int, list[float]] = {}
    for person, taken in rows:
        times.setdefault(person, []).append(taken)
    return {person: median(taken) for person, taken in times.items()}


def _attention(served: Served) -> dict[int, str]:
    answers = served.answers.get("attention", {})
    with reading(served.engine) as connection:
        rows = connection.execute(
            select(_judgements.person, _items.key, _judgements.value)
            .join_from(tables.judgements, tables.items)
            .outerjoin(tables.retractions, tables.retractions.c.judgement == _judgements.id)
            .where(_items.purpose == "attention", tables.retractions.c.judgement.is_(None))
        ).all()
    right: dict[int, list[bool]] = {}
    for person, item, value in rows:
        right.setdefault(person, []).append(value == answers[item])
    return {person: f"{sum(hits)} of {len(hits)}" for person, hits in right.items()}
