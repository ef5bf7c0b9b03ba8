"""A tiny model behind the tests' own server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import GPT2Config, GPT2LMHeadModel

from horsesense.models.hf.language_model import LanguageModel
from horsesense.models.hf.load import load_model
from horsesense.models.hf.trainable import borrow
from tests.support.model_server import ModelServer

TEMPLATE = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}assistant:"


@pytest.fixture(scope="module")
def local(tiny_folders: dict[str, Path]) -> LanguageModel:
    """A small model that sees more than the other tiny ones, since a conversation is long."""
    tokenizer = load_model(str(tiny_folders["gpt2"]), device="cpu").tokenizer
    tokenizer.chat_template = TEMPLATE
    torch.manual_seed(0)
    sizes = {"vocab_size": len(tokenizer), "n_positions": 512, "n_embd": 32, "n_layer": 2, "n_head": 2}
    network = GPT2LMHeadModel(GPT2Config(**sizes)).eval()
    _prefer_letters(network, tokenizer)
    return borrow(network, tokenizer, name="tiny")


def _prefer_letters(network: GPT2LMHeadModel, tokenizer: Any) -> None:
    """Make letters likely, as they are for a trained model that is asked for one."""
    direction = torch.zeros(network.config.n_embd)
    direction[0] = 1.0
    with torch.no_grad():
        network.transformer.ln_f.bias += 10 * direction
        network.transformer.wte.weight[:, 0] = 0.0
        for letter, weight in zip("ABCDE", (1.0, 1.0, 0.8, 0.6, 0.6), strict=True):
            network.transformer.wte.weight[tokenizer.convert_tokens_to_ids(letter), 0] = weight


@pytest.fixture(scope="module")
def running(local: LanguageModel) -> Iterator[ModelServer]:
    with ModelServer(local).running() as server:
        yield server


@pytest.fixture
def server(running: ModelServer) -> ModelServer:
    running.reset()
    return running
