"""Trainings of a setting, all numbers and seeds of it, by the workers of an engine; whoever asked writes the folders.

A worker trains in a folder of its own and sends what it would have kept. A training whose worker ends begins anew, and
one that is whole is not trained again.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from horsesense.core import Item
from horsesense.data.checksums import summed
from horsesense.errors import UserError
from horsesense.progress import Progress
from horsesense.runs.engine import Engine, Job, Task, TaskResult, WorkerContext
from horsesense.training.one_training import train
from horsesense.training.settings import TrainingPlan
from horsesense.training.training_record import RECORD, Origin, Recipe, check_bound, kept_training, origin_of


@dataclass(frozen=True, slots=True)
class OneTraining:
    """One training of a grid."""

    plan: TrainingPlan
    recipe: Recipe
    place: Path
    """The folder that keeps it."""


class TrainingGrid(Job):
    """Trainings that do not depend on one another."""

    name = "training"

    def __init__(self, model: str, trainings: Sequence[OneTraining], along: bool, progress: Progress) -> None:
        self.model, self.along, self.progress = model, along, progress
        self.lost: list[str] = []
        self._places: dict[str, Path] = {}
        self._tasks = [task for each in trainings if (task := self._task(each)) is not None]

    def begin(self) -> list[Task]:
        return self._tasks

    def take(self, task: Task, result: TaskResult) -> list[Task]:
        """Put the folder of a trained model where it belongs, whole or not at all."""
        place = self._places[task.label]
        aside = place.with_name(f".{place.name}.part")
        shutil.rmtree(aside, ignore_errors=True)
        for name, content in result.files.items():
            (aside / name).parent.mkdir(parents=True, exist_ok=True)
            (aside / name).write_bytes(content)
        shutil.rmtree(place, ignore_errors=True)  # what an earlier call began there itself
        aside.rename(place)
        self.progress.log(f"{task.label}: trained, {len(result.files)} files")
        return []

    def failed(self, task: Task, reason: str) -> None:
        self.lost.append(f"{task.label} ({reason})")

    def _task(self, each: OneTraining) -> Task | None:
        origin = origin_of(self.model, each.plan.train, each.plan.dev)
        if kept_training(each.place, each.recipe, len(each.plan.train), origin) is not None:
            return None
        check_bound(each.place, each.recipe, origin)
        path = Path(self.model).expanduser()
        called = f"{each.plan.name}, seed {each.recipe.seed}"
        self._places[called] = each.place
        told = {
            "model": str(path.absolute()) if path.exists() else self.model,
            "recipe": asdict(each.recipe),
            "origin": asdict(origin),
            "place": str(each.place),
        }
        others = {f"test {name}": items for name, items in each.plan.tests.items()} if self.along else {}
        shared: Mapping[str, Sequence[Item]] = {"dev": each.plan.dev, **others}
        return Task(train_once, told, each.plan.train, shared, label=called)


def train_once(context: WorkerContext, task: Task) -> TaskResult:
    """A task: one training, kept in a folder that is sent and removed."""
    told, origin = task.payload, Origin(**task.payload["origin"])
    dev = task.shared["dev"]
    if origin_of(told["model"], task.items, dev) != origin:
        raise UserError(
            f"{told['model']} has other weights, config or tokenizer there", fix="put the same model everywhere"
        )
    values: dict[str, Any] = {n: tuple(v) if isinstance(v, list) else v for n, v in told["recipe"].items()}
    others = {name.removeprefix("test "): items for name, items in task.shared.items() if name != "dev"}
    with tempfile.TemporaryDirectory(prefix="horsesense-") as scratch:
        folder = Path(scratch) / Path(told["place"]).name
        train(told["model"], task.items, dev, Recipe(**values), folder, others=others, origin=origin)
        record = json.loads((folder / RECORD).read_text(encoding="utf-8")) | {"folder": told["place"]}
        with summed(folder, folder / RECORD) as temporary:
            temporary.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
        files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
        return TaskResult(files={path.relative_to(folder).as_posix(): path.read_bytes() for path in files})


def train_elsewhere(
    model: str, trainings: Sequence[OneTraining], engine: Engine, *, along: bool, progress: Progress
) -> None:
    """All trainings that are not kept yet, by an engine's workers."""
    grid = TrainingGrid(model, trainings, along, progress)
    engine.carry_out([grid], progress)
    if grid.lost:
        raise UserError(f"not all was trained: {'; '.join(grid.lost)}", fix="the same command tries these again")
