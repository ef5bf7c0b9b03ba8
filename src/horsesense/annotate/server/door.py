"""Coming in by a personal link, and leaving."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from typing import Annotated

from fastapi import APIRouter, Depends, Path
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from horsesense.annotate.server.answering import RefusedError
from horsesense.annotate.server.desk import Desk, fields_of
from horsesense.annotate.server.guards import check_origin
from horsesense.annotate.server.leaving import leave
from horsesense.annotate.server.people import RESEARCHER
from horsesense.annotate.server.sessions import COOKIE, enter, visitor_with, who_holds
from horsesense.annotate.server.tokens import hashed

Fields = Annotated[Mapping[str, str], Depends(fields_of)]
Token = Annotated[str, Path(max_length=100)]


def door_routes(desk: Desk) -> APIRouter:
    """The routes, for one study."""
    router, served = APIRouter(), desk.served

    @router.get("/")
    def home(request: Request) -> Response:
        found = visitor_with(served, request.cookies.get(COOKIE, ""))
        if found is None:
            raise desk.stranger(request)
        return RedirectResponse("/study" if found.person.role == RESEARCHER else "/task", 303)

    @router.get("/in/{token}")
    def door(request: Request, token: Token) -> Response:
        person = who_holds(served, token)
        if person is None:
            raise desk.stranger(request)
        return desk.page("door.html.j2", person=person, mark=served.signed("enter", hashed(token)))

    @router.post("/in/{token}")
    def come_in(request: Request, token: Token, fields: Fields) -> Response:
        check_origin(request)
        mark = served.signed("enter", hashed(token))
        if not hmac.compare_digest(fields.get("form", "").encode("utf-8", "replace"), mark.encode()):
            raise RefusedError(403, "Please open your personal link again.")
        cookie = enter(served, token)
        if cookie is None:
            raise desk.stranger(request)
        return desk.let_in(cookie, "/")

    @router.post("/leave")
    def go(request: Request, fields: Fields) -> Response:
        visitor = visitor_with(served, request.cookies.get(COOKIE, ""))
        if visitor is None:
            raise desk.stranger(request)
        desk.check_form(request, visitor, fields.get("form", ""))
        leave(served, visitor.person.id, visitor.session)
        gone = desk.page("message.html.j2", title="You have left", text="Open your personal link to come back.")
        gone.delete_cookie(COOKIE, path="/")
        return gone

    return router
