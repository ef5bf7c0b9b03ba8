"""A server is tried before it is believed.

What it gives for a token that it has just made must be what it echoes for the same token at the end of the same text,
within 0.1 nat, for several texts and lengths. A server that fails is not asked for likelihoods: its numbers look like
log-probabilities and are none.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from horsesense.errors import UserError
from horsesense.models.contract import Turn
from horsesense.models.served.beginnings import Beginning, find_beginning
from horsesense.models.served.client import Client, RefusedError, Request
from horsesense.models.served.protocol import (
    FEWER_NEXT,
    MOST_NEXT,
    echo_body,
    generate_body,
    next_body,
    read_alternatives,
    read_echo,
    read_generated,
)

TEXTS = (
    "Ice is",
    "The kettle whistled because the water was boiling, so she turned off the",
    "He forgot his umbrella and it rained all day. When he came home his coat was wet, so he hung it up. Then he",
)
LENGTH = 4
"""Tokens that are made after each text."""
NEAR = 0.1
"""Nats that the two numbers may be apart."""
LEAST = 4
"""Tokens that must be comparable: a server may cut a text otherwise than it wrote it."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of it."""

    believed: bool
    in_words: str
    style: str = ""
    """How likelihoods are asked for: ``echo`` or ``prompt_logprobs``."""
    compared: int = 0
    apart: float = 0.0
    """The largest difference, in nats."""


def try_likelihood(client: Client[Any], model: str) -> Trial:
    """Whether the server's likelihoods can be believed, and how they are asked for."""
    reasons = []
    for style in ("echo", "prompt_logprobs"):
        try:
            return _compared(client, model, style, find_beginning(client, model, style, "auto"))
        except RefusedError as error:
            if error.status in (401, 403):
                raise
            reasons.append(f"{style}: HTTP {error.status}")
        except UserError as error:
            reasons.append(f"{style}: {error.problem}")
    return Trial(False, f"it gives no log-probabilities of a text ({'; '.join(reasons)})")


def _compared(client: Client[Any], model: str, style: str, beginning: Beginning) -> Trial:
    before = beginning.token if beginning.how in ("text", "ids") else ""
    compared, largest, where = 0, 0.0, ""
    for text in TEXTS:
        made = client.ask(Request("/completions", generate_body(model, before + text, LENGTH)), read_generated)
        for count in range(1, len(made.tokens) + 1):
            longer = text + "".join(made.tokens[:count])
            if "\ufffd" in longer or not made.tokens[count - 1]:
                break
            request = Request("/completions", echo_body(model, before + longer, style))
            try:
                echoed = client.ask(request, partial(read_echo, text=longer))
            except RefusedError:
                raise
            except UserError:
                continue  # cut into other tokens than it was made of
            value = echoed.logprobs[-1]
            if echoed.tokens[-1] != made.tokens[count - 1] or value is None:
                continue
            compared += 1
            if abs(value - made.logprobs[count - 1]) > largest:
                largest = abs(value - made.logprobs[count - 1])
                made_with = f"{made.tokens[count - 1]!r} was made with {made.logprobs[count - 1]:.2f}"
                where = f"{made_with} and echoed with {value:.2f}"
    if compared < LEAST:
        return Trial(False, f"only {compared} tokens could be compared with what it echoes", style, compared, largest)
    if largest > NEAR:
        return Trial(False, f"what it echoes is not what it makes: {where}", style, compared, largest)
    told = f"{compared} tokens that it made are echoed within {largest:.4f} nat"
    return Trial(True, told, style, compared, largest)


CHAT = Turn(messages=(("user", "Is ice A. hot or B. cold? Reply with the letter only."),))
PLAIN = Turn("Is ice hot or cold?\nA. hot\nB. cold\nAnswer:")


@dataclass(frozen=True, slots=True)
class NextTrial:
    """Whether and how a server tells the next token's alternatives."""

    most: int
    """How many it tells; 0: none."""
    in_words: str


def try_next(client: Client[Any], model: str, turn: Turn) -> NextTrial:
    """How many alternatives it tells, at most as many as there are to be had."""
    reason = ""
    for most in (MOST_NEXT, FEWER_NEXT):
        path, body = next_body(model, turn, most)
        try:
            told = client.ask(Request(path, body), read_alternatives)
        except RefusedError as error:
            if error.status in (401, 403):
                raise
            reason = f"HTTP {error.status}"
            continue
        except UserError as error:
            reason = error.problem
            continue
        if len(told) > 1:
            return NextTrial(most, f"tells {len(told)} next tokens")
        reason = "it tells the chosen token only"
    return NextTrial(0, reason)
