"""Blocks and halves: the same numbers; a sentence when even one input does not fit; the head's sums."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from horsesense.core import Item, ScoringSpec
from horsesense.errors import UserError
from horsesense.models.hf.batches import score_questions
from horsesense.models.hf.encoding import FramedPrompt
from horsesense.models.hf.language_model import LanguageModel
from horsesense.models.hf.load import load_model
from horsesense.progress import Progress
from horsesense.scoring.prompts import item_prompts


class Small(torch.nn.Module):
    """A network on a device that holds only so many inputs at a time."""

    def __init__(self, network: Any, room: int) -> None:
        super().__init__()
        self.network, self.room, self.config = network, room, network.config

    def forward(self, **asked: torch.Tensor) -> Any:
        if len(asked["input_ids"]) > self.room:
            raise torch.OutOfMemoryError("CUDA out of memory (as it would say)")
        return self.network(**asked)


class Remembering(Progress):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.remarks: list[str] = []
        self.done: list[int] = []
        self.total = 0

    def log(self, text: str) -> None:
        self.remarks.append(text)

    def update(self, stage: str, done: int, total: int, unit: str = "", note: str = "") -> None:
        self.done.append(done)
        self.total = total


ITEMS = [Item(probe="t", form="choice", text=f"Stone {n} is", options=("hard", "soft")) for n in range(10, 30)]


def _encode(model: LanguageModel, items: list[Item], spec: ScoringSpec) -> list[FramedPrompt]:
    prompts = [prompt for item in items for prompt in item_prompts(item, spec, model.scores_to_end).prompts]
    return model.encode(prompts, spec)


def test_halves_give_the_same_numbers(tiny_folders: dict[str, Path]) -> None:
    model = load_model(str(tiny_folders["bert"]), device="cpu")
    spec = ScoringSpec()
    framed = _encode(model, ITEMS, spec)
    usual = score_questions(model, framed, spec)
    progress = Remembering()
    small = replace(model, network=Small(model.network, 3))
    for halved, whole in zip(score_questions(small, framed, spec, progress=progress), usual, strict=True):
        assert halved == pytest.approx(whole, abs=1e-5)
    assert progress.remarks
    assert all("trying halves" in line for line in progress.remarks)
    assert progress.done == sorted(progress.done)
    assert progress.done[-1] == progress.total


def test_one_input_that_does_not_fit_is_told(tiny_folders: dict[str, Path]) -> None:
    model = load_model(str(tiny_folders["bert"]), device="cpu")
    spec = ScoringSpec()
    framed = _encode(model, ITEMS[:1], spec)
    with pytest.raises(UserError, match="does not fit into the memory"):
        score_questions(replace(model, network=Small(model.network, 0)), framed, spec)


@pytest.mark.parametrize("family", ["bert", "gpt2"])
def test_many_blocks_give_what_each_question_gives_alone(tiny_folders: dict[str, Path], family: str) -> None:
    model = load_model(str(tiny_folders[family]), device="cpu")
    spec, progress = ScoringSpec(), Remembering()
    texts = [" ".join(["a stone"] * (1 + n % 5)) for n in range(25)]  # lengths come mixed and go back in their order
    items = [
        Item(probe="t", form="choice", text=f"{text} {n} is", options=("hard", "so")) for n, text in enumerate(texts)
    ]
    framed = _encode(model, items, spec)
    together = score_questions(model, framed, spec, budget=16, progress=progress)
    for question, scores in zip(framed, together, strict=True):
        assert scores == pytest.approx(score_questions(model, [question], spec)[0], abs=1e-5)
    assert len(progress.done) > 4  # there were several blocks
    assert progress.done == sorted(progress.done)
    assert progress.done[-1] > 0.9 * progress.total  # the last token of a text is asked for, and never fed
    assert progress.total == sum(question.cost for question in framed)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="products with float32 sums are CUDA's")
def test_a_head_on_a_gpu_sums_what_float32_weights_would(tiny_folders: dict[str, Path]) -> None:
    fast = load_model(str(tiny_folders["bert"]), device="cuda", dtype="bfloat16")
    head = fast.network.get_output_embeddings()
    hidden = torch.randn(3, 7, head.in_features, device="cuda", dtype=torch.bfloat16)
    wanted = torch.nn.functional.linear(hidden.float(), head.weight.float(), head.bias.float())
    assert head(hidden).dtype == torch.float32
    torch.testing.assert_close(head(hidden), wanted, rtol=1e-4, atol=1e-4)
