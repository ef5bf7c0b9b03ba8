"""Options without their question."""

from __future__ import annotations

from math import isnan
from pathlib import Path

import pytest

from horsesense.core import Item, ScoringSpec
from horsesense.models.hf.load import load_model
from horsesense.scoring.texts import blind_scores
from tests.support.brute_force import causal_tokens


def test_the_question_is_not_seen(tiny_folders: dict[str, Path]) -> None:
    model = load_model(str(tiny_folders["gpt2"]), device="cpu")
    items = [
        Item(probe="t", form="choice", text="What melts?", options=("ice", "the stone")),
        Item(probe="t", form="choice", text="What is hard?", options=("the stone", "ice")),
        Item(probe="t", form="sentences", options=("Ice melts.", "Stone melts.")),
        Item(probe="t", form="sentences", premise="It rained.", options=("Ice melts.", "ice")),
    ]
    one, other, alone, after = blind_scores(model, items, ScoringSpec())
    assert one == other[::-1]
    assert all(map(isnan, alone))
    tokens = causal_tokens(model.network, model.tokenizer, "the stone", 0, 0)
    assert one[1] == pytest.approx(sum(tokens) / len(tokens), abs=1e-4)
    assert after[1] == one[0]


@pytest.mark.parametrize("name", ["gpt2", "bert"])
def test_where_no_item_has_a_question_every_one_abstains(name: str, tiny_folders: dict[str, Path]) -> None:
    model = load_model(str(tiny_folders[name]), device="cpu")
    items = [Item(probe="t", form="sentences", options=("Ice melts.", f"Stone {n} melts.")) for n in range(3)]
    scores = blind_scores(model, items, ScoringSpec())
    assert [len(row) for row in scores] == [2, 2, 2]
    assert all(isnan(value) for row in scores for value in row)
