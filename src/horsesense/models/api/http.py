"""Requests by HTTP: one server, one key, no redirects, bounded replies; every error is classified here."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urljoin, urlsplit

from horsesense.errors import argument
from horsesense.models.api.address import Address
from horsesense.models.api.limiter import retry_after
from horsesense.models.api.providers import Provider
from horsesense.models.api.request_errors import KeyRefusedError, QuotaError, RefusedError, TemporaryError

if TYPE_CHECKING:
    import ssl

    import httpx

LARGEST_REPLY = 32 * 2**20
"""Maximum size of a reply in bytes, unpacked."""
_CONNECTING = 5.0
"""Seconds to wait for a connection: an address that takes longer has no server."""
_TEMPORARY = {408, 409, 425, 429, 500, 502, 503, 504, 529}
_THERE = {408, 409, 500}
"""Statuses among these that a running server may return for a feature that it lacks."""
_NO_QUOTA = re.compile(
    r"insufficient_?quota|exceeded your current quota|credit balance|insufficient (?:credit|balance)"
)
_FILTER = re.compile(
    r"content_?filter|content management policy|content_policy|ResponsibleAI|violating our usage policy"
)
_RETRY_IN = re.compile(r"retry (?:in|after) ([\d.]+) ?s", re.I)

Answer = tuple[dict[str, Any], Mapping[str, str]]
"""A reply and its headers."""


class Transport(Protocol):
    """How requests get to a model: by HTTP, or through a library. One event loop uses it."""

    async def send(self, path: str, body: dict[str, Any] | None, key: str = "") -> Answer:
        """Send a body to a path, or get the path without one; ``key`` identifies the request.

        Raises a `TemporaryError`, `RefusedError` or `QuotaError`.
        """

    async def close(self) -> None:
        """Close idle connections."""


@dataclass
class HttpTransport:
    """Sends requests to a server."""

    address: Address
    provider: Provider
    _ssl: ssl.SSLContext | None = field(default=None, repr=False)
    _idle: list[httpx.AsyncClient] = field(default_factory=list, repr=False)
    """Open connections, one each: a pool of many searches all of them at every request."""

    @cached_property
    def key(self) -> str:
        return self.provider.settings.key(self.provider.keys)

    def _connect(self) -> httpx.AsyncClient:
        import httpx

        settings = self.provider.settings
        return httpx.AsyncClient(
            headers=self.provider.headers(self.key) | settings.extra_headers(),
            timeout=httpx.Timeout(settings.timeout, connect=min(_CONNECTING, settings.timeout)),
            limits=httpx.Limits(max_connections=1, max_keepalive_connections=1),
            verify=self._certificates(),
            trust_env=not self.address.loopback,  # a proxy knows another machine by this name
            follow_redirects=False,
        )

    async def close(self) -> None:
        while self._idle:
            await self._idle.pop().aclose()

    async def send(self, path: str, body: dict[str, Any] | None, key: str = "") -> Answer:
        response, content = await self.exchange(path, {} if body is None else {"json": body})
        return self.read(response, content), response.headers

    async def exchange(
        self, path: str, content: Mapping[str, Any], largest: int | None = None
    ) -> tuple[httpx.Response, bytes]:
        """Post content, as httpx takes it, or get the path without any; errors are raised where there is no answer."""
        import httpx

        url = path if path.startswith("http") else f"{self.address.url}{path}"
        timeout = self.provider.settings.timeout
        connection = self._idle.pop() if self._idle else self._connect()
        try:
            # A server that sends a byte now and then would outlast the timeout of each read.
            async with (
                asyncio.timeout(timeout),
                connection.stream("POST" if content else "GET", url, **content) as response,
            ):
                return response, await self._content(response, largest or LARGEST_REPLY)
        except httpx.InvalidURL as error:  # made with an id that the server gave
            raise TemporaryError("its answer names an invalid address", away=False) from error
        except httpx.ConnectTimeout as error:
            raise TemporaryError("the connection is refused", reached=False) from error
        except (httpx.TimeoutException, TimeoutError) as error:
            raise TemporaryError(f"no answer in {timeout:g} s") from error
        except httpx.RequestError as error:
            why = self.scrub(f"{type(error).__name__}: {error}".removesuffix(": "))
            raise TemporaryError(why, reached=not isinstance(error, httpx.ConnectError)) from error
        finally:
            self._idle.append(connection)

    @staticmethod
    async def _content(response: httpx.Response, largest: int) -> bytes:
        parts, size = [], 0
        async for part in response.aiter_bytes():
            parts.append(part)
            size += len(part)
            if size > largest:
                raise RefusedError(
                    f"{response.url.host} sends more than {largest // 2**20} MB in one reply",
                    status=response.status_code,
                    fix="see whether the address is that of a model",
                )
        return b"".join(parts)

    def text_of(self, response: httpx.Response, content: bytes) -> str:
        """Return the text of an answer; raise what its status means."""
        status = response.status_code
        if 300 <= status < 400:
            try:
                there = urlsplit(urljoin(str(response.url), response.headers.get("location", "")))
                place = f"{there.scheme}://{there.netloc}"
            except ValueError:
                place = "an invalid address"
            raise RefusedError(
                f"{self.address.url} redirects to {place}, where no key is sent",
                status=status,
                fix="write the address to which it redirects, if you trust it",
            )
        text = self.scrub(content.decode("utf-8", "replace"))
        if status in _TEMPORARY or status >= 400:
            raise self._error(status, text, response.headers)
        if "\ufffd" in text and b"\xef\xbf\xbd" not in content:
            raise TemporaryError("its answer is not UTF-8", away=False)
        return text

    def read(self, response: httpx.Response, content: bytes) -> dict[str, Any]:
        """Return the object in an answer; raise what its status means."""
        text = self.text_of(response, content)
        try:
            reply = parse_json(text)
        except (ValueError, RecursionError) as error:
            what = "HTML and not JSON" if text.lstrip()[:1] == "<" else "incomplete JSON"
            raise TemporaryError(f"its answer is {what}", away=False) from error
        if not isinstance(reply, dict):
            raise TemporaryError(f"its answer is a {type(reply).__name__} and not an object", away=False)
        if reply.get("error") and not reply.get("choices"):
            code = reply["error"].get("code") if isinstance(reply["error"], dict) else None
            raise self._error(code if isinstance(code, int) else response.status_code, text, response.headers)
        return reply

    def _error(self, status: int, text: str, headers: Mapping[str, str]) -> Exception:
        variable = self.provider.settings.key_from or " or ".join(self.provider.keys)
        return classified(status, text, headers, self.address.url, f"the environment variable {variable}")

    def scrub(self, text: str) -> str:
        """Remove the key from what a server repeats."""
        secrets = [each for each in (self.key, *self.provider.settings.extra_headers().values()) if len(each) > 7]
        plain = _ESCAPE.sub(_unescaped, text)
        if any(secret in plain for secret in secrets):
            text = plain
        for secret in secrets:
            text = text.replace(secret, "***")
        return text

    def _certificates(self) -> ssl.SSLContext | bool:
        """Return the certificates, loaded once since that takes a while, and only where the connection is encrypted."""
        if not self.address.url.startswith("https:"):
            return False
        if self._ssl is None:
            import ssl

            self._ssl = ssl.create_default_context()
        return self._ssl


_ESCAPE = re.compile(r"\\\\|\\/|\\u00[2-7][0-9a-fA-F]")
"""An escape in JSON of a backslash, a slash or another ASCII letter; a key could hide behind the last two."""


def _unescaped(match: re.Match[str]) -> str:
    letter = match[0][1:] if len(match[0]) == 2 else chr(int(match[0][2:], 16))
    return match[0] if letter in '"\\' else letter


def parse_json(text: str) -> Any:
    """Parse JSON; half of a surrogate pair, which no file could store, becomes a question mark.

    >>> parse_json('["\\\\ud83d\\\\ude00", "\\\\ud800"]') == [chr(0x1F600), "?"]
    True
    """
    value = json.loads(text)
    if "\\ud" in text.lower():
        value = json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    return value


def classified(status: int, text: str, headers: Mapping[str, str], where: str, key: str) -> Exception:
    """Classify an error: no quota, temporary, or refused for good; ``key`` says where the key belongs."""
    message, parameter = message_of(text)
    message = " ".join(message.split())
    wait = retry_after(headers)
    if wait is None and (match := _RETRY_IN.search(message)):
        wait = float(match[1])
    if status == 402 or (_NO_QUOTA.search(text) and wait is None):
        return QuotaError(
            f"the account at {where} has no quota left (HTTP {status}: {message[:200]})",
            fix="add credit, or use another key, and run the same command again: all replies so far are stored",
        )
    if status in _TEMPORARY:
        why = f"HTTP {status}" + (f": {message[:120]}" if message else "")
        return TemporaryError(why, wait, away=status not in _THERE, limited=status in (429, 529))
    if status == 401:
        return KeyRefusedError(
            f"{where} refuses the key (HTTP 401: {message[:200]})",
            status=status,
            detail=message,
            fix=f"put one into {key}, or name another by {argument('key_from')}",
        )
    return RefusedError(
        f"{where} refuses the request (HTTP {status}: {message[:300]})",
        status=status,
        detail=message,
        parameter=parameter,
        filtered=bool(_FILTER.search(text)) and status in (400, 403, 422, 451),
    )


def message_of(text: str) -> tuple[str, str]:
    """Return the message of an error, and the parameter that it names.

    >>> message_of('{"error": {"message": "Unsupported parameter", "param": "seed"}}')
    ('Unsupported parameter', 'seed')
    >>> message_of('{"detail": [{"loc": ["body", "seed"], "msg": "extra inputs are not permitted"}]}')
    ('extra inputs are not permitted (body.seed)', 'seed')
    """
    try:
        error: Any = json.loads(text)
    except (ValueError, RecursionError):
        return text[:2000], ""
    if isinstance(error, list) and error:
        error = error[0]
    parameter = ""
    for name in ("error", "detail", "message"):
        if isinstance(error, dict) and error.get(name):
            parameter = str(error.get("param") or parameter)
            error = error[name]
        if isinstance(error, dict):
            parameter = str(error.get("param") or parameter)
    if isinstance(error, list) and error and isinstance(error[0], dict) and isinstance(error[0].get("loc"), list):
        where = [str(part) for part in error[0]["loc"]]
        return f"{error[0].get('msg')} ({'.'.join(where)})", where[-1] if where else ""
    return str(error)[:2000], parameter
