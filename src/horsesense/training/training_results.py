"""Results of trainings: each test before and after, means over seeds, overall and by facet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from horsesense.core import Item, Probe
from horsesense.core.document import Frame, TableDocument, columns_of, plain
from horsesense.data.store import Store
from horsesense.stats import Estimate, item_accuracy
from horsesense.stats.resampling import Floats
from horsesense.training.curves import RESULTS, training_curves
from horsesense.training.leaks import LeakCounts
from horsesense.training.settings import TrainingPlan
from horsesense.training.training_record import EvalPoint, TrainedModel

ModelAndTest = tuple[str, str]
"""The model and the test; the name of the base model is empty."""
Credits = Mapping[ModelAndTest, Mapping[str, float]]
"""The credit of each item, by its id."""


@dataclass(frozen=True, slots=True)
class SeedResult:
    """One training."""

    folder: str
    """Folder of the model; a model name like any other."""
    best_step: int
    """Step of the selected weights."""
    dev: float
    """Their accuracy on the development set."""
    stopped: str
    """Why training ended."""
    remarks: tuple[str, ...]
    """Events during training."""
    eval_points: tuple[EvalPoint, ...]
    """Every evaluation."""

    @classmethod
    def of(cls, trained: TrainedModel) -> SeedResult:
        """Return what a result keeps of a training."""
        best = trained.best
        folder = str(trained.folder)
        return cls(folder, best.step, best.dev, trained.stopped, trained.remarks, trained.eval_points)


@dataclass(frozen=True, slots=True)
class BeforeAfter:
    """Accuracy before and after training; intervals are clustered."""

    n: int
    """Items with a gold."""
    chance: float | None
    """Chance level."""
    before: Estimate | None
    """Null if the model has no head for the task before training."""
    after: Estimate
    """Mean over seeds."""


@dataclass(frozen=True, slots=True)
class HeldOutResult(BeforeAfter):
    """One test set, before and after training."""

    test: str
    """Name of the test."""
    by_seed: tuple[float, ...]
    """Accuracy of each seed."""
    spread: float | None
    """Standard deviation over seeds; null for one seed."""
    slices: Mapping[str, Mapping[str, BeforeAfter]]
    """By facet and value. ``twin`` (whether training saw the other member of the family) counts answers of all
    seeds."""


@dataclass(frozen=True, slots=True)
class SettingResult:
    """One setting with one size."""

    plan: str
    """The setting and its number."""
    train: int
    """Number of training items."""
    counts: Mapping[str, int]
    """Items that were left out of training, by reason."""
    leaks: LeakCounts
    """Leaks from training into the tests."""
    seeds: tuple[SeedResult, ...]
    """One training per seed."""
    tests: tuple[HeldOutResult, ...]
    """Each test, before and after."""


@dataclass(frozen=True)
class Training(TableDocument):
    """A model fine-tuned under a setting, evaluated before and after."""

    model: str
    """The base model."""
    setting: str
    """Training setting."""
    objective: str
    """Training objective."""
    lora: bool
    """Whether an adapter was trained instead of all weights."""
    lr: float
    """Learning rate."""
    out: Path
    """Folder of the trained models and their answers."""
    points: tuple[SettingResult, ...]
    """One result per number of the setting."""

    def frame(self) -> Frame:
        """Return one row per test, overall and by the values of each facet, before and after."""
        rows = []
        for point in self.points:
            names = {"model": self.model, "setting": point.plan, "train": point.train}
            for test in point.tests:
                rows.append(names | _row(test.test, "", "", test) | {"spread": test.spread})
                rows += [
                    names | _row(test.test, facet, value, result)
                    for facet, values in test.slices.items()
                    for value, result in values.items()
                ]
        return Frame(columns_of(rows), f"{self.model} before and after training")

    def plot(self, index: int = 0) -> Any:
        """Return a chart (Altair): accuracy by training-set size; from 1 on, accuracy by step of each training."""
        from horsesense.drawing import curve_chart

        return curve_chart(training_curves(self)[index])

    def __repr__(self) -> str:
        return f"Training of {self.model} under {self.setting}: {len(self.points)} points, in {self.out}"


def write_results(result: Training) -> None:
    """Write the results beside the trained models, for learning curves."""
    Store(result.out).write(result.out / RESULTS, orjson.dumps(plain(result)))


def _row(test: str, facet: str, value: str, result: BeforeAfter) -> dict[str, Any]:
    row: dict[str, Any] = {"test": test, "facet": facet or None, "value": value or None}
    for name, e in (("before", result.before), ("after", result.after)):
        row |= {name: e and e.value, f"{name}_low": e and e.low, f"{name}_high": e and e.high}
    return row | {"chance": result.chance, "n": result.n}


def result_of_test(
    test: str, plans: Sequence[TrainingPlan], names: Sequence[str], runs: Credits, probe: Probe, facets: Sequence[str]
) -> HeldOutResult:
    """Return the result of a test that the model of each plan answered; ``probe`` names the clusters."""
    items = list({item.id: item for plan in plans for item in plan.tests[test]}.values())
    after = np.array(
        [np.mean([runs[name, test][item.id] for name in names if item.id in runs[name, test]]) for item in items]
    )
    base = runs.get(("", test))
    before = None if base is None else np.array([base[item.id] for item in items])
    group = probe.card.group
    slices: dict[str, Mapping[str, BeforeAfter]] = {}
    if plans[0].leaks_by_design:
        slices["twin"] = _by_twin(test, plans, names, runs, group)
    for facet in facets:
        slices[facet] = _slice([str(item.facets.get(facet, "")) for item in items], items, group, before, after)
    overall = _before_after(items, group, before, after)
    by_seed = tuple(float(np.mean(list(runs[name, test].values()))) for name in names)
    return HeldOutResult(
        n=overall.n,
        chance=overall.chance,
        before=overall.before,
        after=overall.after,
        test=test,
        by_seed=by_seed,
        spread=float(np.std(by_seed, ddof=1)) if len(by_seed) > 1 else None,
        slices=slices,
    )


def _by_twin(
    test: str, plans: Sequence[TrainingPlan], names: Sequence[str], runs: Credits, group: str
) -> dict[str, BeforeAfter]:
    """Slice by whether training saw the other member of the family; this differs by seed, so answers are counted."""
    labels, items, before, after = list[str](), list[Item](), list[float](), list[float]()
    base = runs.get(("", test))
    for plan, name in zip(plans, names, strict=True):
        trained = {item.family for item in plan.train}
        for item in plan.tests[test]:
            labels.append("seen" if item.family in trained else "unseen")
            items.append(item)
            after.append(runs[name, test][item.id])
            before += [base[item.id]] if base is not None else []
    return _slice(labels, items, group, np.array(before) if before else None, np.array(after))


def _slice(
    labels: Sequence[str], items: Sequence[Item], group: str, before: Floats | None, after: Floats
) -> dict[str, BeforeAfter]:
    indices: dict[str, list[int]] = {}
    for i, label in enumerate(labels):
        indices.setdefault(label, []).append(i)
    return {
        label: _before_after([items[i] for i in at], group, None if before is None else before[at], after[at])
        for label, at in sorted(indices.items())
    }


def _before_after(items: Sequence[Item], group: str, before: Floats | None, after: Floats) -> BeforeAfter:
    first = None if before is None else item_accuracy(items, before, group)
    last = item_accuracy(items, after, group)
    return BeforeAfter(last.n, last.chance, first, last)
