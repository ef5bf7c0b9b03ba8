"""What trainings gave: each test before and after, means over seeds, whole and by facet; kept as results.json."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import orjson

from horsesense.analysis import Estimate, accuracy, chance
from horsesense.analysis.resampling import Floats
from horsesense.files.checksums import summed
from horsesense.learning.curves import RESULTS
from horsesense.learning.leaks import LeakCounts, Leaks
from horsesense.learning.settings import TrainingPlan
from horsesense.learning.training_record import Recipe, Trained
from horsesense.records import Item, Probe
from horsesense.records.document import Document, plain

ModelAndTest = tuple[str, str]
"""Which model was asked which test; the model before training has no name."""
Credits = Mapping[ModelAndTest, Mapping[str, float]]
"""What each item earned, by its id."""


@dataclass(frozen=True, slots=True)
class Change:
    """Accuracy before and after training; intervals are over units of dependence."""

    before: Estimate | None
    """None where the model cannot be asked before it has a head."""
    after: Estimate
    """The mean over seeds."""


@dataclass(frozen=True, slots=True)
class Scored:
    """One test set, before and after training."""

    test: str
    whole: Change
    each: tuple[float, ...]
    """Accuracy of each seed."""
    slices: Mapping[str, Mapping[str, Change]]
    """By facet and value. ``twin``, whether training saw the other member of the family, counts answers of all
    seeds."""

    @property
    def spread(self) -> float | None:
        """Standard deviation over seeds."""
        return float(np.std(self.each, ddof=1)) if len(self.each) > 1 else None


@dataclass(frozen=True, slots=True)
class Point:
    """One setting with one number."""

    plan: str
    items: int
    """Items trained on."""
    trained: tuple[Trained, ...]
    """One a seed; none where nothing was trained (a curve's beginning)."""
    tests: tuple[Scored, ...]
    leaks: Leaks
    counts: Mapping[str, int]
    """What was left out of training, and how much of it."""


@dataclass(frozen=True, slots=True)
class TrainingResults:
    """What a model gained under a setting, with each of the setting's numbers."""

    model: str
    setting: str
    recipe: Recipe
    out: Path
    """Where the trained models, their answers and these results are kept."""
    points: tuple[Point, ...]


def write_results(results: TrainingResults) -> None:
    """Keep the results beside what was trained, for whoever draws a curve of them."""
    with summed(results.out, results.out / RESULTS) as temporary:
        temporary.write_bytes(orjson.dumps(plain(training_document(results))))


def scored(
    test: str, plans: Sequence[TrainingPlan], names: Sequence[str], runs: Credits, probe: Probe, facets: Sequence[str]
) -> Scored:
    """A test that each of the plans' models was asked; ``probe`` says what its units of dependence are."""
    items = list({item.id: item for plan in plans for item in plan.tests[test]}.values())
    after = np.array(
        [np.mean([runs[name, test][item.id] for name in names if item.id in runs[name, test]]) for item in items]
    )
    first = runs.get(("", test))
    before = None if first is None else np.array([first[item.id] for item in items])
    group = probe.card.group
    slices: dict[str, Mapping[str, Change]] = {}
    if plans[0].leaks_by_design:
        slices["twin"] = _by_twin(test, plans, names, runs, group)
    for facet in facets:
        slices[facet] = _cut([str(item.facets.get(facet, "")) for item in items], items, group, before, after)
    return Scored(
        test=test,
        whole=_change(items, group, before, after),
        each=tuple(float(np.mean(list(runs[name, test].values()))) for name in names),
        slices=slices,
    )


def _by_twin(
    test: str, plans: Sequence[TrainingPlan], names: Sequence[str], runs: Credits, group: str
) -> dict[str, Change]:
    """Whether training saw the other member of the family differs from seed to seed, so answers are counted here."""
    labels, items, before, after = list[str](), list[Item](), list[float](), list[float]()
    first = runs.get(("", test))
    for plan, name in zip(plans, names, strict=True):
        trained = {item.family for item in plan.train}
        for item in plan.tests[test]:
            labels.append("seen" if item.family in trained else "unseen")
            items.append(item)
            after.append(runs[name, test][item.id])
            before += [first[item.id]] if first is not None else []
    return _cut(labels, items, group, np.array(before) if before else None, np.array(after))


def _cut(
    labels: Sequence[str], items: Sequence[Item], group: str, before: Floats | None, after: Floats
) -> dict[str, Change]:
    places: dict[str, list[int]] = {}
    for place, label in enumerate(labels):
        places.setdefault(label, []).append(place)
    return {
        label: _change([items[n] for n in at], group, None if before is None else before[at], after[at])
        for label, at in sorted(places.items())
    }


def _change(items: Sequence[Item], group: str, before: Floats | None, after: Floats) -> Change:
    units = [item.unit(group) for item in items]
    guess = chance([len(item.options) for item in items])
    return Change(
        None if before is None else accuracy(before, units, chance=guess), accuracy(after, units, chance=guess)
    )


@dataclass(frozen=True, slots=True)
class LookDocument(Document):
    """What a model could do at one moment of its training."""

    step: int
    """Steps done."""
    epoch: float
    """Rounds done."""
    dev: float
    """Accuracy on the development set."""
    tests: Mapping[str, float]
    """Accuracy on the tests that were looked at along the way."""


@dataclass(frozen=True, slots=True)
class SeedDocument(Document):
    """One training."""

    folder: str
    """A model name like any other."""
    best_step: int
    """The step whose weights are kept."""
    dev: float
    """Their accuracy on the development set."""
    stopped: str
    """Why it ended."""
    remarks: tuple[str, ...]
    """What happened on the way."""
    looks: tuple[LookDocument, ...]
    """Every look at the development set."""


@dataclass(frozen=True, slots=True)
class ChangeDocument(Document):
    """Accuracy before and after training."""

    n: int
    """Items with a gold."""
    chance: float | None
    """What guessing earns."""
    before: Estimate | None
    """Null where the model cannot be asked before it has a head."""
    after: Estimate
    """The mean over seeds."""


@dataclass(frozen=True, slots=True)
class MeasuredTest(Document):
    """One test set, before and after training."""

    test: str
    """The name of the test."""
    n: int
    """Items with a gold."""
    chance: float | None
    """What guessing earns."""
    before: Estimate | None
    """Null where the model cannot be asked before it has a head."""
    after: Estimate
    """The mean over seeds."""
    each: tuple[float, ...]
    """Accuracy of each seed."""
    spread: float | None
    """Standard deviation over seeds; null for one."""
    slices: Mapping[str, Mapping[str, ChangeDocument]]
    """By facet and value."""


@dataclass(frozen=True, slots=True)
class PointDocument(Document):
    """One setting with one number."""

    plan: str
    """The setting and its number, in words."""
    train: int
    """Items trained on."""
    counts: Mapping[str, int]
    """What was left out."""
    leaks: LeakCounts
    """What training has seen of the tests."""
    seeds: tuple[SeedDocument, ...]
    """One training a seed; none where nothing was trained (a curve's beginning)."""
    tests: tuple[MeasuredTest, ...]
    """Each test, before and after."""


@dataclass(frozen=True, slots=True)
class TrainingDocument(Document):
    """A model fine-tuned under a setting, measured before and after."""

    model: str
    """The model before."""
    setting: str
    """What it was trained on of what there is."""
    objective: str
    """What it was trained to do."""
    lora: bool
    """Whether an adapter was trained and not the weights themselves."""
    lr: float
    """Learning rate."""
    out: str
    """Folder of the trained models and their answers."""
    points: tuple[PointDocument, ...]
    """One for each number of the setting."""


def training_document(results: TrainingResults) -> TrainingDocument:
    """What a training says of itself, printed and kept."""
    return TrainingDocument(
        model=results.model,
        setting=results.setting,
        objective=results.recipe.objective,
        lora=results.recipe.lora,
        lr=results.recipe.rate,
        out=str(results.out),
        points=tuple(
            PointDocument(
                plan=point.plan,
                train=point.items,
                counts=dict(point.counts),
                leaks=LeakCounts.of(point.leaks),
                seeds=tuple(map(_seed, point.trained)),
                tests=tuple(map(_test, point.tests)),
            )
            for point in results.points
        ),
    )


def _seed(trained: Trained) -> SeedDocument:
    return SeedDocument(
        folder=str(trained.folder),
        best_step=trained.best.step,
        dev=trained.best.accuracy,
        stopped=trained.stopped,
        remarks=trained.remarks,
        looks=tuple(LookDocument(look.step, look.epoch, look.accuracy, dict(look.others)) for look in trained.looks),
    )


def _test(scored: Scored) -> MeasuredTest:
    return MeasuredTest(
        test=scored.test,
        n=scored.whole.after.n,
        chance=scored.whole.after.chance,
        before=scored.whole.before,
        after=scored.whole.after,
        each=scored.each,
        spread=scored.spread,
        slices={
            facet: {value: _change_document(change) for value, change in values.items()}
            for facet, values in scored.slices.items()
        },
    )


def _change_document(change: Change) -> ChangeDocument:
    return ChangeDocument(change.after.n, change.after.chance, change.before, change.after)
