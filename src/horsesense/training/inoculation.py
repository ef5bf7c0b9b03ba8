"""Inoculation: what small doses of a probe do to a model, and what they cost it.

Richardson and Sabharwal, "What Does My QA Model Know?" (TACL 2020), section 4.2, after Liu, Schwartz and Smith
(2019): a trained model is trained on with k examples of a probe, over a grid of learning rates and steps; for
each k the weights with the best mean of the new and the original task are taken. A model that learns quickly
and forgets nothing knew most of it before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from horsesense.core import Dose, Item
from horsesense.core.answer_columns import answers_in
from horsesense.errors import UserError, argument
from horsesense.lexicons.words import words
from horsesense.models.locate import identify
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.runs.engine import Job, Task, TaskResult
from horsesense.training.doses import BestDose, Grid, Sets, as_it_is, setting_of, try_dose
from horsesense.training.leaks import Leaks, check_leaks, find_leaks
from horsesense.training.splits import judged
from horsesense.training.training_record import ordered_content


class Study(Job):
    """A study as it grows: its tasks are the model as it is, then each dose of each seed, wherever they are done.

    Whoever carries it out says where doses are kept.
    """

    name = "inoculation"

    def __init__(
        self,
        model: str,
        sets: Sets,
        grid: Grid,
        objective: str = "multiple-choice",
        progress: Progress = NO_PROGRESS,
        tried: Callable[[Sequence[Dose]], None] = lambda _: None,
        chosen: Callable[[BestDose], None] = lambda _: None,
    ) -> None:
        self.model, self.sets, self.grid, self.objective, self.progress = model, sets, grid, objective, progress
        self.tried, self.chosen = tried, chosen
        self.done: frozenset[tuple[str, int, int]] = frozenset()
        """Setting, k and seed of what was carried out before and is kept."""
        self.before: dict[str, float] = {}
        """Accuracy on the development sets before anything: ``new`` and ``original``."""
        self.lost: list[str] = []
        """What was given up, in words."""

    def check(self, allow_overlap: bool = False) -> Leaks:
        """Leaks from the doses and from the natural set into what measures them."""
        s = self.sets
        for name, probe in (("probe's training", s.train), ("natural", s.natural)):
            if probe is None:
                continue
            items = judged(probe.items, name)
            targets = [s.dev, s.test] if name != "natural" else [s.original_dev, s.original_test]
            measured = [item for target in targets for item in target.items]
            leaks = check_leaks(find_leaks(items, measured), allow_overlap)
            if name != "natural":
                dose_leaks = leaks
        own = {item.id for probe in (s.dev, s.test) for item in probe.items}
        others = {item.id for probe in (s.original_dev, s.original_test) for item in probe.items}
        if shared := len(own & others):
            told = f"{shared:,} of {len(others):,} items of the original task are the probe's own"
            self.progress.log(f"{told}: what a dose costs is then no cost, but what it teaches")
        most = max(self.grid.doses)
        if most > len(s.train.items):
            raise UserError(
                f"a dose of {most:,} is more than the {len(s.train.items):,} examples there are",
                fix="use smaller doses",
            )
        if any(self.grid.adds) and s.natural is None:
            raise UserError("add-some needs a reserved natural set", fix=f"give {argument('natural', 'PROBE')}")
        return dose_leaks

    def made_from(self) -> dict[str, Any]:
        """What the study rests on: the same for all doses that one folder holds."""
        sets = {each.name: getattr(self.sets, each.name) for each in fields(Sets)}
        contents = {name: "" if probe is None else ordered_content(probe.items) for name, probe in sets.items()}
        left_out = {"doses", "adds", "seeds", "device"} | ({"dtype"} if self.grid.dtype == "float32" else set())
        grid = {name: value for name, value in asdict(self.grid).items() if name not in left_out}
        plain = {name: list(value) if isinstance(value, tuple) else value for name, value in grid.items()}
        about = {"model": self.model, "identity": identify(self.model).whole, "objective": self.objective}
        return about | contents | plain

    def begin(self) -> list[Task]:
        """The model as it is, which all costs are counted from."""
        return [self._task(as_it_is, "the model as it is")]

    def take(self, task: Task, result: TaskResult) -> list[Task]:
        """Keep what came of a dose; after the model as it is, all doses: seeds, then adds, then k."""
        answers = [list(answers_in(result.tables[name])) for name in ("new", "original")]
        if not self.before:
            self.before = dict(result.payload["before"])
            if ("none", 0, 0) not in self.done:
                new, original = self.before["new"], self.before["original"]
                self.chosen(BestDose(Dose(self.model, "none", 0, 0.0, 0, 0, new, original, 0.0), *answers))
            return [
                self._task(try_dose, f"k = {k:,}, seed {seed}, {setting_of(add)}", seed=seed, add=add, k=k)
                for seed in self.grid.seeds
                for add in self.grid.adds
                for k in self.grid.doses
                if (setting_of(add), k, seed) not in self.done
            ]
        self.tried([Dose(**{**dose, "model": self.model}) for dose in result.payload["tried"]])
        dose = Dose(**{**result.payload["best"], "model": self.model})
        self.progress.log(
            f"{dose.setting}, k = {dose.k:,}, seed {dose.seed}, on the development sets: new {dose.new:.3f} "
            f"(from {self.before['new']:.3f}), original {dose.original:.3f}, cost {dose.cost:+z.3f}, "
            f"at rate {dose.lr:g} and step {dose.steps}"
        )
        self.chosen(BestDose(dose, *answers))
        return []

    def progress_of(self, task: Task) -> Progress:
        return self.progress

    def failed(self, task: Task, reason: str) -> None:
        self.lost.append(f"{task.label} ({reason})")

    def _task(self, function: Any, called: str, **more: int) -> Task:
        path = Path(self.model).expanduser()
        told = {
            "model": str(path.absolute()) if path.exists() else self.model,
            "identity": identify(self.model).whole,
            "objective": self.objective,
            "grid": asdict(self.grid),
            "before": self.before,
            **more,
        }
        sets = {each.name: getattr(self.sets, each.name) for each in fields(Sets)}
        shared = {name: probe.items for name, probe in sets.items() if probe is not None}
        return Task(function, told, shared=shared, label=called)


def concepts_seen(items: Sequence[Item], originals: Iterable[Item]) -> dict[str, bool]:
    """For each item that asks about a concept, whether its word stands in the original task's text."""
    text = " ".join(" ".join(words(f"{item.premise} {item.text} {' '.join(item.options)}")) for item in originals)
    padded = f" {text} "
    seen = {}
    for item in items:
        asked = str(item.facets.get("asked", item.groups.get("asked", "")))
        word = " ".join(words(asked.rsplit(".", 2)[0].replace("_", " ")))
        if word:
            seen[item.id] = f" {word} " in padded
    return seen
