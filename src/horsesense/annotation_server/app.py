"""The web app of one study."""

from __future__ import annotations

import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path
from urllib.parse import urlsplit

from anyio.to_thread import current_default_thread_limiter
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from horsesense.annotate.database.served_study import ServedStudy, open_study
from horsesense.annotate.study import STUDY_VARIABLE
from horsesense.annotation_server.annotator_pages import annotator_routes
from horsesense.annotation_server.answering import RejectedAnswerError
from horsesense.annotation_server.entrance_pages import crowd_routes, door_routes
from horsesense.annotation_server.request_checks import RequestContext, RequestGuards, do_not_repeat
from horsesense.annotation_server.researcher_pages import researcher_routes

_THREADS = 4
_STATIC = {"style.css": "text/css", "task.js": "text/javascript", "icon.svg": "image/svg+xml"}
_TITLES = {401: "Who are you?", 403: "Not allowed", 404: "Nothing here", 409: "Too late", 429: "Too fast"}

log = logging.getLogger("horsesense.annotate")


def create_app(served: ServedStudy) -> FastAPI:
    """Make the app: pages for annotators and researchers."""
    # The built-in documentation pages load scripts from other hosts.
    app = FastAPI(title="horsesense annotate", docs_url=None, redoc_url=None, openapi_url=None, lifespan=_few_threads)
    do_not_repeat()
    context = RequestContext(served)
    app.include_router(door_routes(context))
    app.include_router(crowd_routes(context))
    app.include_router(annotator_routes(context))
    app.include_router(researcher_routes(context))
    _static(app)
    _errors(app, context)
    address = urlsplit(served.study.address)
    app.add_middleware(RequestGuards, hosts=[address.hostname or ""], secure=context.secure)
    return app


@asynccontextmanager
async def _few_threads(_: FastAPI) -> AsyncIterator[None]:
    """Limit the threads: answers are written one at a time, and more threads would only compete for the CPU."""
    current_default_thread_limiter().total_tokens = _THREADS
    yield


def from_environment() -> FastAPI:
    """Make the app in a server process, which gets the study from the environment."""
    return create_app(open_study(Path(os.environ[STUDY_VARIABLE])))


def _static(app: FastAPI) -> None:
    folder = files("horsesense.annotation_server").joinpath("static")
    contents = {name: folder.joinpath(name).read_bytes() for name in _STATIC}

    @app.get("/static/{name}")
    async def static(name: str) -> Response:
        if name not in contents:
            raise RejectedAnswerError(404, "There is no such file.")
        return Response(contents[name], media_type=_STATIC[name], headers={"Cache-Control": "max-age=300"})

    @app.get("/health")
    async def health() -> Response:
        return JSONResponse({"well": True})


def _errors(app: FastAPI, context: RequestContext) -> None:
    def message_page(status: int, text: str) -> Response:
        title = _TITLES.get(status, "That did not work")
        page = context.page("message.html.j2", status, title=title, text=text)
        if status == 429:
            page.headers["Retry-After"] = "60"
        return page

    @app.exception_handler(RejectedAnswerError)
    async def refused(_: Request, error: RejectedAnswerError) -> Response:
        return message_page(error.status, error.why)

    @app.exception_handler(HTTPException)
    async def http(_: Request, error: HTTPException) -> Response:
        page = message_page(error.status_code, "There is no such page, or it cannot be asked for in this way.")
        page.headers.update(error.headers or {})
        return page

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: RequestValidationError) -> Response:
        return message_page(422, "The request cannot be read.")

    @app.exception_handler(Exception)
    async def unexpected(request: Request, error: Exception) -> Response:
        # Not the path: it may contain a token.
        log.error("a request failed: %s", type(error).__name__, exc_info=error)
        return message_page(500, "Something went wrong here. Your answer may not have been taken; please try again.")
