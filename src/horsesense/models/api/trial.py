"""Whether a server's log-probabilities can be trusted.

The value of a token that it has just generated must equal, within 0.1 nat, the value that it echoes for the same token
at the end of the same text, for several texts and lengths. A server that fails is not asked for likelihoods: its
numbers only look like log-probabilities.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from horsesense.errors import UserError
from horsesense.models.api.bos import BosPlacement, find_bos
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
from horsesense.models.api.requests import BudgetError, NoAnswerError, RefusedError, Request
from horsesense.models.protocol import Turn

TEXTS = (
    "Ice is",
    "The kettle whistled because the water was boiling, so she turned off the",
    "He forgot his umbrella and it rained all day. When he came home his coat was wet, so he hung it up. Then he",
)
LENGTH = 4
"""Tokens generated after each text."""
NEAR = 0.1
"""Largest allowed difference, in nats."""
LEAST = 4
"""Least number of comparable tokens: a server may tokenise a text differently from what it generated."""


@dataclass(frozen=True, slots=True)
class Trial:
    """Outcome of the trial."""

    believed: bool
    in_words: str
    style: str = ""
    """How likelihoods are requested: ``echo`` or ``prompt_logprobs``."""
    compared: int = 0
    apart: float = 0.0
    """The largest difference, in nats."""


def try_likelihood(client: Client[Any], model: str) -> Trial:
    """Find out whether the server's likelihoods can be trusted, and how to request them."""
    reasons = []
    for style in ("echo", "prompt_logprobs"):
        try:
            return _compared(client, model, style, find_bos(client, model, style, "auto"))
        except RefusedError as error:
            if error.status in (401, 403):
                raise
            reasons.append(f"{style}: HTTP {error.status}")
        except (NoAnswerError, BudgetError):
            raise
        except UserError as error:
            reasons.append(f"{style}: {error.problem}")
    return Trial(False, f"it gives no log-probabilities of a text ({'; '.join(reasons)})")


def _compared(client: Client[Any], model: str, style: str, beginning: BosPlacement) -> Trial:
    before = beginning.token if beginning.how in ("text", "ids") else ""
    bodies = [generate_body(model, before + text, LENGTH) for text in TEXTS]
    made = client.ask_each(
        (Request("/completions", body, trial=True) for body in bodies), lambda *arguments: read_generated(arguments[2])
    )
    # Every prefix of the generated text, with the value of its last token.
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
            where = f"{token!r} was generated with {wanted:.2f} and echoed with {value:.2f}"
    if compared < LEAST:
        return Trial(False, f"only {compared} tokens could be compared with its echo", style, compared, largest)
    if largest > NEAR:
        return Trial(False, f"its echo differs from what it generates: {where}", style, compared, largest)
    outcome = f"{compared} generated tokens are echoed within {largest:.4f} nat"
    return Trial(True, outcome, style, compared, largest)


def _read(reply: dict[str, Any], text: str) -> Echoed | None:
    """Return None where the text was tokenised differently from what was generated."""
    try:
        return read_echo(reply, text)
    except UserError:
        return None


CHAT = Turn(messages=(("user", "Is ice A. hot or B. cold? Reply with the letter only."),))
PLAIN = Turn("Is ice hot or cold?\nA. hot\nB. cold\nAnswer:")


@dataclass(frozen=True, slots=True)
class NextTrial:
    """Whether and how a server lists the alternatives of the next token."""

    most: int
    """How many it lists; 0: none."""
    in_words: str


def try_next(client: Client[Any], model: str, turn: Turn, room: str) -> NextTrial:
    """Find out how many alternatives the server lists, up to the maximum of the API."""
    reason = ""
    for most in (MOST_NEXT, FEWER_NEXT):
        path, body = next_body(model, turn, most, room)
        try:
            listed = client.ask(Request(path, body, trial=True), read_alternatives)
        except RefusedError as error:
            if error.status in (401, 403):
                raise
            reason = f"HTTP {error.status}"
            continue
        except (NoAnswerError, BudgetError):
            raise
        except UserError as error:
            reason = error.problem
            continue
        if len(listed) > 1:
            return NextTrial(most, f"lists {len(listed)} next tokens")
        reason = "it lists the chosen token only"
    return NextTrial(0, reason)


@dataclass
class ServerFindings:
    """What trial requests have found out about a server."""

    trial: Trial | None = None
    next: dict[bool, NextTrial] = field(default_factory=dict)
    """With a chat template and without."""
    chat: bool | None = None
    completions: bool | None = None
    beginnings: dict[str, BosPlacement] = field(default_factory=dict)
    room: str = ROOMS[0]
