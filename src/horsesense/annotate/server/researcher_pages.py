"""The researcher's page."""

from __future__ import annotations

import time
from dataclasses import dataclass
from threading import Lock

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from horsesense.annotate.server.overview import Overview, overview, progress_of
from horsesense.annotate.server.participants import RESEARCHER
from horsesense.annotate.server.request_checks import Desk

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

    @router.get("/study")
    def study(request: Request) -> Response:
        visitor = desk.visitor(request, RESEARCHER)
        with making:
            # A large study takes longer to look through; then it is looked at less often.
            if kept.overview is None or time.monotonic() - kept.at > max(_FRESH_SECONDS, 20 * kept.seconds):
                began = time.monotonic()
                kept.overview = overview(served)
                kept.at = time.monotonic()
                kept.seconds = kept.at - began
            latest = kept.overview
        return desk.page(
            "study.html.j2",
            overview=latest,
            progress=progress_of(served),
            paused=visitor.study_paused,
            study=served.study,
            form=visitor.form(served),
        )

    return router
