"""Fine-tune a model under a setting: one training per seed, the tests evaluated before and after.

With an engine of several workers, each worker trains in a folder of its own and returns the files; only the driver
process writes the folders. A training whose worker fails is started again, and a complete one is not repeated.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from annotated_types import Interval

from horsesense.core import Item, Probe, ScoringSpec
from horsesense.core.spec import with_setting
from horsesense.data.store import Store
from horsesense.errors import UserError, translate_errors
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.runs.engine import LOCAL, EngineSettings, EngineTask, Job
from horsesense.training.leaks import Leaks, check_leaks, find_leaks
from horsesense.training.objectives import objective_for, objective_of
from horsesense.training.settings import TrainingMaterial, TrainingPlan, find_setting, plans
from horsesense.training.trainer import check_dtype, train_model
from horsesense.training.training_record import (
    RECORD,
    Recipe,
    TrainedModel,
    TrainingOrigin,
    TrainingSettings,
    check_bound,
    origin_of,
    read_training,
)
from horsesense.training.training_results import (
    ModelAndTest,
    SeedResult,
    SettingResult,
    Training,
    result_of_test,
    write_results,
)

if TYPE_CHECKING:
    from horsesense.runs.engine import Engine, WorkerContext


@translate_errors()
def train(
    model: str,
    *,
    train: Probe | str | Path,
    out: str | Path,
    tests: Sequence[Probe | str | Path] = (),
    dev: Probe | str | Path | None = None,
    setting: str = "full",
    numbers: Sequence[int] = (),
    seeds: Annotated[int, Interval(ge=1, le=1000)] = 3,
    by: Sequence[str] = (),
    settings: TrainingSettings | None = None,
    engine: EngineSettings | None = None,
    progress: Progress = NO_PROGRESS,
) -> Training | None:
    """Fine-tune a model under a setting, and evaluate it before and after.

    A stopped training resumes with the same call.

    Args:
        model: Name or folder of a model.
        train: Probe to train on: name or file. In Python, also a `Probe`.
        out: Folder for the trained models, their answers and ``results.json``.
        tests: Probes to test on; with several, a combined result is reported too.
        dev: Probe for model selection. By default, a tenth of the training probe.
        setting: Training setting: full (the whole probe), or one of a method: low-resource (a part of it),
            high-resource (copies with other names), noisy (a large raw set), half-exception (half of the schemas) or
            full-exception (four fifths of the exceptions). With the suffix ``-unseen-nouns``, nouns are held out
            instead of schemas.
        numbers: Per cent of the training set (low-resource), copies per statement (high-resource) or number of
            statements (noisy).
        seeds: Number of training runs, with seeds 0, 1, 2, …
        by: Facets to slice the tests by.
        settings: Training settings.
        engine: Where models are trained and evaluated. Each worker has one training at a time.
        progress: Progress callback.

    Returns:
        Each test before and after, with intervals; ``frame()`` and ``plot()``. None in the other processes of torchrun.
    """
    from horsesense.core.catalogue import as_probe, name_in_run

    probe = as_probe(train)
    test_probes = {name_in_run(test): as_probe(test) for test in tests}
    dev_probe = None if dev is None else as_probe(dev)
    drawn = [plans(setting, TrainingMaterial(probe, dev_probe, test_probes, seed), numbers) for seed in range(seeds)]
    values = asdict(settings or TrainingSettings())
    recipe = Recipe(**values | {"objective": values["objective"] or _default_objective(model, setting, probe.items)})
    check_dtype(recipe)
    card_of = next(iter(test_probes.values()), probe)
    return fine_tune(
        model,
        setting,
        drawn,
        recipe,
        Path(out),
        card_of,
        slices=by,
        progress=progress,
        engine=(engine or EngineSettings()).chosen_engine(),
    )


def _default_objective(model: str, setting: str, items: Sequence[Item]) -> str:
    from horsesense.models.hf.load import architecture_of

    name = objective_for(architecture_of(model), items, model).name
    return find_setting(setting).masked_objective or name if name == "masked-word" else name


def fine_tune(
    model: str,
    setting: str,
    drawn: Sequence[Sequence[TrainingPlan]],
    recipe: Recipe,
    folder: Path,
    probe: Probe,
    *,
    slices: Sequence[str] = (),
    progress: Progress = NO_PROGRESS,
    engine: Engine = LOCAL,
) -> Training | None:
    """Train a model under a setting, evaluate it before and after, and save the results in the folder.

    ``drawn`` has the plans of each seed, one for each number of the setting. ``probe`` lends the tests its card: the
    cluster and the normalisation. Leaks are checked before anything is trained. With several processes of torchrun, all
    train, and the first one evaluates; the others return None.
    """
    from horsesense.runs.store import locked

    by_number = list(zip(*drawn, strict=True))
    leaks = [[check_plan(plan, recipe.allow_overlap) for plan in seed_plans] for seed_plans in drawn]
    folders = [folder / _slug(each[0].name) if len(by_number) > 1 else folder for each in by_number]
    if os.environ.get("RANK", "0") != "0":
        for seed_plans, index in zip(by_number, folders, strict=True):
            train_seeds(model, seed_plans, recipe, index)
        return None
    with locked(folder):
        if engine.remote:
            trainings = [
                (plan, replace(recipe, seed=seed), index / f"seed-{seed}")
                for seed_plans, index in zip(by_number, folders, strict=True)
                for seed, plan in enumerate(seed_plans)
            ]
            grid = TrainingGrid(model, trainings, progress)
            engine.carry_out([grid], progress)
            if grid.lost:
                lost = f"not everything was trained: {'; '.join(grid.lost)}"
                raise UserError(lost, fix="run the same command again")
        points = [
            _evaluate(model, seed_plans, recipe, index, probe, slices, leak, progress, engine)
            for seed_plans, index, leak in zip(by_number, folders, leaks[0], strict=True)
        ]
        for point in points:
            if leak_words := point.leaks.in_words():
                progress.log(f"{point.plan}: {leak_words}")
        lr = recipe.learning_rate
        result = Training(model, setting, recipe.objective, recipe.lora, lr, folder, tuple(points))
        write_results(result)
    return result


def _slug(name: str) -> str:
    return name.replace(" %", "-percent").replace(" ", "-")


def check_plan(plan: TrainingPlan, allow_overlap: bool) -> Leaks:
    """Check for leaks from training into every test and into the development set."""
    if not plan.train:
        raise UserError(f"{plan.name} leaves nothing to train on", fix="give a larger training set")
    for name, items in plan.tests.items():
        if not items:
            raise UserError(f"the test set {name} is empty", fix="give a larger probe")
    check_leaks(find_leaks(plan.train, plan.dev, plan.entities), allow_overlap, plan.leaks_by_design)
    tested = list({item.id: item for items in plan.tests.values() for item in items}.values())
    return check_leaks(find_leaks(plan.train, tested, plan.entities), allow_overlap, plan.leaks_by_design)


def train_seeds(
    model: str, plans: Sequence[TrainingPlan], recipe: Recipe, folder: Path, progress: Progress = NO_PROGRESS
) -> list[TrainedModel]:
    """Train once per plan, the first with seed 0; a complete training is not repeated."""
    trained = []
    for seed, plan in enumerate(plans):
        progress.log(f"{plan.name}, seed {seed}: {len(plan.train):,} training items, {len(plan.dev):,} for selection")
        trained.append(_train_seed(model, plan, replace(recipe, seed=seed), folder / f"seed-{seed}", progress))
    return trained


def _train_seed(model: str, plan: TrainingPlan, recipe: Recipe, folder: Path, progress: Progress) -> TrainedModel:
    origin = origin_of(model, plan.train, plan.dev)
    done = read_training(folder, recipe, len(plan.train), origin)
    if done is not None:
        progress.log(f"{folder}: already trained")
        return done
    check_bound(folder, recipe, origin)
    others = dict(plan.tests) if recipe.eval_tests else {}
    return train_model(model, plan.train, plan.dev, recipe, folder, others=others, progress=progress, origin=origin)


def _evaluate(
    model: str,
    plans: Sequence[TrainingPlan],
    recipe: Recipe,
    folder: Path,
    probe: Probe,
    slices: Sequence[str],
    leaks: Leaks,
    progress: Progress,
    engine: Engine,
) -> SettingResult:
    """Train once per plan (one per seed; they differ in what was drawn) and evaluate before and after."""
    from horsesense.runs.ask_models import ask_models
    from horsesense.runs.tasks import Settings

    trained = train_seeds(model, plans, recipe, folder, progress)
    names = [str(folder / f"seed-{seed}") for seed in range(len(plans))]
    base = [model] if _has_head(recipe) else []
    shared_probes = {name: replace(probe, items=list(items)) for name, items in plans[0].tests.items()}
    # Tests that are drawn anew for each seed are only for the model of that seed.
    same = all(_ids(plan) == _ids(plans[0]) for plan in plans)
    run_folders: list[Path] = []
    prompt_format = objective_of(recipe.objective).prompt_format
    settings = Settings(
        spec=with_setting(ScoringSpec(), "dtype", recipe.dtype), device=recipe.device, formats=(prompt_format,)
    )
    # All runs are finished before any answer is read, since a stopped one is completed here.
    for seed, (name, plan) in enumerate(zip(names, plans, strict=True)):
        probes = (
            shared_probes if same else {test: replace(probe, items=list(items)) for test, items in plan.tests.items()}
        )
        run_folder = folder / ("run" if same else f"run-{seed}")
        ask_models([*base, name], probes, run_folder, settings, progress, engine)
        if run_folder not in run_folders:
            run_folders.append(run_folder)
    runs = _read_credits(run_folders, model, names)
    return SettingResult(
        plan=plans[0].name,
        train=len(plans[0].train),
        counts=dict(plans[0].counts),
        leaks=leaks,
        seeds=tuple(map(SeedResult.of, trained)),
        tests=tuple(result_of_test(test, plans, names, runs, probe, slices) for test in plans[0].tests),
    )


def _read_credits(folders: Sequence[Path], model: str, names: Sequence[str]) -> dict[ModelAndTest, dict[str, float]]:
    """Read the credit of each item, by model (empty for the base model) and test."""
    from horsesense.runs.probe_answers import read_run

    runs: dict[ModelAndTest, dict[str, float]] = {}
    for folder in folders:
        for answered in read_run(folder, unfinished=True)[1]:
            name = answered.part.model.name
            if name != model and name not in names:
                continue
            values = answered.credits(answered.primary()).values
            by_item = dict(zip((item.id for item in answered.items), values.tolist(), strict=True))
            runs.setdefault(("" if name == model else name, answered.part.probe.name), {}).update(by_item)
    return runs


def _ids(plan: TrainingPlan) -> list[list[str]]:
    return [[item.id for item in items] for items in plan.tests.values()]


def _has_head(recipe: Recipe) -> bool:
    """Whether the model can answer before it is trained: a new classifier cannot."""
    from horsesense.models.hf.families import family_named

    return family_named(objective_of(recipe.objective).family).head == "tokens"


# Trainings by the workers of an engine.


class TrainingGrid(Job):
    """Independent trainings, each of a plan with a recipe into a folder; those that are complete are left out."""

    name = "training"

    def __init__(self, model: str, trainings: Sequence[tuple[TrainingPlan, Recipe, Path]], progress: Progress) -> None:
        super().__init__()
        self.model, self.progress = model, progress
        self._tasks = [task for each in trainings if (task := self._task(*each)) is not None]

    def begin(self) -> list[EngineTask]:
        return self._tasks

    def _write(self, label: str, folder: Path, files: Mapping[str, bytes]) -> list[EngineTask]:
        """Write the folder of a trained model, completely or not at all."""
        part = folder.with_name(f".{folder.name}.part")
        shutil.rmtree(part, ignore_errors=True)
        for name, content in files.items():
            (part / name).parent.mkdir(parents=True, exist_ok=True)
            (part / name).write_bytes(content)
        shutil.rmtree(folder, ignore_errors=True)  # an earlier call may have started there itself
        part.rename(folder)
        self.progress.log(f"{label}: trained, {len(files)} files")
        return []

    def _task(self, plan: TrainingPlan, recipe: Recipe, folder: Path) -> EngineTask | None:
        origin = origin_of(self.model, plan.train, plan.dev)
        if read_training(folder, recipe, len(plan.train), origin) is not None:
            return None
        check_bound(folder, recipe, origin)
        path = Path(self.model).expanduser()
        label = f"{plan.name}, seed {recipe.seed}"
        arguments = {
            "model": str(path.absolute()) if path.exists() else self.model,
            "recipe": recipe,
            "origin": origin,
            "folder": folder,
            "train": plan.train,
        }
        tests = plan.tests.items() if recipe.eval_tests else ()
        shared: Mapping[str, Sequence[Item]] = {"dev": plan.dev, **{f"test {name}": items for name, items in tests}}
        return EngineTask(train_on_worker, arguments, partial(self._write, label, folder), shared, label)


def train_on_worker(
    context: WorkerContext,
    model: str,
    recipe: Recipe,
    origin: TrainingOrigin,
    folder: Path,
    train: Sequence[Item],
    dev: Sequence[Item],
    **tests: Sequence[Item],
) -> dict[str, bytes]:
    """Carry out one training in a temporary folder, and return its files by their path in it."""
    if origin_of(model, train, dev) != origin:
        raise UserError(f"{model} has other weights, config or tokenizer there", fix="put the same model everywhere")
    others = {name.removeprefix("test "): items for name, items in tests.items()}
    with tempfile.TemporaryDirectory(prefix="horsesense-") as scratch:
        here = Path(scratch) / folder.name
        train_model(model, train, dev, recipe, here, others=others, origin=origin)
        record = json.loads((here / RECORD).read_text(encoding="utf-8")) | {"folder": str(folder)}
        Store(here).write(here / RECORD, json.dumps(record, indent=2) + "\n")
        return {
            path.relative_to(here).as_posix(): path.read_bytes() for path in sorted(here.rglob("*")) if path.is_file()
        }
