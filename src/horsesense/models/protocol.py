"""The protocol that every model follows, local or served."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from horsesense.core import Fill, ScoringSpec
from horsesense.progress import NO_PROGRESS, Progress

Values = npt.NDArray[np.float32]

Ability = Literal["likelihood", "next", "text", "chat", "structured"]
"""Log-``likelihood`` of a text, probabilities of the ``next`` token, free ``text``, a ``chat`` template, ``structured``
output: a reply that the server holds to some words."""

Outcome = Literal["answered", "refused", "filtered", "cut off", "empty", "failed"]
"""What became of a request, before anybody parses the reply: an answer, the model's refusal, a content filter, a reply
that ran out of tokens, a reply without text, or an error of the server that concerns this prompt alone."""

Kind = Literal["weights", "memory", "server"]

DEFAULT_BUDGET = 4096
"""Tokens per batch. It is part of the manifest, because the last bits of a score depend on it."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Identity of a model, and what it rests on."""

    kind: Kind
    """``weights``: hash of files; ``memory``: a network that may change; ``server``: what a server reports."""
    content: str
    """SHA-256 of the weights, or of the server's address, the model's name there and what the server reports."""
    reported: Mapping[str, Any] = field(default_factory=dict)
    """For a server: its address, the model's name there and what it reports about itself."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A text, and the stretch of it that is scored."""

    text: str
    start: int
    """Index of the first scored character."""
    end: int
    """Index after the last scored character."""
    whole: bool = False
    """Whether the scored stretch is one word for `word-l2r` (an option in a blank)."""
    bare: bool = False
    """Whether no special tokens are added: a chat template has its own."""


def in_stretch(prompt: Prompt, start: int, end: int) -> bool:
    """Whether a token is scored: it begins in the stretch, or straddles its left border."""
    return (prompt.start <= start < prompt.end) or (start < prompt.start < end) or (start == end == prompt.start)


class EncodedPrompt(Protocol):
    """A prompt that a model has tokenised; everything else about it is the model's own."""

    @property
    def length(self) -> int:
        """Number of tokens, counted or estimated."""

    @property
    def cost(self) -> int:
        """Number of tokens to compute."""


@dataclass(frozen=True, slots=True)
class Likelihood:
    """Log-probabilities of the scored tokens of a prompt."""

    logprobs: Values
    starts: tuple[int, ...]
    """Index of each token's first non-space character in the text."""
    ends: tuple[int, ...]
    flags: tuple[str, ...] = ()
    """Warnings: ``straddle``, ``truncated``, ``first-unscored``, ``unknown-token``."""
    texts: tuple[str, ...] = ()
    """The tokens as a server writes them; empty for a local model."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What a model is to continue: a text, or a conversation if it has a chat template."""

    text: str = ""
    """The text to continue."""
    messages: tuple[tuple[str, str], ...] = ()
    """Role and content of each message; if there are any, ``text`` is the beginning of the reply."""
    allowed: tuple[str, ...] = ()
    """Structured output: the reply has to be one of these; empty: any reply."""


@dataclass(frozen=True, slots=True)
class Choices:
    """Log-probability of each of some words as the next word."""

    logprobs: tuple[float, ...]
    """One per word: with and without a leading space, together. Empty if there is no answer."""
    bounded: tuple[bool, ...]
    """Whether a word was not among those that the server lists, so that its value is an upper bound."""
    request: str = ""
    """SHA-256 of the request; empty for a local model."""
    tokens: int = 0
    """Number of prompt tokens."""
    outcome: Outcome = "answered"
    """Why there may be no answer."""
    sent: str = ""
    """The request as it was sent, as JSON; empty for a local model."""
    reported: str = ""
    """What the server says about a refusal, a filter or a failure."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """Generation settings."""

    tokens: int
    """Maximum number of tokens of the answer."""
    temperature: float = 0.0
    """0: greedy."""
    samples: int = 1
    seed: int = 0
    room: int = 0
    """Maximum number of tokens of the whole reply, thoughts included; 0: ``tokens``, and more for a model that
    thinks."""


@dataclass(frozen=True, slots=True)
class Continuation:
    """The continuation of a turn: a model's reply."""

    text: str
    """The answer, without thoughts."""
    finish: str
    """``stop``: the model stopped; ``length``: cut off; or what a server reports."""
    prompt_tokens: int
    tokens: int
    """Number of generated tokens, thoughts included."""
    request: str = ""
    """SHA-256 of the request; empty for a local model."""
    outcome: Outcome = "answered"
    """Why there may be no answer. A reply that is ``cut off`` or ``refused`` may still name an option."""
    reasoning: str = ""
    """Thoughts, where the model shows them."""
    reasoning_tokens: int = 0
    """Number of tokens of the thoughts, where a server counts them."""
    sent: str = ""
    """The request as it was sent, as JSON; empty for a local model."""
    reported: str = ""
    """What the server says about a refusal, a filter or a failure."""

    @classmethod
    def of_text(cls, text: str, finish: str, prompt_tokens: int, tokens: int, **more: Any) -> Continuation:
        """Separate the thoughts of a reply from its answer, and find its outcome.

        >>> reply = Continuation.of_text("<think>Ice is frozen.</think>B", "stop", 9, 8)
        >>> reply.text, reply.reasoning, reply.outcome
        ('B', 'Ice is frozen.', 'answered')
        """
        reasoning, answer = split_thoughts(text)
        reasoning = "\n".join(part for part in (str(more.pop("reasoning", "")).strip(), reasoning) if part)
        if "outcome" not in more and (finish == "length" or not answer.strip()):
            more["outcome"] = "cut off" if finish == "length" else "empty"
        return cls(answer, finish, prompt_tokens, tokens, reasoning=reasoning, **more)


_THOUGHTS = re.compile(r"<(think(?:ing)?|thought|reasoning)>(.*?)(?:</\1>|\Z)", re.S | re.I)
_END_OF_THOUGHTS = re.compile(
    r"</(?:think(?:ing)?|thought|reasoning)>|<\|end_of_thought\|>|<\|channel\|>final<\|message\|>", re.I
)


def split_thoughts(text: str) -> tuple[str, str]:
    """Return the thoughts of a reply and its answer.

    A chat template may write the opening tag into the prompt, so everything before a bare closing tag is a thought. A
    thought without an end leaves no answer.

    >>> split_thoughts("Ice is frozen.</think>\\n\\nB")
    ('Ice is frozen.', 'B')
    >>> split_thoughts("<think>Ice is")
    ('Ice is', '')
    """
    thoughts = [match[2].strip() for match in _THOUGHTS.finditer(text)]
    answer = _THOUGHTS.sub("", text)
    *before, answer = _END_OF_THOUGHTS.split(answer)
    thoughts = [part.strip() for part in before] + thoughts
    if not thoughts:
        return "", text
    return "\n".join(part for part in thoughts if part), answer.strip()


@runtime_checkable
class Model(Protocol):
    """A language model, local or served."""

    @property
    def name(self) -> str:
        """Name in results."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Decisions taken when the model was opened, such as device and dtype."""

    @property
    def who(self) -> Identity:
        """Identity of the model."""

    @property
    def direction(self) -> str:
        """Context of a prediction: ``left to right`` or ``both sides``."""

    @property
    def scores_to_end(self) -> bool:
        """Whether a cloze is scored to the end of its text, because the model sees the option only there."""

    def can(self, ability: Ability) -> bool:
        """Whether the model has an ability; a server is tried once."""

    def why_not(self, ability: Ability) -> str:
        """Why the model lacks an ability."""

    def asking(self, folder: Path | None = None) -> AbstractContextManager[None]:
        """Hold this while sending requests: paid replies are stored in the folder at once."""

    def describe_frame(self, spec: ScoringSpec) -> str:
        """Describe the special tokens around each text."""

    def describe(self) -> dict[str, Any]:
        """Return what a manifest records about the model."""

    def encode(self, prompts: Sequence[Prompt], spec: ScoringSpec) -> Sequence[EncodedPrompt]:
        """Tokenise prompts; one that cannot be tokenised is an error."""

    def likelihoods(
        self,
        encoded: Sequence[Any],
        spec: ScoringSpec,
        budget: int = DEFAULT_BUDGET,
        progress: Progress = NO_PROGRESS,
    ) -> list[Likelihood]:
        """Return the log-probabilities of encoded prompts; progress is counted in tokens."""

    def token_texts(self, encoded_prompt: Any, likelihood: Likelihood) -> Sequence[str]:
        """Return the scored tokens as text."""

    @property
    def max_candidates(self) -> int:
        """Maximum number of words that it lists for a blank."""

    def vocabulary_forms(self, fills: Sequence[Fill]) -> list[str]:
        """Return tokens as the vocabulary writes them: with a mark at the beginning of a word."""

    def knows(self, words: Sequence[str], spec: ScoringSpec) -> Sequence[bool]:
        """Whether its tokenizer can spell each word."""

    def best_words(self, prompts: Sequence[str], k: int, spec: ScoringSpec) -> list[list[Fill]]:
        """Return the k most probable single tokens for the blank of each prompt, best first."""

    def choices(
        self, turns: Sequence[Turn], words: Sequence[Sequence[str]], spec: ScoringSpec, progress: Progress = NO_PROGRESS
    ) -> list[Choices]:
        """Return, for each turn, the log-probability of each of its words as the next one."""

    def apply_chat_template(self, turn: Turn) -> str:
        """Render a conversation with the chat template, up to where the reply begins."""

    def continuations(
        self, turns: Sequence[Turn], sampling: Sampling, progress: Progress = NO_PROGRESS
    ) -> list[list[Continuation]]:
        """Return, for each turn, as many continuations as there are samples."""
