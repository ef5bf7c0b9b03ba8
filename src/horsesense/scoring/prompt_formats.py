"""Prompt formats: how an item is put to a model, which formats a model supports, and what a run would send."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

from horsesense.core import Answer, Item, Probe, Reply, ScoringSpec
from horsesense.core.document import Document
from horsesense.errors import UserError, argument, unknown
from horsesense.models.protocol import Ability, Likelihood, Model
from horsesense.progress import Progress
from horsesense.scoring.prompts import item_prompts, prompt_text

AUTO = "auto"
PROMPT_FORMATS = {
    "loglikelihood": "horsesense.scoring.loglikelihood",
    "pmi": "horsesense.scoring.loglikelihood",
    "letters": "horsesense.scoring.letters",
    "generate": "horsesense.scoring.generate",
    "structured": "horsesense.scoring.generate",
}
"""Prompt format → the module that defines it, as a `PromptFormat` with the name in capitals."""

FALLBACKS = ("loglikelihood", "letters", "generate")
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


def ranks_of_formats(names: Sequence[str]) -> dict[str, int]:
    """Return the place of each format in results: as requested; for ``auto``, as it would fall back.

    >>> ranks_of_formats(["letters", "loglikelihood"]), ranks_of_formats(["auto"])
    ({'letters': 0, 'loglikelihood': 1}, {'loglikelihood': 0, 'letters': 1, 'generate': 2})
    """
    return {name: i for i, name in enumerate(FALLBACKS if list(names) == [AUTO] else names)}


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
    skipped: dict[str, list[str]] = {}
    for name in FALLBACKS:
        each = get_prompt_format(name)
        reason = why_not(model, each, spec)
        if not reason:
            return each, _skipped(skipped)
        skipped.setdefault(reason, []).append(name)
    raise UserError(f"{model.name} supports no prompt format ({_skipped(skipped)})", fix="check the server")


def _skipped(formats: Mapping[str, Sequence[str]]) -> str:
    return "; ".join(f"not by {' or '.join(names)}: {reason}" for reason, names in formats.items())


def same_spec(spec: ScoringSpec) -> ScoringSpec:
    return spec


FIRST = 3
"""Items that are shown of each probe."""


@dataclass(frozen=True, slots=True)
class PromptPreview(Document):
    """A prompt of an item in one format."""

    probe: str
    """Name of the probe."""
    item: str
    """Id of the item."""
    format: str
    """Prompt format."""
    order: tuple[int, ...]
    """Options as they are shown, first to last; empty where each option is scored in its own prompt, and for PMI by
    itself too."""
    prompt: str
    """Text of the prompt; in a conversation, the role before each message."""


@dataclass(frozen=True, slots=True)
class DryRun(Document):
    """Prompts of the first items; nothing was sent."""

    items: Mapping[str, int]
    """Probe → items that the run would ask."""
    prompts: tuple[PromptPreview, ...]
    """Prompts of the first items, by probe and format."""
    note: str = ""
    """What decides between several prompt formats, under ``auto``."""


def preview_prompts(
    probes: Mapping[str, Probe], drawn: Mapping[str, Sequence[Item]], formats: Sequence[str], spec: ScoringSpec
) -> DryRun:
    """Build the prompts of the first drawn items of each probe.

    A conversation is shown unless the spec turns it off; a model without a chat template gets the same as plain text.
    """
    prompts = [
        each
        for probe, items in drawn.items()
        for name in formats
        for each in _previews(probe, name, items[:FIRST], spec, probes[probe].items)
    ]
    return DryRun({probe: len(items) for probe, items in drawn.items()}, tuple(prompts))


def _previews(
    probe: str, name: str, items: Sequence[Item], spec: ScoringSpec, pool: Sequence[Item]
) -> list[PromptPreview]:
    meant = get_prompt_format(name).spec(spec)
    if name in ("letters", "generate", "structured"):
        show = "show_structured" if name == "structured" else "show_items"
        show_items = getattr(importlib.import_module(PROMPT_FORMATS[name]), show)
        return [
            PromptPreview(probe, shown_item.item.id, name, order, prompt_text(turn))
            for shown_item in show_items(items, meant, pool if spec.shots else (), spec.chat != "off")
            for order, turn in zip(shown_item.orders, shown_item.turns, strict=True)
        ]
    built = [item_prompts(item, meant, scores_to_end=True) for item in items]
    return [
        PromptPreview(probe, item.id, name, (), prompt.text)
        for item, prompts in zip(items, built, strict=True)
        for prompt in (*prompts.prompts, *prompts.baseline)
    ]
