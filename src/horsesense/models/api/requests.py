"""What is sent to a server, what it costs, and what can go wrong with it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from horsesense.errors import UserError

LONGEST_WAIT = 30.0
"""Seconds to wait before something is sent again, at most."""


class RefusedError(UserError):
    """The server says that it will not do this, however often it is asked."""

    def __init__(self, problem: str, *, status: int, fix: str | None = None) -> None:
        super().__init__(problem, fix=fix)
        self.status = status


class SpentError(UserError):
    """The budget is reached; what was answered is kept."""


class SilentError(UserError):
    """The server did not answer as long as it was waited for; that says nothing about what it can do."""


class FaltersError(Exception):
    """The server may do it the next time."""

    def __init__(self, why: str, wait: float | None = None, *, reached: bool = True, away: bool = True) -> None:
        """``reached``: somebody was there; ``away``: not to be had now, rather than unable to do this."""
        super().__init__(why)
        self.wait, self.reached, self.away = wait, reached, away


@dataclass(frozen=True, slots=True)
class Request:
    """One thing to ask."""

    path: str
    """Behind the server's address, such as ``/completions``."""
    body: dict[str, Any]
    sample: int = 0
    """Which of several draws of the same."""
    about: Hashable = None
    """What reads the reply needs to know of it; not sent, and no part of the key."""
    trial: bool = False
    """Whether it finds out what the server can do; not sent, and no part of the key."""

    def key(self, identity: str) -> bytes:
        """SHA-256 over who is asked and what."""
        content = json.dumps([identity, self.path, self.body, self.sample], sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(content.encode()).digest()


@dataclass(slots=True)
class Spending:
    """What was sent and received in this call."""

    requests: int = 0
    """Answered."""
    sent: int = 0
    """Tokens of prompts, as the server counts them."""
    received: int = 0
    in_flight: int = 0
    repeated: int = 0
    """Requests that were sent again."""


def wait_of(header: str | None) -> float | None:
    """What a server asks to wait, in seconds; a date is left to our own patience."""
    try:
        return min(LONGEST_WAIT, max(0.0, float(header))) if header else None
    except ValueError:
        return None


def message_of(text: str) -> str:
    """What an error says: the message of OpenAI's form, or the text as it is."""
    try:
        error = json.loads(text)
    except ValueError:
        return text
    for name in ("error", "detail", "message"):
        if isinstance(error, dict) and name in error:
            error = error[name]
    return str(error)
