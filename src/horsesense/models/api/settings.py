"""How a server is asked."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, fields

from horsesense.errors import UserError, argument

KEY_VARIABLE = "OPENAI_API_KEY"


@dataclass(frozen=True, slots=True)
class ServedSettings:
    """How many requests at a time, how long to wait, how much to spend, whose key."""

    concurrency: int = 16
    """Requests in flight at most."""
    timeout: float = 120.0
    """Seconds that a request may take."""
    patience: float = 300.0
    """Seconds that a request is sent again where the server falters (429, 5xx, no connection, half an answer)."""
    max_requests: int | None = None
    """Answered requests at most, in one call; what is kept already is not counted."""
    max_tokens: int | None = None
    """Tokens at most, sent and received, in one call."""
    key_from: str = ""
    """The environment variable that has the key; empty: ``OPENAI_API_KEY``, where that is set."""
    price: tuple[float, float] | None = None
    """What a million tokens cost, sent and received, for the forecast."""

    @property
    def given(self) -> tuple[str, ...]:
        """What is otherwise than by default."""
        return tuple(each.name for each in fields(self) if getattr(self, each.name) != each.default)

    def key(self) -> str:
        """The key, from the environment and from nowhere else."""
        if self.key_from and not os.environ.get(self.key_from):
            raise UserError(
                f"the environment variable {self.key_from} is empty",
                fix=f"set it, or leave {argument('key_from')} out",
            )
        return os.environ.get(self.key_from or KEY_VARIABLE, "")

    def forecast(self, requests: int, sent: int, received: int) -> str:
        """What so many requests and tokens will take, and where the budget ends it, in words."""
        told = f"at most {requests:,} requests, about {sent:,} tokens to send and up to {received:,} back"
        if self.price is not None:
            told += f", about {_money((sent * self.price[0] + received * self.price[1]) / 1e6)} by the price given"
        if self.max_requests is not None and requests > self.max_requests:
            told += f"; the budget of {self.max_requests:,} requests ends it before"
        elif self.max_tokens is not None and sent + received > self.max_tokens:
            told += f"; the budget of {self.max_tokens:,} tokens ends it before"
        return told

    def check(self) -> None:
        for name in ("concurrency", "timeout"):
            if getattr(self, name) <= 0:
                raise UserError(f"{argument(name)} {getattr(self, name)} asks nothing", fix="use 1 or more")
        if not self.patience >= 0:
            raise UserError(f"{argument('patience')} {self.patience:g} is no time", fix="use 0 seconds or more")
        for name in ("max_requests", "max_tokens"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise UserError(f"{argument(name)} {value} asks nothing", fix="use 1 or more")


def _money(amount: float) -> str:
    """An amount with two decimals, or as many as show two of its digits.

    >>> _money(1234.5), _money(0.0000321), _money(0)
    ('1,234.50', '0.000032', '0.00')
    """
    decimals = max(2, 1 - math.floor(math.log10(amount))) if amount > 0 else 2
    return f"{amount:,.{decimals}f}"


def parse_price(text: str) -> tuple[float, float]:
    """Two numbers by a comma: what a million tokens cost that are sent, and that are received.

    >>> parse_price("0.15, 0.6")
    (0.15, 0.6)
    """
    try:
        sent, received = (float(part) for part in text.split(","))
    except ValueError:
        raise UserError(f"the price {text!r} is not two numbers by a comma", fix="write 0.15,0.60") from None
    return sent, received
