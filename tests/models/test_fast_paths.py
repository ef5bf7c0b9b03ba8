"""Self-tests of a network run once per architecture, config and library version."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers

from horsesense.core import ScoringSpec
from horsesense.errors import UserError
from horsesense.models.hf import fast_paths
from horsesense.models.hf.load import load_model
from horsesense.scoring.option_scores import answer_items
from tests.support.made_tasks import clozes
from tests.support.tiny import save_tiny

CLASSES = {"gpt2": "GPT2LMHeadModel", "bert": "BertForMaskedLM", "llama": "LlamaForCausalLM"}


@pytest.fixture
def passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Forward passes, by class; the cache is empty at first."""
    monkeypatch.setenv("HORSESENSE_CACHE", str(tmp_path / "cache"))
    seen: list[str] = []
    for name in CLASSES.values():
        forward = getattr(transformers, name).forward

        def counting(self: Any, *inputs: Any, _forward: Any = forward, _name: str = name, **options: Any) -> Any:
            seen.append(_name)
            return _forward(self, *inputs, **options)

        monkeypatch.setattr(getattr(transformers, name), "forward", counting)
    return seen


@pytest.mark.parametrize("name", CLASSES)
def test_a_second_load_runs_no_self_test_and_scores_alike(name: str, passes: list[str], tmp_path: Path) -> None:
    folder = str(save_tiny(name, tmp_path / name))
    first = load_model(folder, device="cpu")
    assert passes, "the first load tests the network"
    passes.clear()
    second = load_model(folder, device="cpu")
    assert not passes
    assert (first.head is None, first.longest_in_trees) == (second.head is None, second.longest_in_trees)
    items = clozes(4, 1).items
    one, other = (answer_items(model, items, ScoringSpec()) for model in (first, second))
    assert [answer.scores for answer in one] == [answer.scores for answer in other]


def test_other_weights_of_the_same_config_need_no_self_test(passes: list[str], tmp_path: Path) -> None:
    load_model(str(save_tiny("gpt2", tmp_path / "one")), device="cpu")
    trained = load_model(str(tmp_path / "one"), device="cpu")
    with torch.no_grad():
        trained.network.transformer.wte.weight.mul_(1.5)
    trained.network.save_pretrained(tmp_path / "other")
    trained.tokenizer.save_pretrained(tmp_path / "other")
    passes.clear()
    load_model(str(tmp_path / "other"), device="cpu")
    assert not passes


@pytest.mark.parametrize("change", ["torch", "transformers", "config", "damaged"])
def test_another_version_or_config_is_tested_again(
    change: str, passes: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = save_tiny("gpt2", tmp_path / "gpt2")
    load_model(str(folder), device="cpu")
    passes.clear()
    if change in ("torch", "transformers"):
        monkeypatch.setattr(fast_paths, "version", lambda name: "99.0" if name == change else version(name))
    elif change == "config":
        config = folder / "config.json"
        config.write_text(config.read_text().replace('"scale_attn_weights": true', '"scale_attn_weights": false'))
    else:
        for path in (tmp_path / "cache" / "self-tests").iterdir():
            path.write_text("{")
    load_model(str(folder), device="cpu")
    assert passes


def test_weights_that_say_nothing_decide_nothing(passes: list[str], tmp_path: Path) -> None:
    """With an output layer of zeros every self-test passes, so its outcome must not be stored."""
    load_model(str(save_tiny("gpt2", tmp_path / "one")), device="cpu")
    for path in (tmp_path / "cache" / "self-tests").iterdir():
        path.unlink()
    silent = load_model(str(tmp_path / "one"), device="cpu")
    for path in (tmp_path / "cache" / "self-tests").iterdir():
        path.unlink()
    with torch.no_grad():
        silent.network.transformer.wte.weight.zero_()
    silent.network.save_pretrained(tmp_path / "silent")
    silent.tokenizer.save_pretrained(tmp_path / "silent")
    load_model(str(tmp_path / "silent"), device="cpu")
    assert not list((tmp_path / "cache" / "self-tests").iterdir())


def test_an_encoder_is_refused_as_a_causal_model_each_time(passes: list[str], tmp_path: Path) -> None:
    folder = str(save_tiny("bert", tmp_path / "bert"))
    for _ in range(2):
        with pytest.raises(UserError, match="sees the tokens that it predicts"):
            load_model(folder, device="cpu", model_type="causal")
