"""One training: load the model, tokenise once, train, evaluate on the way, save."""

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
from horsesense.models.hf.trainable import TrainableModel, as_language_model, open_for_training
from horsesense.models.protocol import DEFAULT_BUDGET
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.scoring.normalise import BY_FORM, normalised
from horsesense.scoring.prompt_formats import Call, get_prompt_format
from horsesense.stats import credits
from horsesense.training.objectives import Objective, check_fit, objective_of
from horsesense.training.training_record import (
    CHECKPOINTS,
    EvalPoint,
    Recipe,
    TrainedModel,
    TrainingOrigin,
    bind,
    save_trained,
)

_TOKENS = {"cuda": 65_536}
"""Tokens per batch on a GPU; elsewhere the default."""
SELECTION = "selection_metric"
"""Name of the selection metric in the Trainer's log."""
_MIXED = "steps are in bfloat16, weights and evaluations in float32"


def train_model(
    name: str,
    items: Sequence[Item],
    dev: Sequence[Item],
    recipe: Recipe,
    folder: Path | None = None,
    *,
    others: Mapping[str, Sequence[Item]] | None = None,
    progress: Progress = NO_PROGRESS,
    on_eval: Callable[[TrainableModel, Any, EvalPoint], None] | None = None,
    origin: TrainingOrigin | None = None,
) -> TrainedModel:
    """Train a model and save the weights that do best on ``dev`` to ``folder``.

    With a folder, a killed training resumes from its last checkpoint. Without one nothing is written, and ``on_eval``
    is called with the network at every evaluation. ``others`` are evaluated too but do not affect the selection. If
    memory runs out, the batch is halved and gradient accumulation doubled.
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
            return _Training(name, items, dev, recipe, folder, others or {}, progress, on_eval, remarks, origin).run()
        except RuntimeError as error:
            if not _is_out_of_memory(error):
                raise
            if recipe.batch < 2:
                fix = f"use {argument('lora')}, a smaller model, or {argument('device', 'cpu')}"
                raise UserError("memory runs out even with one item at a time", fix=fix) from error
            recipe = replace(recipe, batch=recipe.batch // 2, accumulate=recipe.accumulate * 2)
            remarks.append(
                f"memory ran out: the batch is now {recipe.batch} items, and {recipe.accumulate} steps are accumulated"
            )
            progress.log(remarks[-1])


def check_dtype(recipe: Recipe) -> None:
    """Raise an error if weights that are trained would be in a low-precision format."""
    if recipe.dtype == "auto":
        raise UserError(
            f"{argument('dtype', 'auto')} is for inference only", fix="name float32, bfloat16, float16, int8 or int4"
        )
    if recipe.dtype != "float32" and not recipe.lora:
        raise UserError(
            f"weights in {recipe.dtype} are too coarse to be trained",
            fix=f"add {argument('lora')}, which trains an adapter only",
        )


def _is_out_of_memory(error: RuntimeError) -> bool:
    import torch

    if isinstance(error, torch.cuda.OutOfMemoryError):
        torch.cuda.empty_cache()
        return True
    return "out of memory" in str(error) or "can't allocate memory" in str(error)


@dataclass
class _Training:
    """The state of one training."""

    name: str
    items: Sequence[Item]
    dev: Sequence[Item]
    recipe: Recipe
    folder: Path | None
    others: Mapping[str, Sequence[Item]]
    progress: Progress
    on_eval: Callable[[TrainableModel, Any, EvalPoint], None] | None
    remarks: list[str]
    origin: TrainingOrigin | None
    eval_points: list[EvalPoint] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.objective: Objective = objective_of(self.recipe.objective)
        self.opened = self._open()

    def _open(self) -> TrainableModel:
        from horsesense.training.controls.control import labels

        names = labels(self.items) if self.objective.labels else ()
        family = self.objective.family
        opened = open_for_training(
            self.name,
            family,
            seed=self.recipe.seed,
            labels=names,
            device=self.recipe.device,
            dtype=self.recipe.dtype,
        )
        if opened.quantised and not any("GGUF" in remark for remark in self.remarks):
            self.remarks.append("the weights were dequantised from a GGUF file and are saved in float32")
            self.progress.log(self.remarks[-1])
        if opened.new and not any("new head" in remark for remark in self.remarks):
            self.remarks.append(f"a new head is trained ({', '.join(opened.new)})")
        return opened

    def run(self) -> TrainedModel:
        from horsesense.models.hf.load import quiet_transformers, saving
        from horsesense.training.transformers_trainer import language_head, with_adapter

        start = time.monotonic()
        network = self.opened.network
        model = as_language_model(self.opened, network, self.objective.family)
        options = {"fill_to": self.recipe.fill_to, "blind": self.recipe.blind}
        examples = self.objective.losses.examples(self.items, model, self.objective.kind, **options)
        lm_head = language_head(self.opened) if self.objective.kind == "lm" else None
        if self.recipe.lora:
            network = with_adapter(network, self.recipe.seed)
        loop, curve, patience = self._loop(network, examples, lm_head)
        if loop.args.bf16 and _MIXED not in self.remarks:
            self.remarks.append(_MIXED)
        checkpoint = self._last_checkpoint()
        if checkpoint is not None:
            eval_points, losses = _read_log(checkpoint)
            self.eval_points += eval_points
            curve.losses += losses
            self.remarks.append(f"resumed at step {checkpoint.name.removeprefix('checkpoint-')}")
            self.progress.log(self.remarks[-1])
        if self.folder is not None and self.origin is not None and loop.is_world_process_zero():
            bind(self.folder, self.recipe, self.origin)
        with saving(self.folder or Path(tempfile.gettempdir())), quiet_transformers():
            loop.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
        if curve.diverged and not self.eval_points:
            raise UserError(
                f"the loss diverged at step {curve.losses[-1][0]}, before the first checkpoint",
                fix=f"use a smaller {argument('lr')} than {self.recipe.learning_rate:g}",
            )
        stopped = "all steps are done"
        if curve.diverged:
            stopped = f"the loss diverged at step {curve.losses[-1][0]}, so the last good weights were saved"
            self.progress.log(stopped)
        elif patience.stopped:
            stopped = f"no improvement in {self.recipe.patience} evaluations"
        trained = TrainedModel(
            recipe=self.recipe,
            items=len(self.items),
            eval_points=tuple(self.eval_points),
            best=max(self.eval_points, key=lambda point: (point.metric(self.recipe.selection_metric), -point.step)),
            losses=tuple(curve.losses),
            stopped=stopped,
            remarks=tuple(self.remarks),
            seconds=time.monotonic() - start,
            folder=self.folder,
        )
        if self.folder is not None and loop.is_world_process_zero():
            network = loop.accelerator.unwrap_model(loop.model)
            save_trained(self.folder, network, self.opened, trained, self.objective, self.origin)
        return trained

    def _evaluate(self, network: Any, step: int, epoch: float) -> dict[str, float]:
        accuracies = {"accuracy": accuracy_of(self.opened, network, self.objective, self.dev, self.recipe.blind)}
        for name, part in self.others.items():
            accuracies[name] = accuracy_of(self.opened, network, self.objective, part, self.recipe.blind)
        others = {name: accuracies[name] for name in self.others}
        point = EvalPoint(step, round(epoch, 3), accuracies["accuracy"], others)
        self.eval_points.append(point)
        if self.on_eval is not None:
            self.on_eval(self.opened, network, point)
        return accuracies | {SELECTION: point.metric(self.recipe.selection_metric)}

    def _loop(self, network: Any, examples: list[Any], lm_head: Any) -> tuple[Any, Any, Any]:
        from horsesense.training.transformers_trainer import LossCurve, Patience, TrainingLoop, arguments

        index = self.folder / CHECKPOINTS if self.folder else Path(tempfile.gettempdir())
        curve, patience = LossCurve(self.progress), Patience(self.recipe.patience)
        kind = self.objective.kind
        losses = self.objective.losses
        options = {"lm_head": lm_head, "weight": self.recipe.lm_weight} if kind == "lm" else {}
        loop = TrainingLoop(
            loss=lambda model, fed: losses.loss(model, fed, kind, **options),
            evaluator=self._evaluate,
            eval_at=self.recipe.eval_steps,
            model=network,
            args=arguments(self.recipe, index, len(examples), self.folder is not None),
            train_dataset=examples,
            eval_dataset=examples[:1],  # the Trainer needs one to evaluate at all; `_evaluate` has the real ones
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

        checkpoints = list((self.folder / CHECKPOINTS).glob("checkpoint-*"))
        whole = [path for path in checkpoints if is_whole_checkpoint(path)]
        if os.environ.get("RANK", "0") == "0":
            for torn in set(checkpoints) - set(whole):  # the Trainer would take it for one of its own
                shutil.rmtree(torn, ignore_errors=True)
        return max(whole, key=lambda path: int(path.name.removeprefix("checkpoint-")), default=None)


def _read_log(checkpoint: Path) -> tuple[list[EvalPoint], list[tuple[int, float]]]:
    """Read the evaluations and losses of a killed training from the Trainer's own log."""
    history = json.loads((checkpoint / "trainer_state.json").read_text(encoding="utf-8"))["log_history"]
    eval_points, losses = [], []
    for entry in history:
        if "loss" in entry:
            losses.append((int(entry["step"]), float(entry["loss"])))
        if "eval_accuracy" in entry:
            others = {
                name.removeprefix("eval_"): value
                for name, value in entry.items()
                if name.startswith("eval_") and name not in ("eval_accuracy", f"eval_{SELECTION}")
            }
            epoch = round(entry.get("epoch") or 0.0, 3)
            eval_points.append(EvalPoint(entry["step"], epoch, entry["eval_accuracy"], others))
    return eval_points, losses


def answers_of(
    opened: TrainableModel, network: Any, objective: Objective, items: Sequence[Item], blind: bool = False
) -> list[Answer]:
    """Return the answers of a network in its current state, in the prompt format of the objective."""
    model = as_language_model(opened, network, objective.family)
    spec = ScoringSpec(truncation="left")
    items_shown = [_blinded(item) for item in items] if blind else items
    prompt_format = get_prompt_format(objective.prompt_format)
    call = Call(model, spec, _TOKENS.get(model.device.type, DEFAULT_BUDGET), NO_PROGRESS)
    answers, _ = prompt_format.answer(prompt_format.prepare(model, items_shown, spec, ()), call)
    return [replace(answer, item=item.id) for answer, item in zip(answers, items, strict=True)]


def _blinded(item: Item) -> Item:
    """Remove the premise, and the question where options are given."""
    return replace(item, premise="", text=item.text if item.form == "pair" else "")


def credit_of(answers: Sequence[Answer], items: Sequence[Item]) -> Any:
    """Return the credit of each answer, by the normalisation of its form."""
    spec = ScoringSpec()
    scores = [normalised(answer, item, spec, BY_FORM[item.form]) for answer, item in zip(answers, items, strict=True)]
    return credits(scores, [item.answer for item in items], [item.id for item in items]).values


def accuracy_of(
    opened: TrainableModel, network: Any, objective: Objective, items: Sequence[Item], blind: bool = False
) -> float:
    """Return the accuracy of a network in its current state."""
    return float(np.nanmean(credit_of(answers_of(opened, network, objective, items, blind), items)))
