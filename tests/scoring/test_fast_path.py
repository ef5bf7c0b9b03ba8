"""The head at asked places only, and texts that begin alike as one tree: the same numbers, in every architecture."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from transformers import PreTrainedTokenizerFast

from horsesense.core import Item, ScoringSpec
from horsesense.models.hf.language_model import LanguageModel
from horsesense.models.hf.load import load_model
from horsesense.scoring.option_scores import answer_items
from tests.support.brute_force import causal_tokens, masked_tokens
from tests.support.tiny import SIZES, WINDOW, bert, gpt2, roberta

CLOSE = 1e-4
ITEMS = [
    Item(probe="t", form="sentences", options=("The water was boiling.", "The water was a trail, singing!")),
    Item(probe="t", form="cloze", text="Ice melts ___ than stone.", options=("faster", "more slowly", "heavier")),
    Item(probe="t", form="choice", text="A feather of the café falls", options=("slowly", "as a stone does", "slow")),
    Item(probe="t", form="choice", text="A feather of the stove falls", options=("slowly", "in the sun", "in summer")),
]
USUAL = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 48, **SIZES}
PLACES = {"max_position_embeddings": WINDOW + 2}
MASKED: dict[str, dict[str, Any]] = {
    "Albert": USUAL | PLACES | {"embedding_size": 24},
    "DistilBert": {"dim": 32, "n_layers": 2, "n_heads": 2, "hidden_dim": 48, **SIZES, **PLACES},
    "Electra": USUAL | PLACES | {"embedding_size": 24},
    "Deberta": USUAL | PLACES | {"relative_attention": True, "pos_att_type": ["c2p", "p2c"]},
    "DebertaV2": USUAL | PLACES | {"relative_attention": True, "pos_att_type": ["c2p", "p2c"]},
    "ModernBert": USUAL | PLACES | {"pad_token_id": 0},
    "MobileBert": USUAL | PLACES | {"embedding_size": 24, "intra_bottleneck_size": 16, "true_hidden_size": 16},
    "SqueezeBert": USUAL | PLACES | {"embedding_size": 32},
    "Longformer": USUAL | PLACES | {"attention_window": 8, "pad_token_id": 1},
    "MPNet": USUAL | PLACES,
    "Ernie": USUAL | PLACES,
}
CAUSAL: dict[str, dict[str, Any]] = {
    "OPT": USUAL | {"ffn_dim": 48, "word_embed_proj_dim": 32, **PLACES},
    "GPTNeoX": USUAL | PLACES,
    "Bloom": {"hidden_size": 32, "n_layer": 2, "n_head": 2, **SIZES},
    "OpenAIGPT": {"n_embd": 32, "n_layer": 2, "n_head": 2, "n_positions": WINDOW, **SIZES},
    "GPTNeo": {
        "hidden_size": 32,
        "num_layers": 2,
        "num_heads": 2,
        "attention_types": [[["global", "local"], 1]],
        **SIZES,
    }
    | {"window_size": 6, **PLACES},
    "Mistral": USUAL | PLACES | {"num_key_value_heads": 1, "sliding_window": 8},
}

_NORMS = transformers.models.llama.modeling_llama.LlamaRMSNorm | transformers.models.t5.modeling_t5.T5LayerNorm
TREES = ("OPT", "GPTNeoX", "Mistral")


def saved(folder: Path, name: str, ending: str, settings: dict[str, Any], tokenizer: PreTrainedTokenizerFast) -> Path:
    torch.manual_seed(len(name))
    network = getattr(transformers, f"{name}{ending}")(getattr(transformers, f"{name}Config")(**settings))
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.normal_(0.0, 0.35) if parameter.ndim > 1 else None
    network.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def check_masked(model: LanguageModel) -> None:
    for item, answer in zip(ITEMS, answer_items(model, ITEMS, ScoringSpec(pll="token")), strict=True):
        for option, found in zip(item.options, answer.logprobs, strict=True):
            before, _, after = item.text.partition("___") if item.form == "cloze" else (item.text, "", "")
            before = before + " " if item.form == "choice" else before
            text, end = before + option + after, len(before) + len(option)
            wanted = masked_tokens(model.network, model.tokenizer, text, len(before), end, "token")
            assert found == pytest.approx(wanted, abs=CLOSE), (item.form, option)


@pytest.mark.parametrize("name", MASKED)
def test_masked_architectures_equal_brute_force(tmp_path: Path, name: str) -> None:
    tokenizer = roberta()[1] if name in ("Longformer", "MPNet") else bert()[1]
    model = load_model(str(saved(tmp_path, name, "ForMaskedLM", MASKED[name], tokenizer)), device="cpu")
    assert model.head is not None
    check_masked(model)


def test_no_batch_is_looked_through_for_padding(tmp_path: Path) -> None:
    """To look waits for the device; an input that must not be looked at is fed to what looks."""
    model = load_model(str(saved(tmp_path, "DebertaV2", "ForMaskedLM", MASKED["DebertaV2"], bert()[1])), device="cpu")
    parts = [part for part in model.network.modules() if hasattr(part, "warn_if_padding_and_no_attention_mask")]
    assert parts
    for part in parts:
        part.warn_if_padding_and_no_attention_mask(None, None)
    with pytest.raises(TypeError):  # as it would be
        type(parts[0]).warn_if_padding_and_no_attention_mask(parts[0], None, None)


@pytest.mark.parametrize("name", CAUSAL)
def test_causal_architectures_equal_brute_force(tmp_path: Path, name: str) -> None:
    ending = "LMHeadModel" if name == "OpenAIGPT" else "ForCausalLM"
    model = load_model(str(saved(tmp_path, name, ending, CAUSAL[name], gpt2()[1])), device="cpu")
    # BLOOM takes no positions, GPT has a mask of its own, GPT-Neo sees too few tokens back.
    assert bool(model.longest_in_trees) == (name in TREES)
    bos = model.tokenizer.convert_tokens_to_ids("<|endoftext|>")
    for item, answer in zip(ITEMS, answer_items(model, ITEMS, ScoringSpec()), strict=True):
        for option, found in zip(item.options, answer.logprobs, strict=True):
            left, _, after = item.text.partition("___") if item.form == "cloze" else (item.text, "", "")
            before = left + " " if item.form == "choice" else left
            text = before + option + after
            wanted = causal_tokens(model.network, model.tokenizer, text, len(before), bos)
            assert found == pytest.approx(wanted, abs=CLOSE), (item.form, option)


@pytest.mark.parametrize("name", ["bert", "roberta", "gpt2", "llama", "bart", "t5"])
def test_the_head_runs_only_where_it_is_asked(tiny_folders: dict[str, Path], name: str) -> None:
    """As many lines of logits as distinct places are read, and the numbers of the plain way."""
    model = load_model(str(tiny_folders[name]), device="cpu")
    assert model.head is not None
    lines: list[int] = []
    head = model.network.get_output_embeddings()
    hook = head.register_forward_hook(lambda _, inputs, output: lines.append(output.shape[:-1].numel()))
    fast = answer_items(model, ITEMS, ScoringSpec())
    asked = sum(lines)
    lines.clear()
    plain = answer_items(replace(model, head=None, longest_in_trees=0), ITEMS, ScoringSpec())
    hook.remove()
    reads = sum(len(tokens) for answer in fast for tokens in answer.logprobs)
    assert asked <= reads < sum(lines)
    for one, other in zip(fast, plain, strict=True):
        for found, wanted in zip(one.logprobs, other.logprobs, strict=True):
            assert found == pytest.approx(wanted, abs=CLOSE)


@pytest.mark.parametrize("name", ["bert", "llama", "bart", "t5"])
def test_the_head_may_run_in_parts(tiny_folders: dict[str, Path], name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """However few lines of logits fit at a time, the layers run once a batch and the numbers are the same."""
    model = load_model(str(tiny_folders[name]), device="cpu")
    whole = answer_items(model, ITEMS, ScoringSpec())
    runs: list[int] = []
    layer = next(module for module in model.network.modules() if isinstance(module, torch.nn.LayerNorm | _NORMS))
    layer.register_forward_hook(lambda _, inputs, output: runs.append(len(output)))
    answer_items(model, ITEMS, ScoringSpec())
    usual = sum(runs)
    runs.clear()
    monkeypatch.setattr("horsesense.models.hf.language_model._LOGITS", 4 * 3 * 400)
    for one, other in zip(answer_items(model, ITEMS, ScoringSpec()), whole, strict=True):
        for found, wanted in zip(one.logprobs, other.logprobs, strict=True):
            assert found == pytest.approx(wanted, abs=CLOSE)
    if name != "t5":  # whose layers are the decoder's; its encoder reads one input again for each part
        assert sum(runs) == usual


def test_a_network_that_cannot_be_cut_says_so(
    tiny_folders: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One whose head mixes places gets all of its logits, and the numbers stay right."""
    monkeypatch.setenv("HORSESENSE_CACHE", str(tmp_path))  # what holds for the patched code holds for no other test

    def mixed(self: Any, hidden: torch.Tensor) -> Any:
        return self.predictions(hidden + hidden.mean(dim=1, keepdim=True))

    monkeypatch.setattr("transformers.models.bert.modeling_bert.BertOnlyMLMHead.forward", mixed)
    model = load_model(str(tiny_folders["bert"]), device="cpu")
    assert model.head is None
    assert "its head runs at every position" in model.notes
    check_masked(model)
