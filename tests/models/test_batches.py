"""Out of memory: halves, the same numbers, and a sentence when even one input does not fit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from horsesense.errors import UserError
from horsesense.models.local.batches import score_questions
from horsesense.models.local.language_model import LanguageModel
from horsesense.models.local.load import load_model
from horsesense.models.local.questions import Framed
from horsesense.records import Item, ScoringSpec
from horsesense.scoring.prompts import item_prompts
from horsesense.watching import Watcher


class Small(torch.nn.Module):
    """A network on a device that holds only so many inputs at a time."""

    def __init__(self, network: Any, room: int) -> None:
        super().__init__()
        self.network, self.room, self.config = network, room, network.config

    def forward(self, **asked: torch.Tensor) -> Any:
        if len(asked["input_ids"]) > self.room:
            raise torch.OutOfMemoryError("CUDA out of memory (as it would say)")
        return self.network(**asked)


class Remembering(Watcher):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.remarks: list[str] = []
        self.done: list[int] = []
        self.total = 0

    def say(self, text: str) -> None:
        self.remarks.append(text)

    def at(self, stage: str, done: int, total: int, unit: str = "", note: str = "") -> None:
        self.done.append(done)
        self.total = total


ITEMS = [Item(probe="t", form="choice", text=f"Stone {n} is", options=("hard", "soft")) for n in range(10, 30)]


def _framed(model: LanguageModel, items: list[Item], spec: ScoringSpec) -> list[Framed]:
    prompts = [prompt for item in items for prompt in item_prompts(item, spec, model.asks_what_follows).prompts]
    return model.read(prompts, spec)


def test_halves_give_the_same_numbers(tiny_folders: dict[str, Path]) -> None:
    model = load_model(str(tiny_folders["bert"]), device="cpu")
    spec = ScoringSpec()
    framed = _framed(model, ITEMS, spec)
    usual = score_questions(model, framed, spec)
    watcher = Remembering()
    small = replace(model, network=Small(model.network, 3))
    for halved, whole in zip(score_questions(small, framed, spec, watcher=watcher), usual, strict=True):
        assert halved == pytest.approx(whole, abs=1e-5)
    assert watcher.remarks
    assert all("trying halves" in line for line in watcher.remarks)
    assert watcher.done == sorted(watcher.done)
    assert watcher.done[-1] == watcher.total


def test_one_input_that_does_not_fit_is_told(tiny_folders: dict[str, Path]) -> None:
    model = load_model(str(tiny_folders["bert"]), device="cpu")
    spec = ScoringSpec()
    framed = _framed(model, ITEMS[:1], spec)
    with pytest.raises(UserError, match="does not fit into the memory"):
        score_questions(replace(model, network=Small(model.network, 0)), framed, spec)
