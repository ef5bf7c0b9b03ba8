"""What trainings gave as plain data: what ``train --json`` prints, and what is kept as results.json."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import orjson

from horsesense.core.document import Document, plain
from horsesense.data.checksums import summed
from horsesense.stats import Estimate
from horsesense.training.curves import RESULTS
from horsesense.training.leaks import LeakCounts
from horsesense.training.training_record import Trained
from horsesense.training.training_results import Change, Scored, TrainingResults


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


def write_results(results: TrainingResults) -> None:
    """Keep the results beside what was trained, for whoever draws a curve of them."""
    with summed(results.out, results.out / RESULTS) as temporary:
        temporary.write_bytes(orjson.dumps(plain(training_document(results))))
