"""How a model is trained, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

RATES = {"full": 2e-5, "lora": 3e-4}
"""Learning rates where none is given: small steps for all weights, larger ones for an adapter."""


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

    @property
    def rate(self) -> float:
        return self.lr if self.lr is not None else RATES["lora" if self.lora else "full"]


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
