"""A setting carried out: one training a seed, the tests asked before and after, means and spread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from horsesense.errors import UserError
from horsesense.learning.leaks import Leaks, check_leaks, find_leaks
from horsesense.learning.objectives import objective_of
from horsesense.learning.recipe import Recipe, Trained
from horsesense.learning.scored import Asked, Scored, scored
from horsesense.learning.settings import Plan
from horsesense.learning.training import Say, Tick, train
from horsesense.models.local.families import family_named
from horsesense.records import Item, Probe
from horsesense.runs.ask import Settings, Watcher, ask_models
from horsesense.runs.results import read_run


@dataclass(frozen=True, slots=True)
class Point:
    """One setting with one number."""

    plan: str
    items: int
    trained: tuple[Trained, ...]
    """One a seed; none where nothing was trained (a curve's beginning)."""
    tests: tuple[Scored, ...]
    leaks: Leaks
    counts: Mapping[str, int]


def checked(plan: Plan, allow_overlap: bool) -> Leaks:
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
    plans: Sequence[Plan],
    recipe: Recipe,
    folder: Path,
    *,
    along: bool = False,
    say: Say = lambda _: None,
    tick: Tick = lambda *_: None,
) -> list[Trained]:
    """One training for each plan, the first with seed 0; what is kept is not trained again."""
    trained = []
    for seed, plan in enumerate(plans):
        say(f"{plan.name}, seed {seed}: {len(plan.train):,} items to train on, {len(plan.dev):,} to choose on")
        others = dict(plan.tests) if along else {}
        trained.append(_once(model, plan, replace(recipe, seed=seed), folder / f"seed-{seed}", others, say, tick))
    return trained


def carry_out(
    model: str,
    plans: Sequence[Plan],
    recipe: Recipe,
    folder: Path,
    probe: Probe,
    *,
    slices: Sequence[str] = (),
    along: bool = False,
    allow_overlap: bool = False,
    say: Say = lambda _: None,
    tick: Tick = lambda *_: None,
    watcher: Watcher | None = None,
) -> Point:
    """Train once for each plan (one a seed; they differ in what was drawn) and measure.

    ``probe`` lends the tests its card: the unit of dependence and the normalisation.
    """
    leaks, *_ = [checked(plan, allow_overlap) for plan in plans]
    trained = train_all(model, plans, recipe, folder, along=along, say=say, tick=tick)
    names = [str(folder / f"seed-{seed}") for seed in range(len(plans))]
    before = [model] if _has_head(model, recipe) else []
    asked = {name: replace(probe, items=list(items)) for name, items in plans[0].tests.items()}
    # Tests that are drawn anew for each seed are asked of that seed's model alone.
    same = all(_ids(plan) == _ids(plans[0]) for plan in plans)
    runs: dict[Asked, dict[str, float]] = {}
    settings = Settings(device=recipe.device)
    for seed, (name, plan) in enumerate(zip(names, plans, strict=True)):
        own = asked if same else {test: replace(probe, items=list(items)) for test, items in plan.tests.items()}
        place = folder / ("run" if same else f"run-{seed}")
        ask_models([*before, name], own, place, settings, watcher)
        for one in read_run(place)[1]:
            credit = one.credits(one.primary()).values
            who = "" if one.part.model.name == model else name
            if who in ("", one.part.model.name):
                found = dict(zip((item.id for item in one.items), credit.tolist(), strict=True))
                runs.setdefault((who, one.part.probe.name), {}).update(found)
    tests = tuple(scored(test, plans, names, runs, probe, slices) for test in plans[0].tests)
    return Point(plans[0].name, len(plans[0].train), tuple(trained), tests, leaks, plans[0].counts)


def _ids(plan: Plan) -> list[list[str]]:
    return [[item.id for item in items] for items in plan.tests.values()]


def _has_head(model: str, recipe: Recipe) -> bool:
    """Whether the model can answer before it is trained: a new classifier cannot."""
    return family_named(objective_of(recipe.objective).family).head == "tokens"


def _once(
    model: str, plan: Plan, recipe: Recipe, place: Path, others: Mapping[str, Sequence[Item]], say: Say, tick: Tick
) -> Trained:
    from horsesense.learning.kept import kept_training

    done = kept_training(place, recipe, len(plan.train))
    if done is not None:
        say(f"{place}: trained already")
        return done
    return train(model, plan.train, plan.dev, recipe, place, others=others, say=say, tick=tick)
