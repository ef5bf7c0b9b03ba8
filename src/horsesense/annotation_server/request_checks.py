"""Checks of every request: host, size, rate, session, and the origin of forms; and limits of idle connections.

Headers that keep browsers safe are set here too. uvicorn waits for ever for the end of a request. Here each stage of a
request has its time, a process holds only so many connections, and where they are all taken the one goes that has said
nothing for longest.
"""

from __future__ import annotations

import hmac
import logging
import resource
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import parse_qsl, urlsplit

import h11
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from horsesense.annotate.database.participants import RESEARCHER
from horsesense.annotate.database.served_study import ServedStudy
from horsesense.annotation_server.answering import RejectedAnswerError
from horsesense.annotation_server.links_and_sessions import COOKIE, DAYS, Visitor, visitor_with
from horsesense.annotation_server.queue import sweep

if TYPE_CHECKING:
    import asyncio


SPARE = 128
"""File descriptors that a process needs besides connections: database, files, listening sockets."""
MOST = 1000


def connection_settings() -> dict[str, Any]:
    """Return uvicorn's settings for connections."""
    return {"http": TimedConnection, "ws": "none", "timeout_keep_alive": 30}


def most_connections() -> int:
    """Return the maximum number of connections of a process, below the limit of the system."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST if soft == resource.RLIM_INFINITY else max(16, min(MOST, soft - SPARE))


class TimedConnection(H11Protocol):
    """A connection with a time limit for each stage of a request."""

    HEAD, BODY, ANSWER = 10.0, 20.0, 60.0
    """Seconds for the head of a request, its body (at most 64 kB), and reading the answer."""
    most: ClassVar[int | None] = None
    """Maximum number of connections; None: by the limit of the system."""
    waiting: ClassVar[OrderedDict[TimedConnection, None]] = OrderedDict()
    """Connections without a request yet, the longest-waiting first."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._timer: asyncio.TimerHandle | None = None
        self._stage = ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        self._enter("head", self.HEAD)
        limit = self.most or most_connections()
        while len(self.connections) > limit and self.waiting:
            other = next(iter(self.waiting))
            other._end()
            self.connections.discard(other)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        state = self.conn.their_state
        if state is h11.IDLE:
            self._enter("head", self.HEAD)
        elif state is h11.SEND_BODY:
            self._enter("body", self.BODY)
        elif state in (h11.DONE, h11.MUST_CLOSE) and self.cycle is not None and not self.cycle.response_complete:
            self._enter("answer", self.ANSWER)

    def on_response_complete(self) -> None:
        self._enter("", 0.0)
        self.waiting[self] = None  # kept alive, with uvicorn's own time
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._enter("", 0.0)
        super().connection_lost(exc)

    def _enter(self, stage: str, seconds: float) -> None:
        """Start the timer of a new stage; bytes within a stage do not restart it."""
        if stage == self._stage and stage:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._stage = stage
        self._timer = self.loop.call_later(seconds, self._end) if stage else None
        self.waiting.pop(self, None)
        if stage == "head":
            self.waiting[self] = None

    def _end(self) -> None:
        self._enter("", 0.0)
        if self.transport is not None:
            self.transport.abort()


class NoRepeats(logging.Filter):
    """Logs the same message once a minute, with the number of repetitions."""

    def __init__(self, seconds: float = 60.0) -> None:
        super().__init__()
        self._seconds = seconds
        self._seen: OrderedDict[str, tuple[float, int]] = OrderedDict()

    def filter(self, record: logging.LogRecord) -> bool:
        message, now = f"{record.name} {record.levelno} {record.msg}", time.monotonic()
        then, left_out = self._seen.pop(message, (-self._seconds, 0))
        fresh = now - then >= self._seconds
        self._seen[message] = (now, 0) if fresh else (then, left_out + 1)
        if len(self._seen) > 1000:
            self._seen.popitem(last=False)
        if fresh and left_out:
            record.msg = f"{record.msg} (and {left_out:,} more times before)"
        return fresh


def do_not_repeat() -> None:
    """Add the filter to loggers that strangers can trigger."""
    for name in ("asyncio", "uvicorn.error", "horsesense.annotate"):
        logger = logging.getLogger(name)
        if not any(isinstance(each, NoRepeats) for each in logger.filters):
            logger.addFilter(NoRepeats())


MOST_BYTES = 64 * 1024
_SWEEP_SECONDS = 5
_MOST_FIELDS = 50
_MOST_KEYS = 10_000
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # With no-referrer, a browser hides the origin of a form, and the check below would fail.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


class TooLargeError(Exception):
    """The body is larger than any of our forms."""


class RequestGuards:
    """ASGI middleware for all requests."""

    def __init__(self, app: ASGIApp, hosts: Iterable[str], secure: bool) -> None:
        self.app = app
        self.hosts = _LOOPBACK | {host.lower() for host in hosts}
        self.headers = dict(HEADERS)
        if secure:
            self.headers["Strict-Transport-Security"] = "max-age=31536000"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self.headers.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        headers = Headers(scope=scope)
        if host_of(headers.get("host", "")) not in self.hosts:
            # DNS rebinding: another site could resolve its own name to this machine and read the pages.
            await PlainTextResponse("This server does not answer to that name.", 400)(scope, receive, guarded)
            return
        if "content-length" in headers and "transfer-encoding" in headers:
            # A proxy in front may go by the other of the two, and see another end of the request.
            await PlainTextResponse("The request has two lengths.", 400)(scope, receive, guarded)
            return
        length = headers.get("content-length", "0")
        if not length.isascii() or not length.isdigit() or int(length) > MOST_BYTES:
            await PlainTextResponse("The request is too large.", 413)(scope, receive, guarded)
            return
        seen = 0

        async def bounded() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > MOST_BYTES:
                raise TooLargeError
            return message

        try:
            await self.app(scope, bounded, guarded)
        except TooLargeError:
            await PlainTextResponse("The request is too large.", 413)(scope, receive, guarded)


def host_of(value: str) -> str:
    """Return the name in a Host header, without the port.

    >>> host_of("127.0.0.1:8000"), host_of("[::1]:80")
    ('127.0.0.1', '[::1]')
    """
    name, colon, port = value.lower().rpartition(":")
    return name if colon and port.isdigit() else value.lower()


def check_origin(request: Request, address: str) -> None:
    """Raise an error unless a form comes from a page of this server, by the same scheme.

    ``address`` is the study's own. Under its name its scheme counts, whatever a proxy says.
    """
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise RejectedAnswerError(403, "This form came from another site.")
    origin = request.headers.get("origin")
    if origin is None:
        return
    host, own = request.headers.get("host", "").lower(), urlsplit(address)
    scheme = own.scheme if host == own.netloc.lower() else request.url.scheme
    if origin.lower() != f"{scheme}://{host}":
        raise RejectedAnswerError(403, "This form came from another site.")


@dataclass(slots=True)
class RateLimit:
    """A token bucket per key: a burst, and a rate per second.

    >>> limit = RateLimit(burst=2, rate=1.0, clock=lambda: 0.0)
    >>> [limit.allows("ann") for _ in range(3)]
    [True, True, False]
    """

    burst: int
    rate: float
    clock: Callable[[], float] = time.monotonic
    _left: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict)

    def allows(self, key: str) -> bool:
        """Count one request, and return whether it is allowed."""
        now = self.clock()
        left, then = self._left.pop(key, (float(self.burst), now))
        left = min(self.burst, left + (now - then) * self.rate)
        fits = left >= 1
        self._left[key] = left - fits, now
        if len(self._left) > _MOST_KEYS:
            # The least recent key has a full bucket by now, or is one of a flood of made-up keys.
            self._left.popitem(last=False)
        return fits


@cache
def _templates() -> Environment:
    return Environment(
        loader=PackageLoader("horsesense.annotation_server"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@dataclass(slots=True)
class RequestContext:
    """The study, the page templates and the rate limits."""

    served: ServedStudy
    templates: Environment = field(default_factory=_templates)
    strangers: RateLimit = field(default_factory=lambda: RateLimit(burst=30, rate=0.5))
    """Failed attempts to enter, by address; a valid link is never blocked by the failures of others."""
    requests: RateLimit = field(default_factory=lambda: RateLimit(burst=100, rate=30))
    """Requests of one person: far more than anybody needs."""
    swept: float = 0.0

    @property
    def secure(self) -> bool:
        return urlsplit(self.served.study.address).scheme == "https"

    def page(self, template: str, /, status: int = 200, **values: Any) -> HTMLResponse:
        """Render a page; all text is escaped."""
        html = self.templates.get_template(template).render(instrument=self.served.instrument, **values)
        return HTMLResponse(html, status)

    def stranger(self, request: Request) -> RejectedAnswerError:
        """Return the page for unknown visitors; too many attempts are rejected unseen."""
        client = request.client.host if request.client else ""
        if not self.strangers.allows(client):
            return RejectedAnswerError(429, "Too many tries. Please wait a minute.")
        return RejectedAnswerError(
            401, "Please open your personal link to take part. It may have ended; then ask for a new one."
        )

    def visitor(self, request: Request, role: str = "annotator") -> Visitor:
        """Return the visitor of a request, or raise an error."""
        visitor = visitor_with(self.served, request.cookies.get(COOKIE, ""))
        if visitor is None:
            raise self.stranger(request)
        if not self.requests.allows(str(visitor.person.id)):
            raise RejectedAnswerError(429, "That was too fast. Please wait a moment.")
        if visitor.person.role != role:
            who = "researchers" if role == RESEARCHER else "annotators"
            raise RejectedAnswerError(403, f"This page is for {who}.")
        return visitor

    def checked_visitor(self, request: Request, fields: Mapping[str, str], role: str = "annotator") -> Visitor:
        """Return the visitor who sent a form, or raise an error."""
        visitor = self.visitor(request, role)
        self.check_form(request, visitor, fields.get("form", ""))
        return visitor

    def check_form(self, request: Request, visitor: Visitor, mark: str) -> None:
        """Check the CSRF token of a form."""
        check_origin(request, self.served.study.address)
        if not hmac.compare_digest(mark.encode("utf-8", "replace"), visitor.form(self.served).encode()):
            raise RejectedAnswerError(403, "This form is not one of yours. Please load the page again.")

    def let_in(self, cookie: str, page: Response) -> Response:
        """Set the cookie with a page or a redirection."""
        page.set_cookie(
            COOKIE, cookie, max_age=DAYS * 24 * 3600, httponly=True, samesite="lax", secure=self.secure, path="/"
        )
        return page

    def sweep(self, at_once: bool = False) -> None:
        """Release expired leases from time to time."""
        now = time.monotonic()
        if at_once or now - self.swept > _SWEEP_SECONDS:
            self.swept = now
            sweep(self.served)


async def fields_of(request: Request) -> Mapping[str, str]:
    """Read the fields of a URL-encoded form."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    body = await request.body()
    if body and kind != "application/x-www-form-urlencoded":
        raise RejectedAnswerError(415, "This is not a form of this page.")
    try:
        pairs = parse_qsl(body.decode("ascii"), keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="strict")
    except ValueError:
        raise RejectedAnswerError(422, "The form cannot be read.") from None
    return dict(pairs)
