"""Prompts of an item: one text per option and its scored stretch, or the options shown with letters. Pure."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from string import ascii_uppercase

from horsesense.core import BLANK, Form, Item, ScoringSpec
from horsesense.core.item import FIXED_ORDER
from horsesense.core.spec import check_prompt, fill_prompt
from horsesense.errors import UserError, argument
from horsesense.models.protocol import Prompt, Turn
from horsesense.scoring.free_answers import FREELY, FREELY_REASONED, is_open

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
    candidates = [item for item in pool if item.answer is not None and _in_split(item, spec.shots_from)]
    if not candidates:
        splits = sorted({str(item.facets["split"]) for item in pool if "split" in item.facets})
        known = f"it has {', '.join(splits)}" if splits else f"it has none; use shots_from={WHOLE}"
        raise UserError(f"the probe has no solved item in the split {spec.shots_from!r}", fix=known)
    order = sorted(candidates, key=lambda item: item.id)
    random.Random(spec.shots_seed).shuffle(order)

    def examples(item: Item) -> tuple[Item, ...]:
        items: list[Item] = []
        for each in order:
            if len(items) == spec.shots:
                break
            if not _related(each, item):
                items.append(each)
        if len(items) < spec.shots:
            raise UserError(
                f"item {item.id}: only {len(items)} examples are left that do not depend on it",
                fix="use fewer, or another split",
            )
        return tuple(items)

    return examples


def _in_split(item: Item, split: str) -> bool:
    return split == WHOLE or str(item.facets.get("split", "")) == split


def _related(one: Item, other: Item) -> bool:
    if one.unit() == other.unit() or one.id == other.id:
        return True
    return any(value and one.groups.get(name) == value for name, value in other.groups.items())


WORDING = 1
"""Counted up when a sentence here changes: answers under different wordings are different answers."""

ONLY_LETTER = "Reply with the letter of the right option only."
SHORTLY = "Reply with the letter and the words of the right option, and nothing else."
REASONED = "Think step by step. Then end with a line that says 'Answer:' and the letter of the right option."


def letters_of(item: Item) -> tuple[str, ...]:
    if len(item.options) > len(ascii_uppercase):
        raise UserError(
            f"item {item.id} has {len(item.options)} options, more than there are letters",
            fix=f"use {argument('formats', 'loglikelihood')}",
        )
    return tuple(ascii_uppercase[: len(item.options)])


def option_orders(item: Item, count: int, seed: int) -> tuple[tuple[int, ...], ...]:
    """Return the orders in which the options of an item are shown; a count of 0 puts every option once at every letter.

    The first order is drawn by the seed and the id of the item, so it depends neither on the file nor on the key: on
    average every option is as often first as last. The others rotate it as far as possible. An ordered scale is
    shown forwards or backwards, from a drawn position.

    >>> option_orders(Item(probe="demo", form="choice", text="?", options=("a", "b", "c")), 0, 0)
    ((2, 0, 1), (0, 1, 2), (1, 2, 0))
    """
    many = len(item.options)
    if item.facets.get(FIXED_ORDER):
        return (tuple(range(many)),)
    count = min(count or many, many)
    rng = Random(f"{seed} {item.id}")
    first = list(range(many))
    if item.ordered:
        first = first[:: rng.choice((1, -1))]
    else:
        rng.shuffle(first)
    begin = rng.randrange(many)
    shifts = [begin + number * many // count for number in range(count)]
    return tuple(tuple(first[(index + shift) % many] for index in range(many)) for shift in shifts)


def block(item: Item, order: Sequence[int]) -> str:
    """Return the question and its options, one per line; an open item has none.

    >>> print(block(Item(probe="demo", form="cloze", text="Ice is ___.", options=("cold", "hot")), (1, 0)))
    Which option fills the blank?
    Ice is ___.
    A. hot
    B. cold
    """
    if is_open(item):
        return "\n".join(asked(item))
    lines = [f"{letter}. {item.options[index]}" for letter, index in zip(letters_of(item), order, strict=True)]
    return "\n".join([*asked(item), *lines])


def asked(item: Item) -> list[str]:
    """Return the lines before the options."""
    premise = [item.premise] if item.premise else []
    if item.form == "cloze":
        return ["Which option fills the blank?", *premise, item.text]
    if item.form == "sentences":
        return ["Which sentence goes on best?" if item.premise else "Which sentence makes more sense?", *premise]
    if item.form == "pair":
        return ["Which option says how the second sentence follows from the first?", item.premise, item.text]
    return [*premise, f"Question: {item.text}"]


def turn(
    item: Item, order: Sequence[int], examples: Sequence[Item], spec: ScoringSpec, chat: bool, instruction: str
) -> Turn:
    """Build a turn: a conversation with the examples as earlier turns, or one text up to ``Answer:``.

    Examples show their options in the order of the file, so their right letter varies.
    """
    if is_open(item):
        if instruction == ONLY_LETTER:
            problem = f"item {item.id} is asked without options, so no letters can be shown"
            raise UserError(problem, fix=f"use {argument('formats', 'generate')}")
        instruction = FREELY_REASONED if instruction == REASONED else FREELY
    solved = [(block(each, range(len(each.options))), _solution(each, instruction)) for each in examples]
    asked = block(item, order)
    if not chat:
        solved_questions = [f"{question}\nAnswer: {answer}" for question, answer in solved]
        reasoned = instruction in (REASONED, FREELY_REASONED)
        last = f"{asked}\n{instruction}\n" if reasoned else f"{asked}\nAnswer:"
        return Turn("\n\n".join([*solved_questions, last]))
    messages = [("system", spec.system)] if spec.system else []
    for question, answer in solved:
        messages += [("user", f"{question}\n{instruction}"), ("assistant", answer)]
    return Turn(messages=(*messages, ("user", f"{asked}\n{instruction}")))


def prompt_text(turn: Turn) -> str:
    """Return a prompt to be read: the text, or each message after its role.

    >>> print(prompt_text(Turn(messages=(("system", "Be brief."), ("user", "Is ice hot?")))))
    [system]
    Be brief.
    [user]
    Is ice hot?
    """
    messages = [f"[{role}]\n{content}" for role, content in turn.messages]
    return "\n".join([*messages, *([turn.text] if turn.text else [])])


def _solution(item: Item, instruction: str) -> str:
    assert item.answer is not None
    if is_open(item):
        return item.options[item.answer]
    letter = letters_of(item)[item.answer]
    if instruction == ONLY_LETTER:
        return letter
    return f"Answer: {letter}" if instruction == REASONED else f"{letter}. {item.options[item.answer]}"


def is_chat(spec: ScoringSpec, has_template: bool, name: str) -> bool:
    """Whether the chat template is used; requested where there is none, it is an error."""
    if spec.chat == "on" and not has_template:
        raise UserError(f"{name} has no chat template", fix="use chat=auto or chat=off")
    chat = has_template and spec.chat != "off"
    if spec.system and not chat:
        raise UserError("a system prompt needs a chat template, and none is used", fix="leave it out")
    return chat
