"""The suite's scores against a plain loop over sentences, written apart from the scoring room."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoModelForMaskedLM, AutoTokenizer, XLNetLMHeadModel

from horsesense.core import parse_spec
from horsesense.methods.cats.suite import open_suite
from horsesense.runs.ask_models import ask_models
from horsesense.runs.probe_answers import read_run
from horsesense.runs.tasks import Settings
from tests.support.small_cats import lay, lay_all


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


def permuted_score(network: Any, tokenizer: Any, sentence: str) -> float:
    """Mean log-probability of each token of the bare sentence with this token hidden from all others."""
    ids = tokenizer(sentence, add_special_tokens=False, return_tensors="pt").input_ids
    length, scores = ids.shape[1], []
    for place in range(length):
        unseen, target = torch.zeros(1, length, length), torch.zeros(1, 1, length)
        unseen[:, :, place] = target[:, :, place] = 1.0
        with torch.no_grad():
            logits = network(ids, perm_mask=unseen, target_mapping=target).logits[0, 0].double()
        scores.append(torch.log_softmax(logits, dim=-1)[ids[0, place]].item())
    return float(sum(scores) / length)


LOOPS = {
    "gpt2": (AutoModelForCausalLM, causal_score),
    "bert": (AutoModelForMaskedLM, masked_score),
    "xlnet": (XLNetLMHeadModel, permuted_score),
}


@pytest.mark.parametrize("name", LOOPS)
def test_raw_suites_score_the_texts_unchanged(name: str, tmp_path: Path, tiny_folders: dict[str, Path]) -> None:
    """Sentences as the published script cuts them out of a line: [SEP], outer spaces and no-break spaces stay."""
    rows: dict[str, list[tuple[str, ...]]] = {
        "hella_swag": [("1", "She ate. [SEP] she", "She ate. [SEP] sat", "She ate. [SEP] in", "She ate. [SEP] the")],
        "smr": [("0", "ice is hot because it melts . ", "ice is hot because it is wet . ", "ice is hot because . ")],
        "sm": [("1", "we ate\u00a0sand", "we ate rice ")],
    }
    for task, lines in rows.items():
        lay(tmp_path / "data", f"{task}.txt", lines)
    lay(tmp_path / "data", "add.txt", [("0", " ice is cold ", "ice is hot", "1", "ice is not cold", "ice is not hot ")])
    auto, score = LOOPS[name]
    network = auto.from_pretrained(tiny_folders[name]).eval()
    tokenizer = AutoTokenizer.from_pretrained(tiny_folders[name])
    for suite in ("cats-raw", "cats-robust-raw"):
        opened = open_suite(suite, tmp_path / "data")
        run = tmp_path / f"run-{suite}"
        ask_models([str(tiny_folders[name])], opened.probes, run, Settings(spec=parse_spec("paper:cats"), cache=False))
        for answered in read_run(run)[1]:
            path = tmp_path / "data" / f"{answered.part.probe.name}.txt"
            fields = path.read_text(encoding="utf-8").strip().split("\x01")
            sentences = [field for field in fields if len(field) > 1]
            assert [option for item in answered.items for option in item.options] == sentences
            scores = [value for row in answered.scores("mean") for value in row]
            assert scores == pytest.approx([score(network, tokenizer, each) for each in sentences], abs=1e-4)


def test_raw_suites_keep_every_released_sentence(shared: Path) -> None:
    for suite, below in (("cats-raw", "commonsense_ability_test"), ("cats-robust-raw", "Robust_commonsense_test")):
        opened = open_suite(suite, shared / "data" / "cats")
        for name, probe in opened.probes.items():
            lines = (shared / "data" / "cats" / below / f"{name}.txt").read_text(encoding="utf-8").splitlines()
            known = {field for line in lines for field in line.strip().split("\x01") if len(field) > 1}
            assert {option for item in probe.items for option in item.options} == known


@pytest.mark.parametrize("name", ["gpt2", "bert"])
@pytest.mark.parametrize("suite", ["cats", "cats-robust"])
def test_scores_are_those_of_a_plain_loop(name: str, suite: str, tmp_path: Path, tiny_folders: dict[str, Path]) -> None:
    folder = tiny_folders[name]
    network = (AutoModelForCausalLM if name == "gpt2" else AutoModelForMaskedLM).from_pretrained(folder).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    score = causal_score if name == "gpt2" else masked_score
    opened = open_suite(suite, lay_all(tmp_path / "data"))
    settings = Settings(spec=parse_spec("paper:cats"), cache=False)
    ask_models([str(folder)], opened.probes, tmp_path / "run", settings)
    for answered in read_run(tmp_path / "run")[1]:
        for item, scores in zip(answered.items, answered.scores("mean"), strict=True):
            assert scores == pytest.approx([score(network, tokenizer, option) for option in item.options], abs=1e-4)


def test_the_bundled_model_on_released_sets(shared: Path, smollm2: str, tmp_path: Path) -> None:
    """One instance of each set; docs/results/cats.md has fifty."""
    from horsesense.models.locate import ready_folder

    folder = ready_folder(smollm2)
    network = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    opened = open_suite("cats", shared / "data" / "cats")
    ask_models(
        [smollm2], opened.probes, tmp_path / "run", Settings(spec=parse_spec("paper:cats"), limit=1, cache=False)
    )
    seen = 0
    for answered in read_run(tmp_path / "run")[1]:
        for item, scores in zip(answered.items, answered.scores("mean"), strict=True):
            seen += 1
            plain = [causal_score(network, tokenizer, option) for option in item.options]
            assert scores == pytest.approx(plain, abs=1e-4)
    assert seen == len(opened.probes) >= 6
