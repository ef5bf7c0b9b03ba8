"""A causal model with an adapter: it sees both sides, and otherwise it is a masked model like any other."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from horsesense.core import Item, ScoringSpec
from horsesense.errors import UserError
from horsesense.models.adapters import write_adapted
from horsesense.models.hf.load import load_model
from horsesense.scoring.fill import fill_blanks
from horsesense.scoring.option_scores import answer_items
from tests.support import ROOT
from tests.support.brute_force import masked_tokens
from tests.support.tiny import _byte_level

TEXT = "The kettle whistled because the water was boiling."
ITEMS = [
    Item(probe="t", form="sentences", options=("The water was boiling.", "The water was a two-week trail, singing!")),
    Item(probe="t", form="cloze", text="Ice melts ___ than stone.", options=("faster", "more slowly", "heavier")),
    Item(probe="t", form="cloze", text="___ is far away.", options=("東京", "Zoë’s café", "1984")),
    Item(probe="t", form="choice", premise="Ice melts.", text="What melts faster?", options=("butter", "a stone")),
    Item(probe="t", form="pair", premise="It rained.", text="The coat got wet.", options=("probable", "impossible")),
]


def linear_weights(layers: int) -> list[str]:
    parts = [f"self_attn.{name}_proj" for name in "qkvo"] + [f"mlp.{name}_proj" for name in ("gate", "up", "down")]
    return [f"layers.{number}.{part}" for number in range(layers) for part in parts]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny causal model whose tokenizer has a separator and a token that no text has."""
    torch.manual_seed(5)
    folder = tmp_path_factory.mktemp("base")
    config = LlamaConfig(
        vocab_size=400, hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, head_dim=8, tie_word_embeddings=True, max_position_embeddings=1024,
    )  # fmt: skip
    network = LlamaForCausalLM(config)
    for parameter in network.parameters():
        if parameter.ndim > 1:
            torch.nn.init.normal_(parameter, std=0.3)
    network.save_pretrained(folder)
    names = ["<|endoftext|>", "<unused>"]
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=_byte_level(prefix_space=False, special=names))
    tokenizer.save_pretrained(folder)
    return folder


def write_adapter(path: Path, base: Path, read_offset: int) -> dict[str, torch.Tensor]:
    rng = torch.Generator().manual_seed(7)
    weights = load_file(base / "model.safetensors")
    tensors = {"mask": torch.randn(32, generator=rng)}
    for name in linear_weights(2):
        outputs, inputs = weights[f"model.{name}.weight"].shape
        for side, size in (("down", inputs), ("up", outputs)):
            tensors[f"{name}.{side}"] = torch.randint(-127, 128, (3, size), generator=rng).to(torch.int8)
            tensors[f"{name}.{side}_scale"] = torch.rand(3, generator=rng) / 300
    save_file(tensors, path, metadata={"mask_token": "<unused>", "read_offset": str(read_offset)})
    return tensors


@pytest.fixture(scope="module", params=[0, 1])
def folder(base: Path, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    folder = tmp_path_factory.mktemp("adapted")
    write_adapter(folder / "adapter", base, request.param)
    write_adapted(base, folder / "adapter", folder / "model")
    return folder / "model"


def encoded(model: Any, text: str = TEXT) -> torch.Tensor:
    ids: torch.Tensor = model.tokenizer(text, return_tensors="pt")["input_ids"]
    return ids


def test_each_weight_is_the_base_with_its_thin_matrices_added(base: Path, tmp_path: Path) -> None:
    tensors = write_adapter(tmp_path / "adapter", base, 1)
    write_adapted(base, tmp_path / "adapter", tmp_path / "model")
    before, after = load_file(base / "model.safetensors"), load_file(tmp_path / "model" / "model.safetensors")
    for name in linear_weights(2):
        wanted = before[f"model.{name}.weight"].double()
        for rank in range(3):
            up = tensors[f"{name}.up"][rank].double() * tensors[f"{name}.up_scale"][rank].double()
            down = tensors[f"{name}.down"][rank].double() * tensors[f"{name}.down_scale"][rank].double()
            wanted = wanted + torch.outer(up, down)
        assert torch.allclose(after[f"model.{name}.weight"].double(), wanted, atol=1e-5), name
        assert not torch.allclose(after[f"model.{name}.weight"], before[f"model.{name}.weight"], atol=1e-3)
    embedding = before["model.embed_tokens.weight"].clone()
    embedding[1] = tensors["mask"]
    assert torch.equal(after["model.embed_tokens.weight"], embedding)


def test_what_a_masked_model_declares(folder: Path) -> None:
    model = load_model(str(folder), device="cpu")
    separator = model.tokenizer.convert_tokens_to_ids("<|endoftext|>")
    ids = encoded(model)[0].tolist()
    assert (model.family.name, model.window, model.marks.mask) == ("masked", 512, 1)
    assert ids[0] == ids[-1] == separator
    assert separator not in ids[1:-1]


def test_every_place_sees_those_after_it(base: Path, folder: Path) -> None:
    model = load_model(str(folder), device="cpu")
    causal = load_model(str(base), device="cpu")
    ids = encoded(model)

    for network, sees in ((model.network, True), (causal.network, False)):
        changed = ids.clone()
        changed[0, 6] = 50
        with torch.no_grad():
            moved = (network(ids).logits[0, 4] - network(changed).logits[0, 4]).abs().max().item()
        assert (moved > 1e-3) == sees


def test_logits_are_those_of_plain_functions_read_before_the_mask(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Against the independent code that the adapter is trained with."""
    monkeypatch.syspath_prepend(str(ROOT / "tools" / "masked"))
    llama = importlib.import_module("llama")
    model = load_model(str(folder), device="cpu")
    ids = encoded(model)
    ids[0, 3] = 1  # the mask
    length, offset = ids.shape[1], model.network.config.read_offset
    plain = llama.read_llama(folder)
    wanted = llama.states(plain, ids, torch.ones(1, 1, length, length, dtype=torch.bool)) @ plain.embedding.T
    with torch.no_grad():
        found = model.network(ids).logits
    assert torch.allclose(found[:, offset:], wanted[:, : length - offset], atol=1e-4)


@pytest.mark.parametrize("attention", ["sdpa", "eager"])
def test_padding_changes_nothing(folder: Path, attention: str) -> None:
    model = load_model(str(folder), device="cpu")
    model.network.set_attn_implementation(attention)
    ids = encoded(model)
    padded = torch.cat([ids, torch.full((1, 3), 9)], dim=1)
    seen = torch.cat([torch.ones_like(ids), torch.zeros(1, 3, dtype=torch.long)], dim=1)
    with torch.no_grad():
        short, long = model.network(ids).logits, model.network(padded, attention_mask=seen).logits
    assert torch.allclose(long[:, : ids.shape[1]], short, atol=1e-5)


@pytest.mark.parametrize("pll", ["word-l2r", "token"])
def test_the_engine_gives_what_brute_force_gives(folder: Path, pll: str) -> None:
    check_against_brute_force(load_model(str(folder), device="cpu"), ITEMS, pll)


def check_against_brute_force(model: Any, items: list[Item], pll: str) -> None:
    spec = ScoringSpec(pll="token" if pll == "token" else "word-l2r")
    for item, answer in zip(items, answer_items(model, items, spec), strict=True):
        for option, found in zip(item.options, answer.logprobs, strict=True):
            lead, after = f"{item.premise} " if item.premise else "", ""
            if item.form == "cloze":
                left, after = item.text.split("___")
                lead += left
            elif item.form == "choice":
                lead += f"{item.text} "
            elif item.form == "pair":
                lead, after = f"{lead}{item.text} That is ", "."
            unit = "token" if pll == "token" else "option" if item.form in ("cloze", "pair") else "word"
            text = lead + option + after
            wanted = masked_tokens(model.network, model.tokenizer, text, len(lead), len(lead + option), unit)
            assert found == pytest.approx(wanted, abs=1e-4), (item.form, option)


def test_it_is_saved_and_loaded_like_any_other(folder: Path, tmp_path: Path) -> None:
    model = load_model(str(folder), device="cpu")
    model.network.save_pretrained(tmp_path / "again")
    model.tokenizer.save_pretrained(tmp_path / "again")
    again = load_model(str(tmp_path / "again"), device="cpu")
    assert again.weights == model.weights
    scores = [[a.scores for a in answer_items(one, ITEMS, ScoringSpec())] for one in (model, again)]
    assert scores[0] == scores[1]


def test_the_mask_of_a_blank_takes_in_the_space_before_it(folder: Path) -> None:
    model = load_model(str(folder), device="cpu")
    (found,) = fill_blanks(model, ["The water was ___ today."], 3, ScoringSpec())
    left, right = (
        model.tokenizer(part, add_special_tokens=False)["input_ids"] for part in ("The water was", " today.")
    )
    masked = torch.tensor([[0, *left, 1, *right, 0]])
    with torch.no_grad():
        best = model.network(masked).logits[0, len(left) + 1].log_softmax(dim=-1)
    assert [one.logprob for one in found] == pytest.approx(best.topk(3).values.tolist(), abs=1e-4)


def test_a_damaged_adapter_is_told(base: Path, tmp_path: Path) -> None:
    (tmp_path / "adapter").write_bytes(b"not a tensor")
    with pytest.raises(UserError, match="adapter is damaged"):
        write_adapted(base, tmp_path / "adapter", tmp_path / "model")


def test_smollm2_masked_is_the_bundled_model_with_our_adapter(smollm2: str) -> None:
    """Its answers are those of brute force, and some of what everybody knows is in it."""
    model = load_model("smollm2-masked", device="cpu")
    assert (model.family.name, model.window, model.network.config.read_offset) == ("masked", 512, 1)
    check_against_brute_force(model, [ITEMS[1], ITEMS[2]], "word-l2r")
    pairs = [
        ("The ice is cold.", "The ice is asleep."),
        ("She opened the door.", "She opened the sadness door quickly a."),
    ]
    items = [Item(probe="t", form="sentences", options=pair) for pair in pairs]
    for answer in answer_items(model, items, ScoringSpec()):
        means = [sum(tokens) / len(tokens) for tokens in answer.logprobs]
        assert means[0] > means[1]
