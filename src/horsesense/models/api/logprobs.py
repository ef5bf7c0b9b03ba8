"""Log-probabilities from a server: bodies of requests, and parsing of replies. Pure.

A reply that makes no sense is one sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, isfinite, log
from typing import Any

import numpy as np

from horsesense.errors import UserError
from horsesense.models.protocol import Choices, Likelihood, Prompt, Turn, in_stretch

MOST_NEXT = 20
"""Maximum number of next tokens to ask for, with their log-probabilities."""
FEWER_NEXT = 5
"""Maximum of older servers."""
CHARACTERS_A_TOKEN = 4
"""Estimate of the work, since only the server knows its tokens."""
_MARKS = ("", " ", "Ġ", "▁")


@dataclass(frozen=True, slots=True)
class Echoed:
    """A text as a server tokenised it, with the log-probability of each token."""

    tokens: tuple[str, ...]
    logprobs: tuple[float | None, ...]
    starts: tuple[int, ...]
    """Start of each token in the text, leading spaces included."""
    ends: tuple[int, ...]
    lead: int
    """Number of tokens before the text, which are not among these."""


@dataclass(frozen=True, slots=True)
class Generated:
    """Tokens that a server generated, with their log-probabilities."""

    tokens: tuple[str, ...]
    logprobs: tuple[float, ...]


def bad_reply(what: str, fix: str = "use another prompt format, or report it to the server's operator") -> UserError:
    """Return the error for a reply that makes no sense."""
    return UserError(f"the server's answer makes no sense: {what}", fix=fix)


# Requests.


def echo_body(model: str, prompt: str | Sequence[int], style: str) -> dict[str, Any]:
    """Return the body of a request for the log-probabilities of a prompt; ``style`` is ``echo``, or vLLM's
    ``prompt_logprobs``."""
    body: dict[str, Any] = {"model": model, "prompt": prompt, "max_tokens": 1, "temperature": 0}
    return body | ({"echo": True, "logprobs": 1} if style == "echo" else {"prompt_logprobs": 0})


def generate_body(model: str, prompt: str | Sequence[int], tokens: int) -> dict[str, Any]:
    """Return the body of a greedy continuation with the log-probability of each token."""
    return {"model": model, "prompt": prompt, "max_tokens": tokens, "temperature": 0, "logprobs": 1}


def next_body(model: str, turn: Turn, most: int, room: str = "max_tokens") -> tuple[str, dict[str, Any]]:
    """Return path and body of a request for the alternatives of the next token; ``room`` is the server's name for the
    length of a chat reply."""
    common: dict[str, Any] = {"model": model, "temperature": 0}
    if turn.messages:
        messages = [{"role": role, "content": content} for role, content in turn.messages]
        asked = {"messages": messages, "logprobs": True, "top_logprobs": most, room: 1}
        return "/chat/completions", common | asked
    return "/completions", common | {"prompt": turn.text, "logprobs": most, "max_tokens": 1}


# Replies.


def as_dict(value: Any) -> dict[str, Any]:
    """Return an object of a reply; empty if it is not an object."""
    return value if isinstance(value, dict) else {}


def objects_in(value: Any) -> list[dict[str, Any]]:
    """Return the objects in a list of a reply; none if it is not a list.

    >>> objects_in([{"a": 1}, 2]), objects_in(7), objects_in(None)
    ([{'a': 1}], [], [])
    """
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def count(value: Any) -> int:
    """Return a number of tokens; 0 if it is not a number.

    >>> count(7), count("7"), count(None), count(float("nan")), count(-1), count(10**30)
    (7, 0, 0, 0, 0, 0)
    """
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else 0


def only_choice(reply: dict[str, Any]) -> dict[str, Any]:
    choices = reply.get("choices")
    if not isinstance(choices, list) or len(choices) != 1 or not isinstance(choices[0], dict):
        count = len(choices) if isinstance(choices, list) else "no"
        raise bad_reply(f"it has {count} choices where one was requested")
    choice: dict[str, Any] = choices[0]
    return choice


def _number(value: Any, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value) or value > 1e-3:
        raise bad_reply(f"the log-probability of {what} is {value!r}")
    return min(0.0, float(value))


def _listed(choice: dict[str, Any], reply: dict[str, Any]) -> tuple[list[str], list[Any]]:
    """Return tokens and log-probabilities of a prompt, in either style, the generated token at the end."""
    # vLLM writes null where it does not use the field: in the choice or the reply, or in both beside an echo.
    both = (choice.get("prompt_logprobs"), reply.get("prompt_logprobs"))
    one = next((each for each in both if each is not None), None)
    if one is not None:
        if not isinstance(one, list):
            raise bad_reply("its prompt_logprobs are not a list")
        tokens: list[Any] = []
        values: list[Any] = []
        for each in one:
            first = as_dict(next(iter(as_dict(each).values()), None))
            tokens.append(first.get("decoded_token"))
            values.append(first.get("logprob"))
        if tokens and tokens[0] is None:
            tokens[0] = ""  # vLLM gives nothing for the first token
        return tokens, values
    listed = choice.get("logprobs")
    if not isinstance(listed, dict):
        raise bad_reply("it has no logprobs, though they were requested")
    written, numbers = listed.get("tokens"), listed.get("token_logprobs")
    if not isinstance(written, list) or not isinstance(numbers, list) or len(written) != len(numbers) or not written:
        raise bad_reply("the numbers of log-probabilities and tokens differ")
    return written, numbers


def read_echo(reply: dict[str, Any], text: str) -> Echoed:
    """Return the tokens of an echoed text, without those that the server put before it and generated after it."""
    tokens, values = _listed(only_choice(reply), reply)
    if not all(isinstance(token, str) for token in tokens):
        raise bad_reply("a token is not a text")
    rest = "".join(tokens[1:])
    if tokens and not tokens[0] and rest != text and text.endswith(rest):
        tokens = [text.removesuffix(rest), *tokens[1:]]  # the rest of the text is the token without a value
    for lead in (0, 1, 2):
        spans = align(tokens[lead:], text)
        if spans is not None:
            break
    else:
        raise bad_reply(f"its tokens do not make up the text {text[:40]!r}", "is a different model behind this name?")
    numbers = [
        None if value is None else _number(value, repr(token))
        for token, value in zip(tokens[lead:], values[lead:], strict=True)
    ][: len(spans)]
    if any(value is None for value in numbers[1:]):
        raise bad_reply("a token in the middle has no log-probability")
    starts, ends = tuple(start for start, _ in spans), tuple(end for _, end in spans)
    return Echoed(tuple(tokens[lead : lead + len(spans)]), tuple(numbers), starts, ends, lead)


def align(tokens: Sequence[str], text: str) -> list[tuple[int, int]] | None:
    """Return the span of each token in the text; None if they do not add up to the text.

    A token that is part of a character is written as a replacement sign; it gets the span of that character.

    >>> align(["Ice", " is", " c", "old", " and"], "Ice is cold")
    [(0, 3), (3, 6), (6, 8), (8, 11)]
    >>> align(["Ice", " was"], "Ice is cold") is None
    True
    """
    spans: list[tuple[int, int]] = []
    at = 0
    while at < len(text) and len(spans) < len(tokens):
        token = tokens[len(spans)]
        if token and text.startswith(token, at):
            spans.append((at, at + len(token)))
            at += len(token)
        elif _partial(token):
            rest = tokens[len(spans) :]
            many = next((n for n, each in enumerate(rest) if not _partial(each)), len(rest))
            start = text.find(rest[many], at + 1) if many < len(rest) and rest[many] else -1
            end = start if start > 0 else len(text)
            if end - at > many + 1:
                return None
            spans += [(at, end)] * many
            at = end
        else:
            return None
    return spans if at >= len(text) else None


def _partial(token: str) -> bool:
    return "\ufffd" in token or token.startswith("bytes:")


def read_generated(reply: dict[str, Any]) -> Generated:
    tokens, values = _listed(only_choice(reply), reply)
    return Generated(tuple(tokens), tuple(_number(v, repr(t)) for t, v in zip(tokens, values, strict=True)))


def read_alternatives(reply: dict[str, Any]) -> dict[str, float]:
    """Return the alternatives of the next token with their log-probabilities, chat or not; duplicates are added up."""
    listed = only_choice(reply).get("logprobs")
    if not isinstance(listed, dict):
        raise bad_reply("it has no logprobs, though they were requested")
    if isinstance(listed.get("content"), list):
        if not listed["content"]:
            raise bad_reply("its reply is empty, so there is no next token")
        alternatives = objects_in(as_dict(listed["content"][0]).get("top_logprobs"))
        pairs = [(each.get("token"), each.get("logprob")) for each in alternatives]
    else:
        first = next(iter(objects_in(listed.get("top_logprobs"))), {})
        pairs = list(first.items())
    if not pairs:
        raise bad_reply("it lists no alternatives of the next token")
    shares: dict[str, float] = {}
    for token, value in pairs:
        if not isinstance(token, str):
            raise bad_reply("a token is not a text")
        # A server may give -9999 for an impossible token.
        shares[token] = shares.get(token, 0.0) + exp(_number(value, repr(token)))
    return {token: _log(share) for token, share in shares.items()}


def _log(share: float) -> float:
    return log(share) if share > 1e-300 else -690.0


def choices_among(listed: dict[str, float], words: Sequence[str], request: str, tokens: int, sent: str = "") -> Choices:
    """Return the log-probability of each word; that of an unlisted word is at most the least of the listed ones, or the
    remaining probability.

    >>> listed = {" A": -0.7, "A": -1.6, " B": -2.3}
    >>> choices_among(listed, ["A", "B", "C"], "", 0).bounded
    (False, False, True)
    """
    left = 1.0 - sum(exp(value) for value in listed.values())
    most = min(min(listed.values()), log(max(left, 1e-9)))
    values, bounded = [], []
    for word in words:
        logprobs = [listed[mark + word] for mark in _MARKS if mark + word in listed]
        values.append(_log(sum(exp(value) for value in logprobs)) if logprobs else most)
        bounded.append(not logprobs)
    return Choices(tuple(values), tuple(bounded), request, tokens, sent=sent)


LEAST_MASS = 0.5
"""Least probability of the offered letters together: otherwise the next token is something else, such as a thought."""


def mass_of(choices: Choices) -> float:
    """Return the probability that some words have together; what is only bounded counts as nothing.

    >>> round(mass_of(Choices((-0.7, -1.6, -2.3), (False, False, True))), 2)
    0.7
    """
    return sum(exp(value) for value, bound in zip(choices.logprobs, choices.bounded, strict=True) if not bound)


def tokens_sent(reply: dict[str, Any]) -> int:
    return count(as_dict(reply.get("usage")).get("prompt_tokens"))


# The scored stretch of an echo.


@dataclass(frozen=True, slots=True)
class ServedPrompt:
    """A prompt to send."""

    prompt: Prompt

    @property
    def length(self) -> int:
        return 1 + len(self.prompt.text) // CHARACTERS_A_TOKEN

    @property
    def cost(self) -> int:
        return self.length


def scored_stretch(echoed: Echoed, prompt: Prompt, has_bos: bool) -> Likelihood:
    """Return the scored tokens, as a local model has them; without a BOS token the first has no context."""
    flags = []
    starts = [_first_character(prompt.text, start, end) for start, end in zip(echoed.starts, echoed.ends, strict=True)]
    indices = [index for index, start in enumerate(starts) if in_stretch(prompt, start, echoed.ends[index])]
    if any(starts[index] < prompt.start or echoed.ends[index] > prompt.end for index in indices):
        flags.append("straddle")
    if indices and indices[0] == 0 and (echoed.logprobs[0] is None or not has_bos):
        indices = indices[1:]
        flags.append("first-unscored")
    if not indices:
        raise UserError(
            f"no token of {prompt.text[prompt.start : prompt.end]!r} remains to be scored",
            fix="it is a single token without anything before it",
        )
    return Likelihood(
        np.array([echoed.logprobs[index] for index in indices], dtype=np.float32),
        tuple(starts[index] for index in indices),
        tuple(echoed.ends[index] for index in indices),
        tuple(flags),
        tuple(echoed.tokens[index] for index in indices),
    )


def _first_character(text: str, start: int, end: int) -> int:
    while start < end and text[start].isspace():
        start += 1
    return start
