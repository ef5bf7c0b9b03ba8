"""The training loop: a subclass of transformers' Trainer with our losses, evaluation, early stopping and adapters."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from transformers import Trainer, TrainerCallback, TrainingArguments
from transformers.trainer_utils import rotate_checkpoints

from horsesense.data.store import Store
from horsesense.errors import UserError, argument
from horsesense.models.hf.families import family_named
from horsesense.models.hf.load import architecture_of, quiet_transformers
from horsesense.models.hf.trainable import TrainableModel, open_for_training
from horsesense.progress import Progress
from horsesense.training.trainer import SELECTION
from horsesense.training.training_record import Recipe

Evaluator = Callable[[Any, int, float], dict[str, float]]
"""Called with the network, the step and the epoch; returns accuracies by name."""

_RANK = 16
_CHECKPOINTS = 2
"""Checkpoints to keep: the last one and the best one."""
DIVERGED = 3.0
"""A smoothed loss has diverged if it is this many times the lowest so far, and above the first one."""


class TrainingLoop(Trainer):  # type: ignore[misc]  # transformers has no types
    """Trains on examples that are already tokenised."""

    control: Any
    """Flags that callbacks set."""

    def __init__(
        self,
        *,
        loss: Callable[..., torch.Tensor],
        evaluator: Evaluator,
        eval_at: tuple[int, ...],
        curve: LossCurve,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self._loss, self._evaluator, self._curve = loss, evaluator, curve
        # Our losses are means over the batch, so accumulated steps have to be divided by their number.
        self.model_accepts_loss_kwargs = False
        self.add_callback(_EvalAt(eval_at))
        self.add_callback(curve)

    def compute_loss(self, model: Any, inputs: dict[str, Any], return_outputs: bool = False, **_: Any) -> Any:
        loss = self._loss(model, dict(inputs))
        return (loss, {}) if return_outputs else loss

    def evaluate(self, *_: Any, **__: Any) -> dict[str, float]:
        """Evaluate the network in the same way as ``horsesense run`` does, outside of mixed precision."""
        network = self.accelerator.unwrap_model(self.model)
        if not all(bool(parameter.isfinite().all()) for parameter in network.parameters()):
            self._curve.diverged, self.control.should_training_stop = True, True
            self.control.should_save = False
            return {f"eval_{SELECTION}": -1.0}
        network.eval()
        accuracies = self._evaluator(network, self.state.global_step, float(self.state.epoch or 0.0))
        metrics = {f"eval_{name}": value for name, value in accuracies.items()}
        self.log(dict(metrics))
        self.control = self.callback_handler.on_evaluate(self.args, self.state, self.control, metrics)
        network.train()
        return metrics

    def _save_checkpoint(self, model: Any, trial: Any) -> None:
        """Save with checksums, and remove older ones only when it is complete: a kill must leave one to resume from."""
        super()._save_checkpoint(model, trial)
        if not self.is_world_process_zero():
            return
        index = Path(self.args.output_dir)
        Store(index / f"checkpoint-{self.state.global_step}").record_all()
        best = self.state.best_model_checkpoint
        rotate_checkpoints(output_dir=str(index), save_total_limit=_CHECKPOINTS, best_model_checkpoint=best)


def is_whole_checkpoint(folder: Path) -> bool:
    """Whether a checkpoint is complete and undamaged."""
    return folder.is_dir() and Store(folder).is_whole()


class _EvalAt(TrainerCallback):  # type: ignore[misc]  # transformers has no types
    """Evaluates at given steps."""

    def __init__(self, steps: tuple[int, ...]) -> None:
        self._steps = set(steps)

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> Any:
        if state.global_step in self._steps:
            control.should_evaluate = True
        return control


class LossCurve(TrainerCallback):  # type: ignore[misc]  # transformers has no types
    """Reports the loss, and stops training where it diverges."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self.losses: list[tuple[int, float]] = []
        self.diverged = False
        self._smooth = self._first = self._lowest = math.nan

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, float] | None = None, **_: Any) -> Any:
        if not logs or "loss" not in logs:
            return control
        loss = float(logs["loss"])
        self.losses.append((state.global_step, loss))
        if math.isfinite(loss):
            self._smooth = loss if math.isnan(self._smooth) else 0.7 * self._smooth + 0.3 * loss
            self._first = self._smooth if math.isnan(self._first) else self._first
            self._lowest = self._smooth if math.isnan(self._lowest) else min(self._lowest, self._smooth)
        above = self._smooth > DIVERGED * max(self._lowest, 0.1) and self._smooth > 1.5 * self._first
        if not math.isfinite(loss) or above:
            self.diverged = control.should_training_stop = True
        self._progress.update("training", state.global_step, state.max_steps, "steps", f"loss {loss:.3f}")
        return control

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> Any:
        return self.on_epoch_end(args, state, control)

    def on_epoch_end(self, args: Any, state: Any, control: Any, **_: Any) -> Any:
        """Neither evaluate nor save weights that have diverged."""
        if self.diverged:
            control.should_evaluate = control.should_save = False
        return control


class Patience(TrainerCallback):  # type: ignore[misc]  # transformers has no types
    """Stops after a number of evaluations without improvement."""

    def __init__(self, evaluations: int) -> None:
        self._evaluations = evaluations
        self._best, self._waited = -1.0, 0
        self.stopped = False

    def on_evaluate(self, args: Any, state: Any, control: Any, metrics: dict[str, float], **_: Any) -> Any:
        score = metrics[f"eval_{SELECTION}"]
        if score > self._best:
            self._best, self._waited = score, 0
        else:
            self._waited += 1
        if self._evaluations and self._waited >= self._evaluations and state.global_step > 0:
            self.stopped = control.should_training_stop = True
        return control


def with_adapter(network: Any, seed: int) -> Any:
    """Add LoRA to all linear layers; a new head is trained in full."""
    from peft import LoraConfig, get_peft_model

    if getattr(network, "is_quantized", False):
        from peft import prepare_model_for_kbit_training

        network = prepare_model_for_kbit_training(network, use_gradient_checkpointing=False)
    torch.manual_seed(seed)
    heads = [name for name, _ in network.named_children() if name in ("classifier", "score")]
    settings = LoraConfig(
        r=_RANK, lora_alpha=2 * _RANK, lora_dropout=0.05, target_modules="all-linear", modules_to_save=heads or None
    )
    return get_peft_model(network, settings)


def language_head(opened: TrainableModel) -> Any:
    """Return the output layer of the causal model below a classifier; it is not trained.

    An encoder sees the word that it would have to predict, so such a loss would teach it nothing.
    """
    if not architecture_of(opened.name).endswith(family_named("causal").architectures):
        raise UserError(
            f"{opened.name} has no causal head, so there is no auxiliary language-model loss",
            fix=f"use {argument('objective', 'classification')}",
        )
    causal = open_for_training(opened.name, "causal").network
    return copy.deepcopy(causal.get_output_embeddings()).requires_grad_(False)


def arguments(recipe: Recipe, place: Path, examples: int, saves: bool) -> Any:
    """Return the arguments of the Trainer."""
    from horsesense.models.hf.device import choose_device, has_bfloat16

    gpu = choose_device(recipe.device)[0].type == "cuda"
    steps_per_epoch = max(1, examples // (recipe.batch * recipe.accumulate))
    total = recipe.steps or round(steps_per_epoch * recipe.epochs)
    every = "no" if recipe.eval_steps else "steps" if recipe.eval_every else "epoch"
    options: dict[str, Any] = {}
    if saves and every != "no":
        options = {"load_best_model_at_end": True, "metric_for_best_model": SELECTION, "greater_is_better": True}
    with quiet_transformers():
        return TrainingArguments(
            output_dir=str(place),
            per_device_train_batch_size=recipe.batch,
            gradient_accumulation_steps=recipe.accumulate,
            num_train_epochs=recipe.epochs,
            max_steps=recipe.steps or -1,
            learning_rate=recipe.learning_rate,
            lr_scheduler_type=recipe.schedule if recipe.schedule != "constant" else "constant_with_warmup",
            warmup_steps=round(recipe.warmup * total),
            weight_decay=recipe.decay,
            seed=recipe.seed,
            # On a CPU it is faster too, but small trainings are then not reproducible.
            bf16=gpu and has_bfloat16(torch.device("cuda")),
            use_cpu=not gpu,
            eval_strategy=every,
            eval_steps=recipe.eval_every or None,
            save_strategy=every if saves else "no",
            save_steps=recipe.eval_every or 500,
            logging_steps=max(1, min(10, total // 20)),
            logging_nan_inf_filter=False,
            disable_tqdm=True,
            report_to=[],
            remove_unused_columns=False,
            log_level="error",
            dataloader_pin_memory=gpu,
            **options,
        )
