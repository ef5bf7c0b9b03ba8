"""Trials of an inoculation: train a model on k examples at every learning rate, and test the best weights.

The functions at the end are tasks (`horsesense.runs.engine`), carried out in this process or by a worker.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from annotated_types import Ge, Gt, Interval

from horsesense.core import Answer, Card, Item, Probe
from horsesense.errors import UserError
from horsesense.models.hf.trainable import open_for_training
from horsesense.models.locate import identify
from horsesense.progress import Progress
from horsesense.training.baselines import ARRAYS, FILE, is_stored, read_stored
from horsesense.training.controls.control import ControlTask
from horsesense.training.objectives import objective_of
from horsesense.training.settings import with_gold
from horsesense.training.trainer import answers_of, credit_of, train_model
from horsesense.training.training_record import EvalPoint, Recipe
from horsesense.training.training_results import InoculationTrial

if TYPE_CHECKING:
    from horsesense.runs.engine import WorkerContext

Answerer = Callable[[Sequence[Item]], list[Answer]]
OnEval = Callable[[EvalPoint, Callable[[], Mapping[str, Any]]], None]
CONTROL = "control"
"""Objective of fitted controls."""
SIZES = (10, 30, 100, 300, 1000, 3000)
LEARNING_RATES = {"transformer": (1e-5, 3e-5, 1e-4), CONTROL: (3e-4, 1e-3, 3e-3)}
STEPS = (10, 30, 100, 300, 600)
"""Steps at which a training is evaluated: one training gives a checkpoint for each."""
SHOWN = (0, 100, 3000)
"""Training-set sizes whose answers are saved item by item (Richardson and Sabharwal 2020, figure 3)."""
MAX_NATURAL = 3000
"""Maximum number of examples of the natural set that add-some adds, as in the paper."""


@dataclass(frozen=True, slots=True)
class InoculationSets:
    """The sets of an inoculation."""

    train: Probe
    """The probe's examples that training sets are drawn from."""
    dev: Probe
    """For model selection, together with ``original_dev``."""
    test: Probe
    """Evaluated once, with the selected weights."""
    original_dev: Probe
    original_test: Probe
    natural: Probe | None = None
    """The reserved natural set that add-some takes its examples from."""


@dataclass(frozen=True, slots=True)
class InoculationGrid:
    """Inoculation."""

    sizes: tuple[Annotated[int, Ge(1)], ...] = SIZES
    """Training-set sizes: examples of the probe."""
    learning_rates: tuple[Annotated[float, Gt(0)], ...] = ()
    """Learning rates. By default, 1e-5, 3e-5 and 1e-4; for a fitted control, 3e-4, 1e-3 and 3e-3."""
    steps: tuple[Annotated[int, Ge(1)], ...] = STEPS
    """Steps at which weights are evaluated."""
    adds: tuple[Annotated[int, Interval(ge=0, le=2)], ...] = (0,)
    """Examples of --natural added per example of the probe; 0 adds none."""
    seeds: tuple[Annotated[int, Ge(0)], ...] = (0, 1, 2)
    """Random seeds of the examples."""
    batch: Annotated[int, Ge(1)] = 16
    """Items per step."""
    patience: int = 2
    """Evaluations without improvement before a training stops."""
    objective: str = ""
    """Training objective, as in train. By default, "options" for decoders, and "multiple-choice" for others."""
    as_paper: bool = False
    """Pad to five options with empty answers (Richardson and Sabharwal 2020); with ``objective`` multiple-choice."""
    lora: bool = False
    """Train a LoRA adapter instead of all weights."""
    allow_overlap: bool = False
    """Train despite leaks from training into a test; the result records it."""
    device: str = "auto"
    """Device of the model: auto, cpu, cuda, cuda:1, mps."""
    dtype: str = "float32"
    """With an adapter: number format of the frozen weights."""


@dataclass(frozen=True, slots=True)
class BestTrial:
    """The best weights of one training-set size and seed, evaluated once on the tests."""

    trial: InoculationTrial
    """Accuracy on the development sets."""
    answers: Sequence[Answer]
    """Answers to the probe's test."""
    original_answers: Sequence[Answer]
    """Answers to the original task's test."""


def identity_of(model: str) -> str:
    """Return the hash of what the answers of a model or of a fitted control depend on."""
    folder = Path(model)
    if not is_stored(folder):
        return identify(model).whole
    return hashlib.sha256(b"".join((folder / name).read_bytes() for name in (FILE, ARRAYS))).hexdigest()


def setting_of(add: int) -> str:
    """Return the name of a setting by its natural examples per example."""
    return f"add-some x{add}" if add else "plain"


def draw_examples(items: Sequence[Item], natural: Sequence[Item], k: int, add: int, seed: int) -> list[Item]:
    """Return the first k of one shuffled order, so that a larger set contains the smaller, and natural examples.

    >>> items = [Item(probe="demo", form="choice", text=str(n), options=("a", "b"), answer=0) for n in range(9)]
    >>> {i.id for i in draw_examples(items, (), 3, 0, seed=1)} <= {i.id for i in draw_examples(items, (), 6, 0, seed=1)}
    True
    """
    examples = with_gold(items, "probe's training")
    random.Random(seed).shuffle(examples)
    examples = examples[:k]
    if add:
        others = with_gold(natural, "natural")
        random.Random(seed).shuffle(others)
        count = min(add * k, MAX_NATURAL)
        # A small natural set is repeated, so that the proportion stays.
        examples += [others[i % len(others)] for i in range(count)]
    return examples


class _Transformer:
    """A transformer with a head for the original task."""

    def __init__(self, model: str, grid: InoculationGrid) -> None:
        self.model, self.grid, self.objective = model, grid, objective_of(grid.objective)

    def answerer(self, state: Mapping[str, Any] | None = None, seed: int = 0) -> Answerer:
        """Return the function that answers items with these weights, or with those of the model."""
        from horsesense.models.hf.device import choose_device, is_device_mapped

        opened = open_for_training(self.model, self.objective.family, device=self.grid.device, dtype=self.grid.dtype)
        if opened.new:
            raise UserError(
                f"{self.model} has no trained head for the original task ({opened.new[0]} …)",
                fix="train it on that task first: horsesense train",
            )
        network = opened.network
        if state is None:
            if not is_device_mapped(self.grid.device, self.grid.dtype):
                network = network.to(choose_device(self.grid.device)[0])
        else:
            if self.grid.lora:
                from horsesense.training.transformers_trainer import with_adapter

                network = with_adapter(network, seed)
            network.load_state_dict(state, strict=not self.grid.lora)
        network.eval()
        return lambda items: answers_of(opened, network, self.objective, items)

    def train(
        self, items: Sequence[Item], sets: InoculationSets, lr: float, seed: int, progress: Progress, on_eval: OnEval
    ) -> None:
        """Train on examples; ``on_eval`` gets every evaluation and a function that copies the weights."""

        def copied(network: Any) -> dict[str, Any]:
            learns = {name for name, value in network.named_parameters() if value.requires_grad}
            return {
                name: value.detach().cpu().clone()
                for name, value in network.state_dict().items()
                if name in learns or not self.grid.lora  # of an adapter, not the model below it too
            }

        recipe = Recipe(
            objective=self.objective.name,
            lora=self.grid.lora,
            lr=lr,
            steps=max(self.grid.steps),
            batch=self.grid.batch,
            eval_steps=self.grid.steps,
            patience=self.grid.patience,
            schedule="constant",
            fill_to=5 if self.grid.as_paper else 0,
            seed=seed,
            selection_metric="mean",
            device=self.grid.device,
            dtype=self.grid.dtype,
        )
        train_model(
            self.model,
            items,
            sets.dev.items,
            recipe,
            others={"original": sets.original_dev.items},
            progress=progress,
            on_eval=lambda _, network, point: on_eval(point, lambda: copied(network)),
        )


class _Control:
    """A fitted control with a network: ESIM and the other partial-input controls."""

    def __init__(self, model: str, grid: InoculationGrid, sets: InoculationSets) -> None:
        from horsesense.training.controls.partial_input import PartialInputModel, network_of

        stored, weights = read_stored(Path(model))
        probes = [probe for each in fields(sets) if (probe := getattr(sets, each.name)) is not None]
        everything = [item for probe in probes for item in probe.items]
        network, task = network_of(stored.name), ControlTask((), (), everything, stored.seed, vectors=stored.vectors)
        self.grid = grid
        self.open: Callable[[], PartialInputModel] = lambda: PartialInputModel(network, task, weights)

    def answerer(self, state: Mapping[str, Any] | None = None, seed: int = 0) -> Answerer:
        model = self.open()
        if state is not None:
            model.network.load_state_dict(state)
        return model.answers

    def train(
        self, items: Sequence[Item], sets: InoculationSets, lr: float, seed: int, progress: Progress, on_eval: OnEval
    ) -> None:
        model, best, waited = self.open(), -1.0, 0
        for step in model.steps(items, self.grid.batch, lr, seed):
            if step not in self.grid.steps:
                continue
            new, original = (mean_credit(model.answers, probe) for probe in (sets.dev, sets.original_dev))
            point = EvalPoint(step, step * self.grid.batch / len(items), new, {"original": original})
            on_eval(point, lambda: {name: value.clone() for name, value in model.network.state_dict().items()})
            progress.update("training", step, max(self.grid.steps), "steps")
            best, waited = max(best, point.metric("mean")), 0 if point.metric("mean") > best else waited + 1
            if step == max(self.grid.steps) or 0 < self.grid.patience <= waited:
                return


def mean_credit(answer: Answerer, probe: Probe) -> float:
    """Return the accuracy on a probe."""
    return float(np.nanmean(credit_of(answer(probe.items), probe.items)))


@dataclass(frozen=True, slots=True)
class StudyRequest:
    """What all tasks of a study have in common."""

    model: str
    identity: str
    """Hash of the model's files, which must be the same everywhere."""
    grid: InoculationGrid
    before: dict[str, float]
    """Accuracy of the base model on the development sets, once it is known."""


def _opened(
    study: StudyRequest, items: Mapping[str, Sequence[Item]]
) -> tuple[InoculationSets, _Transformer | _Control]:
    """Return the sets of a study and its model, in this process."""
    if identity_of(study.model) != study.identity:
        problem = f"{study.model} has other weights, config or tokenizer there"
        raise UserError(problem, fix="put the same model everywhere")
    sets = InoculationSets(**{name: Probe(own, Card(name=name)) for name, own in items.items()})
    if study.grid.objective == CONTROL:
        return sets, _Control(study.model, study.grid, sets)
    return sets, _Transformer(study.model, study.grid)


def _tested(answer: Answerer, trial: InoculationTrial, sets: InoculationSets) -> BestTrial:
    return BestTrial(trial, answer(sets.test.items), answer(sets.original_test.items))


def evaluate_base_model(
    context: WorkerContext, study: StudyRequest, **items: Sequence[Item]
) -> tuple[dict[str, float], BestTrial]:
    """Evaluate the base model on the development sets and the tests, before any training."""
    sets, learner = _opened(study, items)
    answer = learner.answerer()
    parts = {"new": sets.dev, "original": sets.original_dev}
    before = {name: mean_credit(answer, probe) for name, probe in parts.items()}
    trial = InoculationTrial(study.model, "none", 0, 0.0, 0, 0, before["new"], before["original"], 0.0)
    return before, _tested(answer, trial, sets)


def run_trials(
    context: WorkerContext, study: StudyRequest, seed: int, add: int, k: int, **items: Sequence[Item]
) -> tuple[BestTrial, list[InoculationTrial]]:
    """Train with one training-set size and seed at every learning rate; return the best weights, tested, and all
    trials."""
    sets, learner = _opened(study, items)
    natural = sets.natural.items if sets.natural else ()
    examples = draw_examples(sets.train.items, natural, k, add, seed)
    trials: list[InoculationTrial] = []
    best: tuple[InoculationTrial, Mapping[str, Any]] | None = None
    for lr in study.grid.learning_rates:

        def take(point: EvalPoint, weights: Callable[[], Mapping[str, Any]], lr: float = lr) -> None:
            nonlocal best
            original = point.others["original"]
            cost = study.before["original"] - original
            trial = InoculationTrial(study.model, setting_of(add), k, lr, point.step, seed, point.dev, original, cost)
            trials.append(trial)
            if best is None or trial.new + trial.original > best[0].new + best[0].original:
                best = trial, weights()

        learner.train(examples, sets, lr, seed, context.progress, take)
    assert best is not None
    return _tested(learner.answerer(best[1], seed), best[0], sets), trials
