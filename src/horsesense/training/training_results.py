"""Results of trainings: learning curves as data; each test before and after, means over seeds, overall and by facet."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import orjson

from horsesense.core import Item, Probe
from horsesense.core.document import Frame, TableDocument, columns_of, plain
from horsesense.data import numbered_lines
from horsesense.data.store import Store, read_record
from horsesense.stats import Estimate, item_accuracy
from horsesense.stats.resampling import Floats
from horsesense.training.leaks import Leaks
from horsesense.training.settings import TrainingPlan
from horsesense.training.training_record import EvalPoint, TrainedModel

TRIALS, SELECTED, RESULTS = "trials.jsonl", "selected.jsonl", "results.json"
"""All trials of an inoculation, the selected ones, and the results of a training."""


Trial = TypeVar("Trial", bound="InoculationTrial")


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
class SelectedTrial(InoculationTrial):
    """The best weights of a setting, training-set size and seed, with their tests."""

    test_new: Estimate
    """The probe's test."""
    test_original: Estimate
    """The original task's test."""
    strict_new: Estimate | None
    """Share of whole families right in the probe's test; null without families."""
    strict_original: Estimate | None
    """Share of whole families right in the original task's test; null without families."""
    seen: Mapping[str, Estimate]
    """The probe's test by whether the word of the concept occurs in the text of the original task."""


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """One training-set size of an inoculation: means over seeds."""

    setting: str
    k: int
    """Training-set size."""
    seeds: int
    """Number of seeds."""
    new: float
    """Accuracy on the probe's test."""
    new_spread: float | None
    original: float
    """Accuracy on the original task's test."""
    original_spread: float | None
    cost: float
    """Original test accuracy before minus after."""


@dataclass(frozen=True, slots=True)
class LinePoint:
    """One point of a line: a mean over seeds, with its interval if there is one."""

    x: float
    value: float
    low: float | None = None
    high: float | None = None
    n: int | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """Accuracy on one task; ``setting`` distinguishes lines of one task."""

    task: str
    setting: str
    points: tuple[LinePoint, ...]
    chance: float | None = None

    @property
    def name(self) -> str:
        return f"{self.task}, {self.setting}" if self.setting else self.task


@dataclass(frozen=True, slots=True)
class Curve:
    """Lines over one axis."""

    title: str
    along: str
    lines: tuple[Line, ...]


def curves(selected: Sequence[SelectedTrial]) -> list[CurvePoint]:
    """Return the curves of an inoculation over its tests; the point at k = 0 is the base model."""
    groups: dict[tuple[str, int], list[SelectedTrial]] = defaultdict(list)
    for trial in selected:
        groups[trial.setting, trial.k].append(trial)
    base = next((trial.test_original.value for trial in selected if trial.k == 0), None)
    points = []
    for (setting, k), trials in sorted(groups.items()):
        new, original = [trial.test_new.value for trial in trials], [trial.test_original.value for trial in trials]
        mean = float(np.mean(original))
        cost = 0.0 if base is None else base - mean
        points.append(
            CurvePoint(setting, k, len(trials), float(np.mean(new)), _spread(new), mean, _spread(original), cost)
        )
    return points


def inoculation_curve(selected: Sequence[SelectedTrial]) -> Curve:
    """Return accuracy by training-set size, on the probe and on the original task (Richardson and Sabharwal 2020)."""
    settings = {trial.setting for trial in selected if trial.k} or {trial.setting for trial in selected}
    lines = []
    for setting in sorted(settings):
        # Every line begins with the base model.
        trials = sorted(
            (trial for trial in selected if trial.setting == setting or trial.k == 0), key=lambda trial: trial.k
        )
        for task, test in (("the probe", attrgetter("test_new")), ("the original task", attrgetter("test_original"))):
            sizes: dict[int, list[Estimate]] = defaultdict(list)
            for trial in trials:
                sizes[trial.k].append(test(trial))
            points = tuple(_mean(k, estimates) for k, estimates in sizes.items())
            lines.append(Line(task, setting, points, test(trials[0]).chance))
    return Curve(f"{selected[0].model}, inoculated", "examples of the probe", tuple(lines))


def training_curves(result: Training) -> list[Curve]:
    """Return accuracy by training-set size, and by step of trainings with several evaluations."""
    sizes: dict[str, list[LinePoint]] = defaultdict(list)
    guess: dict[str, float | None] = {}
    for point in sorted(result.points, key=lambda point: point.train):
        for test in point.tests:
            line = sizes[test.test]
            if test.before is not None and not line:
                line.append(_mean(0, [test.before]))
            line.append(_mean(point.train, [test.after]))
            guess[test.test] = test.chance
    lines = tuple(Line(test, "", tuple(line), guess[test]) for test, line in sizes.items())
    charts = [Curve(f"{result.model}, trained ({result.setting})", "training items", lines)]
    for point in result.points:
        by_step = _by_step(point.seeds)
        if any(len(line.points) > 1 for line in by_step):
            charts.append(Curve(f"{result.model}, {point.plan}, during training", "steps", by_step))
    return charts


def _by_step(seeds: Sequence[SeedResult]) -> tuple[Line, ...]:
    values_at: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for seed in seeds:
        for point in seed.eval_points:
            for test, value in {"development set": point.dev, **point.others}.items():
                values_at[test][point.step].append(value)
    return tuple(
        Line(test, "", tuple(LinePoint(step, float(np.mean(values))) for step, values in sorted(steps.items())))
        for test, steps in values_at.items()
    )


def _mean(x: float, tests: Sequence[Estimate]) -> LinePoint:
    """Return the mean over seeds with the mean ends of their intervals, a conservative interval for the mean."""
    value, low, high = np.mean([[seed.value, seed.low, seed.high] for seed in tests], axis=0).tolist()
    return LinePoint(x, value, low, high, tests[0].n)


def _spread(values: Sequence[float]) -> float | None:
    return float(np.std(values, ddof=1)) if len(values) > 1 else None


def read_trials(path: Path, kind: type[Trial]) -> list[Trial]:
    """Read the trials of an inoculation that have ended."""
    if not path.is_file():
        return []
    Store(path.parent).check(path, "get an undamaged copy of the folder")
    return [read_record(path, text, kind, "remove the line", line) for line, text in numbered_lines(path)]


def read_curves(folder: Path) -> list[Curve]:
    """Read the curves of a folder of ``inoculate`` or ``train``; none for any other folder."""

    if selected := read_trials(folder / SELECTED, SelectedTrial):
        return [inoculation_curve(selected)]
    path = folder / RESULTS
    return training_curves(Store(folder).read(path, Training, "train again")) if path.is_file() else []


def study_runs(folder: Path) -> list[Path]:
    """Return the run folders of a training, or those of the first seed of an inoculation."""
    if selected := read_trials(folder / SELECTED, SelectedTrial):
        seed = min(trial.seed for trial in selected)
        manifests = folder.glob(f"answers/*-seed-{seed}-*/manifest.json")
    else:
        manifests = (path for pattern in ("run*", "*/run*") for path in folder.glob(f"{pattern}/manifest.json"))
    return sorted(path.parent for path in manifests)


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
    leaks: Leaks
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
