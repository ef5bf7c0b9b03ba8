"""A setting carried out: one training a seed, the tests asked before and after, the results kept."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from horsesense.core import Item, Probe, ScoringSpec
from horsesense.core.spec import with_setting
from horsesense.errors import UserError
from horsesense.models.hf.families import family_named
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.runs.ask import Settings, ask_models
from horsesense.runs.engine import LOCAL, Engine
from horsesense.runs.folder import locked
from horsesense.runs.results import read_run
from horsesense.training.leaks import Leaks, check_leaks, find_leaks
from horsesense.training.objectives import objective_of
from horsesense.training.one_training import train
from horsesense.training.settings import TrainingPlan
from horsesense.training.training_document import write_results
from horsesense.training.training_grid import OneTraining, train_elsewhere
from horsesense.training.training_record import Recipe, Trained, check_bound, kept_training, origin_of
from horsesense.training.training_results import ModelAndTest, Point, TrainingResults, scored


def fine_tune(
    model: str,
    setting: str,
    drawn: Sequence[Sequence[TrainingPlan]],
    recipe: Recipe,
    folder: Path,
    probe: Probe,
    *,
    slices: Sequence[str] = (),
    along: bool = False,
    allow_overlap: bool = False,
    progress: Progress = NO_PROGRESS,
    engine: Engine = LOCAL,
) -> TrainingResults | None:
    """Train a model under a setting, measure it before and after, and keep the results in the folder.

    ``drawn`` has the plans of each seed, one for each number of the setting. ``probe`` lends the tests its card: the
    unit of dependence and the normalisation. Leaks are looked for before anything is trained. Of several processes
    of torchrun all train, and the first one measures; the others get None.
    """
    by_number = list(zip(*drawn, strict=True))
    leaks = [[checked(plan, allow_overlap) for plan in plans] for plans in drawn]
    places = [folder / _slug(plans[0].name) if len(by_number) > 1 else folder for plans in by_number]
    if os.environ.get("RANK", "0") != "0":
        for plans, place in zip(by_number, places, strict=True):
            train_all(model, plans, recipe, place, along=along)
        return None
    with locked(folder):
        if engine.remote:
            trainings = [
                OneTraining(plan, replace(recipe, seed=seed), place / f"seed-{seed}")
                for plans, place in zip(by_number, places, strict=True)
                for seed, plan in enumerate(plans)
            ]
            train_elsewhere(model, trainings, engine, along=along, progress=progress)
        points = [
            _carry_out(model, plans, recipe, place, probe, slices, along, leak, progress, engine)
            for plans, place, leak in zip(by_number, places, leaks[0], strict=True)
        ]
        results = TrainingResults(model, setting, recipe, folder, tuple(points))
        write_results(results)
    return results


def _slug(name: str) -> str:
    return name.replace(" %", "-percent").replace(" ", "-")


def checked(plan: TrainingPlan, allow_overlap: bool) -> Leaks:
    """Look for leaks from training into every test and into the development set, before anything is trained."""
    if not plan.train:
        raise UserError(f"{plan.name} leaves nothing to train on", fix="give a larger training set")
    for name, items in plan.tests.items():
        if not items:
            raise UserError(f"the test set {name} is empty", fix="give a larger probe")
    check_leaks(find_leaks(plan.train, plan.dev, plan.entities), allow_overlap, plan.leaks_by_design)
    everything = list({item.id: item for items in plan.tests.values() for item in items}.values())
    return check_leaks(find_leaks(plan.train, everything, plan.entities), allow_overlap, plan.leaks_by_design)


def train_all(
    model: str,
    plans: Sequence[TrainingPlan],
    recipe: Recipe,
    folder: Path,
    *,
    along: bool = False,
    progress: Progress = NO_PROGRESS,
) -> list[Trained]:
    """One training for each plan, the first with seed 0; what is kept is not trained again."""
    trained = []
    for seed, plan in enumerate(plans):
        progress.log(f"{plan.name}, seed {seed}: {len(plan.train):,} items to train on, {len(plan.dev):,} to choose on")
        others = dict(plan.tests) if along else {}
        trained.append(_once(model, plan, replace(recipe, seed=seed), folder / f"seed-{seed}", others, progress))
    return trained


def _carry_out(
    model: str,
    plans: Sequence[TrainingPlan],
    recipe: Recipe,
    folder: Path,
    probe: Probe,
    slices: Sequence[str],
    along: bool,
    leaks: Leaks,
    progress: Progress,
    engine: Engine,
) -> Point:
    """Train once for each plan (one a seed; they differ in what was drawn) and measure."""
    trained = train_all(model, plans, recipe, folder, along=along, progress=progress)
    names = [str(folder / f"seed-{seed}") for seed in range(len(plans))]
    before = [model] if _has_head(model, recipe) else []
    shared_probes = {name: replace(probe, items=list(items)) for name, items in plans[0].tests.items()}
    # Tests that are drawn anew for each seed are asked of that seed's model alone.
    same = all(_ids(plan) == _ids(plans[0]) for plan in plans)
    asked: list[Path] = []
    prompt_format = objective_of(recipe.objective).prompt_format
    settings = Settings(
        spec=with_setting(ScoringSpec(), "dtype", recipe.dtype), device=recipe.device, formats=(prompt_format,)
    )
    # All are asked before any answer is read: what was stopped in the middle is finished then.
    for seed, (name, plan) in enumerate(zip(names, plans, strict=True)):
        probes = (
            shared_probes if same else {test: replace(probe, items=list(items)) for test, items in plan.tests.items()}
        )
        place = folder / ("run" if same else f"run-{seed}")
        ask_models([*before, name], probes, place, settings, progress, engine)
        if place not in asked:
            asked.append(place)
    runs = _earned(asked, model, names)
    tests = tuple(scored(test, plans, names, runs, probe, slices) for test in plans[0].tests)
    return Point(plans[0].name, len(plans[0].train), tuple(trained), tests, leaks, plans[0].counts)


def _earned(places: Sequence[Path], model: str, names: Sequence[str]) -> dict[ModelAndTest, dict[str, float]]:
    """What each item earned, by who answered (nobody's name is the model before) and by test."""
    runs: dict[ModelAndTest, dict[str, float]] = {}
    for place in places:
        for answered in read_run(place, unfinished=True)[1]:
            name = answered.part.model.name
            if name != model and name not in names:
                continue
            credit = answered.credits(answered.primary()).values
            earned = dict(zip((item.id for item in answered.items), credit.tolist(), strict=True))
            runs.setdefault(("" if name == model else name, answered.part.probe.name), {}).update(earned)
    return runs


def _ids(plan: TrainingPlan) -> list[list[str]]:
    return [[item.id for item in items] for items in plan.tests.values()]


def _has_head(model: str, recipe: Recipe) -> bool:
    """Whether the model can answer before it is trained: a new classifier cannot."""
    return family_named(objective_of(recipe.objective).family).head == "tokens"


def _once(
    model: str,
    plan: TrainingPlan,
    recipe: Recipe,
    place: Path,
    others: Mapping[str, Sequence[Item]],
    progress: Progress,
) -> Trained:
    origin = origin_of(model, plan.train, plan.dev)
    done = kept_training(place, recipe, len(plan.train), origin)
    if done is not None:
        progress.log(f"{place}: trained already")
        return done
    check_bound(place, recipe, origin)
    return train(model, plan.train, plan.dev, recipe, place, others=others, progress=progress, origin=origin)
