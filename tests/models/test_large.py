"""Models that transformers puts where they are: the same numbers, and nobody moves them."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from statistics import correlation

import pytest

from horsesense.core import ScoringSpec
from horsesense.errors import UserError
from horsesense.models.hf.device import mapped_device
from horsesense.models.hf.load import load_model
from horsesense.scoring.texts import score_texts

TEXTS = ["The kettle is hot.", "Ice melts in the sun."]


def test_a_model_that_is_spread_gives_the_same_numbers(tiny_folders: dict[str, Path], tmp_path: Path) -> None:
    """From one file and from several, as large models come."""
    from transformers import AutoTokenizer, LlamaForCausalLM

    whole = tiny_folders["llama"]
    LlamaForCausalLM.from_pretrained(whole).save_pretrained(tmp_path, max_shard_size="20KB")
    AutoTokenizer.from_pretrained(whole).save_pretrained(tmp_path)
    assert len(list(tmp_path.glob("model-*.safetensors"))) > 1
    plain = score_texts(load_model(str(whole), device="cpu"), TEXTS, ScoringSpec())
    for folder in (whole, tmp_path):
        spread = load_model(str(folder), device="map")
        for one, other in zip(plain, score_texts(spread, TEXTS, ScoringSpec()), strict=True):
            assert [t.logprob for t in one.tokens] == pytest.approx([t.logprob for t in other.tokens], abs=1e-5)
        assert "placed at load" in spread.notes[0]


def test_few_bits_need_their_library(tiny_folders: dict[str, Path]) -> None:
    if find_spec("bitsandbytes") is not None:
        pytest.skip("bitsandbytes is installed")
    with pytest.raises(UserError, match="dtype='int4' needs bitsandbytes, which is not installed"):
        load_model(str(tiny_folders["llama"]), dtype="int4")


@pytest.mark.parametrize("dtype", ["int8", "int4"])
def test_few_bits_are_near_the_whole_weights_and_nobody_moves_them(
    dtype: str, tiny_folders: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("bitsandbytes", reason="bitsandbytes is not installed")
    from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM, PreTrainedModel

    # Four bits come in blocks of 64.
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 2}
    LlamaForCausalLM(LlamaConfig(vocab_size=400, **sizes)).save_pretrained(tmp_path)
    AutoTokenizer.from_pretrained(tiny_folders["llama"]).save_pretrained(tmp_path)
    plain = load_model(str(tmp_path), device="cpu")
    monkeypatch.setattr(PreTrainedModel, "to", lambda *_, **__: pytest.fail("a network of few bits was moved"))
    packed = load_model(str(tmp_path), device="cpu", dtype=dtype)
    wanted, found = (
        [token.logprob for text in score_texts(each, TEXTS, ScoringSpec()) for token in text.tokens]
        for each in (plain, packed)
    )
    assert correlation(wanted, found) > 0.95
    assert wanted != found
    assert packed.parameters == plain.parameters


def test_a_model_that_does_not_fit_is_refused(tiny_folders: dict[str, Path]) -> None:
    network = load_model(str(tiny_folders["llama"]), device="cpu").network
    network.hf_device_map = {"model.embed_tokens": 0, "model.layers.0": "cpu"}
    with pytest.raises(UserError, match="does not fit on the GPUs"):
        mapped_device(network)
