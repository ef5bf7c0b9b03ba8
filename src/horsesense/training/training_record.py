"""Training settings, the outcome of a training, and the record of both beside the weights (training.json)."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from annotated_types import Ge, Gt

from horsesense.core import Item
from horsesense.data import read_text, write_file
from horsesense.data.store import Store, bind_folder, check_binding, check_same, occupied, read_record
from horsesense.models.folders import check_trained

if TYPE_CHECKING:
    from horsesense.models.hf.trainable import TrainableModel
    from horsesense.training.objectives import Objective

CHECKPOINTS = "checkpoints"
LEARNING_RATES = {"full": 2e-5, "lora": 3e-4}
"""Default learning rates for all weights and for an adapter."""
RECORD = "training.json"
_BEGUN = "begun.json"
_MAY_DIFFER = ("batch", "accumulate", "device", "eval_tests", "allow_overlap")
"""Settings that may change when a training is resumed."""
_OTHERS = {"model": "another model", "train": "other training items", "dev": "other development items"}
"""What a training of another origin is said to have."""


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """Training."""

    objective: str = ""
    """Training objective: masked-word, random-mask or causal (language modelling); options, letters or multiple-choice
    (softmax over the log-likelihoods of the options, their letters, or the scores of a multiple-choice head);
    classification or classification-lm (label of a pair of texts, without or with the language-model loss).
    By default, chosen by model and probe."""
    lora: bool = False
    """Train a LoRA adapter (rank 16, all linear layers) instead of all weights."""
    lr: Annotated[float, Gt(0)] | None = None
    """Learning rate. By default, 2e-5, and 3e-4 for an adapter."""
    epochs: Annotated[float, Gt(0)] = 3.0
    """Maximum number of epochs."""
    batch: Annotated[int, Ge(1)] = 16
    """Items per step; halved if memory runs out."""
    eval_every: Annotated[int, Ge(0)] = 0
    """Steps between evaluations on the development set; 0 evaluates once per epoch."""
    patience: Annotated[int, Ge(0)] = 3
    """Evaluations without improvement before training stops; 0 never stops early."""
    eval_tests: bool = False
    """Evaluate the tests during training too; they do not affect model selection."""
    allow_overlap: bool = False
    """Train despite leaks from training into a test; the result records it."""
    device: str = "auto"
    """Device of the model: auto, cpu, cuda, cuda:1, mps."""
    dtype: str = "float32"
    """With an adapter: number format of the frozen weights (float32, bfloat16, float16, int8, int4)."""


@dataclass(frozen=True, slots=True)
class Recipe(TrainingSettings):
    """All settings of one training."""

    steps: int = 0
    """Maximum number of steps; 0: by epochs."""
    accumulate: int = 1
    """Gradient accumulation steps."""
    warmup: float = 0.06
    """Share of the steps in which the learning rate rises."""
    decay: float = 0.01
    """Weight decay."""
    schedule: str = "linear"
    """Learning-rate schedule: linear, cosine, constant."""
    seed: int = 0
    eval_steps: tuple[int, ...] = ()
    """Evaluate at these steps instead of every so many."""
    fill_to: int = 0
    """Multiple choice: pad to this number of options with empty answers, as Richardson and Sabharwal (2020) do."""
    blind: bool = False
    """Leave the question (or the premise) out: a partial-input control."""
    lm_weight: float = 0.5
    """Weight of the auxiliary language-model loss."""
    selection_metric: Literal["dev", "mean"] = "dev"
    """What the selected weights are best at: the development set, or its mean with the other sets evaluated."""

    @property
    def learning_rate(self) -> float:
        """The learning rate, or the default for what is trained."""
        return self.lr if self.lr is not None else LEARNING_RATES["lora" if self.lora else "full"]


@dataclass(frozen=True, slots=True)
class TrainingOrigin:
    """Identity of a training: the model and the items; a folder holds one training."""

    model: str
    """Identity of the base model: weights, config, tokenizer."""
    train: str
    """SHA-256 over the ids of the training items, in order."""
    dev: str
    """SHA-256 over the ids of the development items, in order."""


def origin_of(model: str, items: Sequence[Item], dev: Sequence[Item]) -> TrainingOrigin:
    """Return the identity of a training of a model on items."""
    from horsesense.models.locate import identify

    identity = identify(model)
    return TrainingOrigin(identity.whole, ordered_content(items), ordered_content(dev))


def ordered_content(items: Sequence[Item]) -> str:
    """Return the SHA-256 over the ids of items in their order, on which a training depends."""
    return hashlib.sha256("\n".join(item.id for item in items).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class EvalPoint:
    """An evaluation during training."""

    step: int
    """Steps done."""
    epoch: float
    """Epochs done."""
    dev: float
    """Accuracy on the development set."""
    others: Mapping[str, float] = field(default_factory=dict)
    """Accuracy on the other sets that were evaluated."""

    def metric(self, name: str) -> float:
        """Return the selection metric: accuracy on the development set, or its mean with the other sets.

        >>> EvalPoint(1, 0.5, 0.6, {"original": 0.8}).metric("mean")
        0.7
        """
        values = [self.dev, *self.others.values()] if name == "mean" else [self.dev]
        return sum(values) / len(values)


@dataclass(frozen=True, slots=True)
class TrainedModel:
    """The outcome of one training."""

    recipe: Recipe
    items: int
    """Number of training items."""
    eval_points: tuple[EvalPoint, ...]
    best: EvalPoint
    """The evaluation whose weights were selected."""
    losses: tuple[tuple[int, float], ...]
    """Step and training loss."""
    stopped: str
    """Why training ended: all steps done, no improvement, or a diverging loss."""
    remarks: tuple[str, ...] = ()
    """Events during training: a new head, memory that ran out, a training that was resumed."""
    seconds: float = 0.0
    """Wall time."""
    folder: Path | None = None
    """Folder of the selected weights; None if they were not saved."""


@dataclass(frozen=True, slots=True)
class StoredTraining(TrainedModel):
    """The record of a training beside its weights."""

    base: str = ""
    """Name of the base model."""
    new: tuple[str, ...] = ()
    """Weights that the base model did not have."""
    origin: TrainingOrigin | None = None


def save_trained(
    folder: Path,
    network: Any,
    opened: TrainableModel,
    trained: TrainedModel,
    objective: Objective,
    origin: TrainingOrigin | None = None,
) -> None:
    """Save the weights as safetensors, the tokenizer, a model card and, last, the record."""
    from horsesense.models.hf.load import quiet_transformers, saving

    with saving(folder), quiet_transformers():
        if hasattr(network, "peft_config"):
            for settings in network.peft_config.values():
                there = Path(opened.name).expanduser()
                settings.base_model_name_or_path = str(there.resolve()) if there.exists() else opened.name
            if opened.new:
                # An adapter on a head that is in no file could not be loaded again, so it is merged into the weights.
                network = network.merge_and_unload()
        network.save_pretrained(folder)
        opened.tokenizer.save_pretrained(folder)
    write_file(folder / "README.md", _readme(opened, trained, objective))
    Store(folder).record_all()
    # Written last: a folder that has it holds a complete training.
    with Store(folder).writing(folder / RECORD) as temporary:
        values = asdict(trained) | {"base": opened.name, "new": opened.new, "origin": origin and asdict(origin)}
        values["recipe"]["lr"] = trained.recipe.learning_rate
        temporary.write_text(json.dumps(values, indent=2, default=str) + "\n", encoding="utf-8")
    shutil.rmtree(folder / CHECKPOINTS, ignore_errors=True)


def bind(folder: Path, recipe: Recipe, origin: TrainingOrigin) -> None:
    """Record which training a folder holds, at its first step."""
    bind_folder(folder / _BEGUN, "a training", _identity(recipe, origin), _OTHERS)


def check_bound(folder: Path, recipe: Recipe, origin: TrainingOrigin) -> None:
    """Raise an error if another training was started in the folder."""
    check_binding(folder / _BEGUN, "a training", _identity(recipe, origin), _OTHERS)


def _identity(recipe: Recipe, origin: TrainingOrigin | None) -> dict[str, Any]:
    """Return what distinguishes one training from another."""
    settings = asdict(replace(recipe, lr=recipe.learning_rate))
    return asdict(origin or TrainingOrigin("", "", "")) | {n: v for n, v in settings.items() if n not in _MAY_DIFFER}


def _readme(opened: TrainableModel, trained: TrainedModel, objective: Objective) -> str:
    recipe = trained.recipe
    how = "an adapter (LoRA)" if recipe.lora else "all weights"
    lines = [
        "---",
        f"base_model: {opened.name}",
        "tags: [horsesense]",
        "---",
        "",
        f"# {opened.name}, trained by {objective.name}",
        "",
        f"Trained by horsesense to {objective.about}: {how}, {trained.items:,} items, at most {recipe.epochs:g} "
        f"epochs, learning rate {recipe.learning_rate:g}, {recipe.batch * recipe.accumulate} items per step, "
        f"seed {recipe.seed}.",
        "",
        f"Selected: step {trained.best.step}, accuracy {trained.best.dev:.3f} on the development set;"
        f" {trained.stopped}.",
        "",
        *(f"- {remark}" for remark in trained.remarks),
        "",
        "All settings, evaluations and losses are in training.json.",
    ]
    return "\n".join(lines) + "\n"


def read_training(
    folder: Path, recipe: Recipe, items: int, origin: TrainingOrigin | None = None
) -> TrainedModel | None:
    """Return the training that a folder holds; None if it holds none, an error if it is another one, or damaged."""
    path = folder / RECORD
    if not path.is_file():
        return None
    trained = replace(read_record(path, read_text(path), StoredTraining, "remove the folder"), folder=folder)
    known = trained.origin if origin else None
    check_same(folder, "a training", _identity(trained.recipe, known), _identity(recipe, origin), _OTHERS)
    if trained.items != items:
        raise occupied(folder, f"a training with {trained.items:,} items")
    check_trained(folder)
    shutil.rmtree(folder / CHECKPOINTS, ignore_errors=True)
    return trained
