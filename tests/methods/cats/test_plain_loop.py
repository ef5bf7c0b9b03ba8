"""The suite's scores against a plain loop over sentences, written apart from the scoring room."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoModelForMaskedLM, AutoTokenizer

from horsesense.core import parse_spec
from horsesense.methods.cats.suite import find_suite, open_suite
from horsesense.runs.ask_models import ask_models
from horsesense.runs.results import read_run
from horsesense.runs.tasks import Settings
from tests.support.small_cats import lay_all


def causal_score(network: Any, tokenizer: Any, sentence: str) -> float:
    """Mean log-probability from the second token on: with no token before it, the first has none."""
    ids = tokenizer(sentence, add_special_tokens=False, return_tensors="pt").input_ids
    with torch.no_grad():
        logprobs = torch.log_softmax(network(ids).logits[0].double(), dim=-1)
    scores = [logprobs[place - 1, ids[0, place]].item() for place in range(1, ids.shape[1])]
    return sum(scores) / len(scores)


def masked_score(network: Any, tokenizer: Any, sentence: str) -> float:
    """Mean log-probability of each token with this token alone masked, [CLS] and [SEP] around the sentence."""
    ids = tokenizer(sentence, return_tensors="pt").input_ids
    scores = []
    for place in range(1, ids.shape[1] - 1):
        masked = ids.clone()
        masked[0, place] = tokenizer.mask_token_id
        with torch.no_grad():
            logits = network(masked).logits[0, place].double()
        scores.append(torch.log_softmax(logits, dim=-1)[ids[0, place]].item())
    return sum(scores) / len(scores)


@pytest.mark.parametrize("name", ["gpt2", "bert"])
@pytest.mark.parametrize("suite", ["cats", "cats-robust"])
def test_scores_are_those_of_a_plain_loop(name: str, suite: str, tmp_path: Path, tiny_folders: dict[str, Path]) -> None:
    folder = tiny_folders[name]
    network = (AutoModelForCausalLM if name == "gpt2" else AutoModelForMaskedLM).from_pretrained(folder).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    score = causal_score if name == "gpt2" else masked_score
    opened = open_suite(find_suite(suite), lay_all(tmp_path / "data"))
    settings = Settings(spec=parse_spec(find_suite(suite).spec), cache=False)
    ask_models([str(folder)], opened.probes, tmp_path / "run", settings)
    for answered in read_run(tmp_path / "run")[1]:
        for item, scores in zip(answered.items, answered.scores("mean"), strict=True):
            assert scores == pytest.approx([score(network, tokenizer, option) for option in item.options], abs=1e-4)


def test_the_bundled_model_on_released_sets(shared: Path, smollm2: str, tmp_path: Path) -> None:
    """Two instances a set; docs/results/cats.md tells of fifty."""
    from horsesense.models.locate import ready_folder

    folder = ready_folder(smollm2)
    network = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    opened = open_suite(find_suite("cats"), shared / "data" / "cats")
    ask_models(
        [smollm2], opened.probes, tmp_path / "run", Settings(spec=parse_spec("paper:cats"), limit=2, cache=False)
    )
    seen = 0
    for answered in read_run(tmp_path / "run")[1]:
        for item, scores in zip(answered.items, answered.scores("mean"), strict=True):
            seen += 1
            plain = [causal_score(network, tokenizer, option) for option in item.options]
            assert scores == pytest.approx(plain, abs=1e-4)
    assert seen == 2 * len(opened.probes) >= 12
