"""Pages for annotators: one task at a time, and the end page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Depends, Path
from sqlalchemy import func, select
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, RedirectResponse, Response

from horsesense.annotate.answer_checks import join_pair
from horsesense.annotate.pictures import FOLDER, KINDS
from horsesense.annotate.server import database_tables as tables
from horsesense.annotate.server.answering import RejectedAnswerError, last_answer, submit, undo
from horsesense.annotate.server.database import reading, writing
from horsesense.annotate.server.links_and_sessions import CROWDS, Visitor
from horsesense.annotate.server.participants import FAILED, STOPPED, locked
from horsesense.annotate.server.queue import OPEN, Lease, hold, not_yet, open_lease, own_lease
from horsesense.annotate.server.request_checks import RequestContext, fields_of
from horsesense.annotate.server.task_form import answer_from, check_text, show
from horsesense.errors import UserError

Fields = Annotated[Mapping[str, str], Depends(fields_of)]


def annotator_routes(desk: RequestContext) -> APIRouter:
    """The routes, for one study."""
    router, served = APIRouter(), desk.served

    @router.get("/task")
    def task(request: Request) -> Response:
        visitor = desk.visitor(request)
        desk.sweep()
        if visitor.study_paused or visitor.person.paused:
            return desk.page("end.html.j2", kind="paused", code="", link="", visitor=visitor, form=visitor.form(served))
        lease, undoable = _in_hand(desk, visitor)
        if lease is None:
            return _end(desk, visitor, undoable)
        shown = show(served, visitor.person, lease)
        total = _total(desk, visitor)
        return desk.page("task.html.j2", shown=shown, total=total, form=visitor.form(served), undoable=undoable)

    @router.post("/task")
    def answer(request: Request, fields: Fields) -> Response:
        visitor = desk.visitor(request)
        desk.check_form(request, visitor, fields.get("form", ""))
        key = fields.get("lease", "")
        try:
            submit(served, visitor.person.id, key, lambda task: answer_from(fields, task, served.instrument))
        except UserError as error:
            return _again(desk, visitor, key, fields, error)
        return RedirectResponse("/task", 303)

    @router.post("/undo")
    def take_back(request: Request, fields: Fields) -> Response:
        visitor = desk.visitor(request)
        desk.check_form(request, visitor, fields.get("form", ""))
        undo(served, visitor.person.id)
        return RedirectResponse("/task", 303)

    @router.post("/check")
    def check(request: Request, fields: Fields) -> Response:
        """Check a pair while a person types; the answer is checked again."""
        visitor = desk.visitor(request)
        desk.check_form(request, visitor, fields.get("form", ""))
        try:
            for text in fields.values():
                check_text(text)
            join_pair(fields.get("first", ""), fields.get("second", ""))
        except UserError as error:
            return JSONResponse({"fits": False, "problem": str(error)})
        return JSONResponse({"fits": True, "problem": ""})

    @router.get("/picture/{name}")
    def picture(request: Request, name: Annotated[str, Path(max_length=200)]) -> Response:
        desk.visitor(request)
        known = {picture.file for shown in served.pictures.values() for picture in shown}
        if name not in known:
            raise RejectedAnswerError(404, "There is no such picture.")
        path = served.study.folder / FOLDER / name
        return FileResponse(path, media_type=KINDS[path.suffix.lower()], headers={"Cache-Control": "private"})

    return router


def _in_hand(desk: RequestContext, visitor: Visitor) -> tuple[Lease | None, bool]:
    """Show the person's task, the same after a reload, and whether an answer can be retracted."""
    served, person = desk.served, visitor.person.id
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
            desk.sweep(at_once=True)
    return lease, undoable


def _again(desk: RequestContext, visitor: Visitor, key: str, fields: Mapping[str, str], error: UserError) -> Response:
    """Show the task again with the error; the fields stay."""
    with reading(desk.served.engine) as connection:
        lease = own_lease(connection, visitor.person.id, key)
        undoable = last_answer(connection, visitor.person) is not None
    if lease is None or lease.state != OPEN:
        raise RejectedAnswerError(409, "This question is not open any more. Please load the page again.")
    shown = replace(show(desk.served, visitor.person, lease, fields), problem=str(error))
    form, total = visitor.form(desk.served), _total(desk, visitor)
    return desk.page("task.html.j2", 422, shown=shown, total=total, form=form, undoable=undoable)


def _left(desk: RequestContext, visitor: Visitor) -> int:
    """Return the number of further questions for this person."""
    items, person = tables.items.c, visitor.person
    open_ones = select(func.count()).where(items.purpose == "item", items.answered < items.wanted, not_yet(person.id))
    if person.queue:
        open_ones = open_ones.where(items.queue == person.queue)
    with reading(desk.served.engine) as connection:
        return connection.scalar(open_ones) or 0


def _total(desk: RequestContext, visitor: Visitor) -> int:
    """Estimate the total number of questions of this person; others may be faster."""
    answered, limit = visitor.person.answered, desk.served.study.limit
    total = answered + 1 + _left(desk, visitor)
    return max(answered + 1, min(total, limit)) if limit else total


def _end(desk: RequestContext, visitor: Visitor, undoable: bool) -> Response:
    served, person = desk.served, visitor.person
    kind, code = person.state if person.state in (FAILED, STOPPED) else "", ""
    if not kind:
        full = bool(served.study.limit) and person.answered >= served.study.limit
        kind = "finished" if full or not _left(desk, visitor) else "waiting"
    if kind == "finished" and person.answered and person.name.partition(":")[0] in CROWDS:
        # Only a platform needs it.
        code = served.completion(person.name)
    link = served.study.crowd.link if code else ""
    form = visitor.form(served)
    return desk.page("end.html.j2", kind=kind, code=code, link=link, visitor=visitor, form=form, undoable=undoable)
