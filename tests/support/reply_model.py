"""A model that only replies: no weights, no likelihoods, and any behaviour that a test plants."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from horsesense.core import Fill, Item, ScoringSpec
from horsesense.errors import UserError
from horsesense.models.protocol import Ability, Choices, Continuation, Identity, Likelihood, Prompt, Sampling, Turn
from horsesense.profiling.conditions import LEAD
from horsesense.progress import NO_PROGRESS, Progress

SHOWN = re.compile(r"^([A-Z])\. (.*)$", re.M)
_LEADS = re.compile("|".join(re.escape(lead) for lead in LEAD.values()))

Says = Callable[[str, dict[str, str]], Continuation]
"""What it replies to a prompt whose options are shown with these letters."""


@dataclass
class ReplyModel:
    """A chat model as a provider serves it."""

    says: Says
    name: str = "replies"
    next_letters: Callable[[str, Sequence[str]], Choices] | None = None
    """Log-probabilities of the next letters; None: it gives none."""
    asked: list[str] = field(default_factory=list)
    """Prompts that came in."""
    notes: tuple[str, ...] = ()
    direction = "left to right"
    scores_to_end = True
    max_candidates = 0

    @property
    def who(self) -> Identity:
        return Identity("server", f"made {self.name}")

    def can(self, ability: Ability) -> bool:
        return ability in ("text", "chat") or (ability == "next" and self.next_letters is not None)

    def why_not(self, ability: Ability) -> str:
        return "it gives no log-probabilities"

    @contextmanager
    def asking(self, folder: Path | None = None) -> Iterator[None]:
        yield

    def describe_frame(self, spec: ScoringSpec) -> str:
        return "chosen by the server"

    def describe(self) -> dict[str, Any]:
        named = {"name": self.name, "family": "served", "architecture": "", "direction": self.direction}
        sizes = {"parameters": 0, "window": 0, "weights": self.who.content, "revision": ""}
        return named | sizes | {"dtype": "unknown", "dtype_reason": ""}

    def continuations(
        self, turns: Sequence[Turn], sampling: Sampling, progress: Progress = NO_PROGRESS
    ) -> list[list[Continuation]]:
        return [[self._reply(turn) for _ in range(sampling.samples)] for turn in turns]

    def _reply(self, turn: Turn) -> Continuation:
        prompt = turn.messages[-1][1]
        self.asked.append(prompt)
        return self.says(prompt, dict(SHOWN.findall(prompt)))

    def choices(
        self, turns: Sequence[Turn], words: Sequence[Sequence[str]], spec: ScoringSpec, progress: Progress = NO_PROGRESS
    ) -> list[Choices]:
        assert self.next_letters is not None
        prompts = [turn.messages[-1][1] for turn in turns]
        self.asked += prompts
        return [self.next_letters(prompt, each) for prompt, each in zip(prompts, words, strict=True)]

    # What such a model cannot do.

    def encode(self, prompts: Sequence[Prompt], spec: ScoringSpec) -> Sequence[Any]:
        raise UserError("no likelihoods")

    def likelihoods(self, encoded: Sequence[Any], spec: ScoringSpec, budget: int = 0, progress: Progress = NO_PROGRESS) -> list[Likelihood]:  # fmt: skip # noqa: E501
        raise UserError("no likelihoods")

    def token_texts(self, encoded_prompt: Any, likelihood: Likelihood) -> Sequence[str]:
        return ()

    def vocabulary_forms(self, fills: Sequence[Fill]) -> list[str]:
        return []

    def knows(self, words: Sequence[str], spec: ScoringSpec) -> Sequence[bool]:
        return [True] * len(words)

    def best_words(self, prompts: Sequence[str], k: int, spec: ScoringSpec) -> list[list[Fill]]:
        raise UserError("no candidates")

    def apply_chat_template(self, turn: Turn) -> str:
        raise UserError("no template")


def reply(text: str, finish: str = "stop", **more: Any) -> Continuation:
    """A reply as a provider sends it; thoughts are told apart from the answer."""
    return Continuation.of_text(text, finish, 20, max(1, len(text) // 4), **more)


def key_of(items: Iterable[Item]) -> Callable[[str, dict[str, str]], str]:
    """Return the letter of the right option for a prompt about one of the items, in any wording; else empty."""
    by_options: dict[frozenset[str], list[Item]] = {}
    for item in items:
        by_options.setdefault(frozenset(item.options), []).append(item)

    def key(prompt: str, shown: dict[str, str]) -> str:
        plain = {letter: _LEADS.sub("", option) for letter, option in shown.items()}
        for item in by_options.get(frozenset(plain.values()), ()):
            if item.text in prompt and item.premise in prompt and item.answer is not None:
                return next(letter for letter, option in plain.items() if option == item.options[item.answer])
        return ""

    return key
