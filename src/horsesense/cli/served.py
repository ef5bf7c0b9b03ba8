"""Options of commands that ask servers, and of the ways of asking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from horsesense.models.served import ServedSettings

Ways = Annotated[
    str,
    typer.Option(help="How models are asked, by commas: options, pmi, letters, words; or auto, what a server allows."),
]
Concurrency = Annotated[int, typer.Option(min=1, help="Servers: requests in flight at most.")]
Timeout = Annotated[float, typer.Option(help="Servers: seconds that a request may take.")]
MaxRequests = Annotated[int | None, typer.Option(min=1, help="Servers: stop after so many answered requests.")]
MaxTokens = Annotated[int | None, typer.Option(min=1, help="Servers: stop after so many tokens, sent and received.")]
KeyFrom = Annotated[str, typer.Option(metavar="VARIABLE", help="Servers: who has the key [OPENAI_API_KEY].")]
Price = Annotated[
    str | None,
    typer.Option(metavar="IN,OUT", help="Servers: price of a million tokens, for the forecast."),
]


def served_of(
    concurrency: int, timeout: float, max_requests: int | None, max_tokens: int | None, key_from: str, price: str | None
) -> ServedSettings:
    """How servers are asked, by the options of a call."""
    from horsesense.models.served import ServedSettings
    from horsesense.models.served.settings import parse_price

    return ServedSettings(
        concurrency=concurrency,
        timeout=timeout,
        max_requests=max_requests,
        max_tokens=max_tokens,
        key_from=key_from,
        price=parse_price(price) if price else None,
    )
