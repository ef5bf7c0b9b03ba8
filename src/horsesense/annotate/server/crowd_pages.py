"""Where people from a crowd come in: Prolific's parameters and signed token, MTurk's worker id, or a name."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query
from starlette.requests import Request
from starlette.responses import Response

from horsesense.annotate.server.answering import RefusedError
from horsesense.annotate.server.desk import Desk, fields_of
from horsesense.annotate.server.guards import check_origin
from horsesense.annotate.server.joining import CROWDS, PROLIFIC_TOKEN, find_join, join, proven
from horsesense.annotate.server.sessions import COOKIE, DAYS
from horsesense.annotate.server.tokens import hashed
from horsesense.annotate.signed_token import read_keys

Fields = Annotated[Mapping[str, str], Depends(fields_of)]
Token = Annotated[str, Path(max_length=100)]
Given = Annotated[str, Query(max_length=200)]

_LONGEST = 4000
_PASSED_ON = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID", PROLIFIC_TOKEN, "workerId")


def crowd_routes(desk: Desk) -> APIRouter:
    """The routes, for one study."""
    router, served = APIRouter(), desk.served
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
        found = find_join(served, token)
        if found is None:
            raise desk.stranger(request)
        given = (PROLIFIC_PID, STUDY_ID, SESSION_ID, prolific_token, workerId)
        passed_on = {name: value for name, value in zip(_PASSED_ON, given, strict=True) if value}
        name = CROWDS[found.crowd]
        return desk.page("join.html.j2", mark=mark(token), passed_on=passed_on, name=name, known=passed_on.get(name))

    @router.post("/join/{token}")
    def come_in(request: Request, token: Token, fields: Fields) -> Response:
        check_origin(request)
        if not hmac.compare_digest(fields.get("form", "").encode("utf-8", "replace"), mark(token).encode()):
            raise RefusedError(403, "Please open the link again.")
        found = find_join(served, token)
        if found is None:
            raise desk.stranger(request)
        name = fields.get(CROWDS[found.crowd], "").strip()
        is_proven = proven(served, keys, fields)
        try:
            cookie, personal = join(served, token, name, is_proven)
        except RefusedError:
            # Trying out names is slowed down like trying out links.
            if desk.stranger(request).status == 429:
                raise RefusedError(429, "Too many tries. Please wait a minute.") from None
            raise
        if not personal or is_proven:
            return desk.let_in(cookie, "/task")
        link = f"{served.study.address.rstrip('/')}/in/{personal}"
        page = desk.page("joined.html.j2", link=link)
        page.set_cookie(
            COOKIE, cookie, max_age=DAYS * 24 * 3600, httponly=True, samesite="lax", secure=desk.secure, path="/"
        )
        return page

    return router
