"""A server is tried before it is believed.

What it gives for a token that it has just made must be what it echoes for the same token at the end of the same text,
within 0.1 nat, for several texts and lengths. A server that fails is not asked for likelihoods: its numbers look like
log-probabilities and are none.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from horsesense.errors import UserError
from horsesense.models.api.bos import Beginning, find_beginning
from horsesense.models.api.client import Client
from horsesense.models.api.protocol import (
    FEWER_NEXT,
    MOST_NEXT,
    ROOMS,
    Echoed,
    echo_body,
    generate_body,
    next_body,
    read_alternatives,
    read_echo,
    read_generated,
)
from horsesense.models.api.requests import RefusedError, Request, SilentError, SpentError
from horsesense.models.protocol import Turn

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
        except (SilentError, SpentError):
            raise
        except UserError as error:
            reasons.append(f"{style}: {error.problem}")
    return Trial(False, f"it gives no log-probabilities of a text ({'; '.join(reasons)})")


def _compared(client: Client[Any], model: str, style: str, beginning: Beginning) -> Trial:
    before = beginning.token if beginning.how in ("text", "ids") else ""
    bodies = [generate_body(model, before + text, LENGTH) for text in TEXTS]
    made = client.ask_each(
        (Request("/completions", body, trial=True) for body in bodies), lambda *told: read_generated(told[2])
    )
    # Every beginning of what was made, with what its last token was made with.
    cases = [
        (text + "".join(each.tokens[:count]), each.tokens[count - 1], each.logprobs[count - 1])
        for text, each in zip(TEXTS, made, strict=True)
        for count in range(1, len(each.tokens) + 1)
        if each.tokens[count - 1] and "\ufffd" not in "".join(each.tokens[:count])
    ]
    requests = [
        Request("/completions", echo_body(model, before + text, style), about=text, trial=True) for text, _, _ in cases
    ]
    echoes = client.ask_each(requests, lambda request, _, reply: _read(reply, str(request.about)))
    compared, largest, where = 0, 0.0, ""
    for (_, token, wanted), echoed in zip(cases, echoes, strict=True):
        value = echoed.logprobs[-1] if echoed is not None and echoed.tokens[-1] == token else None
        if value is None:
            continue
        compared += 1
        if abs(value - wanted) > largest:
            largest = abs(value - wanted)
            where = f"{token!r} was made with {wanted:.2f} and echoed with {value:.2f}"
    if compared < LEAST:
        return Trial(False, f"only {compared} tokens could be compared with what it echoes", style, compared, largest)
    if largest > NEAR:
        return Trial(False, f"what it echoes is not what it makes: {where}", style, compared, largest)
    told = f"{compared} tokens that it made are echoed within {largest:.4f} nat"
    return Trial(True, told, style, compared, largest)


def _read(reply: dict[str, Any], text: str) -> Echoed | None:
    """None where the text was cut into other tokens than it was made of."""
    try:
        return read_echo(reply, text)
    except UserError:
        return None


CHAT = Turn(messages=(("user", "Is ice A. hot or B. cold? Reply with the letter only."),))
PLAIN = Turn("Is ice hot or cold?\nA. hot\nB. cold\nAnswer:")


@dataclass(frozen=True, slots=True)
class NextTrial:
    """Whether and how a server tells the next token's alternatives."""

    most: int
    """How many it tells; 0: none."""
    in_words: str


def try_next(client: Client[Any], model: str, turn: Turn, room: str) -> NextTrial:
    """How many alternatives it tells, at most as many as there are to be had."""
    reason = ""
    for most in (MOST_NEXT, FEWER_NEXT):
        path, body = next_body(model, turn, most, room)
        try:
            told = client.ask(Request(path, body, trial=True), read_alternatives)
        except RefusedError as error:
            if error.status in (401, 403):
                raise
            reason = f"HTTP {error.status}"
            continue
        except (SilentError, SpentError):
            raise
        except UserError as error:
            reason = error.problem
            continue
        if len(told) > 1:
            return NextTrial(most, f"tells {len(told)} next tokens")
        reason = "it tells the chosen token only"
    return NextTrial(0, reason)


@dataclass
class Found:
    """What was found out about a server by asking it, once."""

    trial: Trial | None = None
    next: dict[bool, NextTrial] = field(default_factory=dict)
    """In a chat and without."""
    chat: bool | None = None
    completions: bool | None = None
    beginnings: dict[str, Beginning] = field(default_factory=dict)
    room: str = ROOMS[0]
