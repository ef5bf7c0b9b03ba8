"""Requests, their cost, and what can go wrong with them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from horsesense.errors import UserError


class RefusedError(UserError):
    """The server refuses the request for good."""

    def __init__(
        self, problem: str, *, status: int, detail: str = "", parameter: str = "", filtered: bool = False, fix: str = ""
    ) -> None:
        """``detail``: the server's own sentence; ``parameter``: the one it names; ``filtered``: by a content filter."""
        super().__init__(problem, fix=fix or None)
        self.status, self.detail, self.parameter, self.filtered = status, detail, parameter, filtered


class KeyRefusedError(RefusedError):
    """The server refuses the key."""


class BudgetError(UserError):
    """The budget is reached; replies so far are stored."""


class QuotaError(UserError):
    """The account has no quota or credit left, which no retry changes."""


class NoAnswerError(UserError):
    """The server did not answer in time; that says nothing about what it can do."""


ENDS = (NoAnswerError, BudgetError, QuotaError, KeyRefusedError)
"""Errors in a trial that say nothing about what the server can do."""


class TemporaryError(Exception):
    """A temporary failure: the next try may succeed."""

    def __init__(
        self, why: str, wait: float | None = None, *, reached: bool = True, away: bool = True, limited: bool = False
    ) -> None:
        """``reached``: a server was there; ``away``: unavailable now, rather than unable to do this; ``limited``: by a
        rate limit."""
        super().__init__(why)
        self.wait, self.reached, self.away, self.limited = wait, reached, away, limited


@dataclass(frozen=True, slots=True)
class Request:
    """One request."""

    path: str
    """Path behind the server's address, such as ``/completions``."""
    body: dict[str, Any]
    sample: int = 0
    """Index of the sample."""
    about: Hashable = None
    """What the parser needs to know; not sent, and not part of the key."""
    trial: bool = False
    """Whether it finds out what the server can do; not sent, and not part of the key."""

    def key(self, identity: str) -> bytes:
        """Return the SHA-256 over the model's identity and the request."""
        content = json.dumps([identity, self.path, self.body, self.sample], sort_keys=True)
        return hashlib.sha256(content.encode()).digest()


@dataclass(slots=True)
class Usage:
    """What was sent and received in this call."""

    requests: int = 0
    """Answered requests."""
    sent: int = 0
    """Prompt tokens, as the server counts them."""
    received: int = 0
    """Generated tokens, thoughts included."""
    reasoning: int = 0
    """Tokens of thoughts, where the server counts them."""
    in_flight: int = 0
    reserved: int = 0
    """Tokens that the requests of batches in flight may take."""
    repeated: int = 0
    """Retried requests."""
    failed: int = 0
    """Requests that the server refused for their own content."""

    def cost(self, price: tuple[float, float], sent: int = 0, received: int = 0) -> float:
        """Return the cost at a price per million tokens, sent and received, with more of each."""
        return ((self.sent + sent) * price[0] + (self.received + received) * price[1]) / 1e6
