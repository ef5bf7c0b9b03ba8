"""A dose where it is given: a model trained on with k examples at all rates, the best of its weights measured.

Each function at the end is a task (`horsesense.runs.engine`), done in this process or by a worker.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from horsesense.core import Answer, Card, Dose, Item, Probe
from horsesense.core.answer_columns import table_of_answers
from horsesense.errors import UserError
from horsesense.models.hf.trainable import Opened, open_for_training
from horsesense.models.locate import identify
from horsesense.progress import Progress
from horsesense.runs.engine import Task, TaskResult, WorkerContext
from horsesense.training.objectives import objective_of
from horsesense.training.one_training import accuracy_of, answers_of, train
from horsesense.training.splits import judged
from horsesense.training.training_record import Look, Recipe

DOSES = (10, 30, 100, 300, 1000, 3000)
RATES = (1e-5, 3e-5, 1e-4)
STEPS = (10, 30, 100, 300, 600)
"""Steps at which a training is looked at: one training gives a checkpoint for each."""
SHOWN = (0, 100, 3000)
"""Doses whose answers are kept item by item (the paper's figure 3)."""
MOST_NATURAL = 3000
"""Examples of the natural set that add-some adds at most, as in the paper."""


@dataclass(frozen=True, slots=True)
class Sets:
    """What is learnt and what is measured."""

    train: Probe
    """The probe's examples that doses are drawn from."""
    dev: Probe
    """Chooses, together with ``original_dev``."""
    test: Probe
    """Read once, by the chosen weights."""
    original_dev: Probe
    original_test: Probe
    natural: Probe | None = None
    """The reserved natural set that add-some takes its examples from."""


@dataclass(frozen=True, slots=True)
class Grid:
    """What is tried."""

    doses: tuple[int, ...] = DOSES
    rates: tuple[float, ...] = RATES
    steps: tuple[int, ...] = STEPS
    adds: tuple[int, ...] = (0,)
    """Natural examples for each of the probe's: 0 is plain inoculation, 1 and 2 are add-some."""
    seeds: tuple[int, ...] = (0, 1, 2)
    batch: int = 16
    patience: int = 2
    """Looks without a gain after which a training stops: its curve is flat."""
    fill_to: int = 0
    lora: bool = False
    device: str = "auto"
    dtype: str = "float32"
    """Of weights below an adapter, which are not trained."""


@dataclass(frozen=True, slots=True)
class BestDose:
    """The best weights of one dose and seed, measured once on the tests."""

    dose: Dose
    """Accuracy on the development sets."""
    answers: Sequence[Answer]
    """To the probe's test."""
    original_answers: Sequence[Answer]
    """To the original task's test."""


def setting_of(add: int) -> str:
    return f"add-some x{add}" if add else "plain"


def mixed(items: Sequence[Item], natural: Sequence[Item], k: int, add: int, seed: int) -> list[Item]:
    """The first k of one shuffled order, so that a larger dose holds the smaller; natural examples beside them.

    >>> items = [Item(probe="demo", form="choice", text=str(n), options=("a", "b"), answer=0) for n in range(9)]
    >>> {i.id for i in mixed(items, (), 3, 0, seed=1)} <= {i.id for i in mixed(items, (), 6, 0, seed=1)}
    True
    """
    examples = judged(items, "probe's training")
    random.Random(seed).shuffle(examples)
    examples = examples[:k]
    if add:
        others = judged(natural, "natural")
        random.Random(seed).shuffle(others)
        wanted = min(add * k, MOST_NATURAL)
        # A small natural set is gone through again, rather than left behind in number.
        examples += [others[place % len(others)] for place in range(wanted)]
    return examples


@dataclass(slots=True)
class _Trial:
    """A study where its doses are given."""

    model: str
    sets: Sets
    grid: Grid
    objective: str
    progress: Progress
    before: dict[str, float]

    @classmethod
    def of(cls, context: WorkerContext, task: Task) -> _Trial:
        told = task.payload
        if identify(told["model"]).whole != told["identity"]:
            raise UserError(
                f"{told['model']} has other weights, config or tokenizer there", fix="put the same model everywhere"
            )
        probes = {name: Probe(items, Card(name=name)) for name, items in task.shared.items()}
        grid: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in told["grid"].items()
        }
        return cls(
            told["model"], Sets(**probes), Grid(**grid), told["objective"], context.progress, dict(told["before"])
        )

    def nothing(self) -> tuple[BestDose, list[Dose]]:
        opened, place = self._placed(self.model)
        aim = objective_of(self.objective)
        parts = {"new": self.sets.dev, "original": self.sets.original_dev}
        self.before = {name: accuracy_of(opened, place, aim, probe.items) for name, probe in parts.items()}
        dose = Dose(self.model, "none", 0, 0.0, 0, 0, self.before["new"], self.before["original"], 0.0)
        return self._measured(opened, place, dose), []

    def _placed(self, name: str) -> tuple[Opened, Any]:
        from horsesense.models.hf.device import choose_device, is_device_mapped

        opened = open_for_training(
            name, objective_of(self.objective).family, device=self.grid.device, dtype=self.grid.dtype
        )
        if opened.new:
            raise UserError(
                f"{name} has no trained head for the original task ({opened.new[0]} …)",
                fix="train it on that task first: horsesense train",
            )
        if is_device_mapped(self.grid.device, self.grid.dtype):
            return opened, opened.network.eval()
        return opened, opened.network.to(choose_device(self.grid.device)[0]).eval()

    def dose(self, seed: int, add: int, k: int) -> tuple[BestDose, list[Dose]]:
        setting, tried = setting_of(add), list[Dose]()
        items = mixed(self.sets.train.items, self.sets.natural.items if self.sets.natural else (), k, add, seed)
        best: tuple[float, Dose, dict[str, Any]] | None = None
        state: dict[str, Any] = {}
        for rate in self.grid.rates:
            looks: list[Look] = []

            def keep(_: Opened, network: Any, look: Look, looks: list[Look] = looks) -> None:
                nonlocal state
                if look.aim("mean") > max((earlier.aim("mean") for earlier in looks), default=-1.0):
                    learns = {name for name, value in network.named_parameters() if value.requires_grad}
                    state = {
                        name: value.detach().cpu().clone()
                        for name, value in network.state_dict().items()
                        if name in learns or not self.grid.lora  # of an adapter, not the model below it too
                    }
                looks.append(look)

            recipe = Recipe(
                objective=self.objective,
                lora=self.grid.lora,
                lr=rate,
                steps=max(self.grid.steps),
                batch=self.grid.batch,
                marks=self.grid.steps,
                patience=self.grid.patience,
                schedule="constant",
                fill_to=self.grid.fill_to,
                seed=seed,
                aim="mean",
                device=self.grid.device,
                dtype=self.grid.dtype,
            )
            others = {"original": self.sets.original_dev.items}
            train(self.model, items, self.sets.dev.items, recipe, others=others, progress=self.progress, keep=keep)
            doses = [self._record(look, setting, k, rate, seed) for look in looks]
            tried += doses
            top = max(doses, key=lambda dose: (dose.new + dose.original, -dose.steps))
            if best is None or top.new + top.original > best[0]:
                best = top.new + top.original, top, state
        assert best is not None
        dose = best[1]
        opened, network = self._placed(self.model)
        if self.grid.lora:
            from horsesense.training.transformers_trainer import with_adapter

            network = with_adapter(opened.network, seed)
        network.load_state_dict(best[2], strict=not self.grid.lora)
        return self._measured(opened, network.eval(), dose), tried

    def _record(self, look: Look, setting: str, k: int, rate: float, seed: int) -> Dose:
        original = look.others["original"]
        cost = self.before["original"] - original
        return Dose(self.model, setting, k, rate, look.step, seed, look.accuracy, original, cost)

    def _measured(self, opened: Opened, network: Any, dose: Dose) -> BestDose:
        aim = objective_of(self.objective)
        new = answers_of(opened, network, aim, self.sets.test.items)
        return BestDose(dose, new, answers_of(opened, network, aim, self.sets.original_test.items))


def as_it_is(context: WorkerContext, task: Task) -> TaskResult:
    """A task: the model before any dose, on the development sets and the tests."""
    best, _ = (trial := _Trial.of(context, task)).nothing()
    return TaskResult({"before": trial.before}, _tables(best))


def try_dose(context: WorkerContext, task: Task) -> TaskResult:
    """A task: one dose and seed at all rates, and the best weights of them on the tests."""
    trial = _Trial.of(context, task)
    best, tried = trial.dose(task.payload["seed"], task.payload["add"], task.payload["k"])
    return TaskResult({"tried": [asdict(dose) for dose in tried], "best": asdict(best.dose)}, _tables(best))


def _tables(best: BestDose) -> dict[str, Any]:
    answers = {"new": best.answers, "original": best.original_answers}
    return {name: table_of_answers("", name, given) for name, given in answers.items()}
