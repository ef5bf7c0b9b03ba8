"""The contract: what a model is asked and what it gives back, wherever it runs.

There are three kinds of question: how likely a stretch of a text is (`Prompt`), which of some words comes next, and
how a text or a conversation goes on (`Turn`). `horsesense.scoring` turns items into these and replies into answers; it
knows nothing else of a model. `local` models and `served` ones answer them.
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
"""``likelihood`` of what is given, probabilities of the ``next`` token, free ``text``, a ``chat`` template."""

Kind = Literal["weights", "memory", "server"]

DEFAULT_BUDGET = 4096
"""Tokens a batch. It is part of a manifest, because the last bits of a score depend on it."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Which model it is, and how that is known."""

    kind: Kind
    """``weights``: files with a hash; ``memory``: a network that may change; ``server``: what a server says it is."""
    content: str
    """SHA-256 of the weights, or of the server's address, the model's name there and what the server reports."""
    reported: Mapping[str, Any] = field(default_factory=dict)
    """Of a server: its address, the model's name there and what it says of itself."""

    @property
    def repeatable(self) -> bool:
        """Whether the same question must get the same number; a server cannot promise that."""
        return self.kind == "weights"


@dataclass(frozen=True, slots=True)
class Prompt:
    """A text, and which stretch of it is scored."""

    text: str
    start: int
    """First character that is scored."""
    end: int
    """One past the last character that is scored."""
    whole: bool = False
    """Whether the scored stretch is one unit of `word-l2r` (an option in a blank), not word by word."""
    bare: bool = False
    """Whether nothing is put around it: a chat template brings its own beginning."""


def in_stretch(prompt: Prompt, start: int, end: int) -> bool:
    """Whether a token is scored: it begins in the stretch, or straddles its left border."""
    return (prompt.start <= start < prompt.end) or (start < prompt.start < end) or (start == end == prompt.start)


class EncodedPrompt(Protocol):
    """A prompt as a model reads it, ready to be asked; the rest of it is the model's own."""

    @property
    def length(self) -> int:
        """Tokens, counted or estimated."""

    @property
    def cost(self) -> int:
        """Tokens that are computed for it."""


@dataclass(frozen=True, slots=True)
class Likelihood:
    """The scored tokens of a prompt."""

    logprobs: Values
    starts: tuple[int, ...]
    """Where each token's first non-space character stands in the text."""
    ends: tuple[int, ...]
    flags: tuple[str, ...] = ()
    """What to mind: ``straddle``, ``truncated``, ``first-unscored``, ``unknown-token``."""
    texts: tuple[str, ...] = ()
    """The tokens as a server writes them; empty for a local model, which has them by number."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What a model is to go on with: a plain text, or a conversation where it has a chat template."""

    text: str = ""
    """Goes on as it stands."""
    messages: tuple[tuple[str, str], ...] = ()
    """Role and content of each message; where there are any, ``text`` is what the reply begins with."""


@dataclass(frozen=True, slots=True)
class Choices:
    """How likely each of some words is to come next."""

    logprobs: tuple[float, ...]
    """One a word: of the word with and without a space before it, together."""
    bounded: tuple[bool, ...]
    """Whether a word was not among those that are told, so that its number is the most it can be."""
    request: str = ""
    """SHA-256 of what was sent; empty for a local model."""
    tokens: int = 0
    """Tokens of the question."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a text is made to go on."""

    tokens: int
    """The most there are."""
    temperature: float = 0.0
    """0: always the most probable token."""
    samples: int = 1
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Continuation:
    """How a turn went on."""

    text: str
    finish: str
    """``stop``: it ended by itself; ``length``: it was cut off; or what a server says."""
    prompt_tokens: int
    tokens: int
    request: str = ""
    """SHA-256 of what was sent; empty for a local model."""


@runtime_checkable
class Model(Protocol):
    """Who answers."""

    @property
    def name(self) -> str:
        """What results call it."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What was decided when it was opened, in words."""

    @property
    def who(self) -> Identity:
        """Which model it is."""

    @property
    def direction(self) -> str:
        """What a prediction sees: ``left to right`` or ``both sides``."""

    @property
    def asks_what_follows(self) -> bool:
        """Whether a cloze is scored to the end of its text, because only there does the model see the option."""

    def can(self, ability: Ability) -> bool:
        """Whether it can be asked so; a server is tried for it, once."""

    def why_not(self, ability: Ability) -> str:
        """Why it cannot be asked so, in words."""

    def asking(self, folder: Path | None = None) -> AbstractContextManager[None]:
        """Held while it is asked: what costs money is kept in the folder at once."""

    def frame_in_words(self, spec: ScoringSpec) -> str:
        """The tokens around each text, and why these."""

    def describe(self) -> dict[str, Any]:
        """What a manifest keeps of it."""

    def encode(self, prompts: Sequence[Prompt], spec: ScoringSpec) -> Sequence[EncodedPrompt]:
        """Prompts as it reads them; one that it cannot read is an error."""

    def likelihoods(
        self,
        encoded: Sequence[Any],
        spec: ScoringSpec,
        budget: int = DEFAULT_BUDGET,
        progress: Progress = NO_PROGRESS,
    ) -> list[Likelihood]:
        """The scored tokens of what it has read; the progress is told how many tokens are done."""

    def token_texts(self, encoded_prompt: Any, likelihood: Likelihood) -> Sequence[str]:
        """How the scored tokens are written."""

    @property
    def most_words(self) -> int:
        """How many words of a blank it tells at most."""

    def vocabulary_forms(self, fills: Sequence[Fill]) -> list[str]:
        """Tokens as a vocabulary writes them: with a mark before what begins a word."""

    def knows(self, words: Sequence[str], spec: ScoringSpec) -> Sequence[bool]:
        """Whether it can spell each word."""

    def best_words(self, prompts: Sequence[str], k: int, spec: ScoringSpec) -> list[list[Fill]]:
        """The k best single tokens for the blank of each prompt, best first."""

    def choices(
        self, turns: Sequence[Turn], words: Sequence[Sequence[str]], spec: ScoringSpec, progress: Progress = NO_PROGRESS
    ) -> list[Choices]:
        """For each turn, how likely each of its words is to come next."""

    def in_template(self, turn: Turn) -> str:
        """A conversation as its chat template writes it, up to where the reply begins."""

    def continuations(
        self, turns: Sequence[Turn], sampling: Sampling, progress: Progress = NO_PROGRESS
    ) -> list[list[Continuation]]:
        """For each turn, as many continuations as there are samples."""
