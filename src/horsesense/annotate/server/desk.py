"""The desk at the door: what every route asks before it does anything."""

from __future__ import annotations

import hmac
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from horsesense.annotate.server.answering import RefusedError
from horsesense.annotate.server.guards import check_origin
from horsesense.annotate.server.limits import Limit
from horsesense.annotate.server.people import RESEARCHER
from horsesense.annotate.server.queue import sweep
from horsesense.annotate.server.served import Served
from horsesense.annotate.server.sessions import COOKIE, DAYS, Visitor, visitor_with

_SWEEP_SECONDS = 5
_MOST_FIELDS = 50


@cache
def _templates() -> Environment:
    return Environment(
        loader=PackageLoader("horsesense.annotate.server"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@dataclass(slots=True)
class Desk:
    """The study, the pages, and the limits of those who ask."""

    served: Served
    templates: Environment = field(default_factory=_templates)
    strangers: Limit = field(default_factory=lambda: Limit(burst=30, rate=0.5))
    """Failed attempts to enter, by address; who has a good link is never kept out by others' bad ones."""
    requests: Limit = field(default_factory=lambda: Limit(burst=100, rate=30))
    """Requests of one person: far more than anybody can judge."""
    swept: float = 0.0

    @property
    def secure(self) -> bool:
        return urlsplit(self.served.study.address).scheme == "https"

    def page(self, template: str, /, status: int = 200, **values: Any) -> HTMLResponse:
        """A page; all text in it is escaped."""
        html = self.templates.get_template(template).render(instrument=self.served.instrument, **values)
        return HTMLResponse(html, status)

    def stranger(self, request: Request) -> RefusedError:
        """What somebody hears who is not known; too many tries are not even looked at."""
        client = request.client.host if request.client else ""
        if not self.strangers.allows(client):
            return RefusedError(429, "Too many tries. Please wait a minute.")
        return RefusedError(
            401, "Please open your personal link to take part. It may have ended; then ask for a new one."
        )

    def visitor(self, request: Request, role: str = "annotator") -> Visitor:
        """Who is asking; nobody else gets further."""
        found = visitor_with(self.served, request.cookies.get(COOKIE, ""))
        if found is None:
            raise self.stranger(request)
        if not self.requests.allows(str(found.person.id)):
            raise RefusedError(429, "That was too fast. Please wait a moment.")
        if found.person.role != role:
            who = "researchers" if role == RESEARCHER else "annotators"
            raise RefusedError(403, f"This page is for {who}.")
        return found

    def check_form(self, request: Request, visitor: Visitor, given: str) -> None:
        """The form must be one that this server gave to this person."""
        check_origin(request)
        if not hmac.compare_digest(given.encode("utf-8", "replace"), visitor.form(self.served).encode()):
            raise RefusedError(403, "This form is not one of yours. Please load the page again.")

    def let_in(self, cookie: str, to: str) -> Response:
        """Set the cookie and go on."""
        answer = RedirectResponse(to, 303)
        answer.set_cookie(
            COOKIE, cookie, max_age=DAYS * 24 * 3600, httponly=True, samesite="lax", secure=self.secure, path="/"
        )
        return answer

    def sweep(self, at_once: bool = False) -> None:
        """Put back now and then what people kept too long."""
        now = time.monotonic()
        if at_once or now - self.swept > _SWEEP_SECONDS:
            self.swept = now
            sweep(self.served)


async def fields_of(request: Request) -> Mapping[str, str]:
    """The fields of a form. Only what a browser sends for a plain form is read."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    body = await request.body()
    if body and kind != "application/x-www-form-urlencoded":
        raise RefusedError(415, "This is not a form of this page.")
    try:
        pairs = parse_qsl(body.decode("ascii"), keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="strict")
    except ValueError:
        raise RefusedError(422, "The form cannot be read.") from None
    return dict(pairs)
