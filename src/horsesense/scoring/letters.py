"""Prompt format ``letters``: options are shown with letters, whose probabilities are averaged over rotated orders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log

import numpy as np

from horsesense.core import Answer, Item, Reply, ScoringSpec
from horsesense.core.answer import ReplyOutcome
from horsesense.errors import UserError, argument
from horsesense.models.api.logprobs import LEAST_MASS, mass_of
from horsesense.models.protocol import Choices, Model, Turn
from horsesense.scoring.prompt_formats import Answers, Call, PromptFormat
from horsesense.scoring.prompts import (
    ONLY_LETTER,
    WORDING,
    examples_from,
    is_chat,
    letters_of,
    option_orders,
    prompt_text,
    turn,
)

UNBELIEVED = "the letters carry less than half of the probability"
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


def in_orders(
    items: Sequence[Item], spec: ScoringSpec, pool: Sequence[Item], chat: bool, instruction: str, orders: int
) -> list[ShownItem]:
    """Show the options of items in ``orders`` orders each; 0 for as many as there are options."""
    examples = examples_from(pool, spec)
    shown_items = []
    for item in items:
        letters_of(item)
        own = option_orders(item, orders, spec.orders_seed)
        turns = tuple(turn(item, order, examples(item), spec, chat, instruction) for order in own)
        shown_items.append(ShownItem(item, own, turns))
    return shown_items


def _prepare(model: Model, items: Sequence[Item], spec: ScoringSpec, pool: Sequence[Item]) -> list[ShownItem]:
    return show_items(items, spec, pool, is_chat(spec, model.can("chat"), model.name))


def show_items(items: Sequence[Item], spec: ScoringSpec, pool: Sequence[Item], chat: bool) -> list[ShownItem]:
    """Build the prompts of items."""
    return in_orders(items, spec, pool, chat, ONLY_LETTER, spec.orders)


def _answer(asked: Sequence[ShownItem], call: Call) -> Answers:
    turns = [each for item in asked for each in item.turns]
    words = [letters_of(item.item) for item in asked for _ in item.turns]
    chosen = iter(call.model.choices(turns, words, call.spec, call.progress))
    answers, replies = [], []
    for item in asked:
        own = [
            _reply(item.item, order, asked_turn, next(chosen))
            for order, asked_turn in zip(item.orders, item.turns, strict=True)
        ]
        replies += own
        answers.append(answer_from(item.item, own))
    return answers, replies


def _reply(item: Item, order: Sequence[int], asked: Turn, choices: Choices) -> Reply:
    """Return the probabilities under one order, put back into the order of the item.

    In a conversation, or where a letter is not listed, letters are believed only if they carry most of the probability:
    a model that begins with a thought or with asterisks has not chosen any. A text to be continued may end in other
    words, and its letters can be compared all the same.
    """
    back = [order.index(option) for option in range(len(order))]
    logprobs = tuple(choices.logprobs[index] for index in back if choices.logprobs)
    bounded = tuple(choices.bounded[index] for index in back if choices.bounded)
    best = [option for option, value in enumerate(logprobs) if value == max(logprobs)]
    outcome, why = _outcome_of(choices, strict=bool(asked.messages) or any(bounded))
    answered = outcome == "answered"
    if answered:
        why = "best letter" if len(best) == 1 else "letters tie"
    return Reply(
        item=item.id,
        format="letters",
        order=tuple(order),
        sample=0,
        prompt=prompt_text(asked),
        request=choices.request,
        sent=choices.sent,
        text="",
        reasoning="",
        outcome=outcome,
        logprobs=logprobs,
        bounded=bounded,
        parsed=best[0] if answered and len(best) == 1 else None,
        why=why,
        prompt_tokens=choices.tokens,
    )


def _outcome_of(choices: Choices, strict: bool) -> tuple[ReplyOutcome, str]:
    """Return the outcome of a request for letters, and the reason why they are not an answer."""
    if choices.outcome != "answered":
        return choices.outcome, choices.reported or choices.outcome
    return ("unparsed", UNBELIEVED) if strict and mass_of(choices) < LEAST_MASS else ("answered", "")


def answer_from(item: Item, replies: Sequence[Reply]) -> Answer:
    """Return the log of each option's share of the probability of all letters, averaged over the orders.

    Where most orders gave no letters to believe, the flag of the first option says that the item has no answer.
    """
    shares = [0.0] * len(item.options)
    listed = [reply for reply in replies if reply.logprobs]
    for reply in listed:
        total = float(np.logaddexp.reduce(np.array(reply.logprobs)))
        for option, value in enumerate(reply.logprobs):
            shares[option] += exp(value - total) / len(listed)
    flags = ["bounded" if any(r.bounded[option] for r in listed) else "" for option in range(len(item.options))]
    lost = [reply.outcome for reply in replies if reply.outcome != "answered"]
    if 2 * len(lost) >= len(replies):
        flags[0] = lost[0]
    return Answer(item.id, item.form, tuple(log(max(share, 1e-300)) for share in shares), flags=tuple(flags))


def in_words(model: Model, spec: ScoringSpec, orders: int) -> str:
    """Describe template, examples and option orders for the manifest."""
    chat = is_chat(spec, model.can("chat"), model.name)
    parts = ["chat template" if chat else "plain text", f"wording {WORDING}"]
    if spec.shots:
        parts.append(f"{spec.shots} examples from {spec.shots_from}, seed {spec.shots_seed}")
    parts.append(f"{orders or 'all'} option order{'s' * (orders != 1)}, seed {spec.orders_seed}")
    return ", ".join(parts)


LETTERS = PromptFormat(
    "letters", "next", _spec, _prepare, _answer, lambda model, spec: in_words(model, spec, spec.orders)
)
