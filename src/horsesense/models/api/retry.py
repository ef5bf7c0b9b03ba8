"""How long to retry a server that does not answer: by time, with growing pauses, reported once.

A server that restarts and loads its model refuses connections, then answers 503 for minutes; an unattended run must
outlast that. An address at which no server has ever answered is more likely wrong, and is reported within seconds.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from horsesense.errors import UserError, argument
from horsesense.models.api.requests import LONGEST_WAIT, NoAnswerError, TemporaryError
from horsesense.progress import Progress

_FIRST_WAIT = 0.25
_STRANGER = 3.0
"""Seconds for an address at which no server has answered this process yet."""
_TRIES = 6
"""Tries for a feature that a running server may lack."""
_TELL = 3
"""The failure of a request that is reported: the first ones are nothing unusual."""
_known: set[str] = set()
"""Addresses at which a server has answered this process, if only with an error."""


@dataclass
class RetryState:
    """State of a request that has failed."""

    trial: bool = False
    """Whether it finds out what the server can do: some answer 500 to what they cannot."""
    failures: int = 0
    began: float = 0.0
    """Time of the first failure."""


@dataclass
class RetryPolicy:
    """Retry policy of one server."""

    url: str
    seconds: float
    """How long a failing request is retried, counted from its first failure."""
    _told: bool = False
    _heard: float = field(default_factory=time.monotonic)

    def heard(self, progress: Progress) -> None:
        """Record that the server has answered."""
        _known.add(self.url)
        self._heard = time.monotonic()
        if self._told:
            self._told = False
            progress.log(f"{self.url} answers again")

    def pause(self, wait: RetryState, error: TemporaryError, progress: Progress) -> float:
        """Return the seconds until the next try; raise an error where the patience has ended."""
        now = time.monotonic()
        wait.failures += 1
        if wait.failures == 1:
            wait.began = now
        if error.reached:
            _known.add(self.url)
        most = self.seconds if self.url in _known else min(_STRANGER, self.seconds)
        left = wait.began + most - now
        if left <= 0 or (wait.trial and not error.away and wait.failures >= _TRIES):
            raise self._ended(wait, error, now)
        if wait.failures >= _TELL and not self._told and self._heard < wait.began and self.url in _known:
            self._told = True
            until = datetime.now() + timedelta(seconds=left)
            progress.log(f"{self.url} does not answer ({error}); trying again until {until:%H:%M:%S}")
        longest = min(LONGEST_WAIT, _FIRST_WAIT * 2 ** min(wait.failures - 1, 10))
        pause = longest * (0.5 + random.random() / 2) if error.wait is None else error.wait
        return min(pause, left)  # the last try is at the very end

    def _ended(self, wait: RetryState, error: TemporaryError, now: float) -> UserError:
        tried = f"{wait.failures} {'try' if wait.failures == 1 else 'tries'} in {now - wait.began:.0f} s"
        problem = f"{self.url} does not answer after {tried} ({error})"
        if self.url not in _known:
            return NoAnswerError(problem, fix="see whether the address is right and the server runs")
        again = "see whether the server runs, and run the same command again: all replies so far are stored"
        fix = f"{again}; {argument('patience')} waits longer"
        return NoAnswerError(problem, fix=fix) if error.away else UserError(problem, fix=fix)
