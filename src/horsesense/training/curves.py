"""Learning curves as data: accuracy over doses, over items trained on, and along training."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from horsesense.data import numbered_lines, read_bytes, read_text
from horsesense.data.checksums import check_sum
from horsesense.errors import UserError

CHOSEN, RESULTS = "chosen.jsonl", "results.json"
"""What an inoculation keeps of its chosen doses, and what a training says of itself."""


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """One k of an inoculation: means over seeds."""

    setting: str
    k: int
    seeds: int
    new: float
    """Accuracy on the probe's test."""
    new_spread: float | None
    original: float
    """Accuracy on the original task's test."""
    original_spread: float | None
    cost: float
    """Original test accuracy before minus after."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One point of a curve: a mean over seeds; ends of the interval where the items were measured with one."""

    x: float
    value: float
    low: float | None = None
    high: float | None = None
    n: int | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """What one set of items says: ``setting`` tells lines of one task apart."""

    task: str
    setting: str
    marks: tuple[Mark, ...]
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


def curves(chosen_doses: Sequence[Mapping[str, Any]]) -> list[CurvePoint]:
    """An inoculation's curves over its tests; the point at k = 0 is the model as it was."""
    groups: dict[tuple[str, int], list[Mapping[str, Any]]] = defaultdict(list)
    for dose in chosen_doses:
        groups[dose["setting"], dose["k"]].append(dose)
    first = next((dose["test_original"]["accuracy"] for dose in chosen_doses if dose["k"] == 0), None)
    points = []
    for (setting, k), doses in sorted(groups.items()):
        new, original = ([dose[f"test_{name}"]["accuracy"] for dose in doses] for name in ("new", "original"))
        mean = float(np.mean(original))
        cost = 0.0 if first is None else first - mean
        points.append(
            CurvePoint(setting, k, len(doses), float(np.mean(new)), _spread(new), mean, _spread(original), cost)
        )
    return points


def inoculation_curve(chosen_doses: Sequence[Mapping[str, Any]]) -> Curve:
    """Accuracy over doses (WordNetQA, figure 4): the probe, and the task that the model was trained on before."""
    settings = sorted({dose["setting"] for dose in chosen_doses if dose["k"]}) or sorted(
        {dose["setting"] for dose in chosen_doses}
    )
    lines = []
    for setting in settings:
        # The model as it was begins every line.
        line_doses = [dose for dose in chosen_doses if dose["setting"] == setting or dose["k"] == 0]
        for task, name in (("the probe", "test_new"), ("the original task", "test_original")):
            sizes = sorted({dose["k"] for dose in line_doses})
            marks = tuple(_mean(k, [dose[name] for dose in line_doses if dose["k"] == k]) for k in sizes)
            lines.append(Line(task, setting, marks, line_doses[0][name]["chance"]))
    model = chosen_doses[0]["model"]
    return Curve(f"{model}, inoculated", "examples of the probe", tuple(lines))


def training_curves(results: Mapping[str, Any]) -> list[Curve]:
    """Accuracy over items trained on (RICA, figure 6), and along each training where it was looked at twice."""
    model, points = results["model"], results["points"]
    sizes: dict[str, list[Mark]] = defaultdict(list)
    guess: dict[str, float] = {}
    for point in sorted(points, key=lambda point: point["train"]):
        for test in point["tests"]:
            marks = sizes[test["test"]]
            if test["before"] is not None and not marks:
                marks.append(_measured(0, test["before"], test["n"]))
            marks.append(_measured(point["train"], test["after"], test["n"]))
            guess[test["test"]] = test["chance"]
    lines = tuple(Line(test, "", tuple(marks), guess[test]) for test, marks in sizes.items())
    drawn = [Curve(f"{model}, trained ({results['setting']})", "items trained on", lines)]
    for point in points:
        along = _along(point["seeds"])
        if any(len(line.marks) > 1 for line in along):
            drawn.append(Curve(f"{model}, {point['plan']}, along training", "steps", along))
    return drawn


def _along(seeds: Sequence[Mapping[str, Any]]) -> tuple[Line, ...]:
    seen: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for seed in seeds:
        for look in seed["looks"]:
            for test, value in {"development set": look["dev"], **look["tests"]}.items():
                seen[test][look["step"]].append(value)
    return tuple(
        Line(test, "", tuple(Mark(step, float(np.mean(values))) for step, values in sorted(steps.items())))
        for test, steps in seen.items()
    )


def _mean(x: float, measured: Sequence[Mapping[str, Any]]) -> Mark:
    """Seeds put together: the mean, with the mean ends of their intervals, which is wide enough for the mean."""
    value, low, high = np.mean([[seed["accuracy"], *seed["ci"]] for seed in measured], axis=0).tolist()
    return Mark(x, value, low, high, measured[0]["n"])


def _measured(x: float, estimate: Mapping[str, Any], n: int) -> Mark:
    low, high = estimate["ci"]
    # Folders of earlier versions call the value of an estimate by what it measures.
    return Mark(x, estimate["value"] if "value" in estimate else estimate["accuracy"], low, high, n)


def _spread(values: Sequence[float]) -> float | None:
    return float(np.std(values, ddof=1)) if len(values) > 1 else None


def read_chosen(folder: Path) -> list[dict[str, Any]]:
    """The chosen doses of an inoculation's folder, each once; none where there are none yet."""
    path = folder / CHOSEN
    if not path.is_file():
        return []
    check_sum(folder, path, "get a copy of the folder that is whole")
    doses = {}
    lines = list(numbered_lines(path))
    # Earlier versions added to the file; a kill in the middle of it cut the last line, and that dose is done again.
    torn = lines[-1][0] if lines and not read_bytes(path).endswith(b"\n") else 0
    for line, text in lines:
        if line == torn:
            continue
        try:
            values = orjson.loads(text)
            doses[values["setting"], values["k"], values["seed"]] = values
        except (orjson.JSONDecodeError, KeyError, TypeError):
            raise UserError("the line is no dose", file=path, line=line, fix="remove it") from None
    return list(doses.values())


def read_curves(folder: Path) -> list[Curve]:
    """The curves that a folder of ``inoculate`` or ``train`` holds; none for any other folder."""
    path = folder / CHOSEN
    try:
        if chosen := read_chosen(folder):
            return [inoculation_curve(chosen)]
        path = folder / RESULTS
        if path.is_file():
            check_sum(folder, path, "train again")
        return training_curves(orjson.loads(read_text(path))) if path.is_file() else []
    except (orjson.JSONDecodeError, KeyError, TypeError, IndexError) as error:
        raise UserError("the kept results of the training are damaged", file=path, fix="train again") from error


def study_runs(folder: Path) -> list[Path]:
    """The run folders beneath a training or an inoculation: all of a training's, the first seed's of an inoculation."""
    if chosen := read_chosen(folder):
        seed = min(dose["seed"] for dose in chosen)
        places = folder.glob(f"answers/*-seed-{seed}-*/manifest.json")
    else:
        places = (place for pattern in ("run*", "*/run*") for place in folder.glob(f"{pattern}/manifest.json"))
    return sorted(place.parent for place in places)
