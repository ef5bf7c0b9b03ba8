"""Prompt formats: how an item is put to a model, and which formats a model supports."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

from horsesense.core import Answer, Item, Reply, ScoringSpec
from horsesense.errors import UserError, argument, unknown
from horsesense.models.protocol import Ability, Likelihood, Model
from horsesense.progress import Progress

AUTO = "auto"
PROMPT_FORMATS = {
    "loglikelihood": "horsesense.scoring.loglikelihood",
    "pmi": "horsesense.scoring.loglikelihood",
    "letters": "horsesense.scoring.letters",
    "generate": "horsesense.scoring.generate",
    "structured": "horsesense.scoring.generate",
}
"""Prompt format → the module that defines it, as a `PromptFormat` with the name in capitals."""

_FALLBACKS = ("loglikelihood", "letters", "generate")
"""Formats that ``auto`` tries on a server, in this order."""


class Memory(Protocol):
    """Scores that an earlier run computed, looked up by content."""

    served: bool
    """Whether the last lookup found everything."""

    def likelihoods(self, prompts: Sequence[Any]) -> list[Likelihood] | None:
        """Return the scores of all prompts, or None if any is missing."""

    def remember(self, prompts: Sequence[Any], scored: Sequence[Likelihood]) -> None: ...


@dataclass(frozen=True, slots=True)
class Call:
    """Model and settings that a batch of prepared items is scored with."""

    model: Model
    spec: ScoringSpec
    budget: int
    progress: Progress
    memory: Memory | None = None


Answers = tuple[list[Answer], list[Reply]]


@dataclass(frozen=True, slots=True)
class PromptFormat:
    """One way to put an item to a model."""

    name: str
    needs: Ability
    """Ability that the model must have."""
    spec: Callable[[ScoringSpec], ScoringSpec]
    """Adapts the scoring spec; a field that makes no sense in this format is an error."""
    prepare: Callable[[Model, Sequence[Item], ScoringSpec, Sequence[Item]], list[Any]]
    """Builds the prompts of items; the last argument is the pool of few-shot examples."""
    answer: Callable[[Sequence[Any], Call], Answers]
    """Scores prepared items: one answer per item, and the replies."""
    in_words: Callable[[Model, ScoringSpec], str]
    """Describes template, examples and orders for the manifest."""


def get_prompt_format(name: str) -> PromptFormat:
    if name not in PROMPT_FORMATS:
        raise unknown("prompt format", name, [*PROMPT_FORMATS, AUTO])
    return cast(PromptFormat, getattr(importlib.import_module(PROMPT_FORMATS[name]), name.upper()))


def parse_prompt_formats(text: str) -> tuple[str, ...]:
    """Parse names joined by commas.

    >>> parse_prompt_formats("loglikelihood, letters")
    ('loglikelihood', 'letters')
    """
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    for name in names:
        if name != AUTO:
            get_prompt_format(name)
    if not names or (AUTO in names and len(names) > 1):
        known = ", ".join(PROMPT_FORMATS)
        raise UserError(f"{text!r} is not a list of prompt formats", fix=f"join {known} by commas, or use {AUTO} alone")
    return names


def choose_prompt_formats(model: Model, names: Sequence[str], spec: ScoringSpec) -> list[tuple[PromptFormat, str]]:
    """Return the formats to use for a model, each with a note on the formats that ``auto`` had to skip.

    Only ``auto`` falls back; a format that was requested and is not supported is an error.
    """
    if list(names) == [AUTO]:
        return [first_supported(model, spec)]
    formats = [get_prompt_format(name) for name in names]
    for each in formats:
        if not model.can(each.needs):
            raise UserError(
                f"{model.name} does not support the prompt format {each.name}: {model.why_not(each.needs)}",
                fix=f"leave it out of {argument('formats')}, or use {argument('formats', AUTO)}",
            )
    return [(each, "") for each in formats]


def why_not(model: Model, prompt_format: PromptFormat, spec: ScoringSpec) -> str:
    """Return why a model cannot be asked in a format, or an empty string."""
    if not model.can(prompt_format.needs):
        return model.why_not(prompt_format.needs)
    try:
        prompt_format.spec(spec)
    except UserError as error:
        return error.problem
    return ""


def first_supported(model: Model, spec: ScoringSpec) -> tuple[PromptFormat, str]:
    """Return the first format that a model supports, and why not those before it."""
    if model.who.kind != "server":
        return get_prompt_format("loglikelihood"), ""
    skipped: list[str] = []
    for name in _FALLBACKS:
        each = get_prompt_format(name)
        reason = why_not(model, each, spec)
        if not reason:
            return each, "; ".join(skipped)
        skipped.append(f"not by {name}: {reason}")
    raise UserError(f"{model.name} supports no prompt format ({'; '.join(skipped)})", fix="check the server")


def same_spec(spec: ScoringSpec) -> ScoringSpec:
    return spec
