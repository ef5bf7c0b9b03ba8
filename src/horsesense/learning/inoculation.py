"""Inoculation: what small doses of a probe do to a model, and what they cost it.

Richardson and Sabharwal, "What Does My QA Model Know?" (TACL 2020), section 4.2, after Liu, Schwartz and Smith
(2019): a trained model is trained on with k examples of a probe, over a grid of learning rates and steps; for
each k the weights with the best mean of the new and the original task are taken. A model that learns quickly
and forgets nothing knew most of it before.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from horsesense.errors import UserError, argument
from horsesense.language.words import words
from horsesense.learning.leaks import Leaks, check_leaks, find_leaks
from horsesense.learning.objectives import objective_of
from horsesense.learning.splits import judged
from horsesense.learning.training import accuracy_of, answers_of, train
from horsesense.learning.training_record import Look, Recipe, ordered_content
from horsesense.models.local.trainable import Opened, open_for_training
from horsesense.models.locating import identify
from horsesense.records import Answer, Card, Dose, Item, Probe
from horsesense.runs.engine import Desk, Done, Job, Task
from horsesense.runs.folder import answers_in, table_of_answers
from horsesense.watching import UNWATCHED, Watcher

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
        watcher: Watcher = UNWATCHED,
        tried: Callable[[Sequence[Dose]], None] = lambda _: None,
        chosen: Callable[[BestDose], None] = lambda _: None,
    ) -> None:
        self.model, self.sets, self.grid, self.objective, self.watcher = model, sets, grid, objective, watcher
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
        return [self._task("as_it_is", "the model as it is")]

    def take(self, task: Task, done: Done) -> list[Task]:
        """Keep what came of a dose; after the model as it is, all doses: seeds, then adds, then k."""
        answers = [list(answers_in(done.tables[name])) for name in ("new", "original")]
        if not self.before:
            self.before = dict(done.told["before"])
            if ("none", 0, 0) not in self.done:
                new, original = self.before["new"], self.before["original"]
                self.chosen(BestDose(Dose(self.model, "none", 0, 0.0, 0, 0, new, original, 0.0), *answers))
            return [
                self._task("try_dose", f"k = {k:,}, seed {seed}, {_setting(add)}", seed=seed, add=add, k=k)
                for seed in self.grid.seeds
                for add in self.grid.adds
                for k in self.grid.doses
                if (_setting(add), k, seed) not in self.done
            ]
        self.tried([Dose(**{**dose, "model": self.model}) for dose in done.told["tried"]])
        dose = Dose(**{**done.told["best"], "model": self.model})
        self.watcher.say(
            f"{dose.setting}, k = {dose.k:,}, seed {dose.seed}: new {dose.new:.3f} (from {self.before['new']:.3f}), "
            f"original {dose.original:.3f}, cost {dose.cost:+.3f}, at rate {dose.lr:g} and step {dose.steps}"
        )
        self.chosen(BestDose(dose, *answers))
        return []

    def watching(self, task: Task) -> Watcher:
        return self.watcher

    def failed(self, task: Task, why: str) -> None:
        self.lost.append(f"{task.called} ({why})")

    def _task(self, function: str, called: str, **more: int) -> Task:
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
        return Task(f"{__name__}:{function}", told, shared=shared, called=called)


def as_it_is(desk: Desk, task: Task) -> Done:
    """A task: the model before any dose, on the development sets and the tests."""
    best, _ = (trial := _Trial.of(desk, task)).nothing()
    return Done({"before": trial.before}, _tables(best))


def try_dose(desk: Desk, task: Task) -> Done:
    """A task: one dose and seed at all rates, and the best weights of them on the tests."""
    trial = _Trial.of(desk, task)
    best, tried = trial.dose(task.told["seed"], task.told["add"], task.told["k"])
    return Done({"tried": [asdict(dose) for dose in tried], "best": asdict(best.dose)}, _tables(best))


def _tables(best: BestDose) -> dict[str, Any]:
    answers = {"new": best.answers, "original": best.original_answers}
    return {name: table_of_answers("", name, given) for name, given in answers.items()}


@dataclass(slots=True)
class _Trial:
    """A study where its doses are given."""

    model: str
    sets: Sets
    grid: Grid
    objective: str
    watcher: Watcher
    before: dict[str, float]

    @classmethod
    def of(cls, desk: Desk, task: Task) -> _Trial:
        told = task.told
        if identify(told["model"]).whole != told["identity"]:
            raise UserError(
                f"{told['model']} has other weights, config or tokenizer there", fix="put the same model everywhere"
            )
        probes = {name: Probe(items, Card(name=name)) for name, items in task.shared.items()}
        grid: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in told["grid"].items()
        }
        return cls(told["model"], Sets(**probes), Grid(**grid), told["objective"], desk.watcher, dict(told["before"]))

    def nothing(self) -> tuple[BestDose, list[Dose]]:
        opened, place = self._placed(self.model)
        aim = objective_of(self.objective)
        parts = {"new": self.sets.dev, "original": self.sets.original_dev}
        self.before = {name: accuracy_of(opened, place, aim, probe.items) for name, probe in parts.items()}
        dose = Dose(self.model, "none", 0, 0.0, 0, 0, self.before["new"], self.before["original"], 0.0)
        return self._measured(opened, place, dose), []

    def _placed(self, name: str) -> tuple[Opened, Any]:
        from horsesense.models.local.device import choose_device
        from horsesense.models.local.large import is_placed

        opened = open_for_training(
            name, objective_of(self.objective).family, device=self.grid.device, dtype=self.grid.dtype
        )
        if opened.new:
            raise UserError(
                f"{name} has no trained head for the original task ({opened.new[0]} …)",
                fix="train it on that task first: horsesense train",
            )
        if is_placed(self.grid.device, self.grid.dtype):
            return opened, opened.network.eval()
        return opened, opened.network.to(choose_device(self.grid.device)[0]).eval()

    def dose(self, seed: int, add: int, k: int) -> tuple[BestDose, list[Dose]]:
        setting, tried = _setting(add), list[Dose]()
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
            train(self.model, items, self.sets.dev.items, recipe, others=others, watcher=self.watcher, keep=keep)
            doses = [self._record(look, setting, k, rate, seed) for look in looks]
            tried += doses
            top = max(doses, key=lambda dose: (dose.new + dose.original, -dose.steps))
            if best is None or top.new + top.original > best[0]:
                best = top.new + top.original, top, state
        assert best is not None
        dose = best[1]
        opened, network = self._placed(self.model)
        if self.grid.lora:
            from horsesense.learning.transformers_trainer import with_adapter

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


def _setting(add: int) -> str:
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
