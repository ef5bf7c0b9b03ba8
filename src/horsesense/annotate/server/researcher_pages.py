"""The researcher's pages: how the study stands; pausing and inviting by button."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from horsesense.annotate.server.answering import RefusedError
from horsesense.annotate.server.links import personal_links
from horsesense.annotate.server.links_and_sessions import Visitor
from horsesense.annotate.server.overview import Overview, overview, standings
from horsesense.annotate.server.participants import RESEARCHER, pause
from horsesense.annotate.server.request_checks import Desk, fields_of
from horsesense.annotate.server.study_progress import HEIGHT, WIDTH, open_items, over_time, progress_of, told_time
from horsesense.errors import UserError

Fields = Annotated[Mapping[str, str], Depends(fields_of)]
_FRESH_SECONDS = 15


@dataclass(slots=True)
class _Kept:
    """The last overview: making one takes time from the people who are judging."""

    overview: Overview | None = None
    at: float = 0.0
    seconds: float = 0.0


def researcher_routes(desk: Desk) -> APIRouter:
    """The routes, for one study."""
    router, served, kept, making = APIRouter(), desk.served, _Kept(), Lock()

    def latest() -> Overview:
        with making:
            # A large study takes longer to look through; then it is looked at less often.
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
            at=told_time(found.at),
            now=told_time(served.clock()),
            people=standings(served, found),
            progress=progress_of(served),
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
        """Pause or resume a person, or the study where nobody is named."""
        checked(request, fields)
        name, what = fields.get("name", ""), fields.get("what", "")
        if what not in ("pause", "resume"):
            raise RefusedError(422, "The form cannot be read.")
        try:
            pause(served, [name] if name else [], what == "pause")
        except UserError as error:
            raise RefusedError(422, str(error)) from None
        return RedirectResponse("/study", 303)

    @router.post("/study/invite")
    def invite(request: Request, fields: Fields) -> Response:
        """A personal link for a new annotator, shown once."""
        visitor = checked(request, fields)
        name, queue = fields.get("name", "").strip(), fields.get("queue", "").strip()
        try:
            (link,) = personal_links(served, [name], False, queue, False)
        except UserError as error:
            return page(visitor, 422, str(error))
        return desk.page("invited.html.j2", link=link)

    return router
