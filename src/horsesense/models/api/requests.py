"""Requests, their cost, and what can go wrong with them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from horsesense.errors import UserError

LONGEST_WAIT = 30.0
"""Maximum pause before a retry, in seconds."""


class RefusedError(UserError):
    """The server refuses the request for good."""

    def __init__(self, problem: str, *, status: int, fix: str | None = None) -> None:
        super().__init__(problem, fix=fix)
        self.status = status


class BudgetError(UserError):
    """The budget is reached; replies so far are stored."""


class NoAnswerError(UserError):
    """The server did not answer in time; that says nothing about what it can do."""


class TemporaryError(Exception):
    """A temporary failure: the next try may succeed."""

    def __init__(self, why: str, wait: float | None = None, *, reached: bool = True, away: bool = True) -> None:
        """``reached``: a server was there; ``away``: unavailable now, rather than unable to do this."""
        super().__init__(why)
        self.wait, self.reached, self.away = wait, reached, away


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
        content = json.dumps([identity, self.path, self.body, self.sample], sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(content.encode()).digest()


@dataclass(slots=True)
class Usage:
    """What was sent and received in this call."""

    requests: int = 0
    """Answered requests."""
    sent: int = 0
    """Prompt tokens, as the server counts them."""
    received: int = 0
    in_flight: int = 0
    repeated: int = 0
    """Retried requests."""


def retry_after(header: str | None) -> float | None:
    """Return the seconds that a server asks to wait; a date is ignored."""
    try:
        return min(LONGEST_WAIT, max(0.0, float(header))) if header else None
    except ValueError:
        return None


def message_of(text: str) -> str:
    """Return the message of an error in OpenAI's format, or the text as it is."""
    try:
        error = json.loads(text)
    except ValueError:
        return text
    for name in ("error", "detail", "message"):
        if isinstance(error, dict) and name in error:
            error = error[name]
    return str(error)
