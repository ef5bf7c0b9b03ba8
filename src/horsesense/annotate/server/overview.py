"""How the people of a study work: agreement so far, slow, hasty and odd annotators, items in dispute."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from sqlalchemy import select

from horsesense.annotate.instrument import NO_ONE_LABEL, WRITTEN
from horsesense.annotate.judgement_files import Collected
from horsesense.annotate.server import database_tables as tables
from horsesense.annotate.server.database import reading
from horsesense.annotate.server.judgement_log import standing_judgements
from horsesense.annotate.server.participants import ANNOTATOR, Person, all_people
from horsesense.annotate.server.served_study import Served
from horsesense.annotate.server.study_progress import finished, state_told
from horsesense.annotate.study_figures import Figure, agreement_figures
from horsesense.core import Judgement
from horsesense.stats.raters.annotators import Annotator, Dispute, by_annotator, by_item
from horsesense.stats.raters.votes import votes_on_scale

RESAMPLES = 200
"""Enough for a look; annotate agreement takes more."""
_FEW = 10
"""Fewer answers say nothing of a person."""
_TIMES = 3
"""So many times slower or faster than the others is worth a look."""
_HASTY = 0.1
"""So large a share of answers that are too quick is worth a look."""
_ALPHA = "alpha, "
"""Begins the names of the figures that a target is for: Krippendorff's."""
_items, _judgements = tables.items.c, tables.judgements.c


@dataclass(frozen=True, slots=True)
class VoteBar:
    """One answer to an item, and how many gave it."""

    text: str
    """As people read it."""
    votes: int
    share: float
    """Of all that were given to the item."""
    beside: bool
    """Whether it is none of the item's own answers: an objection, or no vote."""


@dataclass(frozen=True, slots=True)
class Disputed:
    """An item on which people differ."""

    item: str
    question: str
    bars: Sequence[VoteBar]
    """All answers that could be given, in their order, and what was said beside them."""
    agree: float
    """The share of pairs of its votes that agree."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One person and how they work."""

    person: Person
    state: str
    """As the person's, or ``done`` where nothing is left for them."""
    seconds: float | None
    """Median time for an answer."""
    hasty: int
    """Answers that took less time than the study's floor."""
    attention: str
    """Attention items right, of those answered."""
    beside: Annotator | None
    """The person beside the others; None where there is nothing to compare."""
    flags: Sequence[str]


@dataclass(frozen=True, slots=True)
class AgreementRow:
    """A figure of agreement, and how it stands to what the study aims at."""

    figure: Figure
    target: float | None
    """Only the figure that the study is held to has one."""
    told: str
    """``reached``, ``missed``, or ``open`` where the interval has the target in it; empty without a target."""


@dataclass(frozen=True, slots=True)
class Overview:
    """What takes long enough to work out that it is kept for a while."""

    at: float
    """When it was worked out."""
    figures: Sequence[AgreementRow]
    disputes: Sequence[Disputed]
    """Items most in dispute."""
    in_dispute: int
    """How many there are in all."""
    beside: Mapping[str, Annotator] = field(default_factory=dict)
    """By code, each person beside the others."""
    times: Mapping[int, Sequence[float]] = field(default_factory=dict)
    """By person, seconds for each answer."""
    attention: Mapping[int, str] = field(default_factory=dict)


def overview(served: Served, most: int = 20) -> Overview:
    """It reads every judgement, so that it is not made for every request."""
    judgements = standing_judgements(served)
    tasks = served.tasks["item"]
    collected = Collected(served.instrument, tuple(judgements), (), {k: t.scale for k, t in tasks.items()}, {})
    written = served.instrument.kind in WRITTEN
    figures = [] if written or not judgements else agreement_figures(collected, RESAMPLES)
    beside, disputes = _closer(served, judgements)
    return Overview(
        at=served.clock(),
        figures=_with_target(figures, served.study.agreement),
        disputes=_disputed(served, judgements, disputes[:most]),
        in_dispute=len(disputes),
        beside=beside,
        times=_times(served),
        attention=_attention(served),
    )


def _with_target(figures: Sequence[Figure], target: float) -> list[AgreementRow]:
    """The target is for alpha, the ordinal one where labels are a scale."""
    names = [each.name for each in figures if each.name.startswith(_ALPHA)]
    aimed = (f"{_ALPHA}ordinal" if f"{_ALPHA}ordinal" in names else f"{_ALPHA}nominal") if target else ""
    return [
        AgreementRow(each, target, _reached(each, target)) if each.name == aimed else AgreementRow(each, None, "")
        for each in figures
    ]


def _reached(figure: Figure, target: float) -> str:
    estimate = figure.estimate
    if math.isnan(estimate.low):
        return "open"
    return "reached" if estimate.low >= target else "missed" if estimate.high < target else "open"


def _closer(served: Served, judgements: Sequence[Judgement]) -> tuple[Mapping[str, Annotator], list[Dispute]]:
    if served.instrument.kind in NO_ONE_LABEL or not judgements:
        return {}, []
    votes = votes_on_scale(judgements, lambda item: served.tasks["item"][item].scale)
    if not votes.number:
        return {}, []
    ordered = all(task.scale.ordered for task in served.tasks["item"].values())
    persons = by_annotator(votes, "quadratic" if ordered else "none", resamples=RESAMPLES)
    return {each.annotator: each for each in persons}, [each for each in by_item(votes) if each.agree < 1]


def _disputed(served: Served, judgements: Sequence[Judgement], disputes: Sequence[Dispute]) -> list[Disputed]:
    """Votes by the texts that people read: letters of options mean nothing without them."""
    said: dict[str, Counter[str]] = {each.item: Counter() for each in disputes}
    for judgement in judgements:
        if judgement.item in said:
            said[judgement.item][judgement.value] += 1
    told, found = served.instrument.told, []
    for each in disputes:
        task, votes = served.tasks["item"][each.item], said[each.item]
        total = votes.total()
        answers = (*task.scale.labels, *(value for value in votes if value not in task.scale.labels))
        bars = [
            VoteBar(told.get(value, value), votes[value], votes[value] / total, value not in task.scale.labels)
            for value in answers
        ]
        found.append(Disputed(each.item, task.question, bars, each.agree))
    return found


def standings(served: Served, latest: Overview) -> list[Standing]:
    """Who takes part as of now, those to look at first; how they work as of the last overview."""
    everybody = [person for person in all_people(served) if person.role == ANNOTATOR]
    done = finished(served, everybody)
    seconds = {person: median(taken) for person, taken in latest.times.items()}
    middle = median(seconds.values()) if seconds else 0.0
    agreed = [each.agrees for each in latest.beside.values() if each.agrees is not None]
    usual = median(agreed) if agreed else 0.0
    floor = served.study.quick_seconds
    found = []
    for person in everybody:
        mine, time = latest.beside.get(person.code), seconds.get(person.id)
        taken = latest.times.get(person.id, ())
        hasty = sum(each < floor for each in taken)
        flags = ["paused"] if person.paused else []
        flags += ["too quick"] * (len(taken) >= _FEW and hasty >= _HASTY * len(taken))
        flags += _beside_others(person, mine, time, middle, usual, len(seconds))
        found.append(
            Standing(person, state_told(person, done), time, hasty, latest.attention.get(person.id, ""), mine, flags)
        )
    return sorted(found, key=lambda each: (-len(each.flags), each.person.name))


def _beside_others(
    person: Person, mine: Annotator | None, time: float | None, middle: float, usual: float, others: int
) -> list[str]:
    flags: list[str] = []
    if person.answered >= _FEW and time is not None and others > 1:
        flags += ["slow"] * (time > _TIMES * middle) + ["fast"] * (time < middle / _TIMES)
    if mine is not None and mine.votes >= _FEW:
        flags += ["one answer only"] * (mine.favourite_share >= 0.95)
        if mine.agrees is not None and mine.shared >= _FEW:
            flags += ["differs"] * (mine.agrees < usual - 0.2)
    return flags


def _times(served: Served) -> dict[int, list[float]]:
    with reading(served.engine) as connection:
        rows = connection.execute(
            select(_judgements.person, _judgements.at - _judgements.asked)
            .join_from(tables.judgements, tables.items)
            .where(_items.purpose == "item")
        ).all()
    times: dict[int, list[float]] = {}
    for person, taken in rows:
        times.setdefault(person, []).append(taken)
    return times


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
