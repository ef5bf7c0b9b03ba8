"""Prompts of the first items in each prompt format, built without a model: what a run would send."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from horsesense.core import Item, Probe, ScoringSpec
from horsesense.core.document import Document
from horsesense.scoring import generate, letters
from horsesense.scoring.option_prompts import prompt_text
from horsesense.scoring.prompt_formats import AUTO, PROMPT_FORMATS, get_prompt_format
from horsesense.scoring.prompts import item_prompts

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
    """Options as they are shown, first to last; empty where each option is scored in its own prompt."""
    prompt: str
    """Text of the prompt; in a conversation, the role before each message."""


@dataclass(frozen=True, slots=True)
class DryRun(Document):
    """Prompts of the first items; nothing was sent."""

    items: Mapping[str, int]
    """Probe → items that the run would ask."""
    prompts: tuple[PromptPreview, ...]
    """Prompts of the first items, by probe and format."""


def preview_prompts(
    probes: Mapping[str, Probe], drawn: Mapping[str, Sequence[Item]], formats: Sequence[str], spec: ScoringSpec
) -> DryRun:
    """Build the prompts of the first drawn items of each probe.

    A conversation is shown unless the spec turns it off; a model without a chat template gets the same as plain text.
    """
    names = list(PROMPT_FORMATS) if list(formats) == [AUTO] else formats
    prompts = [
        each
        for probe, items in drawn.items()
        for name in names
        for each in _previews(probe, name, items[:FIRST], spec, probes[probe].items)
    ]
    return DryRun({probe: len(items) for probe, items in drawn.items()}, tuple(prompts))


def _previews(
    probe: str, name: str, items: Sequence[Item], spec: ScoringSpec, pool: Sequence[Item]
) -> list[PromptPreview]:
    meant = get_prompt_format(name).spec(spec)
    shows = {
        "letters": letters.show_items,
        "generate": generate.show_items,
        "structured": generate.show_structured,
    }
    if show := shows.get(name):
        return [
            PromptPreview(probe, shown.item.id, name, order, prompt_text(turn))
            for shown in show(items, meant, pool if spec.shots else (), spec.chat != "off")
            for order, turn in zip(shown.orders, shown.turns, strict=True)
        ]
    plain = replace(meant, baseline=False)
    return [
        PromptPreview(probe, item.id, name, (), prompt.text)
        for item in items
        for prompt in item_prompts(item, plain, scores_to_end=True).prompts
    ]
