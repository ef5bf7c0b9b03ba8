"""Learning curves as data: accuracy by training-set size and by step."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from horsesense.data import numbered_lines, read_text
from horsesense.data.store import Store
from horsesense.errors import UserError

SELECTED, RESULTS = "selected.jsonl", "results.json"
"""The selected trials of an inoculation, and the results of a training."""


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


def curves(selected: Sequence[Mapping[str, Any]]) -> list[CurvePoint]:
    """Return the curves of an inoculation over its tests; the point at k = 0 is the base model."""
    groups: dict[tuple[str, int], list[Mapping[str, Any]]] = defaultdict(list)
    for trial in selected:
        groups[trial["setting"], trial["k"]].append(trial)
    base = next((trial["test_original"]["accuracy"] for trial in selected if trial["k"] == 0), None)
    points = []
    for (setting, k), trials in sorted(groups.items()):
        new, original = ([trial[f"test_{name}"]["accuracy"] for trial in trials] for name in ("new", "original"))
        mean = float(np.mean(original))
        cost = 0.0 if base is None else base - mean
        points.append(
            CurvePoint(setting, k, len(trials), float(np.mean(new)), _spread(new), mean, _spread(original), cost)
        )
    return points


def inoculation_curve(selected: Sequence[Mapping[str, Any]]) -> Curve:
    """Return accuracy by training-set size (wordnetqa.txt, figure 4): on the probe and on the original task."""
    settings = sorted({trial["setting"] for trial in selected if trial["k"]}) or sorted(
        {trial["setting"] for trial in selected}
    )
    lines = []
    for setting in settings:
        # Every line begins with the base model.
        trials = [trial for trial in selected if trial["setting"] == setting or trial["k"] == 0]
        for task, name in (("the probe", "test_new"), ("the original task", "test_original")):
            sizes = sorted({trial["k"] for trial in trials})
            points = tuple(_mean(k, [trial[name] for trial in trials if trial["k"] == k]) for k in sizes)
            lines.append(Line(task, setting, points, trials[0][name]["chance"]))
    model = selected[0]["model"]
    return Curve(f"{model}, inoculated", "examples of the probe", tuple(lines))


def training_curves(results: Mapping[str, Any]) -> list[Curve]:
    """Return accuracy by training-set size (rica.txt, figure 6), and by step of trainings with several evaluations."""
    model, points = results["model"], results["points"]
    sizes: dict[str, list[LinePoint]] = defaultdict(list)
    guess: dict[str, float] = {}
    for point in sorted(points, key=lambda point: point["train"]):
        for test in point["tests"]:
            line = sizes[test["test"]]
            if test["before"] is not None and not line:
                line.append(_point(0, test["before"], test["n"]))
            line.append(_point(point["train"], test["after"], test["n"]))
            guess[test["test"]] = test["chance"]
    lines = tuple(Line(test, "", tuple(line), guess[test]) for test, line in sizes.items())
    charts = [Curve(f"{model}, trained ({results['setting']})", "training items", lines)]
    for point in points:
        by_step = _by_step(point["seeds"])
        if any(len(line.points) > 1 for line in by_step):
            charts.append(Curve(f"{model}, {point['plan']}, during training", "steps", by_step))
    return charts


def _by_step(seeds: Sequence[Mapping[str, Any]]) -> tuple[Line, ...]:
    values_at: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for seed in seeds:
        for point in seed["eval_points"]:
            for test, value in {"development set": point["dev"], **point["others"]}.items():
                values_at[test][point["step"]].append(value)
    return tuple(
        Line(test, "", tuple(LinePoint(step, float(np.mean(values))) for step, values in sorted(steps.items())))
        for test, steps in values_at.items()
    )


def _mean(x: float, tests: Sequence[Mapping[str, Any]]) -> LinePoint:
    """Return the mean over seeds with the mean ends of their intervals, a conservative interval for the mean."""
    value, low, high = np.mean([[seed["accuracy"], *seed["ci"]] for seed in tests], axis=0).tolist()
    return LinePoint(x, value, low, high, tests[0]["n"])


def _point(x: float, estimate: Mapping[str, Any], n: int) -> LinePoint:
    low, high = estimate["ci"]
    return LinePoint(x, estimate["value"], low, high, n)


def _spread(values: Sequence[float]) -> float | None:
    return float(np.std(values, ddof=1)) if len(values) > 1 else None


def read_selected(folder: Path) -> list[dict[str, Any]]:
    """Read the selected trials of an inoculation; none if there are none yet."""
    path = folder / SELECTED
    if not path.is_file():
        return []
    Store(folder).check(path, "get an undamaged copy of the folder")
    trials = {}
    for line, text in numbered_lines(path):
        try:
            values = orjson.loads(text)
            trials[values["setting"], values["k"], values["seed"]] = values
        except (orjson.JSONDecodeError, KeyError, TypeError):
            raise UserError("the line is not a trial", file=path, line=line, fix="remove it") from None
    return list(trials.values())


def read_curves(folder: Path) -> list[Curve]:
    """Read the curves of a folder of ``inoculate`` or ``train``; none for any other folder."""
    path = folder / SELECTED
    try:
        if selected := read_selected(folder):
            return [inoculation_curve(selected)]
        path = folder / RESULTS
        if path.is_file():
            Store(folder).check(path, "train again")
        return training_curves(orjson.loads(read_text(path))) if path.is_file() else []
    except (orjson.JSONDecodeError, KeyError, TypeError, IndexError) as error:
        raise UserError("the stored results of the training are damaged", file=path, fix="train again") from error


def study_runs(folder: Path) -> list[Path]:
    """Return the run folders of a training, or those of the first seed of an inoculation."""
    if selected := read_selected(folder):
        seed = min(trial["seed"] for trial in selected)
        manifests = folder.glob(f"answers/*-seed-{seed}-*/manifest.json")
    else:
        manifests = (path for pattern in ("run*", "*/run*") for path in folder.glob(f"{pattern}/manifest.json"))
    return sorted(path.parent for path in manifests)
