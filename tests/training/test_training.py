"""The trainer: every objective learns, what it learns is kept, and what goes wrong is told."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from horsesense.core import Item, Probe, ScoringSpec
from horsesense.errors import UserError
from horsesense.models.hf.load import load_model
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.scoring.prompt_formats import Call, get_prompt_format
from horsesense.training import transformers_trainer
from horsesense.training.objectives import objective_of
from horsesense.training.trainer import train_model as train
from horsesense.training.training_record import Recipe, read_training
from tests.support import ROOT
from tests.support.made_tasks import clozes, questions, short_questions, triples
from tests.support.tiny import save_tiny


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    names = ("bert", "gpt2", "choice", "nli")
    return {name: save_tiny(name, tmp_path_factory.mktemp(name)) for name in names}


class Listener(Progress):
    def __init__(self) -> None:
        self.heard: list[str] = []
        self.seen: list[tuple[int, int, str, str]] = []

    def log(self, text: str) -> None:
        self.heard.append(text)

    def update(self, stage: str, done: int, total: int, unit: str = "", note: str = "") -> None:
        assert stage == "training"
        self.seen.append((done, total, unit, note))


def accuracy(folder: Path, items: Sequence[Item], prompt_format: str = "loglikelihood") -> float:
    model = load_model(str(folder), device="cpu")
    asked = get_prompt_format(prompt_format)
    answers, _ = asked.answer(
        asked.prepare(model, items, ScoringSpec(), ()), Call(model, ScoringSpec(), 4096, NO_PROGRESS)
    )
    chosen = [answer.scores.index(max(answer.scores)) for answer in answers]
    return sum(place == item.answer for place, item in zip(chosen, items, strict=True)) / len(chosen)


CASES: dict[str, tuple[str, Probe, Probe, dict[str, Any]]] = {
    "masked-word": ("bert", clozes(40, 1, "heavier"), clozes(12, 2, "heavier"), {}),
    "random-mask": ("bert", clozes(60, 1, "heavier"), clozes(12, 2, "heavier"), {"epochs": 8}),
    "causal": ("gpt2", clozes(40, 1, "heavier"), clozes(12, 2, "heavier"), {}),
    "causal with an adapter": ("gpt2", clozes(40, 1, "heavier"), clozes(12, 2, "heavier"), {"lora": True}),
    "options": ("gpt2", clozes(40, 1, "heavier"), clozes(12, 2, "heavier"), {}),
    "options with an adapter": ("gpt2", clozes(40, 1, "heavier"), clozes(12, 2, "heavier"), {"lora": True}),
    "letters": ("gpt2", short_questions(40, 1), short_questions(12, 2), {}),
    "letters with an adapter": ("gpt2", short_questions(40, 1), short_questions(12, 2), {"lora": True, "lr": 2e-2}),
    "multiple-choice": ("choice", questions(60, 1, True), questions(20, 2, True), {"epochs": 4}),
    "multiple-choice with an adapter": (
        "choice",
        questions(60, 1, True),
        questions(20, 2, True),
        {"lora": True, "lr": 2e-2, "epochs": 4},
    ),
    "classification": ("bert", triples(80, 1), triples(20, 2), {"epochs": 6}),
    "classification-lm": ("gpt2", triples(60, 1), triples(20, 2), {"epochs": 4}),
}


@pytest.mark.parametrize("case", CASES)
def test_every_objective_learns_and_its_weights_are_kept(case: str, folders: dict[str, Path], tmp_path: Path) -> None:
    name, items, dev, more = CASES[case]
    usual: dict[str, Any] = {"objective": case.partition(" ")[0], "batch": 8, "lr": 5e-3, "epochs": 2, "device": "cpu"}
    recipe = Recipe(**usual | more)
    trained = train(str(folders[name]), items.items, dev.items, recipe, tmp_path / "out")
    chance = 1 / len(dev.items[0].options)
    assert trained.best.dev > chance + 0.2
    assert trained.best.dev == max(point.dev for point in trained.eval_points)
    files = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"README.md", "training.json"} <= files
    assert "checkpoints" not in files
    # What is kept answers like any model, and as well as it did when it was chosen.
    prompt_format = objective_of(recipe.objective).prompt_format
    assert accuracy(tmp_path / "out", dev.items, prompt_format) == pytest.approx(trained.best.dev)
    again = read_training(tmp_path / "out", recipe, len(items.items))
    assert again is not None
    assert again.eval_points == trained.eval_points
    with pytest.raises(UserError, match="holds a training with"):
        read_training(tmp_path / "out", Recipe(objective="causal", seed=5), len(items.items))


def test_what_the_losses_are(folders: dict[str, Path]) -> None:
    """Against the networks' own losses, where those mean the same."""
    from horsesense.models.hf.trainable import as_language_model, open_for_training
    from horsesense.training.objectives import objective_of

    for name, objective in (("gpt2", objective_of("causal")), ("choice", objective_of("multiple-choice"))):
        opened = open_for_training(str(folders[name]), objective.family)
        opened.network.eval()
        items = (clozes(3, 1) if name == "gpt2" else questions(3, 1, False)).items
        model = as_language_model(opened, opened.network, objective.family)
        examples = objective.losses.examples(items, model, objective.kind)
        batch = objective.losses.collate(examples, opened.tokenizer, objective.kind)
        ours = objective.losses.loss(opened.network, dict(batch), objective.kind)
        if name == "gpt2":
            theirs = opened.network(**batch).loss
        else:
            table = {key: batch[key].reshape(3, 3, -1) for key in ("input_ids", "attention_mask", "token_type_ids")}
            theirs = opened.network(**table, labels=torch.tensor([item.answer for item in items])).loss
        torch.testing.assert_close(ours, theirs)


@pytest.mark.parametrize("name", ["options", "letters"])
def test_a_decoder_loses_what_it_is_asked_for(name: str, folders: dict[str, Path]) -> None:
    """Against the scores that asking gives, by another road; items of several forms and numbers of options at once."""
    from horsesense.models.hf.trainable import as_language_model, open_for_training
    from horsesense.scoring.normalise import BY_FORM, normalised
    from horsesense.training.objectives import objective_of

    opened = open_for_training(str(folders["gpt2"]), "causal")
    model = as_language_model(opened, opened.network.eval(), "causal")
    three, two = short_questions(2, 1).items
    three = replace(three, options=(*three.options, "warm"), answer=2)
    items = [three, two, *clozes(2, 1).items]
    objective = objective_of(name)
    batch = objective.losses.collate(objective.losses.examples(items, model, ""), opened.tokenizer, "")
    with torch.no_grad():
        loss = float(objective.losses.loss(opened.network, batch, ""))
    prompt_format = get_prompt_format(objective_of(name).prompt_format)
    answers, replies = prompt_format.answer(
        prompt_format.prepare(model, items, ScoringSpec(), ()), Call(model, ScoringSpec(), 4096, NO_PROGRESS)
    )
    by_id = {item.id: item for item in items}
    if name == "options":
        scores = [
            (normalised(answer, item, ScoringSpec(), BY_FORM[item.form]), item)
            for answer, item in zip(answers, items, strict=True)
        ]
    else:
        scores = [(reply.logprobs, by_id[reply.item]) for reply in replies]
    lost = [math.log(sum(map(math.exp, values))) - values[item.answer or 0] for values, item in scores]
    assert loss == pytest.approx(sum(lost) / len(lost), abs=1e-4)


def test_options_of_any_number_are_masked_out(folders: dict[str, Path]) -> None:
    from dataclasses import replace

    from horsesense.models.hf.trainable import as_language_model, open_for_training
    from horsesense.training.objectives import objective_of

    objective = objective_of("multiple-choice")
    opened = open_for_training(str(folders["choice"]), objective.family)
    model = as_language_model(opened, opened.network.eval(), objective.family)
    three, two = questions(2, 1, False).items
    two = replace(two, options=two.options[:2], answer=1)
    losses = objective.losses

    def mean(items: list[Item], **more: Any) -> float:
        batch = losses.collate(losses.examples(items, model, "", **more), opened.tokenizer, "")
        return float(losses.loss(opened.network, batch, ""))

    assert mean([three, two]) == pytest.approx((mean([three]) + mean([two])) / 2, abs=1e-5)
    assert mean([two], fill_to=5) > mean([two]), "an empty answer takes probability, as in the paper"


def test_a_killed_training_goes_on(folders: dict[str, Path], tmp_path: Path) -> None:
    program = f"""
import sys, time
sys.path.insert(0, {str(ROOT)!r})
from pathlib import Path
from horsesense.training.training_record import Recipe
from horsesense.training.trainer import train_model as train
from tests.support.made_tasks import clozes
recipe = Recipe(objective="causal", batch=4, lr=1e-3, epochs=3, patience=0, device="cpu")
from horsesense.progress import Progress
class Slow(Progress):
    def update(self, *given):
        time.sleep(0.2)
items, dev = clozes(16, 1, "heavier").items, clozes(6, 2, "heavier").items
train({str(folders["gpt2"])!r}, items, dev, recipe, Path(sys.argv[1]), progress=Slow())
"""
    # As many threads as here: the order of sums tells after some steps.
    environment = os.environ | {"OMP_NUM_THREADS": str(torch.get_num_threads())}
    killed = tmp_path / "killed"
    process = subprocess.Popen([sys.executable, "-c", program, str(killed)], env=environment, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 120
    while not list((killed / "checkpoints").glob("checkpoint-*/SHA256SUMS")) and time.monotonic() < deadline:
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (killed / "training.json").exists()
    recipe = Recipe(objective="causal", batch=4, lr=1e-3, epochs=3, patience=0, device="cpu")
    sets = clozes(16, 1, "heavier").items, clozes(6, 2, "heavier").items
    listener = Listener()
    resumed = train(str(folders["gpt2"]), *sets, recipe, killed, progress=listener)
    assert any("resumed at" in remark for remark in resumed.remarks)
    assert any("resumed at" in remark for remark in listener.heard)
    assert [(done, total, unit) for done, total, unit, _ in listener.seen][-1] == (12, 12, "steps")
    last = resumed.losses[-len(listener.seen) :]
    assert all(note == f"loss {loss:.3f}" for (*_, note), (_, loss) in zip(listener.seen, last, strict=True))
    assert not any("bfloat16" in remark for remark in resumed.remarks), "on a processor steps are in float32"
    whole = train(str(folders["gpt2"]), *sets, recipe, tmp_path / "whole")
    assert resumed.eval_points == whole.eval_points
    assert resumed.losses == whole.losses
    one, other = (json.loads((folder / "training.json").read_text()) for folder in (killed, tmp_path / "whole"))
    assert one["best"] == other["best"]


def greedy_always() -> Any:
    raise RuntimeError("CUDA error: out of memory")


def test_memory_that_runs_out_halves_the_batch(folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    real = transformers_trainer.TrainingLoop.compute_loss

    def greedy(self: Any, model: Any, inputs: Any, *rest: Any, **more: Any) -> Any:
        if len(inputs["input_ids"]) > 4:
            raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes")
        return real(self, model, inputs, *rest, **more)

    monkeypatch.setattr(transformers_trainer.TrainingLoop, "compute_loss", greedy)
    listener = Listener()
    recipe = Recipe(objective="causal", batch=16, epochs=1, device="cpu")
    trained = train(str(folders["gpt2"]), clozes(16, 1).items, clozes(6, 2).items, recipe, progress=listener)
    assert (trained.recipe.batch, trained.recipe.accumulate) == (4, 4)
    assert trained.eval_points[-1].step == 1, "four times accumulated, sixteen items are still one step"
    assert [remark.split(":")[0] for remark in listener.heard] == ["memory ran out"] * 2
    items = questions(4, 1, False).items
    monkeypatch.setattr(transformers_trainer.TrainingLoop, "compute_loss", lambda *_, **__: greedy_always())
    with pytest.raises(UserError, match="even with one item at a time"):
        train(str(folders["choice"]), items, items, Recipe(objective="multiple-choice", batch=2, device="cpu"))


def test_a_diverging_loss_stops_and_the_last_good_weights_stay(
    folders: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, count = transformers_trainer.TrainingLoop.compute_loss, 0

    def diverging(self: Any, *given: Any, **more: Any) -> Any:
        nonlocal count
        count += 1
        return real(self, *given, **more) * (float("nan") if count > 6 else 1.0)

    monkeypatch.setattr(transformers_trainer.TrainingLoop, "compute_loss", diverging)
    recipe = Recipe(objective="causal", batch=4, lr=5e-3, epochs=5, device="cpu")
    sets = clozes(16, 1, "heavier").items, clozes(6, 2, "heavier").items
    trained = train(str(folders["gpt2"]), *sets, recipe, tmp_path / "out")
    assert "diverged" in trained.stopped
    assert all(point.step <= 6 for point in trained.eval_points)
    assert accuracy(tmp_path / "out", sets[1]) == pytest.approx(trained.best.dev)
    count = 6
    with pytest.raises(UserError, match=r"diverged at step 1, "):
        train(str(folders["gpt2"]), *sets, recipe, tmp_path / "other")


@pytest.mark.parametrize("number", [1, 2, 3])
def test_labels_are_learnt_from_fewer_items_than_labels(number: int, folders: dict[str, Path], tmp_path: Path) -> None:
    items, dev = triples(8, 1).items, triples(6, 2).items
    recipe = Recipe(objective="classification", epochs=1, device="cpu")
    trained = train(str(folders["bert"]), items[:number], dev, recipe, tmp_path / "out")
    assert trained.best.dev == pytest.approx(accuracy(tmp_path / "out", dev))
    odd = [replace(item, options=tuple(f"{word} {place}" for word in item.options)) for place, item in enumerate(items)]
    with pytest.raises(UserError, match="the options are not labels"):
        train(str(folders["bert"]), odd[:2], dev, recipe, tmp_path / "odd")


def test_what_does_not_fit(folders: dict[str, Path], tmp_path: Path) -> None:
    some, few = clozes(8, 1).items, clozes(4, 2).items
    for model, objective, items, told in (
        ("gpt2", "masked-word", some, "transformers cannot load it|would be random"),
        ("gpt2", "multiple-choice", questions(4, 1, False).items, "transformers cannot load it"),
        ("bert", "masked-word", questions(4, 1, False).items, "cannot be trained on the form 'choice'"),
        ("bert", "classification-lm", triples(8, 1).items, "has no causal head|sees the tokens|would be random"),
        ("bert", "masked-wurd", some, "did you mean 'masked-word'"),
        ("bert", "masked-word", [], "the training part is empty"),
    ):
        with pytest.raises(UserError, match=told):
            train(
                str(folders[model]), items, items[:2] or few, Recipe(objective=objective, device="cpu"), tmp_path / "x"
            )


def test_only_what_is_not_trained_may_be_coarse(folders: dict[str, Path]) -> None:
    items, dev = clozes(24, 1, "heavier").items, clozes(8, 2, "heavier").items
    recipe = Recipe("options", dtype="bfloat16", batch=8, lr=5e-3, epochs=2, device="cpu")
    with pytest.raises(UserError, match=r"bfloat16 .*add lora"):
        train(str(folders["gpt2"]), items, dev, recipe)
    assert train(str(folders["gpt2"]), items, dev, replace(recipe, lora=True)).best.dev > 0.7


def test_a_decoder_is_inoculated_as_it_is_asked(folders: dict[str, Path], tmp_path: Path) -> None:
    import horsesense as hs
    from horsesense.training.inoculation_trials import InoculationGrid

    train_part, dev, test, old_dev, old_test = (short_questions(n, s) for s, n in enumerate((16, 6, 6, 6, 6), 1))
    study = hs.inoculate(
        str(folders["gpt2"]), train=train_part, dev=dev, test=test, original_dev=[old_dev], original_test=[old_test],
        out=tmp_path, grid=InoculationGrid((8,), (5e-3,), (4, 12), seeds=(0,), batch=4, lora=True, device="cpu"),
    )  # fmt: skip
    before, after = study.curves
    assert (before.setting, after.setting, after.k) == ("none", "plain", 8)
    assert after.new == 1.0 > before.new
