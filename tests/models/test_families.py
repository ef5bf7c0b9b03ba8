"""A family is one file and one line: what it does differently is in its fields, and nothing asks for its name."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest
import torch

from horsesense.core import Item, ScoringSpec
from horsesense.models.hf.families import FAMILIES, family_named
from horsesense.models.hf.load import load_model
from horsesense.scoring.fill import fill_blanks
from horsesense.scoring.option_scores import answer_items

MADE_UP = """
from horsesense.models.hf.families import Family
from horsesense.models.hf.rows import ModelInput, Row
from horsesense.models.hf.tokens import masked_frame


def rows(question, spec, marks):
    ids = tuple(marks.mask if place in question.asked else token for place, token in enumerate(question.ids))
    return [Row(ModelInput(ids), question.asked, tuple(question.ids[place] for place in question.asked))]


FAMILY = Family(
    name="all-at-once",
    architectures=("ForAllAtOnce",),
    auto_class="AutoModelForMaskedLM",
    frame=lambda tokenizer, spec: masked_frame(tokenizer, spec.special_tokens),
    rows=rows,
)
"""
"""A family that predicts every asked token from a text in which all of them are masked."""


@pytest.fixture
def all_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "made_up_family.py").write_text(MADE_UP, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "made_up_family", raising=False)
    monkeypatch.setitem(FAMILIES, "all-at-once", "made_up_family")


@pytest.mark.usefixtures("all_at_once")
def test_a_made_up_family_is_one_file_and_one_line(tiny_folders: dict[str, Path], tmp_path: Path) -> None:
    """It is found by its architecture, answers every form as a plain loop does, and fills a blank."""
    folder = tmp_path / "model"
    shutil.copytree(tiny_folders["bert"], folder)
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps(config | {"architectures": ["BertForAllAtOnce"]}), encoding="utf-8")
    model = load_model(str(folder), device="cpu")
    assert (model.family.name, model.describe()["family"]) == ("all-at-once", "all-at-once")
    item = Item(probe="t", form="cloze", text="Ice melts ___ than stone.", options=("faster", "more slowly"))
    (answer,) = answer_items(model, [item], ScoringSpec())
    for option, logprobs in zip(item.options, answer.logprobs, strict=True):
        ids = model.tokenizer(item.text.replace("___", option))["input_ids"]
        bare = model.tokenizer("Ice melts", add_special_tokens=False)["input_ids"]
        asked = range(1 + len(bare), 1 + len(bare) + len(logprobs))
        masked = [model.tokenizer.mask_token_id if place in asked else token for place, token in enumerate(ids)]
        logits = model.network(torch.tensor([masked])).logits[0].double().log_softmax(-1)
        assert logprobs == pytest.approx([logits[place, ids[place]].item() for place in asked], abs=1e-4)
    assert max(map(len, answer.logprobs)) > 1, "else nothing is masked beside the token itself"
    usual = load_model(str(tiny_folders["bert"]), device="cpu")
    assert fill_blanks(model, [item.text], 3, ScoringSpec()) == fill_blanks(usual, [item.text], 3, ScoringSpec())


def test_a_family_has_the_name_that_it_is_listed_under() -> None:
    assert [family_named(name).name for name in FAMILIES] == list(FAMILIES)
