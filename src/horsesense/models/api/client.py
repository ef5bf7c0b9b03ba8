"""Requests to a model: concurrent, negotiated, retried, within a budget, stored as they are answered.

One event loop in a thread of its own sends all of them, so that it works where one is running already, as in a
notebook. Several threads may ask at once: their requests share one limiter, and the earlier call comes first.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import threading
from collections.abc import Callable, Coroutine, Hashable, Iterable, Iterator, Mapping
from concurrent.futures import CancelledError, Future, wait
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import chain, islice
from typing import Any, Generic, TypeVar

from horsesense.formatting import count as format_count
from horsesense.models.api.address import Address
from horsesense.models.api.http import Transport
from horsesense.models.api.limiter import Limiter, RetryState, limiter_of
from horsesense.models.api.logprobs import CHARACTERS_A_TOKEN, as_dict, count
from horsesense.models.api.providers import Provider
from horsesense.models.api.request_errors import BudgetError, RefusedError, Request, TemporaryError, Usage
from horsesense.models.api.request_log import RequestLog
from horsesense.models.api.settings import ServedSettings, money
from horsesense.progress import NO_PROGRESS, Progress

Read = TypeVar("Read")
Reader = Callable[[Request, bytes, dict[str, Any]], Read]
"""Parses a reply in OpenAI's form, given the request as it was sent, and its key."""
Spare = Callable[[Request, bytes, RefusedError], Read]
"""Makes the result of a request that the server refused for its own content."""

Mark = tuple[bytes, Hashable]
"""What distinguishes the requests of a call: the key, and what the caller wants from the reply."""
FILTERED = "horsesense_filtered"
"""Key of a stored reply that says that a filter refused the request."""
_PROMPT_ERRORS = (400, 403, 413, 422, 451)
"""Statuses that may concern one prompt alone."""
MOST_IN_BATCHES = 50_000
"""Requests that wait for batches at the same time."""
_FEW_FAILURES = 3
"""Refused prompts that do not end a call; later more must be answered than refused."""
_ROOMS = ("max_tokens", "max_completion_tokens", "max_output_tokens")
_TOO_LARGE = re.compile(r"too (?:large|many|long)|maximum|exceed|at most|less than|context", re.I)


@dataclass
class _RequestBatch(Generic[Read]):
    """The requests of one call and their state."""

    requests: Iterator[Request]
    read: Reader[Read]
    spare: Spare[Read] | None
    identity: str
    log: RequestLog | None
    normalise: Callable[[dict[str, Any]], dict[str, Any]]
    learn: Callable[[Request, dict[str, Any]], None]
    """Callback with a stored request as it was sent."""
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
            reply = self.stored(key, request)
            if reply is None:
                yield mark, request
            else:
                self.answered[mark] = reply

    def stored(self, key: bytes, request: Request) -> Read | None:
        """Return the result of a request that is stored already."""
        reply = self.log.find(key) if self.log is not None else None
        if reply is None:
            return None
        self.learn(request, reply[0])
        return self.parsed(replace(request, body=reply[0]), key, reply[1])

    def parsed(self, request: Request, key: bytes, reply: dict[str, Any]) -> Read:
        if FILTERED not in reply:
            return self.read(request, key, self.normalise(reply))
        error = RefusedError(
            f"a content filter refuses the request: {reply[FILTERED]}",
            status=400,
            detail=reply[FILTERED],
            filtered=True,
        )
        if self.spare is None:
            raise error
        return self.spare(request, key, error)


@dataclass
class Client(Generic[Read]):
    """Sends requests to one model."""

    address: Address
    provider: Provider
    transport: Transport
    identity: str = ""
    """Identity of the model, part of every key of the log."""
    log: RequestLog | None = None
    spending: Usage = field(default_factory=Usage)
    dropped: dict[str, dict[str, str]] = field(default_factory=dict)
    """Parameters that the server refused, by path, and what it said."""
    most_room: int | None = None
    """Tokens of a reply that the server allowed after it had refused more."""
    progress: Progress = NO_PROGRESS
    """Progress callback for calls without one of their own."""
    forecast_logged: bool = False
    """Whether the cost of the whole has been logged, so that those of its parts are left out."""
    failure: BaseException | None = None
    """The error that ends all calls under way."""
    _calls: int = 0
    """Calls so far: the rank of each."""
    _active: int = 0
    """Calls under way."""
    _tasks: set[asyncio.Task[Any]] = field(default_factory=set)
    """What carries them out."""
    _sending: dict[bytes, asyncio.Event] = field(default_factory=dict)
    """Requests in flight, by key: another call that needs the same one waits for it."""

    @property
    def settings(self) -> ServedSettings:
        return self.provider.settings

    @property
    def most(self) -> int:
        """Requests in flight at most: of a batch, all."""
        return MOST_IN_BATCHES if self.settings.batch else self.settings.concurrency

    @property
    def unset(self) -> list[str]:
        """Parameters that could not be set."""
        names = {name for refused in self.dropped.values() for name in refused if not self.provider.optional[name]}
        return sorted(names)

    @property
    def limiter(self) -> Limiter:
        return limiter_of(self.address.url or f"{self.address.provider}/{self.address.model}")

    def get(self, path: str) -> dict[str, Any]:
        """Return what the server says about itself."""
        where = self.provider.path(path, self.address.model)
        answer: dict[str, Any] = self._run(self._sent(where, None, "", RetryState(trial=True), self.progress))
        return answer

    def _run(self, work: Coroutine[Any, Any, Any]) -> Any:
        async def closing() -> Any:
            self._active += 1
            try:
                return await work
            finally:
                self._active -= 1
                if not self._active:  # no other call needs the connections
                    self.failure = None
                    await self.transport.close()

        return _loop().run(closing(), self._tasks)

    def stop(self, error: BaseException) -> None:
        """End all calls under way: after an error, replies in flight are still stored; an interruption drops them."""
        self.failure = error
        if not isinstance(error, Exception):
            _loop().cancel(self._tasks)

    def ask(self, request: Request, read: Callable[[dict[str, Any]], Read]) -> Read:
        return self.ask_each([request], lambda request, key, reply: read(reply))[0]

    def ask_each(
        self,
        requests: Iterable[Request],
        read: Reader[Read],
        progress: Progress = NO_PROGRESS,
        total: int = 1,
        spare: Spare[Read] | None = None,
    ) -> list[Read]:
        """Send all requests; each reply is parsed on arrival and stored if it could be parsed. Duplicates are sent
        once. With ``spare``, a prompt that the server refuses does not end the call.

        Requests are built as they are sent, so that a hundred thousand are not in memory at once; progress counts how
        many of ``total`` are done.
        """
        asked = _RequestBatch(
            iter(requests), read, spare, self.identity, self.log, self.provider.as_openai, self._learn
        )
        self._calls += 1
        self._run(self._all(asked, total, progress, self._calls))
        return [asked.answered[mark] for mark in asked.taken]

    async def _all(self, asked: _RequestBatch[Read], total: int, progress: Progress, rank: int) -> None:
        todo = asked.left()
        progress = self.progress if progress is NO_PROGRESS else progress
        failed: list[BaseException] = []

        async def worker(first: tuple[Mark, Request]) -> None:
            for mark, request in chain([first], todo):
                if failed or self.failure is not None:
                    return
                try:
                    asked.answered[mark] = await self._one(mark[0], request, asked, progress, rank)
                except Exception as error:  # the first error stops all; replies in flight are still stored
                    failed.append(error)
                    if not request.trial:
                        self.failure = self.failure or error
                progress.update("requests", len(asked.answered), total, "requests")

        # One worker per request in flight, and none if everything is stored already.
        await asyncio.gather(*(worker(first) for first in islice(todo, self.most)))
        if error := next(iter(failed), self.failure):
            raise error

    def _learn(self, request: Request, sent: dict[str, Any]) -> None:
        """Learn from a stored request which parameters the server refuses."""
        dropped = self.dropped.setdefault(request.path, {})
        for name in self.provider.optional:
            if _has(request.body, name) and not _has(sent, name):
                dropped.setdefault(name, "")

    def _check_budget(self, body: dict[str, Any]) -> int:
        """Return the tokens that a request may take; of a batch, those in flight count as if they took all of them."""
        settings, spent = self.settings, self.spending
        sent = len(json.dumps(body)) // CHARACTERS_A_TOKEN if settings.batch else 0
        room = next((body[name] for name in _ROOMS if name in body), 0) if settings.batch else 0
        used = spent.sent + spent.received + spent.reserved + sent + room
        cost = spent.cost(settings.price or (0.0, 0.0), sent, spent.reserved + room)
        if settings.max_requests is not None and spent.requests + spent.in_flight >= settings.max_requests:
            what = f"the budget of {format_count(settings.max_requests, 'request')} is reached"
        elif settings.max_tokens is not None and used >= settings.max_tokens:
            what = f"the budget of {format_count(settings.max_tokens, 'token')} is reached"
        elif settings.max_cost is not None and cost >= settings.max_cost:
            what = f"the budget of {money(settings.max_cost)} is reached"
        else:
            return sent + room
        raise BudgetError(f"{what}; all replies so far are stored", fix="run the same command again to resume")

    async def _one(
        self, key: bytes, request: Request, asked: _RequestBatch[Read], progress: Progress, rank: int
    ) -> Read:
        while other := self._sending.get(key):
            await other.wait()
            if (stored := asked.stored(key, request)) is not None:
                return stored
        self._sending[key] = asyncio.Event()
        try:
            request, reply = await self._negotiated(request, "" if request.trial else key.hex(), progress, rank)
            self.spending.requests += 1
            self._count(asked.normalise(reply).get("usage"))
            result = asked.parsed(request, key, reply)
            if self.log is not None:
                self.log.keep(key, request.body, reply)
            return result
        except RefusedError as error:
            return self._refused(key, request, error, asked)
        finally:
            self._sending.pop(key).set()

    def _count(self, usage: Any) -> None:
        usage = as_dict(usage)
        self.spending.sent += count(usage.get("prompt_tokens"))
        self.spending.received += count(usage.get("completion_tokens"))
        self.spending.reasoning += count(as_dict(usage.get("completion_tokens_details")).get("reasoning_tokens"))

    def _refused(self, key: bytes, request: Request, error: RefusedError, asked: _RequestBatch[Read]) -> Read:
        """Take the refusal of one prompt for its result; a server that refuses most prompts is an error."""
        if asked.spare is None or (error.status not in _PROMPT_ERRORS and not error.filtered):
            raise error
        if error.filtered:
            if self.log is not None:
                self.log.keep(key, request.body, {FILTERED: error.detail})
        else:
            self.spending.failed += 1
            if self.spending.failed > _FEW_FAILURES and self.spending.failed > self.spending.requests:
                raise error
        return asked.spare(request, key, error)

    async def _negotiated(
        self, request: Request, key: str, progress: Progress, rank: int
    ) -> tuple[Request, dict[str, Any]]:
        """Send a request; a parameter that the server refuses and that can be spared is left out from now on."""
        body, refused = request.body, dict[str, str]()
        dropped = self.dropped.setdefault(request.path, {})
        for name in dropped:
            body = without(body, name, self.provider.optional[name])
        if self.most_room is not None:
            body |= {name: min(body[name], self.most_room) for name in _ROOMS if name in body}
        while True:
            try:
                path = self.provider.path(request.path, self.address.model)
                reply = await self._sent(path, body, key, RetryState(request.trial), progress, rank)
            except RefusedError as error:
                if error.status not in (400, 422) or error.filtered:
                    raise
                smaller = _less_room(body, error)
                name = "" if smaller else _named(body, error, self.provider.optional, refused)
                if not smaller and not name:
                    raise
                if name:
                    refused[name] = error.detail
                body = smaller or without(body, name, self.provider.optional[name])
            else:
                # Only now is it known that these were the reason.
                room = next((body[name] for name in _ROOMS if name in body), 0)
                if any(name in request.body and room < request.body[name] for name in _ROOMS):
                    self.most_room = room
                for name in refused.keys() - dropped.keys():
                    if not self.provider.optional[name] and name not in self.unset:
                        progress.log(f"{name} could not be set: {refused[name][:200]}")
                    dropped[name] = refused[name]
                return replace(request, body=body), reply

    async def _sent(
        self, path: str, body: dict[str, Any] | None, key: str, state: RetryState, progress: Progress, rank: int = 0
    ) -> dict[str, Any]:
        """Repeat one request until it is answered or refused, or the patience ends."""
        most = self.most if key else self.settings.concurrency
        while True:
            async with self.limiter.slot(most, rank):
                reserved = 0 if body is None else self._check_budget(body)
                self.spending.in_flight += 1
                self.spending.reserved += reserved
                try:
                    reply, headers = await self.transport.send(path, body, key)
                except TemporaryError as error:
                    self.spending.repeated += 1
                    pause = self.limiter.pause(state, error, self.settings.patience, progress)
                else:
                    self.limiter.heard(headers, most, progress)
                    return reply
                finally:
                    self.spending.in_flight -= 1
                    self.spending.reserved -= reserved
            await asyncio.sleep(pause)


def without(body: dict[str, Any], name: str, instead: str) -> dict[str, Any]:
    """Return a body without a parameter, or with another in its place.

    >>> without({"config": {"seed": 1, "n": 1}}, "config.seed", ""), without({"max_tokens": 9}, "max_tokens", "max")
    ({'config': {'n': 1}}, {'max': 9})
    """
    first, _, rest = name.partition(".")
    if first not in body:
        return body
    left = {key: value for key, value in body.items() if key != first}
    if rest:
        return left | {first: without(body[first], rest, instead)}
    return left | ({instead: body[first]} if instead else {})


def _has(body: Any, name: str) -> bool:
    first, _, rest = name.partition(".")
    return isinstance(body, dict) and first in body and (not rest or _has(body[first], rest))


def _named(body: dict[str, Any], error: RefusedError, optional: Mapping[str, str], refused: Mapping[str, str]) -> str:
    """Return the optional parameter that a refusal names; empty if it names none."""
    present = [name for name in optional if _has(body, name) and name not in refused]
    leaves = {name.rpartition(".")[2]: name for name in present}
    if error.parameter:
        return leaves.get(error.parameter.rpartition(".")[2], "")
    # A server may name the parameter that it wants in its place.
    named = [
        (match.start(), name)
        for leaf, name in leaves.items()
        if (match := re.search(_words(leaf, optional[name] or leaf), error.detail))
    ]
    return min(named)[1] if named else ""


def _words(*names: str) -> str:
    """Return a pattern for any of the names, in camel case or with underscores."""
    either = "|".join(each for name in names for each in (name, re.sub(r"([A-Z])", r"_\1", name).lower()))
    return rf"(?<![A-Za-z_])(?:{either})(?![A-Za-z_])"


def _less_room(body: dict[str, Any], error: RefusedError) -> dict[str, Any] | None:
    """Return the body with half the tokens for the reply, if the refusal says that they are too many."""
    for name in _ROOMS:
        value = body.get(name)
        named = error.parameter in ("", name) and re.search(
            r"max_(?:completion_|output_)?tokens|context length", error.detail
        )
        if isinstance(value, int) and value > 64 and named and _TOO_LARGE.search(error.detail):
            return body | {name: value // 2}
    return None


class _Loop:
    """The event loop that sends all requests of this process, in a thread of its own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, name="horsesense-served", daemon=True).start()

    def run(self, work: Coroutine[Any, Any, Any], tasks: set[asyncio.Task[Any]]) -> Any:
        """Wait for a coroutine, which is among the tasks meanwhile; an interruption here ends it there."""
        ended: Future[Any] = Future()
        started: list[asyncio.Task[Any]] = []

        def finish(task: asyncio.Task[Any]) -> None:
            tasks.discard(task)
            if task.cancelled():
                ended.set_exception(CancelledError())
            elif error := task.exception():
                ended.set_exception(error)
            else:
                ended.set_result(task.result())

        def start() -> None:
            task = self._loop.create_task(work)
            started.append(task)
            tasks.add(task)
            task.add_done_callback(finish)

        self._loop.call_soon_threadsafe(start)
        try:
            return ended.result()
        except BaseException:
            if not ended.done():
                self._loop.call_soon_threadsafe(lambda: started[0].cancel())
                wait([ended])
            raise

    def cancel(self, tasks: set[asyncio.Task[Any]]) -> None:
        self._loop.call_soon_threadsafe(lambda: [task.cancel() for task in tasks])


_loop = cache(_Loop)
os.register_at_fork(after_in_child=_loop.cache_clear)  # threads do not survive a fork
