"""What models return: scored answers, generated replies, fill-in words, training sizes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from horsesense.core.item import Form

ReplyOutcome = Literal["answered", "refused", "filtered", "cut off", "unparsed", "empty", "failed"]
"""What became of a question: an option was named; the model refused; a content filter stopped it; the reply ran out of
tokens; it has text that names no option; it has no text; the server failed on this prompt."""
UNANSWERED: tuple[ReplyOutcome, ...] = ("refused", "filtered", "cut off", "unparsed", "empty", "failed")
"""Outcomes of an item without an answer. Such an item is neither right nor wrong."""

NO_TOKENS = "no-tokens"
"""Flag of every option of an answer that is known by its sums alone, as a log has it."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said about one item: a score for each option, and the tokens behind it.

    Every normalisation and every prediction is derived from this afterwards, so that a run
    never has to be repeated to look at it in another way.
    """

    item: str
    """Id of the item."""
    view: Form
    """The form in which the model was asked."""
    scores: tuple[float, ...]
    """One score per option: the sum of its log-probabilities, or a classifier's log-probability."""
    logprobs: tuple[tuple[float, ...], ...] = ()
    """Per option, the log-probability of each scored token; empty for a classifier."""
    starts: tuple[tuple[int, ...], ...] = ()
    """Per option, where each scored token begins in the text that was asked (at its first non-space character)."""
    ends: tuple[tuple[int, ...], ...] = ()
    """Per option, where each scored token ends."""
    flags: tuple[str, ...] = ()
    """Per option, what to mind, joined by spaces: ``straddle``, ``truncated``, ``first-unscored``,
    ``no-tokens``, ``bounded``; or the outcome of an item without an answer."""
    baseline: tuple[float, ...] = ()
    """Per option, its sum without the question (for PMI); empty where that was not asked."""


@dataclass(frozen=True, slots=True)
class Fill:
    """One word that a model puts into a blank."""

    prompt: str
    rank: int
    word: str
    ids: tuple[int, ...]
    logprob: float


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply to one question about an item, a letter or a text; stored unchanged to be parsed again."""

    item: str
    """Id of the item."""
    format: str
    """Prompt format: ``letters``, ``generate`` or ``structured``."""
    order: tuple[int, ...]
    """Options as they were shown, first to last; empty where that is not known."""
    sample: int
    """Index of the sample, from 0."""
    prompt: str
    """The prompt: a text, or a conversation with the role before each message."""
    request: str
    """SHA-256 of the request to a server; empty for a local model."""
    sent: str
    """The request as it was sent, as JSON; empty for a local model."""
    text: str
    """The reply without its thoughts; empty where only the next letter was read."""
    reasoning: str
    """Thoughts, where the model shows them."""
    outcome: str
    """What became of the question (`ReplyOutcome`)."""
    logprobs: tuple[float, ...]
    """Letters: the log-probability of each letter, in the order of the item's options; empty for generation."""
    bounded: tuple[bool, ...]
    """Letters: whether a letter was missing from the server's list, so that its score is an upper bound."""
    parsed: int | None
    """The option that it names; None if the reply could not be parsed."""
    why: str = ""
    """The rule that parsed it, or why none did; of a failure, what the server reports."""
    finish: str = ""
    """``stop``: it ended by itself; ``length``: it was cut off."""
    prompt_tokens: int = 0
    """Number of tokens of the prompt."""
    tokens: int = 0
    """Number of tokens of the reply, thoughts included."""
