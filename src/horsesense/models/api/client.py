"""Requests to a server: concurrent, retried, within a budget, stored as they are answered.

The event loop runs in a thread of its own, so that it works where one is running already, as in a notebook.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from horsesense.errors import argument
from horsesense.models.api.address import Address
from horsesense.models.api.request_log import RequestLog
from horsesense.models.api.requests import (
    BudgetError,
    RefusedError,
    Request,
    TemporaryError,
    Usage,
    message_of,
    retry_after,
)
from horsesense.models.api.retry import RetryPolicy, RetryState
from horsesense.models.api.settings import KEY_VARIABLE, ServedSettings
from horsesense.progress import NO_PROGRESS, Progress

if TYPE_CHECKING:
    import ssl

    import httpx

Read = TypeVar("Read")
Reader = Callable[[Request, bytes, dict[str, Any]], Read]
"""Parses a reply, given its request and the key of that."""

Mark = tuple[bytes, Hashable]
"""What distinguishes the requests of a call: the key, and what the caller wants from the reply."""
_FALTERS = {408, 409, 425, 429, 500, 502, 503, 504, 529}
_THERE = {408, 409, 500}
"""Statuses among these that a running server may return for a feature that it lacks."""
_CONNECTING = 5.0
"""Seconds to wait for a connection: an address that takes longer has no server."""


@dataclass
class _Asked(Generic[Read]):
    """The requests of one call and their state."""

    requests: Iterator[Request]
    read: Reader[Read]
    identity: str
    log: RequestLog | None
    taken: list[Mark] = field(default_factory=list)
    """All requests taken so far, in order."""
    answered: dict[Mark, Read] = field(default_factory=dict)
    _seen: set[Mark] = field(default_factory=set)

    def left(self) -> Iterator[tuple[Mark, Request]]:
        """Yield the requests to send: neither stored ones nor duplicates."""
        for request in self.requests:
            key = request.key(self.identity)
            mark = key, request.about
            self.taken.append(mark)
            if mark in self._seen:
                continue
            self._seen.add(mark)
            kept = self.log.find(key) if self.log is not None else None
            if kept is None:
                yield mark, request
            else:
                self.answered[mark] = self.read(request, key, kept)


@dataclass
class Client(Generic[Read]):
    """Sends requests to one server."""

    address: Address
    settings: ServedSettings
    identity: str = ""
    """Identity of the model, part of every key of the log."""
    log: RequestLog | None = None
    spending: Usage = field(default_factory=Usage)
    progress: Progress = NO_PROGRESS
    """Progress callback for calls without one of their own."""
    patience: RetryPolicy = field(init=False)
    _ssl: ssl.SSLContext | None = None

    def __post_init__(self) -> None:
        self.patience = RetryPolicy(self.address.url, self.settings.patience)

    def get(self, path: str) -> dict[str, Any] | None:
        """Return what the server says about itself; None if it has no such page."""
        try:
            said: dict[str, Any] = self._in_thread(lambda: self._got(path))
            return said
        except RefusedError as error:
            if error.status in (401, 403):
                raise
            return None

    def ask(self, request: Request, read: Callable[[dict[str, Any]], Read]) -> Read:
        return self.ask_each([request], lambda request, key, reply: read(reply))[0]

    def ask_each(
        self, requests: Iterable[Request], read: Reader[Read], progress: Progress = NO_PROGRESS, total: int = 1
    ) -> list[Read]:
        """Send all requests; each reply is parsed on arrival and stored if it could be parsed. Duplicates are sent
        once.

        Requests are built as they are sent, so that a hundred thousand are not in memory at once; progress counts how
        many of ``total`` are done.
        """
        asked = _Asked(iter(requests), read, self.identity, self.log)
        self._in_thread(lambda: self._all(asked, total, progress))
        return [asked.answered[mark] for mark in asked.taken]

    async def _got(self, path: str) -> dict[str, Any]:
        async with self._connected() as client:
            return await self._sent(client, "GET", path, None, RetryState(trial=True), self.progress)

    async def _all(self, asked: _Asked[Read], total: int, progress: Progress) -> None:
        todo = asked.left()
        progress = self.progress if progress is NO_PROGRESS else progress
        failed: list[BaseException] = []

        async def worker(first: tuple[Mark, Request]) -> None:
            # One connection each: a pool of many searches all of them at every request.
            async with self._connected() as client:
                try:
                    for mark, request in chain([first], todo):
                        if failed or not self._may_go_on(failed):
                            return
                        asked.answered[mark] = await self._one(client, mark[0], request, asked.read, progress)
                        progress.update("requests", len(asked.taken) - self.spending.in_flight, total, "requests")
                except Exception as error:  # the first error stops all; replies in flight are still stored
                    failed.append(error)

        # One worker per request in flight, and none if everything is stored already.
        await asyncio.gather(*(worker(first) for first in islice(todo, self.settings.concurrency)))
        if failed:
            raise failed[0]

    def _may_go_on(self, failed: list[BaseException]) -> bool:
        most, tokens = self.settings.max_requests, self.settings.max_tokens
        used = self.spending.sent + self.spending.received
        if most is not None and self.spending.requests + self.spending.in_flight >= most:
            what = f"the budget of {most:,} requests is reached"
        elif tokens is not None and used >= tokens:
            what = f"the budget of {tokens:,} tokens is reached ({used:,} are used)"
        else:
            return True
        failed.append(BudgetError(f"{what}; all replies so far are stored", fix="run the same command again to resume"))
        return False

    async def _one(
        self, client: httpx.AsyncClient, key: bytes, request: Request, read: Reader[Read], progress: Progress
    ) -> Read:
        self.spending.in_flight += 1
        try:
            reply = await self._sent(client, "POST", request.path, request.body, RetryState(request.trial), progress)
        finally:
            self.spending.in_flight -= 1
        self.spending.requests += 1
        usage = reply.get("usage")
        if isinstance(usage, dict):
            self.spending.sent += int(usage.get("prompt_tokens") or 0)
            self.spending.received += int(usage.get("completion_tokens") or 0)
        result = read(request, key, reply)
        if self.log is not None:
            self.log.keep(key, reply)
        return result

    async def _sent(
        self,
        client: httpx.AsyncClient,
        method: str,
        path: str,
        body: dict[str, Any] | None,
        wait: RetryState,
        progress: Progress,
    ) -> dict[str, Any]:
        """Repeat one request until it is answered or refused, or the patience ends."""
        while True:
            try:
                reply = await self._tried(client, method, path, body)
            except TemporaryError as error:
                self.spending.repeated += 1
                await asyncio.sleep(self.patience.pause(wait, error, progress))
            else:
                self.patience.heard(progress)
                return reply

    async def _tried(
        self, client: httpx.AsyncClient, method: str, path: str, body: dict[str, Any] | None
    ) -> dict[str, Any]:
        import httpx

        url = path if path.startswith("http") else f"{self.address.url}{path}"
        try:
            response = await client.request(method, url, json=body)
        except httpx.ConnectTimeout as error:
            raise TemporaryError("the connection is refused", reached=False) from error
        except httpx.TimeoutException as error:
            raise TemporaryError(f"no answer in {self.settings.timeout:g} s") from error
        except httpx.TransportError as error:
            why = self._scrubbed(f"{type(error).__name__}: {error}".removesuffix(": "))
            raise TemporaryError(why, reached=not isinstance(error, httpx.ConnectError)) from error
        if response.status_code in _FALTERS:
            wait, there = retry_after(response.headers.get("retry-after")), response.status_code in _THERE
            raise TemporaryError(f"HTTP {response.status_code}", wait, away=not there)
        if response.status_code >= 300:
            raise self._refusal(response.status_code, response.text)
        try:
            reply = response.json()
        except ValueError as error:
            raise TemporaryError("its answer is incomplete JSON", away=False) from error
        if not isinstance(reply, dict):
            raise TemporaryError(f"its answer is a {type(reply).__name__} and not an object", away=False)
        if "error" in reply and "choices" not in reply:
            raise self._refusal(response.status_code, response.text)
        return reply

    def _refusal(self, status: int, text: str) -> RefusedError:
        if status in (401, 403):
            variable = self.settings.key_from or KEY_VARIABLE
            return RefusedError(
                f"{self.address.url} refuses the key (HTTP {status})",
                status=status,
                fix=f"put one into the environment variable {variable}, or name another by {argument('key_from')}",
            )
        said = self._scrubbed(" ".join(message_of(text).split()))[:200]
        return RefusedError(f"{self.address.url} refuses the request (HTTP {status}: {said})", status=status)

    def _scrubbed(self, text: str) -> str:
        key = self.settings.key()
        return text.replace(key, "***") if key else text

    def _connected(self) -> httpx.AsyncClient:
        """Open a connection to the server."""
        import httpx

        key = self.settings.key()
        return httpx.AsyncClient(
            headers={"Authorization": f"Bearer {key}"} if key else {},
            timeout=httpx.Timeout(self.settings.timeout, connect=min(_CONNECTING, self.settings.timeout)),
            limits=httpx.Limits(max_connections=1, max_keepalive_connections=1),
            verify=self._certificates(),
            trust_env=not self.address.loopback,  # a proxy knows another machine by this name
        )

    def _certificates(self) -> ssl.SSLContext | bool:
        """Return the certificates, loaded once since that takes a while, and only where the connection is encrypted."""
        if not self.address.url.startswith("https:"):
            return False
        if self._ssl is None:
            import ssl

            self._ssl = ssl.create_default_context()
        return self._ssl

    def _in_thread(self, work: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        """Run a coroutine in an event loop of its own; an interruption here ends it there."""
        outcome: list[Any] = []
        errors: list[BaseException] = []
        started: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]]] = []

        async def prepend_bos() -> Any:
            task = asyncio.ensure_future(work())
            started.append((asyncio.get_running_loop(), task))
            return await task

        def run() -> None:
            try:
                outcome.append(asyncio.run(prepend_bos()))
            except BaseException as error:
                errors.append(error)

        thread = threading.Thread(target=run, name="horsesense-served", daemon=True)
        thread.start()
        try:
            thread.join()
        except BaseException:
            for loop, task in started:
                loop.call_soon_threadsafe(task.cancel)
            thread.join()
            raise
        if errors:
            raise errors[0]
        return outcome[0]
