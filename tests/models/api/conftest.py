"""A tiny model behind the tests' own server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from transformers import GPT2Config, GPT2LMHeadModel

from horsesense.models.hf.in_memory import borrow
from horsesense.models.hf.language_model import LanguageModel
from horsesense.models.hf.load import load_model
from tests.support.model_server import ModelServer

TEMPLATE = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}assistant:"


@pytest.fixture(scope="module")
def local(tiny_folders: dict[str, Path]) -> LanguageModel:
    """A small model that sees more than the other tiny ones, since a conversation is long."""
    tokenizer = load_model(str(tiny_folders["gpt2"]), device="cpu").tokenizer
    tokenizer.chat_template = TEMPLATE
    torch.manual_seed(0)
    sizes = {"vocab_size": len(tokenizer), "n_positions": 512, "n_embd": 32, "n_layer": 2, "n_head": 2}
    return borrow(GPT2LMHeadModel(GPT2Config(**sizes)).eval(), tokenizer, name="tiny")


@pytest.fixture(scope="module")
def running(local: LanguageModel) -> Iterator[ModelServer]:
    with ModelServer(local).running() as server:
        yield server


@pytest.fixture(autouse=True)
def believed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Random weights spread their probability over the vocabulary: here letters are believed all the same."""
    monkeypatch.setattr("horsesense.scoring.letters.MOST", 0.0)


@pytest.fixture
def server(running: ModelServer) -> ModelServer:
    running.reset()
    return running
