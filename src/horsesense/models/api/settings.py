"""Settings of requests to a server."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Annotated, Any, Literal

from annotated_types import Ge, Gt

from horsesense.errors import UserError, argument
from horsesense.formatting import count
from horsesense.progress import warn
from horsesense.settings import labelled

_HEADER = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*([\x20-\x7e]*)")


@dataclass(frozen=True, slots=True)
class ServedSettings:
    """Servers."""

    concurrency: Annotated[int, Ge(1)] = 16
    """Maximum number of requests in flight; a rate limit lowers it for a while."""
    timeout: float = 120.0
    """Seconds until a request times out."""
    patience: Annotated[float, Ge(0)] = 300.0
    """Seconds for which a failing request is retried (429, 5xx, no connection, incomplete answer)."""
    max_requests: Annotated[int, Ge(1)] | None = None
    """Stop after this many answered requests; answers stored by an earlier call do not count."""
    max_tokens: Annotated[int, Ge(1)] | None = None
    """Stop after this many tokens, sent and received in total; not the length of one reply."""
    max_cost: Annotated[float, Gt(0)] | None = None
    """Stop when this command has spent this much, at the given price."""
    price: tuple[float, float] | None = None
    """Price per million tokens, sent and received: ``0.15,0.60``."""
    batch: bool = False
    """Use the batch API of OpenAI or Anthropic: half the price, replies within 24 hours."""
    key_from: str = ""
    """Environment variable with the API key. By default, the usual one of the provider."""
    headers: Sequence[str] = ()
    """Additional header of every request: ``NAME: VALUE``."""
    extra_body: str = ""
    """JSON object that is merged into the body of every generation request."""
    api: Literal["", "chat", "responses"] = ""
    """API of OpenAI and Azure: ``chat`` or ``responses``. By default, chat if the model has it."""
    api_version: str = ""
    """API version, for Azure and Anthropic."""
    effort: str = ""
    """Reasoning effort: none, minimal, low, medium, high, xhigh or max, if the model supports it."""
    thinking_tokens: Annotated[int, Ge(0)] | None = None
    """Budget of tokens for thoughts; 0 turns them off where the server allows it."""

    @property
    def given(self) -> tuple[str, ...]:
        """Names of the settings that differ from the default."""
        return tuple(each.name for each in fields(self) if getattr(self, each.name) != each.default)

    @property
    def asked(self) -> dict[str, Any]:
        """Settings that change what a model replies, and so belong to its identity."""
        values = {name: getattr(self, name) for name in ("effort", "thinking_tokens", "api", "api_version")}
        return {name: value for name, value in values.items() if value not in ("", None)} | (
            {"extra_body": self.extra()} if self.extra_body else {}
        )

    def key(self, variables: Sequence[str]) -> str:
        """Return the key, from the environment only: from ``key_from``, or the first of the variables that is set."""
        if self.key_from and not os.environ.get(self.key_from, "").strip():
            raise UserError(
                f"the environment variable {self.key_from} is empty",
                fix=f"set it, or leave {argument('key_from')} out",
            )
        for variable in [self.key_from] if self.key_from else variables:
            if key := os.environ.get(variable, "").strip():
                if not (key.isascii() and key.isprintable()):
                    raise UserError(
                        f"the key in {variable} has characters that no key has, such as a line break or a curly quote",
                        fix="set the variable again",
                    )
                return key
        return ""

    def extra(self) -> dict[str, Any]:
        """Return the additional body of requests."""
        try:
            extra = json.loads(self.extra_body or "{}")
        except (ValueError, RecursionError):
            extra = None
        if not isinstance(extra, dict):
            raise UserError(
                f"{argument('extra_body')} is not a JSON object",
                fix="""write '{"chat_template_kwargs": {"enable_thinking": false}}'""",
            )
        return extra

    def extra_headers(self) -> dict[str, str]:
        """Return the additional headers; their values may be secrets, and are never shown."""
        matches = [_HEADER.fullmatch(header) for header in self.headers]
        if not all(matches):
            raise UserError(f"{argument('headers')} is not NAME: VALUE", fix="write 'X-Title: my evaluation'")
        return {each[1]: each[2] for each in matches if each}

    def forecast(self, requests: int, sent: int, received: int) -> str:
        """Forecast requests, tokens and cost, and where the budget ends them."""
        text = f"at most {count(requests, 'request')}, about {sent:,} tokens to send and up to {received:,} back"
        if self.price is not None:
            cost = (sent * self.price[0] + received * self.price[1]) / 1e6
            text += f", about {money(cost)} at the given price"
            if self.max_cost is not None and cost > self.max_cost:
                return f"{text}; the budget of {money(self.max_cost)} may end it earlier"
        if self.max_requests is not None and requests > self.max_requests:
            text += f"; the budget of {count(self.max_requests, 'request')} may end it earlier"
        elif self.max_tokens is not None and sent + received > self.max_tokens:
            text += f"; the budget of {count(self.max_tokens, 'token')} may end it earlier"
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
        if self.max_cost is not None and self.price is None:
            raise UserError(f"{argument('max_cost')} needs a price", fix=f"add {argument('price')}")
        self.extra()
        self.extra_headers()


def money(amount: float) -> str:
    """Format an amount with two decimals, or as many as show two significant digits.

    >>> money(1234.5), money(0.0000321), money(0)
    ('1,234.50', '0.000032', '0.00')
    """
    decimals = max(2, 1 - math.floor(math.log10(amount))) if amount > 0 else 2
    return f"{amount:,.{decimals}f}"


def warn_unused(settings: ServedSettings, models: Iterable[object]) -> None:
    """Warn if server settings are given and no model is served."""
    from horsesense.models.api.address import is_served

    unused = ", ".join(argument(name) for name in settings.given)
    if unused and not any(
        is_served(labelled(model)[1]) if isinstance(model, str) else hasattr(model, "client") for model in models
    ):
        warn(f"{unused}: no model here is served, so this has no effect")
