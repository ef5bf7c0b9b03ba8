"""Trials of an inoculation: train a model on k examples at every learning rate, and test the best weights.

The functions at the end are tasks (`horsesense.runs.engine`), carried out in this process or by a worker.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any

from annotated_types import Ge, Gt, Interval

from horsesense.core import Answer, Card, Item, Probe
from horsesense.core.answer_columns import table_of_answers
from horsesense.errors import UserError
from horsesense.models.hf.trainable import Opened, open_for_training
from horsesense.models.locate import identify
from horsesense.progress import Progress
from horsesense.runs.engine import EngineTask, TaskResult
from horsesense.training.objectives import objective_of
from horsesense.training.splits import with_gold
from horsesense.training.trainer import accuracy_of, answers_of, train_model
from horsesense.training.training_record import EvalPoint, Recipe

if TYPE_CHECKING:
    from horsesense.runs.engine import WorkerContext

SIZES = (10, 30, 100, 300, 1000, 3000)
LEARNING_RATES = (1e-5, 3e-5, 1e-4)
STEPS = (10, 30, 100, 300, 600)
"""Steps at which a training is evaluated: one training gives a checkpoint for each."""
SHOWN = (0, 100, 3000)
"""Training-set sizes whose answers are saved item by item (wordnetqa.txt, figure 3)."""
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
    learning_rates: tuple[Annotated[float, Gt(0)], ...] = LEARNING_RATES
    """Learning rates."""
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
    """Pad to five options with empty answers, as in the paper; for multiple-choice."""
    lora: bool = False
    """Train a LoRA adapter instead of all weights."""
    allow_overlap: bool = False
    """Train despite leaks from training into a test; the result records it."""
    device: str = "auto"
    """Device of the model: auto, cpu, cuda, cuda:1, mps."""
    dtype: str = "float32"
    """With an adapter: number format of the frozen weights."""


@dataclass(frozen=True, slots=True)
class InoculationTrial:
    """One checkpoint of one training, evaluated on the development sets."""

    model: str
    """The base model."""
    setting: str
    """none, plain, add-some x1 or add-some x2."""
    k: int
    """Training-set size: examples of the probe."""
    lr: float
    """Learning rate."""
    steps: int
    """Steps trained."""
    seed: int
    """Random seed of the examples."""
    new: float
    """Accuracy on the probe's development set."""
    original: float
    """Accuracy on the original task's development set."""
    cost: float
    """Original accuracy before minus after."""


@dataclass(frozen=True, slots=True)
class BestTrial:
    """The best weights of one training-set size and seed, evaluated once on the tests."""

    trial: InoculationTrial
    """Accuracy on the development sets."""
    answers: Sequence[Answer]
    """Answers to the probe's test."""
    original_answers: Sequence[Answer]
    """Answers to the original task's test."""


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


@dataclass(slots=True)
class _Worker:
    """A study as a worker sees it."""

    model: str
    sets: InoculationSets
    grid: InoculationGrid
    objective: str
    progress: Progress
    before: dict[str, float]

    @classmethod
    def of(cls, context: WorkerContext, task: EngineTask) -> _Worker:
        payload = task.payload
        if identify(payload["model"]).whole != payload["identity"]:
            raise UserError(
                f"{payload['model']} has other weights, config or tokenizer there", fix="put the same model everywhere"
            )
        sets = InoculationSets(**{name: Probe(items, Card(name=name)) for name, items in task.shared.items()})
        grid: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in payload["grid"].items()
        }
        model, objective, before = payload["model"], payload["objective"], dict(payload["before"])
        return cls(model, sets, InoculationGrid(**grid), objective, context.progress, before)

    def base_model(self) -> BestTrial:
        """Evaluate the model before any training."""
        opened, network = self._load(self.model)
        objective = objective_of(self.objective)
        parts = {"new": self.sets.dev, "original": self.sets.original_dev}
        self.before = {name: accuracy_of(opened, network, objective, probe.items) for name, probe in parts.items()}
        trial = InoculationTrial(self.model, "none", 0, 0.0, 0, 0, self.before["new"], self.before["original"], 0.0)
        return self._test(opened, network, trial)

    def _load(self, name: str) -> tuple[Opened, Any]:
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

    def trials(self, seed: int, add: int, k: int) -> tuple[BestTrial, list[InoculationTrial]]:
        """Train at every learning rate; return the best weights, tested, and all trials."""
        setting, trials = setting_of(add), list[InoculationTrial]()
        natural = self.sets.natural.items if self.sets.natural else ()
        items = draw_examples(self.sets.train.items, natural, k, add, seed)
        best: tuple[float, InoculationTrial, dict[str, Any]] | None = None
        state: dict[str, Any] = {}
        for lr in self.grid.learning_rates:
            points: list[EvalPoint] = []

            def store_best(_: Opened, network: Any, point: EvalPoint, points: list[EvalPoint] = points) -> None:
                nonlocal state
                if point.metric("mean") > max((earlier.metric("mean") for earlier in points), default=-1.0):
                    learns = {name for name, value in network.named_parameters() if value.requires_grad}
                    state = {
                        name: value.detach().cpu().clone()
                        for name, value in network.state_dict().items()
                        if name in learns or not self.grid.lora  # of an adapter, not the model below it too
                    }
                points.append(point)

            recipe = Recipe(
                objective=self.objective,
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
            others = {"original": self.sets.original_dev.items}
            dev = self.sets.dev.items
            train_model(self.model, items, dev, recipe, others=others, progress=self.progress, on_eval=store_best)
            of_rate = [self._trial(point, setting, k, lr, seed) for point in points]
            trials += of_rate
            top = max(of_rate, key=lambda trial: (trial.new + trial.original, -trial.steps))
            if best is None or top.new + top.original > best[0]:
                best = top.new + top.original, top, state
        assert best is not None
        opened, network = self._load(self.model)
        if self.grid.lora:
            from horsesense.training.transformers_trainer import with_adapter

            network = with_adapter(opened.network, seed)
        network.load_state_dict(best[2], strict=not self.grid.lora)
        return self._test(opened, network.eval(), best[1]), trials

    def _trial(self, point: EvalPoint, setting: str, k: int, lr: float, seed: int) -> InoculationTrial:
        original = point.others["original"]
        cost = self.before["original"] - original
        return InoculationTrial(self.model, setting, k, lr, point.step, seed, point.dev, original, cost)

    def _test(self, opened: Opened, network: Any, trial: InoculationTrial) -> BestTrial:
        objective = objective_of(self.objective)
        new = answers_of(opened, network, objective, self.sets.test.items)
        return BestTrial(trial, new, answers_of(opened, network, objective, self.sets.original_test.items))


def evaluate_base_model(context: WorkerContext, task: EngineTask) -> TaskResult:
    """Evaluate the base model on the development sets and the tests."""
    best = (worker := _Worker.of(context, task)).base_model()
    return TaskResult({"before": worker.before}, _tables(best))


def run_trials(context: WorkerContext, task: EngineTask) -> TaskResult:
    """Train with one training-set size and seed at every learning rate, and test the best weights."""
    worker = _Worker.of(context, task)
    best, trials = worker.trials(task.payload["seed"], task.payload["add"], task.payload["k"])
    return TaskResult({"trials": [asdict(trial) for trial in trials], "best": asdict(best.trial)}, _tables(best))


def _tables(best: BestTrial) -> dict[str, Any]:
    answers = {"new": best.answers, "original": best.original_answers}
    return {name: table_of_answers("", name, each) for name, each in answers.items()}
