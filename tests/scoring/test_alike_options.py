"""Options that are the same to the tokenizer share one row, and each gets its score all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from horsesense.core import Item, ScoringSpec
from horsesense.models.hf.load import load_model
from horsesense.scoring.option_scores import answer_items
from tests.support.tiny import save_tiny


def test_options_that_read_alike(tmp_path: Path) -> None:
    model = load_model(str(save_tiny("choice", tmp_path / "choice")), device="cpu")
    options = ("a stone", "A stone", "butter")
    item, other = (
        Item(probe="made", form="choice", text="What melts?", options=given, answer=0)
        for given in (options, (options[0], options[2]))
    )
    (answer,) = answer_items(model, [item], ScoringSpec())
    (alone,) = answer_items(model, [other], ScoringSpec())
    assert answer.scores[0] == answer.scores[1]
    assert answer.scores[0] - answer.scores[2] == pytest.approx(alone.scores[0] - alone.scores[1], abs=1e-5)
