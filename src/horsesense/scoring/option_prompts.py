"""Prompts that show the options with letters, for ``letters`` and ``generate``. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from string import ascii_uppercase

from horsesense.core import Item, ScoringSpec
from horsesense.core.item import FIXED_ORDER
from horsesense.errors import UserError, argument
from horsesense.models.protocol import Turn

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
    """Return the question and its options, one per line.

    >>> print(block(Item(probe="demo", form="cloze", text="Ice is ___.", options=("cold", "hot")), (1, 0)))
    Which option fills the blank?
    Ice is ___.
    A. hot
    B. cold
    """
    shown = [f"{letter}. {item.options[index]}" for letter, index in zip(letters_of(item), order, strict=True)]
    return "\n".join([*asked(item), *shown])


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
    solved = [(block(each, range(len(each.options))), _solution(each, instruction)) for each in examples]
    asked = block(item, order)
    if not chat:
        shown = [f"{question}\nAnswer: {answer}" for question, answer in solved]
        last = f"{asked}\n{instruction}\n" if instruction == REASONED else f"{asked}\nAnswer:"
        return Turn("\n\n".join([*shown, last]))
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
