"""What models return: scored answers, generated replies, fill-in words, training sizes."""

from __future__ import annotations

from dataclasses import dataclass

from horsesense.core.item import Form

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
    ``no-tokens``."""
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
    """How it was asked: ``letters`` or ``words``."""
    rotation: int
    """By how many places the options were turned: the first one shown was option ``rotation``."""
    sample: int
    """Which draw of several, from 0."""
    request: str
    """SHA-256 of what was sent to a server; empty for a local model."""
    text: str
    """What it wrote; empty where only the next letter was read."""
    logprobs: tuple[float, ...]
    """Letters: the log-probability of each letter, in the order of the item's options; empty for words."""
    bounded: tuple[bool, ...]
    """Letters: whether a letter was missing from the server's list, so that its score is an upper bound."""
    parsed: int | None
    """The option that it names; None if the reply could not be parsed."""
    why: str
    """The rule that made it out, or why none did."""
    finish: str
    """``stop``: it ended by itself; ``length``: it was cut off."""
    prompt_tokens: int
    """Tokens of the question."""
    tokens: int
    """Of the reply."""
