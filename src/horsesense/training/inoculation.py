"""Inoculation: fine-tune a model on small training sets from a probe, and measure what it learns and what it forgets.

Richardson and Sabharwal, "What Does My QA Model Know?" (TACL 2020), section 4.2, after Liu, Schwartz and Smith (2019):
a trained model is fine-tuned on k examples of a probe, over a grid of learning rates and steps. For each k, the weights
with the best mean accuracy on the new and the original task are selected. A model that learns quickly and forgets
nothing knew most of it before. The folder holds every trial, the selected ones with their tests, and answers.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from operator import attrgetter
from pathlib import Path
from typing import Any

import orjson

from horsesense.core import Item, Probe
from horsesense.core.document import Frame, TableDocument, columns_of, plain
from horsesense.data.store import Store, bind_folder
from horsesense.errors import UserError, argument, translate_errors
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.runs.ask_models import store_control
from horsesense.runs.engine import EngineSettings, EngineTask, Job
from horsesense.stats import Estimate, item_accuracy
from horsesense.stats.families import strict_accuracy
from horsesense.stats.resampling import Floats
from horsesense.training.baselines import is_stored
from horsesense.training.inoculation_trials import (
    CONTROL,
    LEARNING_RATES,
    SHOWN,
    BestTrial,
    InoculationGrid,
    InoculationSets,
    StudyRequest,
    evaluate_base_model,
    identity_of,
    run_trials,
    setting_of,
)
from horsesense.training.leaks import Leaks, check_leaks, find_leaks
from horsesense.training.settings import with_gold
from horsesense.training.trainer import credit_of
from horsesense.training.training_record import ordered_content
from horsesense.training.training_results import (
    SELECTED,
    TRIALS,
    CurvePoint,
    InoculationTrial,
    SelectedTrial,
    Trial,
    curves,
    inoculation_curve,
    read_trials,
)

STUDY = "study.json"
_SETS = (each.name for each in fields(InoculationSets))
_OTHERS = {"identity": "another model"} | {name: f"other {name.replace('_', ' ')} items" for name in _SETS}
"""What a study with other settings of these names is said to have."""


def _order(trial: InoculationTrial) -> tuple[Any, ...]:
    """Sort the base model first, then by seed, setting, k, learning rate and step."""
    setting = trial.setting
    return setting != "none", trial.seed, setting != "plain", setting, trial.k, trial.lr, trial.steps


def _by_seen(probe: Probe, credit: Floats, seen: Mapping[str, bool]) -> dict[str, Estimate]:
    """Return accuracy by whether the word of the concept occurs in the text of the original task."""
    rows = {
        name: [row for row, item in enumerate(probe.items) if seen.get(item.id) is value]
        for name, value in (("seen", True), ("unseen", False))
    }
    return {
        name: item_accuracy([probe.items[row] for row in at], credit[at], probe.card.group)
        for name, at in rows.items()
        if at
    }


@dataclass(frozen=True)
class Inoculation(TableDocument):
    """Accuracy on a probe and on the original task after fine-tuning on small training sets from the probe."""

    model: str
    """The base model."""
    out: Path
    """Folder of trials, answers and curves."""
    curves: tuple[CurvePoint, ...]
    """Means over seeds, one for each setting and training-set size."""
    selected: tuple[SelectedTrial, ...]
    """The best weights of each setting, training-set size and seed."""
    leaks: Leaks
    """Leaks from training into the tests."""

    def frame(self) -> Frame:
        """Return one row per setting, training-set size and seed: the tests of the selected weights."""
        rows = []
        for trial in self.selected:
            row: dict[str, Any] = {name: getattr(trial, name) for name in ("setting", "k", "seed", "lr", "steps")}
            for name, test in (("new", trial.test_new), ("original", trial.test_original)):
                row |= {name: test.value, f"{name}_low": test.low, f"{name}_high": test.high}
                row[f"{name}_chance"] = test.chance
            rows.append(row | {"n": trial.test_new.n})
        return Frame(columns_of(rows), f"{self.model}, inoculated")

    def plot(self) -> Any:
        """Return a chart (Altair): accuracy on the probe and on the original task by training-set size."""
        from horsesense.drawing import curve_chart

        return curve_chart(inoculation_curve(self.selected))

    def __repr__(self) -> str:
        return f"Inoculation of {self.model}: {len(self.curves)} points, in {self.out}"


@translate_errors()
def inoculate(
    model: str,
    *,
    train: Probe | str | Path,
    dev: Probe | str | Path,
    test: Probe | str | Path,
    original_dev: Sequence[Probe | str | Path],
    original_test: Sequence[Probe | str | Path],
    out: str | Path,
    natural: Probe | str | Path | None = None,
    original_train: Probe | str | Path | None = None,
    grid: InoculationGrid | None = None,
    engine: EngineSettings | None = None,
    progress: Progress = NO_PROGRESS,
) -> Inoculation:
    """Fine-tune a model on small training sets from a probe, and measure what it learns and what it forgets.

    A stopped inoculation resumes with the same call.

    Args:
        model: Name or folder of a model that was already fine-tuned on another task (the original task), or the folder
            of a fitted control, such as esim.
        train: Probe that training sets are drawn from.
        dev: Development set of the probe, for model selection.
        test: Test set of the probe, evaluated once.
        original_dev: Development set of the original task; several are concatenated.
        original_test: Test sets of the original task, evaluated once.
        out: Folder for trials, answers and curves.
        natural: Dataset of examples to mix into the training sets (see --add), such as examples of the original task.
        original_train: Training set of the original task, to slice the test by seen and unseen concepts.
        grid: Inoculation settings.
        engine: Where models are trained and evaluated. Each worker has one training-set size and seed at a time.
        progress: Progress callback.

    Returns:
        The curves by training-set size, and the best weights of each setting, size and seed; ``frame()`` and
        ``plot()``.
    """
    from horsesense.core.catalogue import as_probe
    from horsesense.models.hf.load import architecture_of
    from horsesense.runs.store import locked
    from horsesense.training.objectives import inoculation_objective

    grid = grid or InoculationGrid()
    if is_stored(Path(model)):
        if grid.objective or grid.lora:
            what = argument("objective" if grid.objective else "lora")
            raise UserError("a fitted control has one objective and no adapter", fix=f"leave {what} out")
        objective, rates = CONTROL, LEARNING_RATES[CONTROL]
    else:
        objective = grid.objective or inoculation_objective(architecture_of(model)).name
        rates = LEARNING_RATES["transformer"]
    if grid.as_paper and objective != "multiple-choice":
        raise UserError(
            f"the objective {objective} has no use for empty options", fix=f"leave {argument('as_paper')} out"
        )
    grid = replace(
        grid,
        objective=objective,
        learning_rates=grid.learning_rates or rates,
        sizes=tuple(sorted(grid.sizes)),
        steps=tuple(sorted(grid.steps)),
    )
    sets = InoculationSets(
        as_probe(train),
        as_probe(dev),
        as_probe(test),
        _join(original_dev),
        _join(original_test),
        None if natural is None else as_probe(natural),
    )
    seen = {} if original_train is None else concepts_seen(sets.test.items, as_probe(original_train).items)
    folder = Path(out)
    study = InoculationStudy(model, sets, grid, folder, seen, progress)
    leaks = study.check(grid.allow_overlap)
    if leaks.items:
        progress.log(leaks.in_words())
    with locked(folder):
        bind_folder(folder / STUDY, "a study", study.identity(), _OTHERS, decided={"model": model})
        Store(folder).record(folder / STUDY)
        done = read_trials(folder / SELECTED, SelectedTrial)
        study.done = frozenset((trial.setting, trial.k, trial.seed) for trial in done)
        (engine or EngineSettings()).chosen_engine().carry_out([study], progress)
        if study.lost:
            raise UserError(f"not every training succeeded: {'; '.join(study.lost)}", fix="run the same command again")
        selected = read_trials(folder / SELECTED, SelectedTrial)
    return Inoculation(model, folder, tuple(curves(selected)), tuple(selected), leaks)


def _join(probes: Sequence[Probe | str | Path]) -> Probe:
    """Join several original tasks; items keep their families, which are the clusters then."""
    from horsesense.core.catalogue import as_probe

    parts = [as_probe(probe) for probe in probes]
    if len(parts) == 1:
        return parts[0]
    card = replace(parts[0].card, name="+".join(part.card.name for part in parts), group="family")
    return Probe.of([item for part in parts for item in part.items], card)


class InoculationStudy(Job):
    """The tasks of an inoculation: the base model first, then each training-set size and seed.

    Trials are stored as they are done; each file is complete, so that a killed study resumes.
    """

    name = "inoculation"

    def __init__(
        self,
        model: str,
        sets: InoculationSets,
        grid: InoculationGrid,
        folder: Path,
        seen: Mapping[str, bool],
        progress: Progress,
    ) -> None:
        super().__init__()
        self.model, self.sets, self.grid, self.folder, self.progress = model, sets, grid, folder, progress
        self.seen = seen
        """By item of the test, whether the word of its concept occurs in the original task."""
        self.done: frozenset[tuple[str, int, int]] = frozenset()
        """Setting, k and seed of what is stored already."""
        self.before: dict[str, float] = {}
        """Accuracy of the base model on the development sets: ``new`` and ``original``."""

    def check(self, allow_overlap: bool = False) -> Leaks:
        """Check for leaks from the training sets into the development and test sets."""
        s = self.sets
        for name, probe in (("probe's training", s.train), ("natural", s.natural)):
            if probe is None:
                continue
            items = with_gold(probe.items, name)
            targets = [s.dev, s.test] if name != "natural" else [s.original_dev, s.original_test]
            evaluated = [item for target in targets for item in target.items]
            leaks = check_leaks(find_leaks(items, evaluated), allow_overlap)
            if name != "natural":
                probe_leaks = leaks
        own = {item.id for probe in (s.dev, s.test) for item in probe.items}
        others = {item.id for probe in (s.original_dev, s.original_test) for item in probe.items}
        if shared := len(own & others):
            count = f"{shared:,} of {len(others):,} items of the original task are items of the probe"
            self.progress.log(f"{count}: a change in their accuracy is learning, not a cost")
        largest = max(self.grid.sizes)
        if largest > len(s.train.items):
            raise UserError(
                f"a training set of {largest:,} is larger than the {len(s.train.items):,} examples there are",
                fix="use smaller sizes",
            )
        if any(self.grid.adds) and s.natural is None:
            raise UserError("add-some needs a reserved natural set", fix=f"give {argument('natural', 'PROBE')}")
        return probe_leaks

    def identity(self) -> dict[str, Any]:
        """Return what all trials in one folder have in common."""
        sets = {each.name: getattr(self.sets, each.name) for each in fields(InoculationSets)}
        contents = {name: "" if probe is None else ordered_content(probe.items) for name, probe in sets.items()}
        left_out = {"sizes", "adds", "seeds", "device", "allow_overlap"}
        grid = {name: value for name, value in asdict(self.grid).items() if name not in left_out}
        return {"identity": identity_of(self.model), **contents, **grid}

    def begin(self) -> list[EngineTask]:
        """Return the base model's task: every cost is relative to it."""
        return [self._task(evaluate_base_model, "the base model", self._take_base)]

    def _take_base(self, result: tuple[dict[str, float], BestTrial]) -> list[EngineTask]:
        """Store the base model's outcome, and return all other tasks: seeds, then adds, then k."""
        self.before, best = result
        if ("none", 0, 0) not in self.done:
            self._store_best(best)
        return [
            self._task(
                run_trials, f"k = {k:,}, seed {seed}, {setting_of(add)}", self._take_trials, seed=seed, add=add, k=k
            )
            for seed in self.grid.seeds
            for add in self.grid.adds
            for k in self.grid.sizes
            if (setting_of(add), k, seed) not in self.done
        ]

    def _take_trials(self, result: tuple[BestTrial, list[InoculationTrial]]) -> list[EngineTask]:
        best, trials = result
        trials = [replace(trial, model=self.model) for trial in trials]
        self._add(TRIALS, trials, ("setting", "k", "lr", "steps", "seed"))
        trial = best.trial
        self.progress.log(
            f"{trial.setting}, k = {trial.k:,}, seed {trial.seed}, on the development sets: new {trial.new:.3f} "
            f"(from {self.before['new']:.3f}), original {trial.original:.3f}, cost {trial.cost:+z.3f}, "
            f"at learning rate {trial.lr:g} and step {trial.steps}"
        )
        self._store_best(best)
        return []

    def _store_best(self, best: BestTrial) -> None:
        """Add the tests of selected weights, and store their answers for a few training-set sizes."""
        trial, sets = replace(best.trial, model=self.model), self.sets  # a worker has the model's absolute path
        tests = {"new": (sets.test, best.answers), "original": (sets.original_test, best.original_answers)}
        credit = {name: credit_of(answers, probe.items) for name, (probe, answers) in tests.items()}
        if trial.k in SHOWN:
            who = f"{trial.model} after {trial.k:,} examples ({trial.setting}, seed {trial.seed})"
            method = f"learning rate {trial.lr:g}, step {trial.steps}"
            for name, (probe, answers) in tests.items():
                run = f"{trial.setting.replace(' ', '-')}-{trial.k}-seed-{trial.seed}-{name}"
                folder = self.folder / "answers" / run
                # A study that was stopped before it wrote the line may have left one.
                shutil.rmtree(folder, ignore_errors=True)
                store_control(
                    folder, who, method, probe.card.name, probe, answers, trial.seed, family="multiple-choice"
                )
        selected = SelectedTrial(
            **asdict(trial),
            test_new=item_accuracy(sets.test.items, credit["new"], sets.test.card.group),
            test_original=item_accuracy(sets.original_test.items, credit["original"], sets.original_test.card.group),
            strict_new=strict_accuracy(sets.test.items, credit["new"]),
            strict_original=strict_accuracy(sets.original_test.items, credit["original"]),
            seen=_by_seen(sets.test, credit["new"], self.seen),
        )
        self._add(SELECTED, [selected], ("setting", "k", "seed"))

    def _add(self, name: str, trials: Sequence[Trial], key: Sequence[str]) -> None:
        """Add trials to a file; one with the same key is replaced."""
        path, keys = self.folder / name, attrgetter(*key)
        new = {keys(trial) for trial in trials}
        others = [trial for trial in read_trials(path, type(trials[0])) if keys(trial) not in new]
        ordered = sorted([*others, *trials], key=_order)
        Store(self.folder).write(path, b"".join(orjson.dumps(plain(trial)) + b"\n" for trial in ordered))

    def _task(self, function: Any, label: str, take: Callable[[Any], Sequence[EngineTask]], **more: int) -> EngineTask:
        path = Path(self.model).expanduser()
        study = StudyRequest(
            model=str(path.absolute()) if path.exists() else self.model,
            identity=identity_of(self.model),
            grid=self.grid,
            before=self.before,
        )
        sets = {each.name: getattr(self.sets, each.name) for each in fields(InoculationSets)}
        shared = {name: probe.items for name, probe in sets.items() if probe is not None}
        return EngineTask(function, {"study": study, **more}, take, shared, label, self.progress)


def concepts_seen(items: Sequence[Item], originals: Iterable[Item]) -> dict[str, bool]:
    """Return, for each item that asks about a concept, whether its word occurs in the text of the original task."""
    from horsesense.lexicons.words import words

    text = " ".join(" ".join(words(f"{item.premise} {item.text} {' '.join(item.options)}")) for item in originals)
    padded = f" {text} "
    seen = {}
    for item in items:
        asked = str(item.facets.get("asked", item.groups.get("asked", "")))
        word = " ".join(words(asked.rsplit(".", 2)[0].replace("_", " ")))
        if word:
            seen[item.id] = f" {word} " in padded
    return seen
