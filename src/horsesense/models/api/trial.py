"""What a served model can do: reply, think, list next tokens, keep to a schema, give trustworthy log-probabilities.

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
from horsesense.models.api.logprobs import (
    FEWER_NEXT,
    LEAST_MASS,
    MOST_NEXT,
    Echoed,
    choices_among,
    echo_body,
    generate_body,
    mass_of,
    next_body,
    read_alternatives,
    read_echo,
    read_generated,
)
from horsesense.models.api.providers import Ask, read_reply, structured_answer
from horsesense.models.api.requests import BudgetError, NoAnswerError, QuotaError, RefusedError, Request
from horsesense.models.protocol import Continuation, Sampling, Turn

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
            if error.status == 401:
                raise
            reasons.append(f"{style}: {in_short(error)}")
        except ENDS:
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


ENDS = (NoAnswerError, BudgetError, QuotaError)
"""Errors in a trial that say nothing about what the server can do."""
CHAT = Turn(messages=(("user", "Is ice A. hot or B. cold? Reply with the letter only."),))
PLAIN = Turn("Is ice hot or cold?\nA. hot\nB. cold\nAnswer:")
LETTERS = ("A", "B")
ROOMS = (64, 1024)
"""Tokens for the reply of the trial: a short reply, and one that a model can think in."""
_UNFINISHED = "could not finish the message"
"""OpenAI's error where thoughts took all tokens."""


def in_short(error: RefusedError) -> str:
    """Return the server's own sentence."""
    return f"HTTP {error.status}" + (f": {error.said[:200]}" if error.said else "")


@dataclass(frozen=True, slots=True)
class ReplyTrial:
    """Whether a server replies, and whether the model thinks before it answers."""

    replies: bool
    thinks: bool = False
    why_not: str = ""


def try_chat(client: Client[Any], model: str) -> ReplyTrial:
    """Find out whether the server replies in a conversation, and whether the model thinks first.

    A model that thinks leaves thoughts, or nothing where they took all tokens. A reply that is cut off is asked for
    again with more tokens, since thoughts may only be recognised by their end.
    """
    for room in ROOMS:
        room += client.settings.thinking_tokens or 0
        try:
            reply = ask_once(client, Ask(model, CHAT, Sampling(room)))
        except RefusedError as error:
            if error.status == 401:
                raise
            if _UNFINISHED in error.said.lower():
                return ReplyTrial(True, True)
            return ReplyTrial(False, why_not=in_short(error))
        except ENDS:
            raise
        except UserError as error:
            return ReplyTrial(False, why_not=error.problem)
        if reply.reasoning or reply.reasoning_tokens or (reply.finish == "length" and not reply.text.strip()):
            return ReplyTrial(True, True)
        if reply.finish != "length":
            break
    return ReplyTrial(True)


def try_completion(client: Client[Any], model: str) -> ReplyTrial:
    """Find out whether the server continues a plain text."""
    try:
        path, body = client.provider.completion(Ask(model, PLAIN, Sampling(1)))
        client.ask(Request(path, body, trial=True), lambda reply: read_reply(reply))
    except RefusedError as error:
        if error.status == 401:
            raise
        return ReplyTrial(False, why_not=in_short(error))
    except ENDS:
        raise
    except UserError as error:
        return ReplyTrial(False, why_not=error.problem)
    return ReplyTrial(True)


def try_structured(client: Client[Any], model: str, room: int) -> str:
    """Return why the server does not hold a reply to a schema; empty if it does."""
    turn = Turn(messages=CHAT.messages, allowed=LETTERS)
    try:
        reply = ask_once(client, Ask(model, turn, Sampling(room)))
    except RefusedError as error:
        if error.status == 401:
            raise
        return in_short(error)
    except ENDS:
        raise
    except UserError as error:
        return error.problem
    keeps = structured_answer(reply.text, LETTERS) != reply.text
    return "" if keeps else f"it does not keep to the schema, and replies {reply.text[:40]!r}"


def ask_once(client: Client[Any], ask: Ask) -> Continuation:
    """Ask one question of a trial."""
    path, body = client.provider.chat(ask)
    reply: Continuation = client.ask(Request(path, body, trial=True), lambda reply: read_reply(reply))
    return reply


@dataclass(frozen=True, slots=True)
class NextTrial:
    """Whether and how a server lists the alternatives of the next token."""

    most: int
    """How many it lists; 0: none."""
    in_words: str
    letters: bool = False
    """Whether the next token of a question with letters is a letter."""


def try_next(client: Client[Any], model: str, turn: Turn) -> NextTrial:
    """Find out how many alternatives the server lists, up to the maximum of the API, and whether letters are likely."""
    reason = ""
    for most in (MOST_NEXT, FEWER_NEXT):
        path, body = next_body(model, turn, most, client.provider.room)
        try:
            listed = client.ask(Request(path, body, trial=True), read_alternatives)
        except RefusedError as error:
            if error.status == 401:
                raise
            reason = in_short(error)
            continue
        except ENDS:
            raise
        except UserError as error:
            reason = error.problem
            continue
        if len(listed) > 1:
            choices = choices_among(listed, LETTERS, "", 0)
            mass = mass_of(choices)
            likeliest = max(listed, key=lambda token: listed[token])
            share = f"the letters have {mass:.0%} of the probability of the next token"
            # A text to be continued may end in other words, and its letters can be compared all the same.
            if mass < LEAST_MASS and (turn.messages or any(choices.bounded)):
                return NextTrial(most, f"{share}, and {likeliest!r} is likelier")
            return NextTrial(most, f"lists {len(listed)} next tokens, and {share}", letters=True)
        reason = "it lists the chosen token only"
    return NextTrial(0, reason)


@dataclass
class ServerFindings:
    """What trial requests have found out about a server."""

    trial: Trial | None = None
    next: dict[bool, NextTrial] = field(default_factory=dict)
    """With a chat template and without."""
    chat: ReplyTrial | None = None
    completions: ReplyTrial | None = None
    structured: str | None = None
    """Why it gives no structured output; empty if it does."""
    beginnings: dict[str, BosPlacement] = field(default_factory=dict)
