"""Pages for annotators: the form of one task with the checked answer from its fields, and the end page."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated

from fastapi import APIRouter, Depends, Path
from sqlalchemy import func, select
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, RedirectResponse, Response

from horsesense.annotate.answer_checks import (
    BETWEEN,
    beside_alike,
    check_value,
    join_criteria,
    join_each,
    join_pair,
)
from horsesense.annotate.database import tables
from horsesense.annotate.database.connections import reading, writing
from horsesense.annotate.database.participants import FAILED, NEW, STOPPED, Person, locked
from horsesense.annotate.database.served_study import ServedStudy
from horsesense.annotate.instrument import Instrument
from horsesense.annotate.study import FOLDER, KINDS, Picture
from horsesense.annotate.task import JUDGED, Task, lettered
from horsesense.annotation_server.answering import RejectedAnswerError, last_answer, submit, undo
from horsesense.annotation_server.links_and_sessions import CROWDS, Visitor
from horsesense.annotation_server.queue import OPEN, Lease, hold, not_yet, open_lease, own_lease
from horsesense.annotation_server.request_checks import RequestContext, fields_of
from horsesense.errors import UserError

LONGEST_WORD = 60
SENSELESS = "objection"
"""The field of an objection to a written task."""

Fields = Annotated[Mapping[str, str], Depends(fields_of)]


@dataclass(frozen=True, slots=True)
class AnswerChoice:
    """One choice."""

    number: int
    """Value in the form: its index among the answers, whatever their order."""
    text: str
    beside: bool = False
    """Whether it is an objection or an abstention."""
    objects: bool = False
    """Whether it needs a reason."""


@dataclass(frozen=True, slots=True)
class ShownTask:
    """Everything that the page of a task needs."""

    task: Task
    lease: str
    answers: Sequence[AnswerChoice]
    criteria: Sequence[tuple[str, str]]
    """Name of the field, and the question; or an option that is judged by itself."""
    reasons: Sequence[str]
    done: int
    of: int
    """0 if the number is not known."""
    trial: bool
    """Whether this is the qualification."""
    pictures: Sequence[Picture] = ()
    entered: Mapping[str, str] = field(default_factory=dict)
    """Fields of a rejected form."""
    problem: str = ""
    proposed: bool = False
    """Whether the form has a machine's proposal."""


def show(served: ServedStudy, person: Person, lease: Lease, entered: Mapping[str, str] | None = None) -> ShownTask:
    """Return the task of a lease as this person sees it, the same after a reload."""
    task, instrument = served.tasks[lease.purpose][lease.name], served.instrument
    trial = person.state == NEW
    return ShownTask(
        task=task,
        lease=lease.key,
        answers=_answers(task, instrument, lease.key),
        criteria=_parts(task, instrument),
        reasons=[wording(instrument, name) for name in instrument.reasons],
        # Attention checks count like other items, or people would recognise them.
        done=lease.number - 1,
        of=len(served.tasks["gold"]) if trial else 0,
        trial=trial,
        pictures=served.pictures.get(lease.name, ()),
        entered=_proposed(task, instrument) if entered is None else entered,
        proposed=bool(task.proposal) and entered is None,
    )


def _proposed(task: Task, instrument: Instrument) -> dict[str, str]:
    """Return the fields of a machine's proposal."""
    if not task.proposal:
        return {}
    if instrument.kind == "pair":
        return dict(zip(("first", "second"), task.proposal.split(BETWEEN), strict=False))
    words = [word.strip() for word in task.proposal.split(",")]
    return {f"word-{index}": word for index, word in enumerate(words[: instrument.words])}


def _parts(task: Task, instrument: Instrument) -> list[tuple[str, str]]:
    if instrument.kind == "each":
        return [(f"{JUDGED}{name}", option) for name, option in lettered(task.choices).items()]
    return [(f"criterion-{index}", asked) for index, asked in enumerate(task.criteria.values())]


def wording(instrument: Instrument, name: str) -> str:
    """Return the wording of an answer."""
    return instrument.wording.get(name, name)


def _answers(task: Task, instrument: Instrument, lease: str) -> list[AnswerChoice]:
    every = answers_of_task(task, instrument)
    first_beside = len(task.choices)
    answers = [
        AnswerChoice(
            number,
            wording(instrument, text) if instrument.kind == "labels" or number >= first_beside else text,
            number >= first_beside,
            text in instrument.objections and number >= first_beside and bool(instrument.reasons),
        )
        for number, text in enumerate(every)
    ]
    if instrument.kind == "options" and not task.scale.ordered:
        # Each person has their own order of options, against position bias.
        answers[:first_beside] = random.Random(lease).sample(answers[:first_beside], first_beside)
    return answers


def answers_of_task(task: Task, instrument: Instrument) -> tuple[str, ...]:
    """Return all choices in the order in which they are shown."""
    return (*task.choices, *instrument.beside)


def answer_from(fields: Mapping[str, str], task: Task, instrument: Instrument) -> tuple[str, str]:
    """Return the answer and its reason from the fields of the form.

    >>> from horsesense.annotate.instrument import find_instrument
    >>> answer_from({"value": "1"}, Task("i", "?", ("hot", "cold")), find_instrument("choice"))
    ('cold', '')
    """
    for text in fields.values():
        check_text(text)
    if instrument.kind in ("labels", "options"):
        value = _chosen(fields.get("value", ""), answers_of_task(task, instrument))
        return value, _reason(fields, value, instrument)
    if instrument.kind == "criteria":
        answers = {name: fields.get(f"criterion-{index}", "") for index, name in enumerate(instrument.criteria)}
        if not any(answers.values()):
            raise UserError("no question is answered", fix="answer yes or no to each")
        return join_criteria(instrument, answers), ""
    if fields.get(SENSELESS) and instrument.objections:
        value = _chosen(fields[SENSELESS], instrument.objections)
        return value, _reason(fields, value, instrument)
    if instrument.kind == "each":
        answers = {f"{JUDGED}{name}": fields.get(f"{JUDGED}{name}", "") for name in lettered(task.choices)}
        if not any(answers.values()):
            raise UserError("no answer is judged", fix="judge each of them")
        return join_each(instrument, answers), ""
    if instrument.kind == "pair":
        return join_pair(fields.get("first", ""), fields.get("second", "")), ""
    return _words(fields, instrument), ""


def check_text(text: str) -> None:
    """Raise an error for control characters, which nobody types."""
    if any(unicodedata.category(sign) in ("Cc", "Cs", "Cf", "Co", "Cn") and sign not in "\t\r\n‍‌" for sign in text):
        raise UserError("the text contains unreadable characters", fix="type it again")


def _chosen(number: str, answers: tuple[str, ...]) -> str:
    if not number:
        raise UserError("nothing is chosen", fix="choose an answer")
    if not (number.isascii() and number.isdigit() and len(number) < 4 and int(number) < len(answers)):
        raise UserError("there is no such answer", fix="choose one of those that are shown")
    return answers[int(number)]


def _reason(fields: Mapping[str, str], value: str, instrument: Instrument) -> str:
    if value not in instrument.objections or not instrument.reasons:
        return ""
    if not fields.get("reason"):
        raise UserError("the reason is missing", fix="say why it cannot be answered")
    return _chosen(fields["reason"], instrument.reasons)


def _words(fields: Mapping[str, str], instrument: Instrument) -> str:
    entries = [" ".join(fields.get(f"word-{index}", "").split()) for index in range(instrument.words)]
    written = [word for word in entries if word]
    if not written:
        raise UserError("nothing is written", fix="write at least one word")
    for word in written:
        if len(word) > LONGEST_WORD:
            raise UserError(f"a word is longer than {LONGEST_WORD} characters", fix="keep it short")
        # A leading = or + would be a formula in a spreadsheet.
        if not word[0].isalpha() or "," in word or ";" in word:
            raise UserError(f"{word!r} is not a word", fix="write one word in each field")
        if beside_alike(instrument, word):
            raise UserError(f"{word!r} is an answer of its own", fix="tick its box instead")
    return check_value(instrument, ", ".join(written))


# Pages.


def annotator_routes(context: RequestContext) -> APIRouter:
    """The routes, for one study."""
    router, served = APIRouter(), context.served

    @router.get("/task")
    def task(request: Request) -> Response:
        visitor = context.visitor(request)
        context.sweep()
        if visitor.study_paused or visitor.person.paused:
            return context.page(
                "end.html.j2", kind="paused", code="", link="", visitor=visitor, form=visitor.form(served)
            )
        lease, undoable = _in_hand(context, visitor)
        if lease is None:
            return _end(context, visitor, undoable)
        return _task_page(context, visitor, show(served, visitor.person, lease), undoable)

    @router.post("/task")
    def answer(request: Request, fields: Fields) -> Response:
        visitor = context.checked_visitor(request, fields)
        key = fields.get("lease", "")
        try:
            submit(served, visitor.person.id, key, lambda task: answer_from(fields, task, served.instrument))
        except UserError as error:
            return _again(context, visitor, key, fields, error)
        return RedirectResponse("/task", 303)

    @router.post("/undo")
    def take_back(request: Request, fields: Fields) -> Response:
        visitor = context.checked_visitor(request, fields)
        undo(served, visitor.person.id)
        return RedirectResponse("/task", 303)

    @router.post("/check")
    def check(request: Request, fields: Fields) -> Response:
        """Check a pair while a person types; the answer is checked again."""
        context.checked_visitor(request, fields)
        try:
            for text in fields.values():
                check_text(text)
            join_pair(fields.get("first", ""), fields.get("second", ""))
        except UserError as error:
            return JSONResponse({"fits": False, "problem": str(error)})
        return JSONResponse({"fits": True, "problem": ""})

    @router.get("/picture/{name}")
    def picture(request: Request, name: Annotated[str, Path(max_length=200)]) -> Response:
        context.visitor(request)
        known = {picture.file for pictures in served.pictures.values() for picture in pictures}
        if name not in known:
            raise RejectedAnswerError(404, "There is no such picture.")
        path = served.study.folder / FOLDER / name
        return FileResponse(path, media_type=KINDS[path.suffix.lower()], headers={"Cache-Control": "private"})

    return router


def _in_hand(context: RequestContext, visitor: Visitor) -> tuple[Lease | None, bool]:
    """Show the person's task, the same after a reload, and whether an answer can be retracted."""
    served, person = context.served, visitor.person.id
    with reading(served.engine) as connection:
        lease = open_lease(connection, person)
        undoable = last_answer(connection, visitor.person) is not None
    late = served.clock() + served.study.lease_minutes * 30
    if lease is None or lease.expires < late:
        for _ in range(2):
            with writing(served.engine) as connection:
                lease = hold(connection, served, locked(connection, person))
            if lease is not None:
                break
            context.sweep(at_once=True)
    return lease, undoable


def _again(
    context: RequestContext, visitor: Visitor, key: str, fields: Mapping[str, str], error: UserError
) -> Response:
    """Show the task again with the error; the fields stay."""
    with reading(context.served.engine) as connection:
        lease = own_lease(connection, visitor.person.id, key)
        undoable = last_answer(connection, visitor.person) is not None
    if lease is None or lease.state != OPEN:
        raise RejectedAnswerError(409, "This question is not open any more. Please load the page again.")
    question = replace(show(context.served, visitor.person, lease, fields), problem=str(error))
    return _task_page(context, visitor, question, undoable, 422)


def _task_page(
    context: RequestContext, visitor: Visitor, question: ShownTask, undoable: bool, status: int = 200
) -> Response:
    form, total = visitor.form(context.served), _total(context, visitor)
    return context.page("task.html.j2", status, shown=question, total=total, form=form, undoable=undoable)


def _left(context: RequestContext, visitor: Visitor) -> int:
    """Return the number of further questions for this person."""
    items, person = tables.items.c, visitor.person
    open_ones = select(func.count()).where(items.purpose == "item", items.answered < items.wanted, not_yet(person.id))
    if person.queue:
        open_ones = open_ones.where(items.queue == person.queue)
    with reading(context.served.engine) as connection:
        return connection.scalar(open_ones) or 0


def _total(context: RequestContext, visitor: Visitor) -> int:
    """Estimate the total number of questions of this person; others may be faster."""
    answered, limit = visitor.person.answered, context.served.study.max_items
    total = answered + 1 + _left(context, visitor)
    return max(answered + 1, min(total, limit)) if limit else total


def _end(context: RequestContext, visitor: Visitor, undoable: bool) -> Response:
    served, person = context.served, visitor.person
    kind, code = person.state if person.state in (FAILED, STOPPED) else "", ""
    if not kind:
        full = bool(served.study.max_items) and person.answered >= served.study.max_items
        kind = "finished" if full or not _left(context, visitor) else "waiting"
    if kind == "finished" and person.answered and person.name.partition(":")[0] in CROWDS:
        # Only a platform needs it.
        code = served.completion(person.name)
    link = served.study.crowd.link if code else ""
    form = visitor.form(served)
    return context.page("end.html.j2", kind=kind, code=code, link=link, visitor=visitor, form=form, undoable=undoable)
