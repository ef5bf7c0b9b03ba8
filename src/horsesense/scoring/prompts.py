"""Prompts of an item for a language model: one text per option, and the scored stretch of it. Pure.

Few-shot examples are drawn by seed from a stated split, never from the item's own family.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from horsesense.core import BLANK, Form, Item, ScoringSpec
from horsesense.core.spec import check_prompt, fill_prompt
from horsesense.errors import UserError, argument
from horsesense.models.protocol import Prompt

__all__ = ["ItemPrompts", "Prompt", "apply_casing", "item_prompts"]


@dataclass(frozen=True, slots=True)
class ItemPrompts:
    """All prompts of one item."""

    view: Form
    prompts: tuple[Prompt, ...]
    baseline: tuple[Prompt, ...] = ()
    """The options without their question, for PMI; empty where it was not requested."""


def item_prompts(item: Item, spec: ScoringSpec, scores_to_end: bool) -> ItemPrompts:
    """Build the prompts of an item.

    >>> item = Item(probe="demo", form="cloze", text="Ice is ___ to touch.", options=("cold", "hot"))
    >>> prompt = item_prompts(item, ScoringSpec(), scores_to_end=True).prompts[0]
    >>> prompt.text[prompt.start : prompt.end]
    'cold to touch.'
    """
    makers = {"sentences": _sentence, "cloze": _cloze, "choice": _choice, "pair": _pair}
    maker = makers[item.form]
    prompts = tuple(apply_casing(maker(item, option, spec, scores_to_end), spec) for option in item.options)
    baseline: tuple[Prompt, ...] = ()
    if spec.baseline:
        if item.form == "sentences" and not item.premise:
            raise UserError(
                f"item {item.id}: PMI needs a question apart from its options",
                fix="use another normalisation for sentences",
            )
        baseline = tuple(apply_casing(Prompt(option, 0, len(option)), spec) for option in item.options)
    return ItemPrompts(item.form, prompts, baseline)


def _sentence(item: Item, option: str, spec: ScoringSpec, scores_to_end: bool) -> Prompt:
    before = f"{item.premise} " if item.premise else ""
    return Prompt(before + option, len(before), len(before) + len(option))


def _cloze(item: Item, option: str, spec: ScoringSpec, scores_to_end: bool) -> Prompt:
    left, _, right = item.text.partition(BLANK)
    before = (f"{item.premise} " if item.premise else "") + left
    end = len(before) + len(option)
    return Prompt(before + option + right, len(before), end + len(right) if scores_to_end else end, whole=True)


def _choice(item: Item, option: str, spec: ScoringSpec, scores_to_end: bool) -> Prompt:
    before, after = _around(spec.choice_prompt, "choice_prompt", premise=item.premise, question=item.text)
    if item.premise and "{premise}" not in spec.choice_prompt:
        before = f"{item.premise} {before}"
    return Prompt(before + option + after, len(before), len(before) + len(option))


def _pair(item: Item, option: str, spec: ScoringSpec, scores_to_end: bool) -> Prompt:
    before, after = _around(spec.pair_prompt, "pair_prompt", premise=item.premise, hypothesis=item.text)
    end = len(before) + len(option)
    return Prompt(before + option + after, len(before), end + len(after) if scores_to_end else end, whole=True)


def _around(template: str, name: str, **values: str) -> tuple[str, str]:
    """Return the text before the option and after it."""
    check_prompt(name, template)
    before, _, after = template.partition("{option}")
    return fill_prompt(before, **values), fill_prompt(after, **values)


def apply_casing(prompt: Prompt, spec: ScoringSpec) -> Prompt:
    """Apply the spec's case and leading space."""
    text = prompt.text
    if spec.case == "lower":
        lowered = text.lower()
        # "İ" grows when lowered; offsets must not move.
        text = lowered if len(lowered) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    if spec.leading_space:
        return Prompt(f" {text}", prompt.start + 1, prompt.end + 1, prompt.whole)
    return Prompt(text, prompt.start, prompt.end, prompt.whole)


# Few-shot examples.


Examples = Callable[[Item], tuple[Item, ...]]
"""Returns the examples of an item."""

WHOLE = "all"


def examples_from(pool: Sequence[Item], spec: ScoringSpec) -> Examples:
    """Choose the examples of items: the first in an order drawn once, without those that an item depends on.

    The order is that of ids shuffled by seed, so that of the file does not matter. An item of the same family, or one
    that shares a group's value with it, is skipped.
    """
    if not spec.shots:
        return lambda item: ()
    if not spec.shots_from:
        raise UserError(
            f"{spec.shots} examples are requested and no split to draw them from is named",
            fix=f"add shots_from=train (a split of the probe), or shots_from={WHOLE}, to {argument('spec')}",
        )
    wanted = [item for item in pool if item.answer is not None and _in_split(item, spec.shots_from)]
    if not wanted:
        splits = sorted({str(item.facets["split"]) for item in pool if "split" in item.facets})
        known = f"it has {', '.join(splits)}" if splits else f"it has none; use shots_from={WHOLE}"
        raise UserError(f"the probe has no solved item in the split {spec.shots_from!r}", fix=known)
    order = sorted(wanted, key=lambda item: item.id)
    random.Random(spec.shots_seed).shuffle(order)

    def examples(item: Item) -> tuple[Item, ...]:
        found: list[Item] = []
        for each in order:
            if len(found) == spec.shots:
                break
            if not _related(each, item):
                found.append(each)
        if len(found) < spec.shots:
            raise UserError(
                f"item {item.id}: only {len(found)} examples are left that do not depend on it",
                fix="use fewer, or another split",
            )
        return tuple(found)

    return examples


def _in_split(item: Item, split: str) -> bool:
    return split == WHOLE or str(item.facets.get("split", "")) == split


def _related(one: Item, other: Item) -> bool:
    if one.unit() == other.unit() or one.id == other.id:
        return True
    return any(value and one.groups.get(name) == value for name, value in other.groups.items())
