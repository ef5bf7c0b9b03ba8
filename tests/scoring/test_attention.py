"""Texts side by side in attention: what the plain function gives, in every network that takes it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from horsesense.core import ScoringSpec
from horsesense.models.hf.fast_paths import (
    NAME,
    _apart,
    _attention,
    batched_sdpa,
    can_use_batched_sdpa,
    use_batched_sdpa,
)
from horsesense.models.hf.load import load_model
from horsesense.scoring.option_scores import answer_items
from tests.support.made_tasks import clozes
from tests.support.tiny import save_tiny


@pytest.mark.parametrize("places", [1, 3, 16, 21, 32, 33, 64, 70])
@pytest.mark.parametrize("texts", [1, 2, 5, 7, 64])
def test_side_by_side_is_one_by_one(texts: int, places: int) -> None:
    torch.manual_seed(texts * places)
    query, key, value = (torch.randn(texts, places, 4, 8).transpose(1, 2) for _ in range(3))
    found = batched_sdpa(query, key, value, scale=0.3)
    wanted = torch.stack([_by_hand(*one, scale=0.3) for one in zip(query, key, value, strict=True)])
    torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(found, scaled_dot_product_attention(query, key, value, scale=0.3), rtol=1e-4, atol=1e-5)


def _by_hand(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, scale: float) -> torch.Tensor:
    return (query @ key.transpose(1, 2) * scale).softmax(dim=-1) @ value


@pytest.mark.parametrize("name", ["bert", "roberta"])
def test_a_network_gives_the_same_answers(name: str, tmp_path: Path) -> None:
    model = load_model(str(save_tiny(name, tmp_path)), device="cpu")
    items, spec = clozes(9, 1).items, ScoringSpec()
    before = answer_items(model, items, spec)
    assert model.network.config._attn_implementation == "sdpa"
    assert can_use_batched_sdpa(model.network, model.family, model.device)
    assert model.network.config._attn_implementation == "sdpa", "a self-test leaves the network as it was"
    use_batched_sdpa(model.network)
    assert model.network.config._attn_implementation == NAME
    for one, other in zip(before, answer_items(model, items, spec), strict=True):
        assert one.scores == pytest.approx(other.scores, abs=1e-4)


def test_padding_is_not_seen(tmp_path: Path) -> None:
    model = load_model(str(save_tiny("bert", tmp_path)), device="cpu")
    ids, mask = torch.randint(5, 20, (4, 6)), torch.ones(4, 6, dtype=torch.long)
    mask[1, 4:] = mask[3, 2:] = 0
    with torch.inference_mode():
        before = model.network(input_ids=ids, attention_mask=mask).logits
        assert not torch.allclose(before, model.network(input_ids=ids).logits, atol=1e-3), "or the mask means nothing"
        use_batched_sdpa(model.network)
        after = model.network(input_ids=ids, attention_mask=mask).logits
    torch.testing.assert_close(after[mask.bool()], before[mask.bool()], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("case", ["causal", "bias", "grouped", "across"])
def test_what_is_more_than_plain_goes_the_usual_way(case: str) -> None:
    torch.manual_seed(1)
    query, key, value = (torch.randn(5, 4, 6, 8) for _ in range(3))
    module = SimpleNamespace(num_key_value_groups=2 if case == "grouped" else 1)
    bias = torch.randn(1, 4, 6, 6) if case == "bias" else None
    if case == "grouped":
        key, value = key[:, :2], value[:, :2]
    if case == "across":
        key, value = (torch.randn(5, 4, 9, 8) for _ in range(2))
    found, _ = _attention(module, query, key, value, None, is_causal=case == "causal", scaling=0.3, position_bias=bias)
    keys, values = (one.repeat_interleave(4 // one.shape[1], dim=1) for one in (key, value))
    scores = query @ keys.transpose(2, 3) * 0.3
    if case == "causal":
        scores = scores.masked_fill(torch.ones(6, 6).triu(1).bool(), -torch.inf)
    if bias is not None:
        scores = scores + bias
    torch.testing.assert_close(found, (scores.softmax(-1) @ values).transpose(1, 2), rtol=1e-4, atol=1e-5)


def test_gradients_are_those_of_the_usual_way(tmp_path: Path) -> None:
    model = load_model(str(save_tiny("bert", tmp_path)), device="cpu")
    ids = torch.randint(5, 20, (4, 6))

    def gradient() -> torch.Tensor:
        with torch.inference_mode():
            model.network(input_ids=ids)  # the mask is made here, without gradients
        embedded = model.network.get_input_embeddings()(ids).detach().requires_grad_()
        model.network(inputs_embeds=embedded).logits.square().sum().backward()
        found: torch.Tensor | None = embedded.grad
        assert found is not None
        return found

    usual = gradient()
    assert usual.abs().sum() > 0
    use_batched_sdpa(model.network)
    torch.testing.assert_close(gradient(), usual, rtol=1e-3, atol=1e-4)


def test_a_mask_made_without_gradients_may_stand_where_they_are_wanted() -> None:
    """Kernels of a GPU keep the mask for the way back, and refuse one that was made in inference mode."""
    with torch.inference_mode():
        made = _apart(3, 11, torch.float32, torch.device("cpu"))
    assert not made.is_inference()


def test_what_does_not_fit_is_left_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = load_model(str(save_tiny("bert", tmp_path)), device="cpu")
    # An attention that gives other numbers is not taken.
    monkeypatch.setattr("horsesense.models.hf.fast_paths.batched_sdpa", lambda q, k, v, s: v.roll(1, dims=2))
    assert not can_use_batched_sdpa(model.network, model.family, model.device)
    assert model.network.config._attn_implementation == "sdpa"
