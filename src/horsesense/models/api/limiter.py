"""How often a server is asked: one limiter per server, which all requests of this process share.

All requests are sent by one event loop (`horsesense.models.api.client`), so nothing here needs a lock. A rate limit
halves the number of requests in flight, and every answer raises it a little, up to ``--concurrency``. When the server
says how long to wait, everybody waits. A failing request is retried by time, with growing pauses.

A server that restarts and loads its model refuses connections, then answers 503 for minutes; an unattended run must
outlast that. An address at which no server has ever answered is more likely wrong, and is reported within seconds.
"""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from heapq import heappop, heappush
from math import isfinite

from horsesense.errors import UserError, argument
from horsesense.models.api.request_errors import NoAnswerError, TemporaryError
from horsesense.progress import Progress

_LONGEST_PAUSE = 30.0
"""Maximum pause before a retry, in seconds, where the server does not say how long."""
_LONGEST_RESET = 60.0
"""Longest wait because a header says that no requests are left, in seconds."""
_FIRST_PAUSE = 0.25
_STRANGER = 3.0
"""Seconds for an address at which no server has answered this process yet."""
_TRIES = 6
"""Tries for a feature that a running server may lack."""
_LONG_WAIT = 5.0
"""Wait for a rate limit that is reported, in seconds."""
_REPORTED = 3
"""The failure of a request that is reported: the first ones are nothing unusual."""


@dataclass
class RetryState:
    """State of a request that has failed."""

    trial: bool = False
    """Whether it finds out what the server can do: some answer 500 to what they cannot."""
    failures: int = 0
    began: float = 0.0
    """Time of the first failure."""


@dataclass
class Limiter:
    """How many requests one server gets at a time, when, and for how long a failing one is retried."""

    url: str
    allowed: float = float("inf")
    """Requests in flight that the server seems to bear."""
    in_flight: int = 0
    known: bool = False
    """Whether a server has answered here, if only with an error."""
    _waiting: list[tuple[int, int, int, asyncio.Future[None]]] = field(default_factory=list)
    """A heap of requests that wait for their turn: rank, arrival, limit, and what wakes each."""
    _arrivals: int = 0
    _not_before: float = 0.0
    _lowered: float = 0.0
    _reported: bool = False
    _limit_reported: bool = False
    _heard: float = field(default_factory=time.monotonic)

    @asynccontextmanager
    async def slot(self, most: int, rank: int = 0) -> AsyncIterator[None]:
        """Wait until a request may be sent, with at most ``most`` in flight; a lower rank is served first."""
        turn = asyncio.get_running_loop().create_future()
        self._arrivals += 1
        heappush(self._waiting, (rank, self._arrivals, most, turn))
        self._wake()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # it had been woken at the same moment
                self.in_flight -= 1
                self._wake()
            raise
        try:
            yield
        finally:
            self.in_flight -= 1
            self._wake()

    def _wake(self) -> None:
        """Wake as many requests as the server bears now."""
        wait = self._not_before - time.monotonic()
        if wait > 0:
            if self._waiting:
                asyncio.get_running_loop().call_later(wait, self._wake)
            return
        while self._waiting and self.in_flight < max(1.0, min(self._waiting[0][2], self.allowed)):
            turn = heappop(self._waiting)[3]
            if not turn.done():  # else it was cancelled
                self.in_flight += 1
                turn.set_result(None)

    def heard(self, headers: Mapping[str, str], most: int, progress: Progress) -> None:
        """Record that the server has answered."""
        self.known = True
        self._heard = time.monotonic()
        if self.allowed < most:
            self.allowed += 1 / self.allowed
        # A longer one is for the answer to a request that comes too early to say.
        self.wait_for(min(until_reset(headers) or 0.0, _LONGEST_RESET))
        if self._reported:
            self._reported = False
            progress.log(f"{self.url} answers again")

    def wait_for(self, seconds: float | None) -> None:
        """Let nobody send for a while."""
        self._not_before = max(self._not_before, time.monotonic() + (seconds or 0.0))

    def pause(self, state: RetryState, error: TemporaryError, patience: float, progress: Progress) -> float:
        """Return the seconds until the next try; raise an error where the patience has ended."""
        now = time.monotonic()
        state.failures += 1
        if state.failures == 1:
            state.began = now
        if error.reached:
            self.known = True
        if error.limited:
            self._lower(now)
            self.wait_for(error.wait)
            # A server that answers others is there: a request that waits for its turn loses no patience.
            state.began = max(state.began, self._heard)
            if _LONG_WAIT <= (error.wait or 0.0) <= patience and not self._limit_reported:
                self._limit_reported = True
                progress.log(f"{self.url} limits the rate, and requests wait, now {error.wait:,.0f} s ({error})")
        most = patience if self.known else min(_STRANGER, patience)
        left = state.began + most - now
        if error.limited and (error.wait or 0.0) > patience:
            raise UserError(
                f"{self.url} asks to wait {error.wait:,.0f} s ({error})",
                fix=f"run the same command again then: all replies so far are stored; or raise {argument('patience')}",
            )
        if left <= 0 or (state.trial and not error.away and state.failures >= _TRIES):
            raise self._ended(state, error, now)
        if state.failures >= _REPORTED and not self._reported and self._heard < state.began and self.known:
            self._reported = True
            until = datetime.now() + timedelta(seconds=left)
            progress.log(f"{self.url} does not answer ({error}); trying again until {until:%H:%M:%S}")
        longest = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2 ** min(state.failures - 1, 10))
        pause = longest * (0.5 + random.random() / 2) if error.wait is None else error.wait
        return pause if error.limited else min(pause, left)  # the last try is at the very end

    def _lower(self, now: float) -> None:
        """Halve the requests in flight, once for all that were refused together."""
        if now - self._lowered > 1.0:
            self._lowered = now
            self.allowed = max(1.0, min(self.allowed, self.in_flight + 1) / 2)

    def _ended(self, state: RetryState, error: TemporaryError, now: float) -> UserError:
        tried = f"{state.failures} {'try' if state.failures == 1 else 'tries'} in {now - state.began:.0f} s"
        problem = f"{self.url} does not answer after {tried} ({error})"
        if not self.known:
            return NoAnswerError(problem, fix="see whether the address is right and the server runs")
        again = "see whether the server runs, and run the same command again: all replies so far are stored"
        fix = f"{again}; or raise {argument('patience')}"
        return NoAnswerError(problem, fix=fix) if error.away else UserError(problem, fix=fix)


_limiters: dict[str, Limiter] = {}


def limiter_of(url: str) -> Limiter:
    """Return the limiter of a server, the same for all models there."""
    return _limiters.setdefault(url, Limiter(url))


_DURATION = re.compile(r"(?:(\d+)h)?(?:(\d+)m(?!s))?(?:([\d.]+)s)?(?:([\d.]+)ms)?")


def until_reset(headers: Mapping[str, str]) -> float | None:
    """Return the seconds until a server takes requests again, if its headers say that none are left.

    >>> until_reset({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1m2s"})
    62.0
    >>> until_reset({"x-ratelimit-remaining-requests": "7", "x-ratelimit-reset-requests": "1m2s"}) is None
    True
    """
    waits = []
    for prefix, suffix in (("x-ratelimit-{}-", ""), ("anthropic-ratelimit-", "-{}")):
        for kind in ("requests", "tokens"):
            left, reset = ((prefix + kind + suffix).format(word) for word in ("remaining", "reset"))
            if headers.get(left) == "0":
                waits.append(_seconds(headers.get(reset, "")))
    return max((wait for wait in waits if wait is not None), default=None)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a server asks to wait, or None."""
    if (milliseconds := headers.get("retry-after-ms", "")).isdigit():
        return int(milliseconds) / 1000
    return _seconds(headers.get("retry-after", ""))


def _seconds(text: str) -> float | None:
    """Parse seconds, a duration such as ``6m0s``, or a date.

    >>> _seconds("12"), _seconds("6m0s"), _seconds("20ms"), _seconds("soon")
    (12.0, 360.0, 0.02, None)
    """
    try:
        seconds = float(text)
        return max(0.0, seconds) if isfinite(seconds) else None
    except ValueError:
        pass
    if text and (match := _DURATION.fullmatch(text)):
        hours, minutes, seconds, milliseconds = (float(part or 0) for part in match.groups())
        return hours * 3600 + minutes * 60 + seconds + milliseconds / 1000
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        return None
    return max(0.0, (when - datetime.now(UTC)).total_seconds()) if when.tzinfo else None
