"""Settings of requests to a server."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Annotated

from annotated_types import Ge

from horsesense.errors import UserError, argument
from horsesense.progress import warn
from horsesense.settings import labelled

KEY_VARIABLE = "OPENAI_API_KEY"


@dataclass(frozen=True, slots=True)
class ServedSettings:
    """Servers."""

    concurrency: Annotated[int, Ge(1)] = 16
    """Maximum number of requests in flight."""
    timeout: float = 120.0
    """Seconds until a request times out."""
    patience: Annotated[float, Ge(0)] = 300.0
    """Seconds for which a failing request is retried (429, 5xx, no connection, incomplete answer)."""
    max_requests: Annotated[int, Ge(1)] | None = None
    """Maximum number of answered requests per call; stored answers do not count."""
    max_tokens: Annotated[int, Ge(1)] | None = None
    """Maximum number of tokens per call, sent and received."""
    key_from: str = ""
    """Environment variable with the API key. By default, ``OPENAI_API_KEY``."""
    price: tuple[float, float] | None = None
    """Price per million tokens, sent and received, for the forecast: ``0.15,0.60``."""

    @property
    def given(self) -> tuple[str, ...]:
        """Names of the settings that differ from the default."""
        return tuple(each.name for each in fields(self) if getattr(self, each.name) != each.default)

    def key(self) -> str:
        """Return the key, from the environment only."""
        if self.key_from and not os.environ.get(self.key_from):
            raise UserError(
                f"the environment variable {self.key_from} is empty",
                fix=f"set it, or leave {argument('key_from')} out",
            )
        return os.environ.get(self.key_from or KEY_VARIABLE, "")

    def forecast(self, requests: int, sent: int, received: int) -> str:
        """Forecast requests, tokens and cost, and where the budget ends them."""
        text = f"at most {requests:,} requests, about {sent:,} tokens to send and up to {received:,} back"
        if self.price is not None:
            text += f", about {_money((sent * self.price[0] + received * self.price[1]) / 1e6)} at the given price"
        if self.max_requests is not None and requests > self.max_requests:
            text += f"; the budget of {self.max_requests:,} requests ends it earlier"
        elif self.max_tokens is not None and sent + received > self.max_tokens:
            text += f"; the budget of {self.max_tokens:,} tokens ends it earlier"
        return text

    def check(self) -> None:
        for name in ("concurrency", "timeout"):
            if getattr(self, name) <= 0:
                raise UserError(f"{argument(name)} {getattr(self, name)} is too small", fix="use 1 or more")
        if not self.patience >= 0:
            raise UserError(f"{argument('patience')} {self.patience:g} is not a duration", fix="use 0 seconds or more")
        for name in ("max_requests", "max_tokens"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise UserError(f"{argument(name)} {value} is too small", fix="use 1 or more")


def _money(amount: float) -> str:
    """Format an amount with two decimals, or as many as show two significant digits.

    >>> _money(1234.5), _money(0.0000321), _money(0)
    ('1,234.50', '0.000032', '0.00')
    """
    decimals = max(2, 1 - math.floor(math.log10(amount))) if amount > 0 else 2
    return f"{amount:,.{decimals}f}"


def warn_unused(settings: ServedSettings, models: Iterable[object]) -> None:
    """Warn if server settings are given and no model is served."""
    from horsesense.models.api.address import is_served

    unused = ", ".join(argument(name) for name in settings.given)
    if unused and not any(isinstance(name, str) and is_served(labelled(name)[1]) for name in models):
        warn(f"{unused}: no model here is served, so this has no effect")


def parse_price(text: str) -> tuple[float, float]:
    """Parse two numbers joined by a comma: the price per million tokens sent and received.

    >>> parse_price("0.15, 0.6")
    (0.15, 0.6)
    """
    try:
        sent, received = (float(part) for part in text.split(","))
    except ValueError:
        raise UserError(f"the price {text!r} is not two numbers joined by a comma", fix="write 0.15,0.60") from None
    return sent, received
