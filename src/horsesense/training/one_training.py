"""One training from beginning to end: opened, tokenised once, trained, asked along the way, kept."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from horsesense.core import Answer, Item, ScoringSpec
from horsesense.errors import UserError, argument
from horsesense.models.hf.trainable import Opened, as_language_model, open_for_training
from horsesense.models.protocol import DEFAULT_BUDGET
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.scoring.normalise import BY_FORM, normalised
from horsesense.scoring.prompt_formats import Call, get_prompt_format
from horsesense.stats import credits
from horsesense.training.objectives import Objective, check_fit, objective_of
from horsesense.training.training_record import CHECKPOINTS, Look, Origin, Recipe, Trained, bind, save_trained

_TOKENS = {"cuda": 65_536}
"""Tokens a batch on a GPU; elsewhere the usual number."""
_MIXED = "steps are in bfloat16, weights and looks in float32"


def train(
    name: str,
    items: Sequence[Item],
    dev: Sequence[Item],
    recipe: Recipe,
    folder: Path | None = None,
    *,
    others: Mapping[str, Sequence[Item]] | None = None,
    progress: Progress = NO_PROGRESS,
    keep: Callable[[Opened, Any, Look], None] | None = None,
    allow_pickle: bool = False,
    origin: Origin | None = None,
) -> Trained:
    """Train a model; the weights that do best on ``dev`` are saved to ``folder``.

    With a folder, a killed training goes on from its last checkpoint. Without one nothing is written, and
    ``keep`` is shown the network at every look. ``others`` are looked at along the way and choose nothing.
    Out of memory, the batch is halved and twice as many are gathered.
    """
    objective = objective_of(recipe.objective)
    for part, what in ((items, "training"), (dev, "development")):
        if not part:
            raise UserError(f"the {what} part is empty", fix="give more items, or hold out less")
        check_fit(objective, part, what)
    check_dtype(recipe)
    remarks: list[str] = []
    while True:
        try:
            given = (name, items, dev, recipe, folder, others or {}, progress, keep, remarks, allow_pickle, origin)
            return _Training(*given).run()
        except RuntimeError as error:
            if not _is_out_of_memory(error):
                raise
            if recipe.batch < 2:
                fix = f"use {argument('lora')}, a smaller model, or {argument('device', 'cpu')}"
                raise UserError("memory runs out even with one item at a time", fix=fix) from error
            recipe = replace(recipe, batch=recipe.batch // 2, gather=recipe.gather * 2)
            remarks.append(
                f"memory ran out, so {recipe.batch} items are taken at a time and {recipe.gather} times gathered"
            )
            progress.log(remarks[-1])


def check_dtype(recipe: Recipe) -> None:
    """Only weights that are not trained may be in few bits."""
    if recipe.dtype == "auto":
        raise UserError(
            f"{argument('dtype', 'auto')} is for asking", fix="name float32, bfloat16, float16, int8 or int4"
        )
    if recipe.dtype != "float32" and not recipe.lora:
        raise UserError(
            f"weights in {recipe.dtype} are too coarse to be trained", fix=f"add {argument('lora')}, which leaves them"
        )


def _is_out_of_memory(error: RuntimeError) -> bool:
    import torch

    if isinstance(error, torch.cuda.OutOfMemoryError):
        torch.cuda.empty_cache()
        return True
    return "out of memory" in str(error) or "can't allocate memory" in str(error)


@dataclass
class _Training:
    """The state of one training; a class because a dozen things are needed by every step of it."""

    name: str
    items: Sequence[Item]
    dev: Sequence[Item]
    recipe: Recipe
    folder: Path | None
    others: Mapping[str, Sequence[Item]]
    progress: Progress
    keep: Callable[[Opened, Any, Look], None] | None
    remarks: list[str]
    allow_pickle: bool
    origin: Origin | None
    """What is kept of what it is made from."""
    looks: list[Look] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.objective: Objective = objective_of(self.recipe.objective)
        self.opened = self._open()

    def _open(self) -> Opened:
        from horsesense.training.controls.labels import labels

        names = labels(self.items) if self.objective.labels else ()
        family = self.objective.family
        opened = open_for_training(
            self.name,
            family,
            seed=self.recipe.seed,
            labels=names,
            allow_pickle=self.allow_pickle,
            device=self.recipe.device,
            dtype=self.recipe.dtype,
        )
        if opened.quantised and not any("GGUF" in remark for remark in self.remarks):
            self.remarks.append("the weights were unpacked from a quantised GGUF file, and are kept in float32")
            self.progress.log(self.remarks[-1])
        if opened.new and not any("new head" in remark for remark in self.remarks):
            self.remarks.append(f"a new head is trained ({', '.join(opened.new)})")
        return opened

    def run(self) -> Trained:
        from horsesense.models.hf.components import quiet_transformers, saving
        from horsesense.models.hf.trainable import as_language_model
        from horsesense.training.transformers_trainer import language_head, with_adapter

        began = time.monotonic()
        network = self.opened.network
        model = as_language_model(self.opened, network, self.objective.family)
        more = {"fill_to": self.recipe.fill_to, "blind": self.recipe.blind}
        examples = self.objective.losses.examples(self.items, model, self.objective.kind, **more)
        beside = language_head(self.opened) if self.objective.kind == "lm" else None
        if self.recipe.lora:
            network = with_adapter(network, self.recipe.seed)
        loop, curve, patience = self._loop(network, examples, beside)
        if loop.args.bf16 and _MIXED not in self.remarks:
            self.remarks.append(_MIXED)
        checkpoint = self._last_checkpoint()
        if checkpoint is not None:
            looks, losses = _kept_log(checkpoint)
            self.looks += looks
            curve.losses += losses
            self.remarks.append(f"taken up again at step {checkpoint.name.removeprefix('checkpoint-')}")
            self.progress.log(self.remarks[-1])
        if self.folder is not None and self.origin is not None and loop.is_world_process_zero():
            bind(self.folder, self.recipe, self.origin)
        with saving(self.folder or Path(tempfile.gettempdir())), quiet_transformers():
            loop.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
        if curve.diverged and not self.looks:
            raise UserError(
                f"the loss diverged at step {curve.losses[-1][0]}, before there was a checkpoint to keep",
                fix=f"use a smaller {argument('lr')} than {self.recipe.rate:g}",
            )
        stopped = "all steps are done"
        if curve.diverged:
            stopped = f"the loss diverged at step {curve.losses[-1][0]}, so the last good weights are kept"
            self.progress.log(stopped)
        elif patience.stopped:
            stopped = f"no gain in {self.recipe.patience} looks"
        trained = Trained(
            recipe=self.recipe,
            items=len(self.items),
            looks=tuple(self.looks),
            best=max(self.looks, key=lambda look: (look.aim(self.recipe.aim), -look.step)),
            losses=tuple(curve.losses),
            stopped=stopped,
            remarks=tuple(self.remarks),
            seconds=time.monotonic() - began,
            folder=self.folder,
        )
        if self.folder is not None and loop.is_world_process_zero():
            network = loop.accelerator.unwrap_model(loop.model)
            save_trained(self.folder, network, self.opened, trained, self.objective, self.origin)
        return trained

    def _look(self, network: Any, step: int, epoch: float) -> dict[str, float]:
        accuracies = {"accuracy": accuracy_of(self.opened, network, self.objective, self.dev, self.recipe.blind)}
        for name, part in self.others.items():
            accuracies[name] = accuracy_of(self.opened, network, self.objective, part, self.recipe.blind)
        look = Look(step, round(epoch, 3), accuracies["accuracy"], {name: accuracies[name] for name in self.others})
        self.looks.append(look)
        if self.keep is not None:
            self.keep(self.opened, network, look)
        return accuracies | {"aim": look.aim(self.recipe.aim)}

    def _loop(self, network: Any, examples: list[Any], beside: Any) -> tuple[Any, Any, Any]:
        from horsesense.training.transformers_trainer import Loop, LossCurve, Patience, arguments

        place = self.folder / CHECKPOINTS if self.folder else Path(tempfile.gettempdir())
        curve, patience = LossCurve(self.progress), Patience(self.recipe.patience)
        kind = self.objective.kind
        losses = self.objective.losses
        more = {"beside": beside, "weight": self.recipe.lm_weight} if kind == "lm" else {}
        loop = Loop(
            loss=lambda model, fed: losses.loss(model, fed, kind, **more),
            look=self._look,
            marks=self.recipe.marks,
            model=network,
            args=arguments(self.recipe, place, len(examples), self.folder is not None),
            train_dataset=examples,
            eval_dataset=examples[:1],  # the Trainer wants one to look at all; what is looked at is ours
            data_collator=lambda batch: losses.collate(batch, self.opened.tokenizer, kind),
            curve=curve,
            callbacks=[patience],
        )
        from transformers import PrinterCallback, ProgressCallback

        for other in (PrinterCallback, ProgressCallback):
            loop.remove_callback(other)
        return loop, curve, patience

    def _last_checkpoint(self) -> Path | None:
        if self.folder is None or not (self.folder / CHECKPOINTS).is_dir():
            return None
        from horsesense.training.transformers_trainer import is_whole_checkpoint

        found = list((self.folder / CHECKPOINTS).glob("checkpoint-*"))
        whole = [path for path in found if is_whole_checkpoint(path)]
        if os.environ.get("RANK", "0") == "0":
            for torn in set(found) - set(whole):  # the Trainer would take it for one of its own
                shutil.rmtree(torn, ignore_errors=True)
        return max(whole, key=lambda path: int(path.name.removeprefix("checkpoint-")), default=None)


def _kept_log(checkpoint: Path) -> tuple[list[Look], list[tuple[int, float]]]:
    """The looks and losses of a training that was killed, from the Trainer's own log."""
    history = json.loads((checkpoint / "trainer_state.json").read_text(encoding="utf-8"))["log_history"]
    looks, losses = [], []
    for entry in history:
        if "loss" in entry:
            losses.append((int(entry["step"]), float(entry["loss"])))
        if "eval_accuracy" in entry:
            others = {
                name.removeprefix("eval_"): value
                for name, value in entry.items()
                if name.startswith("eval_") and name not in ("eval_accuracy", "eval_aim")
            }
            looks.append(Look(entry["step"], round(entry.get("epoch") or 0.0, 3), entry["eval_accuracy"], others))
    return looks, losses


def answers_of(
    opened: Opened, network: Any, objective: Objective, items: Sequence[Item], blind: bool = False
) -> list[Answer]:
    """The answers of a network as it is now, asked as the objective has it."""
    model = as_language_model(opened, network, objective.family)
    spec = ScoringSpec(truncation="left")
    shown = [_blinded(item) for item in items] if blind else items
    prompt_format = get_prompt_format(objective.prompt_format)
    call = Call(model, spec, _TOKENS.get(model.device.type, DEFAULT_BUDGET), NO_PROGRESS)
    answers, _ = prompt_format.answer(prompt_format.prepare(model, shown, spec, ()), call)
    return [replace(answer, item=item.id) for answer, item in zip(answers, items, strict=True)]


def _blinded(item: Item) -> Item:
    """Without its premise, and a question without its question."""
    return replace(item, premise="", text=item.text if item.form == "pair" else "")


def credit_of(answers: Sequence[Answer], items: Sequence[Item], how: Any = None) -> Any:
    """What each answer earns, by the primary normalisation or that of the form."""
    spec = ScoringSpec()
    scores = [
        normalised(answer, item, spec, how or BY_FORM[item.form]) for answer, item in zip(answers, items, strict=True)
    ]
    return credits(scores, [item.answer for item in items], [item.id for item in items]).values


def accuracy_of(
    opened: Opened, network: Any, objective: Objective, items: Sequence[Item], blind: bool = False
) -> float:
    return float(np.nanmean(credit_of(answers_of(opened, network, objective, items, blind), items)))
