"""Prompt format ``letters``: options are shown with letters, whose probabilities are averaged over rotated orders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log

import numpy as np

from horsesense.core import Answer, Item, Reply, ScoringSpec
from horsesense.errors import UserError, argument
from horsesense.models.protocol import Choices, Model, Turn
from horsesense.scoring.option_prompts import ONLY_LETTER, WORDING, is_chat, letters_of, rotated, turn
from horsesense.scoring.prompt_formats import Answers, Call, PromptFormat
from horsesense.scoring.prompts import examples_from

_CHARACTERS_A_TOKEN = 4
"""Estimate of the work, whatever the tokenizer."""


@dataclass(frozen=True, slots=True)
class ShownItem:
    """An item with its options in the orders that are shown."""

    item: Item
    orders: tuple[tuple[int, ...], ...]
    turns: tuple[Turn, ...]

    @property
    def lengths(self) -> list[int]:
        return [estimated_tokens(each) for each in self.turns]

    @property
    def longest(self) -> int:
        return max(self.lengths)

    @property
    def cost(self) -> int:
        return sum(self.lengths)


def estimated_tokens(asked: Turn) -> int:
    """Estimate the tokens of a turn."""
    characters = len(asked.text) + sum(len(content) + 16 for _, content in asked.messages)
    return 1 + characters // _CHARACTERS_A_TOKEN


def _spec(spec: ScoringSpec) -> ScoringSpec:
    if spec.reason:
        raise UserError(
            "the letters format does not allow reasoning",
            fix=f"use {argument('formats', 'generate')}, or leave reason out",
        )
    return spec


def prepare_shown(
    model: Model, items: Sequence[Item], spec: ScoringSpec, pool: Sequence[Item], instruction: str, orders: int
) -> list[ShownItem]:
    """Prepare items in ``orders`` orders each; 0 for as many as there are options."""
    chat = is_chat(spec, model.can("chat"), model.name)
    examples = examples_from(pool, spec)
    made = []
    for item in items:
        letters_of(item)
        count = min(orders or len(item.options), len(item.options))
        # Fewer orders than options are spread evenly, so that the letters rotate as far as possible.
        all_orders = tuple(rotated(item, number * len(item.options) // count) for number in range(count))
        turns = tuple(turn(item, order, examples(item), spec, chat, instruction) for order in all_orders)
        made.append(ShownItem(item, all_orders, turns))
    return made


def _prepare(model: Model, items: Sequence[Item], spec: ScoringSpec, pool: Sequence[Item]) -> list[ShownItem]:
    return prepare_shown(model, items, spec, pool, ONLY_LETTER, spec.rotations)


def _answer(asked: Sequence[ShownItem], call: Call) -> Answers:
    turns = [each for shown in asked for each in shown.turns]
    words = [letters_of(shown.item) for shown in asked for _ in shown.turns]
    chosen = iter(call.model.choices(turns, words, call.spec, call.progress))
    answers, replies = [], []
    for shown in asked:
        said = [_reply(shown.item, order, next(chosen)) for order in shown.orders]
        replies += said
        answers.append(answer_from(shown.item, said))
    return answers, replies


def _reply(item: Item, order: Sequence[int], choices: Choices) -> Reply:
    """Return the probabilities under one order, put back into the order of the item."""
    back = [order.index(option) for option in range(len(order))]
    logprobs = tuple(choices.logprobs[index] for index in back)
    bounded = tuple(choices.bounded[index] for index in back)
    best = [option for option, value in enumerate(logprobs) if value == max(logprobs)]
    return Reply(
        item=item.id,
        format="letters",
        rotation=order[0],
        sample=0,
        request=choices.request,
        text="",
        logprobs=logprobs,
        bounded=bounded,
        parsed=best[0] if len(best) == 1 else None,
        why="best letter" if len(best) == 1 else "letters tie",
        finish="",
        prompt_tokens=choices.tokens,
        tokens=0,
    )


def answer_from(item: Item, replies: Sequence[Reply]) -> Answer:
    """Return the log of each option's share of the probability of all letters, averaged over the orders."""
    shares = [0.0] * len(item.options)
    for reply in replies:
        total = float(np.logaddexp.reduce(np.array(reply.logprobs)))
        for option, value in enumerate(reply.logprobs):
            shares[option] += exp(value - total) / len(replies)
    flags = tuple("bounded" if any(r.bounded[option] for r in replies) else "" for option in range(len(item.options)))
    return Answer(item.id, item.form, tuple(log(max(share, 1e-300)) for share in shares), flags=flags)


def in_words(model: Model, spec: ScoringSpec) -> str:
    """Describe template and examples for the manifest."""
    chat = is_chat(spec, model.can("chat"), model.name)
    parts = ["chat template" if chat else "plain text", f"wording {WORDING}"]
    if spec.shots:
        parts.append(f"{spec.shots} examples from {spec.shots_from}, seed {spec.shots_seed}")
    return ", ".join(parts)


def _in_words(model: Model, spec: ScoringSpec) -> str:
    return f"{in_words(model, spec)}, {spec.rotations or 'all'} orders"


LETTERS = PromptFormat("letters", "next", _spec, _prepare, _answer, _in_words)
