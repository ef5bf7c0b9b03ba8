"""How a model is trained, what came of it, and the record of both that lies beside the weights (training.json)."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from horsesense.core import Item
from horsesense.data import read_text, writing
from horsesense.data.checksums import SUMS, check_folder, sum_folder, summed
from horsesense.errors import UserError, argument

if TYPE_CHECKING:
    from horsesense.models.hf.trainable import Opened
    from horsesense.training.objectives import Objective

CHECKPOINTS = "checkpoints"
_ANOTHER = f"choose another {argument('out')}"
RATES = {"full": 2e-5, "lora": 3e-4}
"""Learning rates where none is given: small steps for all weights, larger ones for an adapter."""
RECORD = "training.json"
_BEGUN = "begun.json"
_MAY_DIFFER = ("batch", "gather", "device")
"""What memory may have changed, or what says only where."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """The settings of one training."""

    objective: str
    lora: bool = False
    """Whether an adapter is trained (peft, rank 16, all linear layers) and not the weights themselves."""
    lr: float | None = None
    """Learning rate; None: by what is trained."""
    epochs: float = 3.0
    steps: int = 0
    """At most so many steps; 0: by epochs."""
    batch: int = 16
    """Items a step; halved where memory runs out, with as many more steps gathered."""
    gather: int = 1
    """Steps whose gradients are gathered into one."""
    warmup: float = 0.06
    """Share of the steps in which the rate rises."""
    decay: float = 0.01
    schedule: str = "linear"
    """How the rate goes down: linear, cosine, constant."""
    seed: int = 0
    every: int = 0
    """Steps between looks at the development set; 0: once an epoch."""
    marks: tuple[int, ...] = ()
    """Look at these steps instead."""
    patience: int = 3
    """Looks without a gain after which training stops; 0: never."""
    fill_to: int = 0
    """Multiple choice: empty answers are added up to this number, as WordNetQA's paper does."""
    blind: bool = False
    """Whether the question (or the premise) is left out: a partial-input control."""
    lm_weight: float = 0.5
    """Weight of the language-model loss beside the label's."""
    aim: Literal["dev", "mean"] = "dev"
    """What the kept weights are best at: the development set, or its mean with the other sets looked at."""
    device: str = "auto"
    dtype: str = "float32"
    """What the weights below an adapter are in, since they are not trained; without an adapter always float32."""

    @property
    def rate(self) -> float:
        return self.lr if self.lr is not None else RATES["lora" if self.lora else "full"]


@dataclass(frozen=True, slots=True)
class Origin:
    """What a training is made from; a folder holds one of them."""

    model: str
    """Identity of the model before: weights, config, tokenizer."""
    weights: str
    """Its weights alone, which is all that records of earlier versions know."""
    train: str
    """SHA-256 over the ids of the items trained on, in order."""
    dev: str
    """The same of those that choose."""


def origin_of(model: str, items: Sequence[Item], dev: Sequence[Item], *, allow_pickle: bool = False) -> Origin:
    """What a training of a model on items is made from."""
    from horsesense.models.locate import identify

    identity = identify(model, allow_pickle=allow_pickle)
    return Origin(identity.whole, identity.weights, ordered_content(items), ordered_content(dev))


def ordered_content(items: Sequence[Item]) -> str:
    """SHA-256 over the ids of items in their order, on which a training depends."""
    return hashlib.sha256("\n".join(item.id for item in items).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Look:
    """What the model could do at one moment of its training."""

    step: int
    epoch: float
    accuracy: float
    """On the development set."""
    others: Mapping[str, float] = field(default_factory=dict)
    """On further sets."""

    def aim(self, what: str) -> float:
        """The number that is to be high: the accuracy, or its mean with that on the other sets.

        >>> Look(1, 0.5, 0.6, {"original": 0.8}).aim("mean")
        0.7
        """
        every = [self.accuracy, *self.others.values()] if what == "mean" else [self.accuracy]
        return sum(every) / len(every)


@dataclass(frozen=True, slots=True)
class Trained:
    """What a training ended with."""

    recipe: Recipe
    items: int
    """Items trained on."""
    looks: tuple[Look, ...]
    best: Look
    """The one whose weights are kept."""
    losses: tuple[tuple[int, float], ...]
    """Step and training loss."""
    stopped: str
    """Why it ended: all steps done, no gain, or a diverging loss."""
    remarks: tuple[str, ...] = ()
    """What happened on the way: a new head, memory that ran out, a training that was taken up again."""
    seconds: float = 0.0
    folder: Path | None = None
    """Where the kept weights lie; None where they were not saved."""


def save_trained(
    folder: Path, network: Any, opened: Opened, trained: Trained, objective: Objective, origin: Origin | None = None
) -> None:
    """The kept weights as safetensors, the tokenizer, a card, and last the record; an adapter is saved as one."""
    from horsesense.models.hf.components import quiet_transformers, saving

    with saving(folder), quiet_transformers():
        if hasattr(network, "peft_config"):
            for settings in network.peft_config.values():
                there = Path(opened.name).expanduser()
                settings.base_model_name_or_path = str(there.resolve()) if there.exists() else opened.name
            if opened.new:
                # An adapter on a head that is in no file could not be loaded again; it is put into the weights.
                network = network.merge_and_unload()
        network.save_pretrained(folder)
        opened.tokenizer.save_pretrained(folder)
    with writing(folder / "README.md") as temporary:
        temporary.write_text(_readme(opened, trained, objective), encoding="utf-8")
    sum_folder(folder)
    # The last one: where it is, the training is whole.
    with summed(folder, folder / RECORD) as temporary:
        values = _record(opened, trained, origin)
        temporary.write_text(json.dumps(values, indent=2, default=str) + "\n", encoding="utf-8")
    shutil.rmtree(folder / CHECKPOINTS, ignore_errors=True)


def _record(opened: Opened, trained: Trained, origin: Origin | None) -> dict[str, Any]:
    values = asdict(trained) | {"base": opened.name, "base_weights": opened.weights, "new": list(opened.new)}
    values["recipe"]["lr"] = trained.recipe.rate
    return values | ({"origin": asdict(origin)} if origin else {})


def bind(folder: Path, recipe: Recipe, origin: Origin) -> None:
    """A folder holds one training from its first step on."""
    if not (folder / _BEGUN).is_file():
        values = {"recipe": asdict(recipe) | {"lr": recipe.rate}, "origin": asdict(origin)}
        with writing(folder / _BEGUN) as temporary:
            temporary.write_text(json.dumps(values, indent=2) + "\n", encoding="utf-8")


def check_bound(folder: Path, recipe: Recipe, origin: Origin) -> None:
    """Refuse another training than the one that was begun in a folder, before anything is done."""
    path = folder / _BEGUN
    if not path.is_file():
        return
    try:
        kept = json.loads(read_text(path))
        _check_origin(folder, kept["origin"], origin)
        _check_recipe(folder, kept["recipe"], recipe)
    except (json.JSONDecodeError, KeyError, TypeError, AttributeError) as error:
        raise UserError("the record of the training is damaged", file=path, fix="remove the folder") from error


def _check_origin(folder: Path, kept: Mapping[str, Any], origin: Origin) -> None:
    told = {
        "model": "another model",
        "weights": "another model",
        "train": "other training items",
        "dev": "other development items",
    }
    for name, what in told.items():
        if kept.get(name, getattr(origin, name)) != getattr(origin, name):
            raise UserError(f"the folder holds a training with {what}", file=folder, fix=_ANOTHER)


def _check_recipe(folder: Path, kept: Mapping[str, Any], recipe: Recipe) -> None:
    wanted = asdict(recipe) | {"lr": recipe.rate}
    kept = {"dtype": "float32"} | dict(kept)  # earlier records know no other
    for name, value in wanted.items():
        if name not in _MAY_DIFFER and _plain(value) != _plain(kept[name]):
            raise UserError(f"the folder holds a training with {name} {kept[name]!r}", file=folder, fix=_ANOTHER)


def _readme(opened: Opened, trained: Trained, objective: Objective) -> str:
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
        f"epochs, learning rate {recipe.rate:g}, {recipe.batch * recipe.gather} items a step, seed {recipe.seed}.",
        "",
        f"Kept: step {trained.best.step}, {trained.best.accuracy:.3f} right on the development set; {trained.stopped}.",
        "",
        *(f"- {remark}" for remark in trained.remarks),
        "",
        "All settings, looks and losses are in training.json.",
    ]
    return "\n".join(lines) + "\n"


def kept_training(folder: Path, recipe: Recipe, items: int, origin: Origin | None = None) -> Trained | None:
    """The training that a folder holds; None where it holds none, an error where it is another one, or damaged."""
    path = folder / RECORD
    if not path.is_file():
        return None
    try:
        values: dict[str, Any] = json.loads(read_text(path))
        names = {field.name for field in fields(Trained)}
        kept = values["recipe"]
        trained = Trained(
            **{name: value for name, value in values.items() if name in names}
            | {
                "recipe": Recipe(**kept | {"marks": tuple(kept["marks"])}),
                "looks": tuple(Look(**look) for look in values["looks"]),
                "best": Look(**values["best"]),
                "losses": tuple((step, loss) for step, loss in values["losses"]),
                "remarks": tuple(values["remarks"]),
                "folder": folder,
            }
        )
    except (json.JSONDecodeError, KeyError, TypeError, ValueError) as error:
        raise UserError("the record of the training is damaged", file=path, fix="remove the folder") from error
    _check_recipe(folder, kept, recipe)
    if origin is not None:
        _check_origin(
            folder, {"weights": values.get("base_weights", origin.weights)} | values.get("origin", {}), origin
        )
    if trained.items != items:
        raise UserError(f"the folder holds a training with {trained.items:,} items", file=folder, fix=_ANOTHER)
    found = check_folder(folder)
    if (folder / SUMS).is_file() and (found.damaged or found.missing):
        broken = (*found.damaged, *found.missing)[0]
        raise UserError("the trained model is damaged", file=folder / broken, fix="remove the folder and train again")
    shutil.rmtree(folder / CHECKPOINTS, ignore_errors=True)
    return trained


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
