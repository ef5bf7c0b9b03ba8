"""Loading: real weights or a sentence."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import BertConfig, BertForMaskedLM, BertModel

from horsesense.errors import UserError
from horsesense.models.hf.load import load_model
from horsesense.models.hf.rows import ModelInput, Row
from horsesense.models.hf.trainable import open_for_training
from horsesense.models.locate import identify
from tests.support.tiny import TINY

FAMILY = {
    "bert": "masked",
    "roberta": "masked",
    "gpt2": "causal",
    "llama": "causal",
    "llama_bare": "causal",
    "xlnet": "permuted",
    "bart": "seq2seq",
    "t5": "seq2seq",
    "nli": "entailment",
    "choice": "multiple-choice",
}


@pytest.mark.parametrize("name", sorted(TINY))
def test_the_family_is_read_from_the_config(tiny_folders: dict[str, Path], name: str) -> None:
    model = load_model(str(tiny_folders[name]), device="cpu")
    assert model.family.name == FAMILY[name]
    assert not model.network.training


def test_the_weights_are_those_of_the_file(tiny_folders: dict[str, Path]) -> None:
    from safetensors.torch import load_file

    model = load_model(str(tiny_folders["gpt2"]), device="cpu")
    kept = load_file(tiny_folders["gpt2"] / "model.safetensors")
    assert torch.equal(model.network.state_dict()["transformer.wte.weight"], kept["transformer.wte.weight"])


def test_a_head_that_is_not_in_the_file_is_refused(tiny_folders: dict[str, Path], tmp_path: Path) -> None:
    """The trap of the released RICA scripts: a model that is configured, but never loaded."""
    config = BertConfig.from_pretrained(tiny_folders["bert"])
    BertModel(config).save_pretrained(tmp_path)
    for file in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(tiny_folders["bert"] / file, tmp_path)
    with pytest.raises(UserError, match="no language-model head"):
        load_model(str(tmp_path), device="cpu")
    with pytest.raises(UserError, match=r"weights .* would be random"):
        load_model(str(tmp_path), device="cpu", model_type="masked")


def test_a_folder_without_a_tokenizer_is_refused(tiny_folders: dict[str, Path], tmp_path: Path) -> None:
    """transformers would make up an empty vocabulary."""
    BertForMaskedLM(BertConfig.from_pretrained(tiny_folders["bert"])).save_pretrained(tmp_path)
    with pytest.raises(UserError, match="no tokenizer"):
        load_model(str(tmp_path), device="cpu")


def test_an_encoder_is_not_a_causal_model(tiny_folders: dict[str, Path]) -> None:
    with pytest.raises(UserError, match="sees the tokens that it predicts"):
        load_model(str(tiny_folders["bert"]), device="cpu", model_type="causal")


def test_pickled_weights_are_refused_unless_allowed(tiny_folders: dict[str, Path], tmp_path: Path) -> None:
    shutil.copytree(tiny_folders["gpt2"], tmp_path, dirs_exist_ok=True)
    whole = load_model(str(tmp_path), device="cpu")
    torch.save(whole.network.state_dict(), tmp_path / "pytorch_model.bin")
    (tmp_path / "model.safetensors").unlink()
    with pytest.raises(UserError, match="pickled"):
        load_model(str(tmp_path), device="cpu")
    loaded = load_model(str(tmp_path), device="cpu", allow_pickle=True)
    row = Row(ModelInput((0, 5, 6, 7)), (1, 2), (6, 7))
    assert np.array_equal(loaded.logprobs([row])[0], whole.logprobs([row])[0])


def test_the_hash_is_that_of_the_content(tiny_folders: dict[str, Path], tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(tiny_folders["gpt2"], copy)
    assert identify(str(copy)).weights == identify(str(tiny_folders["gpt2"])).weights
    shutil.copy(tiny_folders["llama"] / "model.safetensors", copy)
    assert identify(str(copy)).weights != identify(str(tiny_folders["gpt2"])).weights


def test_bfloat16_keeps_its_head_in_float32(tiny_folders: dict[str, Path]) -> None:
    exact = load_model(str(tiny_folders["gpt2"]), device="cpu")
    rough = load_model(str(tiny_folders["gpt2"]), device="cpu", dtype="bfloat16")
    assert rough.network.transformer.h[0].mlp.c_fc.weight.dtype == torch.bfloat16
    assert rough.network.get_output_embeddings().weight.dtype == torch.float32
    row = Row(ModelInput(tuple(range(20))), tuple(range(19)), tuple(range(1, 20)))
    (one,), (other,) = exact.logprobs([row]), rough.logprobs([row])
    assert not np.array_equal(one, other)
    assert np.abs(one - other).mean() < 0.2


def test_a_model_without_a_head_for_tokens_loads_in_bfloat16(tmp_path: Path) -> None:
    network, tokenizer = TINY["choice"]()
    network.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    model = load_model(str(tmp_path), device="cpu", dtype="bfloat16")
    assert model.network.classifier.weight.dtype == torch.bfloat16


def test_training_needs_a_token_to_pad_with(tmp_path: Path) -> None:
    network, tokenizer = TINY["choice"]()
    network.save_pretrained(tmp_path)
    tokenizer.pad_token = None
    tokenizer.save_pretrained(tmp_path)
    with pytest.raises(UserError, match="no padding token and no EOS token"):
        open_for_training(str(tmp_path), "multiple-choice")


def test_numbers_that_are_none_are_an_error(tiny_folders: dict[str, Path], tmp_path: Path) -> None:
    network, tokenizer = TINY["gpt2"]()
    with torch.no_grad():
        network.transformer.ln_f.weight.fill_(float("nan"))
    network.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    with pytest.raises(UserError, match="NaN"):
        load_model(str(tmp_path), device="cpu").logprobs([Row(ModelInput((0, 1, 2)), (0, 1), (1, 2))])
