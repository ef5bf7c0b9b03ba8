"""Entrance pages: by a personal link or from a crowd (Prolific, MTurk, a name); and leaving."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from horsesense.annotate.database.participants import RESEARCHER, hashed
from horsesense.annotation_server.answering import RejectedAnswerError
from horsesense.annotation_server.links_and_sessions import (
    COOKIE,
    CROWDS,
    PROLIFIC_TOKEN,
    enter,
    find_join,
    join,
    proven,
    read_keys,
    visitor_with,
    who_holds,
)
from horsesense.annotation_server.queue import leave
from horsesense.annotation_server.request_checks import RequestContext, check_origin, fields_of

Fields = Annotated[Mapping[str, str], Depends(fields_of)]
Token = Annotated[str, Path(max_length=100)]
Given = Annotated[str, Query(max_length=200)]

_LONGEST = 4000
_PASSED_ON = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID", PROLIFIC_TOKEN, "workerId")


def door_routes(context: RequestContext) -> APIRouter:
    """The routes, for one study."""
    router, served = APIRouter(), context.served

    @router.get("/")
    def home(request: Request) -> Response:
        visitor = visitor_with(served, request.cookies.get(COOKIE, ""))
        if visitor is None:
            raise context.stranger(request)
        return RedirectResponse("/study" if visitor.person.role == RESEARCHER else "/task", 303)

    @router.get("/in/{token}")
    def door(request: Request, token: Token) -> Response:
        person = who_holds(served, token)
        if person is None:
            raise context.stranger(request)
        return context.page("door.html.j2", person=person, mark=served.signed("enter", hashed(token)))

    @router.post("/in/{token}")
    def come_in(request: Request, token: Token, fields: Fields) -> Response:
        check_origin(request, served.study.address)
        mark = served.signed("enter", hashed(token))
        if not hmac.compare_digest(fields.get("form", "").encode("utf-8", "replace"), mark.encode()):
            raise RejectedAnswerError(403, "Please open your personal link again.")
        cookie = enter(served, token)
        if cookie is None:
            raise context.stranger(request)
        return context.let_in(cookie, RedirectResponse("/", 303))

    @router.post("/leave")
    def go(request: Request, fields: Fields) -> Response:
        visitor = visitor_with(served, request.cookies.get(COOKIE, ""))
        if visitor is None:
            raise context.stranger(request)
        context.check_form(request, visitor, fields.get("form", ""))
        leave(served, visitor.person.id, visitor.session)
        gone = context.page("message.html.j2", title="You have left", text="Open your personal link to come back.")
        gone.delete_cookie(COOKIE, path="/")
        return gone

    return router


def crowd_routes(context: RequestContext) -> APIRouter:
    """The routes, for one study."""
    router, served = APIRouter(), context.served
    crowd = served.study.crowd
    keys = read_keys(served.study.folder / crowd.keys) if crowd.keys else None

    def mark(token: str) -> str:
        return served.signed("join", hashed(token))

    @router.get("/join/{token}")
    def door(
        request: Request,
        token: Token,
        PROLIFIC_PID: Given = "",  # noqa: N803  # the platform's own name of the parameter
        STUDY_ID: Given = "",  # noqa: N803  # as above
        SESSION_ID: Given = "",  # noqa: N803  # as above
        workerId: Given = "",  # noqa: N803  # as above
        prolific_token: Annotated[str, Query(max_length=_LONGEST)] = "",
    ) -> Response:
        link_for_many = find_join(served, token)
        if link_for_many is None:
            raise context.stranger(request)
        values = (PROLIFIC_PID, STUDY_ID, SESSION_ID, prolific_token, workerId)
        passed_on = {name: value for name, value in zip(_PASSED_ON, values, strict=True) if value}
        name = CROWDS[link_for_many.crowd]
        return context.page("join.html.j2", mark=mark(token), passed_on=passed_on, name=name, known=passed_on.get(name))

    @router.post("/join/{token}")
    def come_in(request: Request, token: Token, fields: Fields) -> Response:
        check_origin(request, served.study.address)
        if not hmac.compare_digest(fields.get("form", "").encode("utf-8", "replace"), mark(token).encode()):
            raise RejectedAnswerError(403, "Please open the link again.")
        link_for_many = find_join(served, token)
        if link_for_many is None:
            raise context.stranger(request)
        name = fields.get(CROWDS[link_for_many.crowd], "").strip()
        is_proven = proven(served, keys, link_for_many.crowd, fields)
        try:
            cookie, personal = join(served, token, name, is_proven)
        except RejectedAnswerError:
            # Guessing names is rate-limited like guessing links.
            if context.stranger(request).status == 429:
                raise RejectedAnswerError(429, "Too many tries. Please wait a minute.") from None
            raise
        if not personal or is_proven:
            return context.let_in(cookie, RedirectResponse("/task", 303))
        link = f"{served.study.address.rstrip('/')}/in/{personal}"
        return context.let_in(cookie, context.page("joined.html.j2", link=link))

    return router
