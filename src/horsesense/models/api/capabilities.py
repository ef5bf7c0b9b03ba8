"""What a served model can do: reply, think, list next tokens, keep to a schema, give trustworthy log-probabilities.

The value of a token that it has just generated must equal, within 0.1 nat, the value that it echoes for the same token
at the end of the same text, for several texts and lengths. A server that fails is not asked for likelihoods: its
numbers only look like log-probabilities.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, TypeVar

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
    read_alternatives,
    read_echo,
    read_generated,
)
from horsesense.models.api.providers import Ask, read_reply, structured_answer
from horsesense.models.api.request_errors import ENDS, RefusedError, Request
from horsesense.models.protocol import Continuation, Sampling, Turn

Result = TypeVar("Result")

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


def attempt(work: Callable[[], Result]) -> tuple[Result | None, str]:
    """Return the result of trial requests, or why there is none; what says nothing about the server is raised."""
    try:
        return work(), ""
    except ENDS:
        raise
    except RefusedError as error:
        return None, in_short(error)
    except UserError as error:
        return None, error.problem


def try_likelihood(client: Client[Any], model: str) -> Trial:
    """Find out whether the server's likelihoods can be trusted, and how to request them."""
    reasons = []
    for style in ("echo", "prompt_logprobs"):
        trial, why = attempt(partial(_compared, client, model, style))
        if trial is not None:
            return trial
        reasons.append(f"{style}: {why}")
    return Trial(False, f"it gives no log-probabilities of a text ({'; '.join(reasons)})")


def _compared(client: Client[Any], model: str, style: str) -> Trial:
    beginning = find_bos(client, model, style, "auto")
    before = beginning.token if beginning.how in ("text", "ids") else ""
    bodies = [generate_body(model, before + text, LENGTH) for text in TEXTS]
    replies = client.ask_each(
        (Request("/completions", body, trial=True) for body in bodies), lambda *arguments: read_generated(arguments[2])
    )
    # Every prefix of the generated text, with the value of its last token.
    cases = [
        (text + "".join(each.tokens[:count]), each.tokens[count - 1], each.logprobs[count - 1])
        for text, each in zip(TEXTS, replies, strict=True)
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
DESCRIBE = Turn(messages=(("user", "Describe in one sentence what ice feels like."),))
PLAIN = Turn("Is ice hot or cold?\nA. hot\nB. cold\nAnswer:")
LETTERS = ("A", "B")
ROOMS = (64, 1024)
"""Tokens for the reply of the trial: a short reply, and one that a model can think in."""
_UNFINISHED = "could not finish the message"
"""OpenAI's error where thoughts took all tokens."""


def in_short(error: RefusedError) -> str:
    """Return the server's own sentence; without one, what is wrong with its answer."""
    return f"HTTP {error.status}: {error.detail[:200]}" if error.detail else error.problem


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
        ask = Ask(model, CHAT, Sampling(room + (client.settings.thinking_tokens or 0)))
        reply, why = attempt(partial(ask_once, client, ask))
        if reply is None and client.provider.switch(why):
            reply, why = attempt(partial(ask_once, client, ask))
        if reply is None:
            return ReplyTrial(True, True) if _UNFINISHED in why.lower() else ReplyTrial(False, why_not=why)
        if reply.reasoning or reply.reasoning_tokens or (reply.finish == "length" and not reply.text.strip()):
            return ReplyTrial(True, True)
        if reply.finish != "length":
            break
    return ReplyTrial(True)


def try_completion(client: Client[Any], model: str) -> ReplyTrial:
    """Find out whether the server continues a plain text."""
    reply, why = attempt(partial(ask_once, client, Ask(model, PLAIN, Sampling(1))))
    return ReplyTrial(reply is not None, why_not=why)


def try_structured(client: Client[Any], model: str, room: int) -> StructuredTrial:
    """Find out how the server is made to keep to a schema.

    The question does not ask for a letter, so a reply that is one shows that the server keeps to the schema.
    """
    reasons = []
    for style in client.provider.structured:
        turn = Turn(messages=DESCRIBE.messages, allowed=LETTERS)
        ask = Ask(model, turn, Sampling(room), structured=style)
        reply, why = attempt(partial(ask_once, client, ask))
        if reply is not None:
            if structured_answer(reply.text, LETTERS) in LETTERS:
                return StructuredTrial(style)
            why = f"it does not keep to the schema, and replies {reply.text[:40]!r}"
        reasons.append(f"{style}: {why}")
    return StructuredTrial("", "; ".join(reasons) or "its API has no structured output")


def ask_once(client: Client[Any], ask: Ask) -> Continuation:
    """Ask one question of a trial."""
    path, body = client.provider.chat(ask) if ask.turn.messages else client.provider.completion(ask)
    reply: Continuation = client.ask(Request(path, body, trial=True), lambda reply: read_reply(reply))
    return reply


@dataclass(frozen=True, slots=True)
class StructuredTrial:
    """How a server is made to keep to a schema."""

    style: str
    """One of the provider's; empty: in no way."""
    why_not: str = ""


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
        path, body = client.provider.next_tokens(model, turn, most)
        listed, reason = attempt(partial(client.ask, Request(path, body, trial=True), read_alternatives))
        if listed is None:
            continue
        if len(listed) > 1:
            choices = choices_among(listed, LETTERS, "", 0)
            mass = mass_of(choices)
            likeliest = max(listed, key=lambda token: listed[token])
            share = f"the letters have {mass:.0%} of the probability of the next token"
            # A text to be continued may end in other words, and its letters can be compared all the same.
            if mass < LEAST_MASS and (turn.messages or any(choices.bounded)):
                other = "" if likeliest.strip() in LETTERS else f", and {likeliest!r} is likelier"
                return NextTrial(most, f"{share}{other}")
            return NextTrial(most, f"lists {len(listed)} next tokens, and {share}", letters=True)
        reason = "it lists the chosen token only"
    return NextTrial(0, reason)


class ServerFindings:
    """What trial requests find out about a server, each once, when it is needed."""

    def __init__(self, client: Client[Any], model: str) -> None:
        self.client, self.model = client, model
        self._next: dict[bool, NextTrial] = {}
        self._beginnings: dict[str, BosPlacement] = {}

    @cached_property
    def chat(self) -> ReplyTrial:
        return try_chat(self.client, self.model)

    @cached_property
    def completions(self) -> ReplyTrial:
        if not self.client.provider.has_logprobs:
            return ReplyTrial(False, why_not="its API has conversations only")
        return try_completion(self.client, self.model)

    @cached_property
    def likelihood(self) -> Trial:
        if not self.client.provider.has_logprobs:
            return Trial(False, "its API gives no log-probabilities of a text")
        if not self.completions.replies:
            return Trial(False, f"it has no completions ({self.completions.why_not})")
        return try_likelihood(self.client, self.model)

    @cached_property
    def structured(self) -> StructuredTrial:
        if not self.chat.replies:
            return StructuredTrial("", self.chat.why_not)
        thoughts = self.client.settings.thinking_tokens
        thoughts = thoughts if thoughts is not None else ROOMS[-1] if self.chat.thinks else 0
        return try_structured(self.client, self.model, ROOMS[0] + thoughts)

    def next(self, chat: bool) -> NextTrial:
        """Next tokens, with a chat template or without."""
        if not self.client.provider.has_logprobs:
            return NextTrial(0, "its API gives no log-probabilities")
        if chat not in self._next:
            self._next[chat] = try_next(self.client, self.model, CHAT if chat else PLAIN)
        return self._next[chat]

    def beginning(self, policy: str) -> BosPlacement:
        """Where the BOS token goes, under a policy."""
        if policy not in self._beginnings:
            self._beginnings[policy] = find_bos(self.client, self.model, self.likelihood.style, policy)
        return self._beginnings[policy]
