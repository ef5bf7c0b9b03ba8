"""Which token begins a text: the choice moves accuracy by points, so each step of the policy is held fast."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tokenizers import processors

from horsesense.errors import UserError
from horsesense.models.hf.language_model import LanguageModel
from horsesense.models.hf.load import load_model
from horsesense.models.hf.tokens import added_tokens, causal_frame, masked_frame
from tests.support.tiny import TINY


@pytest.fixture
def gpt2_tokenizer() -> Any:
    return TINY["gpt2"]()[1]


def test_what_the_post_processor_adds_comes_first() -> None:
    tokenizer = TINY["llama"]()[1]
    assert causal_frame(tokenizer, "auto").before == (tokenizer.convert_tokens_to_ids("<s>"),)


def test_the_end_that_a_post_processor_adds_is_left_out() -> None:
    tokenizer = TINY["llama"]()[1]
    tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 1), ("</s>", 2)]
    )
    frame = causal_frame(tokenizer, "auto")
    assert (frame.before, frame.after) == ((1,), ())


def test_the_document_separator_comes_before_a_declared_bos(gpt2_tokenizer: Any) -> None:
    """SmolLM2's case: a chat marker is declared as BOS, <|endoftext|> only as the unknown token."""
    gpt2_tokenizer.add_special_tokens({"bos_token": "<|im_start|>", "eos_token": "<|im_end|>"})
    frame = causal_frame(gpt2_tokenizer, "auto")
    assert frame.before == (gpt2_tokenizer.convert_tokens_to_ids("<|endoftext|>"),)
    assert "<|endoftext|>" in frame.in_words


def test_then_bos_then_eos() -> None:
    tokenizer = TINY["llama_bare"]()[1]
    assert causal_frame(tokenizer, "auto").before == (tokenizer.convert_tokens_to_ids("<s>"),)
    tokenizer.bos_token = None
    assert causal_frame(tokenizer, "auto").before == (tokenizer.convert_tokens_to_ids("</s>"),)
    tokenizer.eos_token = None
    tokenizer.pad_token = None
    with pytest.raises(UserError, match="no BOS token"):
        causal_frame(tokenizer, "auto")


def test_a_token_that_is_asked_for_must_exist(gpt2_tokenizer: Any) -> None:
    assert causal_frame(gpt2_tokenizer, "<|endoftext|>").before == (0,)
    with pytest.raises(UserError, match="no BOS token '<s>'"):
        causal_frame(gpt2_tokenizer, "<s>")


def test_masked_models_keep_their_own_frame() -> None:
    tokenizer = TINY["bert"]()[1]
    frame = masked_frame(tokenizer, special_tokens=True)
    assert tokenizer.convert_ids_to_tokens([*frame.before, *frame.after]) == ["[CLS]", "[SEP]"]
    assert masked_frame(tokenizer, special_tokens=False).before == ()


@pytest.mark.parametrize("name", sorted(TINY))
def test_the_frame_rebuilds_what_the_tokenizer_makes(name: str) -> None:
    tokenizer = TINY[name]()[1]
    before, after = added_tokens(tokenizer)
    text = "The kettle whistled."
    bare = tokenizer(text, add_special_tokens=False)["input_ids"]
    assert [*before, *bare, *after] == tokenizer(text)["input_ids"]


def test_smollm2_begins_with_the_document_separator(bundled: LanguageModel) -> None:
    frame = causal_frame(bundled.tokenizer, "auto")
    assert bundled.tokenizer.convert_ids_to_tokens(list(frame.before)) == ["<|endoftext|>"]
    assert bundled.tokenizer.bos_token == "<|im_start|>"


def test_the_window_of_roberta_leaves_out_its_padding_positions(tiny_folders: dict[str, Path]) -> None:
    import torch

    from tests.support.tiny import WINDOW

    model = load_model(str(tiny_folders["roberta"]), device="cpu")
    assert model.window == WINDOW
    ids = torch.full((1, WINDOW), 7)
    assert model.network(input_ids=ids).logits.shape[1] == WINDOW
    with pytest.raises((IndexError, RuntimeError)):
        model.network(input_ids=torch.full((1, WINDOW + 1), 7))
