"""A control fitted to a probe: leaks checked, seeds averaged, its score set against chance; models where it fails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from horsesense.core import Answer, Item, Probe
from horsesense.core.document import Document
from horsesense.errors import UserError, argument
from horsesense.runs.results import Answered
from horsesense.stats import Estimate, accuracy, chance, credits, family_accuracy
from horsesense.stats.resampling import Floats
from horsesense.training.controls import Fitted, Task, Weights, control
from horsesense.training.controls.stored import ask_kept
from horsesense.training.leaks import LeakCounts, Leaks, check_leaks, find_leaks
from horsesense.training.splits import HELD_OUT, hold_out, judged


@dataclass(frozen=True, slots=True)
class Baseline:
    """What a control earns on a probe."""

    name: str
    method: str
    """How it answers."""
    probe: Probe
    """The test set."""
    estimate: Estimate
    """The mean over seeds; the interval is over units of dependence."""
    strict: Estimate | None
    """Whole families right, the mean over seeds; None where every item stands alone."""
    each: tuple[float, ...]
    """Accuracy of each seed."""
    credit: Floats
    """Per test item, the mean over seeds; nan without a gold."""
    answers: tuple[tuple[Answer, ...], ...]
    """Per seed, one an item."""
    notes: dict[str, float]
    leaks: Leaks
    train: int
    """Items that it was trained on."""
    weights: tuple[Weights | None, ...] = ()
    """What it has learned, per seed; None where it cannot be asked again."""

    @property
    def spread(self) -> float | None:
        """Standard deviation over seeds."""
        return float(np.std(self.each, ddof=1)) if len(self.each) > 1 else None

    @property
    def verdict(self) -> str:
        """Whether there is an artefact here, by how much."""
        e = self.estimate
        guess = e.chance or 0.0
        earns = f"{self.name} earns {e.value:.3f} ({e.low:.3f} to {e.high:.3f}), guessing {guess:.3f}"
        if e.low > guess:
            return f"{earns}: {e.value - guess:z.3f} above chance, so that much of a score needs no understanding"
        return f"{earns}: not above chance, so nothing is given away to it"


def fit_baseline(
    name: str,
    train: Probe | None,
    test: Probe,
    *,
    dev: Probe | None = None,
    seeds: Sequence[int] = (0,),
    allow_overlap: bool = False,
    like: Task | None = None,
) -> Baseline:
    """Fit a control once a seed; ``like`` carries what else it takes (slots, vectors, options, progress).

    Without a development set, a tenth of the training set is held out for choosing, the same for every seed.
    """
    fitter = control(name)
    seeds = tuple(seeds) if fitter.by_chance else tuple(seeds[:1])
    usual = replace(like or Task((), (), ()), group=test.card.group)
    fitting: list[Item] = []
    leaks = Leaks()
    if fitter.trains:
        if train is None:
            raise UserError(f"the control {name} needs a training set", fix=f"give {argument('train', 'PROBE')}")
        fitting = judged(train.items, "training")
        leaks = check_leaks(find_leaks(fitting, test.items), allow_overlap)
        if dev is not None:
            check_leaks(find_leaks(fitting, dev.items), allow_overlap)
            usual = replace(usual, train=fitting, dev=judged(dev.items, "development"))
        elif fitter.chooses == "never" or (fitter.chooses == "without slots" and usual.slots):
            usual = replace(usual, train=fitting)
        else:
            stay, held = hold_out(fitting, HELD_OUT, 0, train.card.group)
            usual = replace(usual, train=stay, dev=held)
    fits = [fitter.fit(replace(usual, test=test.items, seed=seed)) for seed in seeds]
    return _measured(name, fits, test, leaks, len(usual.train))


def _measured(name: str, fits: Sequence[Fitted], test: Probe, leaks: Leaks, train: int) -> Baseline:
    items = test.items
    golds, units = [item.answer for item in items], [item.unit(test.card.group) for item in items]
    earned = [credits(fit.scores, golds, [item.id for item in items]).values for fit in fits]
    credit = np.mean(earned, axis=0)
    counts = [len(item.options) for item in items]
    guess = chance([count for count, gold in zip(counts, golds, strict=True) if gold is not None])
    strict = None
    if any(item.family for item in items):
        families = [item.unit() for item in items]
        each = [family_accuracy(values, families, option_counts=counts)[0].strict for values in earned]
        middle = replace(each[0], value=float(np.mean([estimate.value for estimate in each])))
        strict = replace(middle, ci=(min(estimate.low for estimate in each), max(estimate.high for estimate in each)))
    notes: dict[str, float] = {}
    for key in fits[0].notes:
        notes[key] = float(np.mean([fit.notes[key] for fit in fits]))
    return Baseline(
        name=name,
        method=fits[0].method,
        probe=test,
        estimate=accuracy(credit, units, chance=guess),
        strict=strict,
        each=tuple(float(np.nanmean(values)) for values in earned),
        credit=credit,
        answers=tuple(
            tuple(Answer(item.id, item.form, scores) for item, scores in zip(items, fit.scores, strict=True))
            for fit in fits
        ),
        notes=notes,
        leaks=leaks,
        train=train,
        weights=tuple(fit.weights for fit in fits),
    )


def ask_kept_control(folder: Path, test: Probe) -> Baseline:
    """A control that was fitted and kept before, on another probe."""
    kept, fitted = ask_kept(folder, list(test.items))
    return _measured(kept.name, [fitted], test, Leaks(), kept.train)


@dataclass(frozen=True, slots=True)
class Missed:
    """One model on both sides of the controls."""

    model: str
    all: Estimate
    """On every item that the controls were asked too."""
    missed: Estimate | None
    """On those that all controls miss; None where there are none."""


def where_controls_fail(
    credit: Mapping[str, float], runs: Sequence[Answered], group: str
) -> tuple[list[str], list[Missed]]:
    """The names of the other controls that were met, and each model's accuracy where all controls fail.

    ``credit`` is what the control in hand earns by item id; runs of the family ``control`` join it. A control
    misses an item that it earns no more than half of: a tie between two is luck, not an answer.
    """
    models = [run for run in runs if run.part.model.family != "control"]
    others = [run for run in runs if run.part.model.family == "control"]
    if not models:
        raise UserError("no run of a model was given", fix=f"give {argument('against')} the folder of a run")
    failing = {name for name, value in credit.items() if value <= 0.5}
    for other in others:
        earned = other.credits(other.primary()).values
        failing &= {item.id for item, value in zip(other.items, earned, strict=True) if value <= 0.5}
    missed = []
    for run in models:
        earned = run.credits(run.primary()).values
        rows = [row for row, item in enumerate(run.items) if item.id in credit and item.answer is not None]
        if not rows:
            raise UserError(
                f"{run.part.model.name} was not asked any item of this test set", fix="run it on this probe"
            )
        hard = [row for row in rows if run.items[row].id in failing]
        missed.append(
            Missed(
                run.part.model.name,
                _estimate(run, earned, rows, group),
                _estimate(run, earned, hard, group) if hard else None,
            )
        )
    return [run.part.model.name for run in others], missed


def _estimate(run: Answered, earned: Floats, rows: Sequence[int], group: str) -> Estimate:
    units = [run.items[row].unit(group) for row in rows]
    return accuracy(earned[list(rows)], units, chance=chance([len(run.items[row].options) for row in rows]))


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
        told=baseline.method,
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
