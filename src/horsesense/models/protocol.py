"""The protocol that every model follows, local or served.

A model gets three kinds of request: the log-likelihood of a stretch of text (`Prompt`), the probability of each of some
words as the next one, and the continuation of a text or conversation (`Turn`). `horsesense.scoring` turns items into
requests and results into answers; it uses nothing else of a model.
"""

from __future__ import annotations

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

Ability = Literal["likelihood", "next", "text", "chat"]
"""Log-``likelihood`` of a text, probabilities of the ``next`` token, free ``text``, a ``chat`` template."""

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

    @property
    def repeatable(self) -> bool:
        """Whether the same request must give the same number; a server cannot guarantee that."""
        return self.kind == "weights"


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


@dataclass(frozen=True, slots=True)
class Choices:
    """Log-probability of each of some words as the next word."""

    logprobs: tuple[float, ...]
    """One per word: with and without a leading space, together."""
    bounded: tuple[bool, ...]
    """Whether a word was not among those that the server lists, so that its value is an upper bound."""
    request: str = ""
    """SHA-256 of the request; empty for a local model."""
    tokens: int = 0
    """Number of prompt tokens."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """Generation settings."""

    tokens: int
    """Maximum number of tokens."""
    temperature: float = 0.0
    """0: greedy."""
    samples: int = 1
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Continuation:
    """The continuation of a turn."""

    text: str
    finish: str
    """``stop``: the model stopped; ``length``: cut off; or what a server reports."""
    prompt_tokens: int
    tokens: int
    request: str = ""
    """SHA-256 of the request; empty for a local model."""


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
