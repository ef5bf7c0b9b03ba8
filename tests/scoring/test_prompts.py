"""Prompts: every placeholder is filled, wherever it stands, and nothing else is."""

from __future__ import annotations

import pytest

from horsesense.core import Item, ScoringSpec
from horsesense.errors import UserError
from horsesense.scoring.prompts import item_prompts

CHOICE = Item(probe="t", form="choice", premise="It says {question}.", text="What melts?", options=("ice", "{option}"))
PAIR = Item(probe="t", form="pair", premise="It rained.", text="It is {premise}.", options=("true", "false"))


@pytest.mark.parametrize(
    ("item", "spec", "texts"),
    [
        (
            CHOICE,
            ScoringSpec(choice_prompt="{question} So: {option}!"),
            ("It says {question}. What melts? So: ice!", "It says {question}. What melts? So: {option}!"),
        ),
        (
            CHOICE,
            ScoringSpec(choice_prompt="Answer {option} to {question} ({premise})"),
            ("Answer ice to What melts? (It says {question}.)", "Answer {option} to What melts? (It says {question}.)"),
        ),
        (
            PAIR,
            ScoringSpec(pair_prompt="{hypothesis} Is it {option}, given {premise}?"),
            ("It is {premise}. Is it true, given It rained.?", "It is {premise}. Is it false, given It rained.?"),
        ),
    ],
)
def test_placeholders_are_filled_before_and_after_the_option(
    item: Item, spec: ScoringSpec, texts: tuple[str, ...]
) -> None:
    prompts = item_prompts(item, spec, scores_to_end=False).prompts
    assert tuple(prompt.text for prompt in prompts) == texts
    assert tuple(prompt.text[prompt.start : prompt.end] for prompt in prompts) == item.options


@pytest.mark.parametrize(
    ("item", "spec"),
    [(CHOICE, ScoringSpec(choice_prompt="{quest} {option}")), (PAIR, ScoringSpec(pair_prompt="{question} {option}"))],
)
def test_a_placeholder_that_nothing_fills_is_refused(item: Item, spec: ScoringSpec) -> None:
    with pytest.raises(UserError, match=r"unknown placeholder \{quest"):
        item_prompts(item, spec, scores_to_end=True)
