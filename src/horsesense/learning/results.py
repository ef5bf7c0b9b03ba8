"""What comes of learning, as plain data: a control's score, a training's, an inoculation's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from horsesense.analysis import Estimate
from horsesense.learning.baseline import Baseline
from horsesense.learning.curves import CurvePoint, curves
from horsesense.learning.fine_tuning import Point
from horsesense.learning.leaks import Leaks
from horsesense.learning.missed import Missed
from horsesense.learning.recipe import Recipe, Trained
from horsesense.learning.scored import Change, Scored
from horsesense.records.document import Document


@dataclass(frozen=True, slots=True)
class LeakCounts(Document):
    """What training has seen of the tests."""

    items: int
    """Test items that training has seen something of."""
    by: Mapping[str, int]
    """Those items by what is shared: item, text, family, answer, entity."""
    allowed: str
    """Why it went on in spite of them; empty where there are none."""

    @classmethod
    def of(cls, leaks: Leaks) -> LeakCounts:
        return cls(leaks.items, leaks.counts, leaks.allowed)


@dataclass(frozen=True, slots=True)
class BaselineDocument(Document):
    """What a control earns that sees only a part of each item."""

    name: str
    """The control."""
    told: str
    """How it answers."""
    n: int
    """Test items with a gold."""
    accuracy: float
    """The mean over seeds."""
    ci: tuple[float, float]
    """95 %, over units of dependence."""
    chance: float | None
    """What guessing earns."""
    clusters: int
    """Units of dependence."""
    group: str
    """What those units are."""
    train: int
    """Items that it was trained on."""
    seeds: tuple[float, ...]
    """Accuracy of each seed."""
    spread: float | None
    """Standard deviation over seeds; null for one."""
    strict: Estimate | None
    """Whole families right; null where every item stands alone."""
    notes: Mapping[str, float]
    """What was counted or chosen."""
    leaks: LeakCounts
    """What training has seen of the test."""
    other_controls: tuple[str, ...]
    """Controls among the runs that it was set against."""
    missed_by_controls: tuple[Missed, ...]
    """Each model that it was set against, on all items and where all controls fail."""
    verdict: str
    """Whether there is an artefact here, by how much."""


def baseline_document(
    baseline: Baseline, others: Sequence[str] = (), missed: Sequence[Missed] = ()
) -> BaselineDocument:
    """A control's score, beside the models and controls that it was set against."""
    e = baseline.estimate
    return BaselineDocument(
        name=baseline.name,
        told=baseline.told,
        n=e.n,
        accuracy=e.value,
        ci=e.ci,
        chance=e.chance,
        clusters=e.clusters,
        group=baseline.probe.card.group,
        train=baseline.train,
        seeds=baseline.each,
        spread=baseline.spread,
        strict=baseline.strict,
        notes=baseline.notes,
        leaks=LeakCounts.of(baseline.leaks),
        other_controls=tuple(others),
        missed_by_controls=tuple(missed),
        verdict=baseline.verdict,
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


def training_document(model: str, setting: str, recipe: Recipe, out: Path, points: Sequence[Point]) -> TrainingDocument:
    """What a training says of itself, printed and kept."""
    return TrainingDocument(
        model=model,
        setting=setting,
        objective=recipe.objective,
        lora=recipe.lora,
        lr=recipe.rate,
        out=str(out),
        points=tuple(
            PointDocument(
                plan=point.plan,
                train=point.items,
                counts=dict(point.counts),
                leaks=LeakCounts.of(point.leaks),
                seeds=tuple(map(_seed, point.trained)),
                tests=tuple(map(_test, point.tests)),
            )
            for point in points
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
            facet: {value: _change(change) for value, change in values.items()}
            for facet, values in scored.slices.items()
        },
    )


def _change(change: Change) -> ChangeDocument:
    return ChangeDocument(change.after.n, change.after.chance, change.before, change.after)


@dataclass(frozen=True, slots=True)
class MeasuredDose(Document):
    """A test as the line of a chosen dose keeps it."""

    accuracy: float
    """Share of items right."""
    ci: tuple[float, float]
    """Interval of the accuracy."""
    n: int
    """Items with a gold."""
    chance: float | None
    """What guessing earns."""
    strict: MeasuredDose | None = None
    """Whole families right, where there are families."""

    @classmethod
    def of(cls, line: Mapping[str, Any]) -> MeasuredDose:
        strict = line.get("strict")
        return cls(**{**line, "strict": None if strict is None else cls.of(strict)})


@dataclass(frozen=True, slots=True)
class ChosenDose(Document):
    """The best weights of a setting, dose and seed: a dose record (development sets) and the tests."""

    model: str
    """The model before."""
    setting: str
    """none, plain, add-some x1, add-some x2."""
    k: int
    """Examples of the probe."""
    lr: float
    """Learning rate."""
    steps: int
    """Steps trained."""
    seed: int
    """Which examples were drawn."""
    new: float
    """Accuracy on the probe's development set."""
    original: float
    """Accuracy on the original task's development set."""
    cost: float
    """Original accuracy before minus after."""
    test_new: MeasuredDose
    """The probe's test."""
    test_original: MeasuredDose
    """The original task's test."""
    seen: Mapping[str, MeasuredDose]
    """The probe's test by whether the concept's word stands in the original task's text."""

    @classmethod
    def of(cls, line: Mapping[str, Any]) -> ChosenDose:
        tests = {name: MeasuredDose.of(line[name]) for name in ("test_new", "test_original")}
        seen = {name: MeasuredDose.of(values) for name, values in line["seen"].items()}
        return cls(**{**line, **tests, "seen": seen})


@dataclass(frozen=True, slots=True)
class InoculationDocument(Document):
    """What small doses of a probe teach a model, and what they cost it."""

    model: str
    """The model before."""
    out: Path
    """Folder of doses, answers and curves."""
    curves: tuple[CurvePoint, ...]
    """Means over seeds, one for each setting and dose."""
    chosen: tuple[ChosenDose, ...]
    """The best weights of each setting, dose and seed."""
    leaks: LeakCounts
    """What the doses have seen of the tests."""


def inoculation_document(
    model: str, out: Path, chosen: Sequence[Mapping[str, Any]], leaks: Leaks
) -> InoculationDocument:
    """An inoculation from the lines that its folder keeps of the chosen doses."""
    return InoculationDocument(
        model=model,
        out=out,
        curves=tuple(curves(chosen)),
        chosen=tuple(map(ChosenDose.of, chosen)),
        leaks=LeakCounts.of(leaks),
    )
