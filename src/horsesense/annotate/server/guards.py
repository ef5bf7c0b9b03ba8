"""What every request passes: the right host, a body of bounded size, headers that keep browsers safe."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from horsesense.annotate.server.answering import RefusedError

MOST_BYTES = 64 * 1024
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # With no-referrer a browser hides where a form comes from, and the check below would refuse it.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


class TooLargeError(Exception):
    """The body is larger than any form of ours."""


class Guards:
    """A wrapper around the app; raw ASGI, since it stands before every request."""

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
            # A page elsewhere could give its own name the address of this machine, and read what people see.
            await PlainTextResponse("This server does not answer to that name.", 400)(scope, receive, guarded)
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
    """The name in a Host header, without the port.

    >>> host_of("127.0.0.1:8000"), host_of("[::1]:80")
    ('127.0.0.1', '[::1]')
    """
    name, colon, port = value.lower().rpartition(":")
    return name if colon and port.isdigit() else value.lower()


def check_origin(request: Request) -> None:
    """A form must come from a page of this server."""
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise RefusedError(403, "This form came from another site.")
    origin = request.headers.get("origin")
    if origin is not None and urlsplit(origin).netloc.lower() != request.headers.get("host", "").lower():
        raise RefusedError(403, "This form came from another site.")
