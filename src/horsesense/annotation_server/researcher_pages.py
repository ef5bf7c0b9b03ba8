"""Pages for researchers: the state of the study, with agreement so far, slow, hasty and deviating annotators and
disputed items; pause and invite.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from threading import Lock
from typing import Annotated

from fastapi import APIRouter, Depends
from sqlalchemy import select
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from horsesense.annotate.database import tables
from horsesense.annotate.database.connections import reading
from horsesense.annotate.database.judgement_log import standing_judgements
from horsesense.annotate.database.participants import ANNOTATOR, RESEARCHER, Person, all_people, pause
from horsesense.annotate.database.served_study import ServedStudy
from horsesense.annotate.instrument import NO_ONE_LABEL, WRITTEN
from horsesense.annotate.judgements import CollectedJudgements
from horsesense.annotate.rater_agreement import AgreementFigure, agreement_figures
from horsesense.annotation_server.administration import personal_links
from horsesense.annotation_server.answering import RejectedAnswerError
from horsesense.annotation_server.links_and_sessions import Visitor
from horsesense.annotation_server.request_checks import RequestContext, fields_of
from horsesense.annotation_server.study_progress import (
    HEIGHT,
    WIDTH,
    finished,
    format_time,
    open_items,
    over_time,
    state_of,
    study_progress,
)
from horsesense.core import Judgement
from horsesense.errors import UserError
from horsesense.stats.raters.agreement import Annotator, Dispute, by_annotator, by_item
from horsesense.stats.raters.votes import votes_on_scale

RESAMPLES = 200
"""Enough for an overview; annotate agreement takes more."""
_FEW = 10
"""Minimum number of answers to say something about a person."""
_TIMES = 3
"""A person this many times slower or faster than the others is flagged."""
_HASTY = 0.1
"""A person with this share of hasty answers is flagged."""
_ALPHA = "alpha, "
"""Prefix of the figures that have a target: Krippendorff's alpha."""
_items, _judgements = tables.items.c, tables.judgements.c


@dataclass(frozen=True, slots=True)
class VoteBar:
    """One answer to an item, and its number of votes."""

    text: str
    """As shown to people."""
    votes: int
    share: float
    """Share of all votes on the item."""
    beside: bool
    """Whether it is an objection or an abstention."""


@dataclass(frozen=True, slots=True)
class DisputedItem:
    """An item on which people disagree."""

    item: str
    question: str
    bars: Sequence[VoteBar]
    """All possible answers in order, then objections and abstentions."""
    agree: float
    """Share of agreeing pairs of votes."""


@dataclass(frozen=True, slots=True)
class AnnotatorStatus:
    """The status of one annotator."""

    person: Person
    state: str
    """The person's state, or ``done`` if nothing is left for them."""
    seconds: float | None
    """Median time per answer."""
    hasty: int
    """Number of answers that were faster than the study's minimum."""
    attention: str
    """Attention checks right, of those answered."""
    beside: Annotator | None
    """The person against the others; None if there is nothing to compare."""
    flags: Sequence[str]


@dataclass(frozen=True, slots=True)
class AgreementRow:
    """A figure of agreement, and its relation to the study's target."""

    figure: AgreementFigure
    target: float | None
    """The target of the study, for one of the figures."""
    result: str
    """``reached``, ``missed``, or ``open`` where the interval has the target in it; empty without a target."""


@dataclass(frozen=True, slots=True)
class StudyOverview:
    """AgreementFigures that are slow to compute, and so are cached for a while."""

    at: float
    """When it was computed."""
    figures: Sequence[AgreementRow]
    disputes: Sequence[DisputedItem]
    """The most disputed items."""
    in_dispute: int
    """Number of disputed items."""
    beside: Mapping[str, Annotator] = field(default_factory=dict)
    """By code, each person against the others."""
    times: Mapping[int, Sequence[float]] = field(default_factory=dict)
    """By person, seconds per answer."""
    attention: Mapping[int, str] = field(default_factory=dict)


_MOST_DISPUTES = 20
"""Disputed items that are listed."""


def overview(served: ServedStudy) -> StudyOverview:
    """Compute the overview; it reads every judgement, so it is not computed for every request."""
    judgements = standing_judgements(served)
    tasks = served.tasks["item"]
    collected = CollectedJudgements(
        served.instrument, tuple(judgements), (), {k: t.scale for k, t in tasks.items()}, {}
    )
    written = served.instrument.kind in WRITTEN
    figures = [] if written or not judgements else agreement_figures(collected, RESAMPLES)
    beside, disputes = _closer(served, judgements)
    return StudyOverview(
        at=served.clock(),
        figures=_with_target(figures, served.study.agreement),
        disputes=_disputed(served, judgements, disputes[:_MOST_DISPUTES]),
        in_dispute=len(disputes),
        beside=beside,
        times=_times(served),
        attention=_attention(served),
    )


def _with_target(figures: Sequence[AgreementFigure], target: float) -> list[AgreementRow]:
    """Return agreement with the target, which is for alpha: the ordinal one if labels are a scale."""
    names = [each.name for each in figures if each.name.startswith(_ALPHA)]
    aimed = (f"{_ALPHA}ordinal" if f"{_ALPHA}ordinal" in names else f"{_ALPHA}nominal") if target else ""
    return [
        AgreementRow(each, target, _reached(each, target)) if each.name == aimed else AgreementRow(each, None, "")
        for each in figures
    ]


def _reached(figure: AgreementFigure, target: float) -> str:
    estimate = figure.estimate
    if math.isnan(estimate.low):
        return "open"
    return "reached" if estimate.low >= target else "missed" if estimate.high < target else "open"


def _closer(served: ServedStudy, judgements: Sequence[Judgement]) -> tuple[Mapping[str, Annotator], list[Dispute]]:
    if served.instrument.kind in NO_ONE_LABEL or not judgements:
        return {}, []
    votes = votes_on_scale(judgements, lambda item: served.tasks["item"][item].scale)
    if not votes.number:
        return {}, []
    ordered = all(task.scale.ordered for task in served.tasks["item"].values())
    persons = by_annotator(votes, "quadratic" if ordered else "none", resamples=RESAMPLES)
    return {each.annotator: each for each in persons}, [each for each in by_item(votes) if each.agree < 1]


def _disputed(served: ServedStudy, judgements: Sequence[Judgement], disputes: Sequence[Dispute]) -> list[DisputedItem]:
    """Return votes by the texts that people read."""
    votes_on: dict[str, Counter[str]] = {each.item: Counter() for each in disputes}
    for judgement in judgements:
        if judgement.item in votes_on:
            votes_on[judgement.item][judgement.value] += 1
    wording, items = served.instrument.wording, []
    for each in disputes:
        task, votes = served.tasks["item"][each.item], votes_on[each.item]
        total = votes.total()
        answers = (*task.scale.labels, *(value for value in votes if value not in task.scale.labels))
        bars = [
            VoteBar(wording.get(value, value), votes[value], votes[value] / total, value not in task.scale.labels)
            for value in answers
        ]
        items.append(DisputedItem(each.item, task.question, bars, each.agree))
    return items


def annotator_statuses(served: ServedStudy, latest: StudyOverview) -> list[AnnotatorStatus]:
    """Return the annotators, flagged ones first; how they work is as of the last overview."""
    everybody = [person for person in all_people(served) if person.role == ANNOTATOR]
    done = finished(served, everybody)
    seconds = {person: median(taken) for person, taken in latest.times.items()}
    middle = median(seconds.values()) if seconds else 0.0
    agreed = [each.agrees for each in latest.beside.values() if each.agrees is not None]
    usual = median(agreed) if agreed else 0.0
    floor = served.study.quick_seconds
    statuses = []
    for person in everybody:
        mine, time = latest.beside.get(person.code), seconds.get(person.id)
        taken = latest.times.get(person.id, ())
        hasty = sum(each < floor for each in taken)
        flags = ["paused"] if person.paused else []
        flags += ["too quick"] * (len(taken) >= _FEW and hasty >= _HASTY * len(taken))
        flags += _beside_others(person, mine, time, middle, usual, len(seconds))
        statuses.append(
            AnnotatorStatus(
                person, state_of(person, done), time, hasty, latest.attention.get(person.id, ""), mine, flags
            )
        )
    return sorted(statuses, key=lambda each: (-len(each.flags), each.person.name))


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


def _times(served: ServedStudy) -> dict[int, list[float]]:
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


def _attention(served: ServedStudy) -> dict[int, str]:
    answers = served.answers.get("attention", {})
    with reading(served.engine) as connection:
        query = tables.standing(_judgements.person, _items.key, _judgements.value)
        rows = connection.execute(query.where(_items.purpose == "attention")).all()
    right: dict[int, list[bool]] = {}
    for person, item, value in rows:
        right.setdefault(person, []).append(value == answers[item])
    return {person: f"{sum(hits)} of {len(hits)}" for person, hits in right.items()}


# Pages.


Fields = Annotated[Mapping[str, str], Depends(fields_of)]
_FRESH_SECONDS = 15


@dataclass(slots=True)
class _Cached:
    """The last overview, cached: computing one takes CPU time from annotators."""

    overview: StudyOverview | None = None
    at: float = 0.0
    seconds: float = 0.0


def researcher_routes(context: RequestContext) -> APIRouter:
    """The routes, for one study."""
    router, served, cached, making = APIRouter(), context.served, _Cached(), Lock()

    def latest() -> StudyOverview:
        with making:
            # The overview of a large study is slower, so it is computed less often.
            if cached.overview is None or time.monotonic() - cached.at > max(_FRESH_SECONDS, 20 * cached.seconds):
                began = time.monotonic()
                cached.overview = overview(served)
                cached.at = time.monotonic()
                cached.seconds = cached.at - began
            return cached.overview

    def page(visitor: Visitor, status: int = 200, problem: str = "") -> Response:
        current = latest()
        return context.page(
            "study.html.j2",
            status,
            overview=current,
            at=format_time(current.at),
            now=format_time(served.clock()),
            people=annotator_statuses(served, current),
            progress=study_progress(served),
            open_items=open_items(served),
            over_time=over_time(served),
            size=(WIDTH, HEIGHT),
            paused=visitor.study_paused,
            study=served.study,
            form=visitor.form(served),
            problem=problem,
        )

    @router.get("/study")
    def study(request: Request) -> Response:
        return page(context.visitor(request, RESEARCHER))

    @router.post("/study/pause")
    def pause_or_resume(request: Request, fields: Fields) -> Response:
        """Pause or resume a person or, without a name, the study."""
        context.checked_visitor(request, fields, RESEARCHER)
        name, what = fields.get("name", ""), fields.get("what", "")
        if what not in ("pause", "resume"):
            raise RejectedAnswerError(422, "The form cannot be read.")
        try:
            pause(served, [name] if name else [], what == "pause")
        except UserError as error:
            raise RejectedAnswerError(422, str(error)) from None
        return RedirectResponse("/study", 303)

    @router.post("/study/invite")
    def invite(request: Request, fields: Fields) -> Response:
        """Make a personal link for a new annotator, shown once."""
        visitor = context.checked_visitor(request, fields, RESEARCHER)
        name, queue = fields.get("name", "").strip(), fields.get("queue", "").strip()
        try:
            (link,) = personal_links(served, [name], False, queue, False)
        except UserError as error:
            return page(visitor, 422, str(error))
        return context.page("invited.html.j2", link=link)

    return router
