"""Pages for researchers: the state of the study; pause and invite."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from horsesense.annotate.server.administration import personal_links
from horsesense.annotate.server.answering import RejectedAnswerError
from horsesense.annotate.server.links_and_sessions import Visitor
from horsesense.annotate.server.overview import StudyOverview, annotator_statuses, overview
from horsesense.annotate.server.participants import RESEARCHER, pause
from horsesense.annotate.server.request_checks import RequestContext, fields_of
from horsesense.annotate.server.study_progress import HEIGHT, WIDTH, format_time, open_items, over_time, study_progress
from horsesense.errors import UserError

Fields = Annotated[Mapping[str, str], Depends(fields_of)]
_FRESH_SECONDS = 15


@dataclass(slots=True)
class _Cached:
    """The last overview, cached: computing one takes CPU time from annotators."""

    overview: StudyOverview | None = None
    at: float = 0.0
    seconds: float = 0.0


def researcher_routes(desk: RequestContext) -> APIRouter:
    """The routes, for one study."""
    router, served, kept, making = APIRouter(), desk.served, _Cached(), Lock()

    def latest() -> StudyOverview:
        with making:
            # The overview of a large study is slower, so it is computed less often.
            if kept.overview is None or time.monotonic() - kept.at > max(_FRESH_SECONDS, 20 * kept.seconds):
                began = time.monotonic()
                kept.overview = overview(served)
                kept.at = time.monotonic()
                kept.seconds = kept.at - began
            return kept.overview

    def page(visitor: Visitor, status: int = 200, problem: str = "") -> Response:
        found = latest()
        return desk.page(
            "study.html.j2",
            status,
            overview=found,
            at=format_time(found.at),
            now=format_time(served.clock()),
            people=annotator_statuses(served, found),
            progress=study_progress(served),
            open_items=open_items(served),
            over_time=over_time(served),
            size=(WIDTH, HEIGHT),
            paused=visitor.study_paused,
            study=served.study,
            form=visitor.form(served),
            problem=problem,
        )

    def checked(request: Request, fields: Mapping[str, str]) -> Visitor:
        visitor = desk.visitor(request, RESEARCHER)
        desk.check_form(request, visitor, fields.get("form", ""))
        return visitor

    @router.get("/study")
    def study(request: Request) -> Response:
        return page(desk.visitor(request, RESEARCHER))

    @router.post("/study/pause")
    def pause_or_resume(request: Request, fields: Fields) -> Response:
        """Pause or resume a person or, without a name, the study."""
        checked(request, fields)
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
        visitor = checked(request, fields)
        name, queue = fields.get("name", "").strip(), fields.get("queue", "").strip()
        try:
            (link,) = personal_links(served, [name], False, queue, False)
        except UserError as error:
            return page(visitor, 422, str(error))
        return desk.page("invited.html.j2", link=link)

    return router
