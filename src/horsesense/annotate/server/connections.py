"""Limits of idle connections: time, number, and a log without repetitions.

uvicorn waits for ever for the end of a request. Here each stage of a request has its time, a process holds only so many
connections, and where they are all taken the one goes that has said nothing for longest.
"""

from __future__ import annotations

import logging
import resource
import time
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

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
        said, now = f"{record.name} {record.levelno} {record.msg}", time.monotonic()
        then, left_out = self._seen.pop(said, (-self._seconds, 0))
        fresh = now - then >= self._seconds
        self._seen[said] = (now, 0) if fresh else (then, left_out + 1)
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
