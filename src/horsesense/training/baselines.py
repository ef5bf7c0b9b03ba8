"""Baselines: controls that see only a part of each item, fitted to a probe and compared with chance and with models.

The weights of a fitted control are stored beside its answers, so that it can answer other items.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import orjson
from annotated_types import Ge, Interval

from horsesense.core import Answer, Item, Probe
from horsesense.core.document import Frame, TableDocument, columns_of
from horsesense.data.store import Store
from horsesense.errors import UserError, argument, translate_errors
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.runs.probe_answers import ProbeAnswers
from horsesense.stats import Estimate, credits, item_accuracy
from horsesense.stats.families import strict_accuracy
from horsesense.stats.resampling import Floats
from horsesense.training.controls.control import VECTORS, ControlTask, Fitted, Weights, control
from horsesense.training.leaks import Leaks, check_leaks, find_leaks
from horsesense.training.settings import HELD_OUT, hold_out, with_gold

if TYPE_CHECKING:
    from horsesense.runs.run import AnyRun


FILE, ARRAYS = "control.json", "control.safetensors"


@dataclass(frozen=True, slots=True)
class StoredControl:
    """The description of a stored control."""

    name: str
    """Name of the control."""
    seed: int
    vectors: str
    """The word vectors that it was fitted with; they are not stored."""
    train: int
    """Number of training items."""
    words: tuple[str, ...] = ()
    """Its own vocabulary."""


def is_stored(folder: Path) -> bool:
    """Whether a folder holds a fitted control."""
    return (folder / FILE).is_file()


def store_weights(folder: Path, name: str, seed: int, vectors: str, train: int, weights: Weights) -> None:
    """Write the weights of a control into the folder of its answers."""
    from safetensors.numpy import save_file

    store = Store(folder)
    with store.writing(folder / ARRAYS) as temporary:
        save_file({key: np.ascontiguousarray(value) for key, value in weights.arrays.items()}, temporary)
    store.write(folder / FILE, orjson.dumps(StoredControl(name, seed, vectors, train, tuple(weights.words))))


def read_stored(folder: Path) -> tuple[StoredControl, Weights]:
    """Read a control from its folder."""
    from safetensors.numpy import load_file

    store, fix = Store(folder), "fit it again"
    stored = store.read(folder / FILE, StoredControl, fix)
    store.check(folder / ARRAYS, fix)
    return stored, Weights(load_file(folder / ARRAYS), stored.words)


# Fitting.


@dataclass(frozen=True, slots=True)
class ControlSettings:
    """Controls."""

    slots: tuple[str, ...] = ()
    """Facets or groups of the item that majority-per and mlp see. By default, chosen by the control."""
    vectors: str = VECTORS
    """Word vectors: glove, a file (GloVe, fastText, word2vec, .npy), or none."""
    encoder: str = "minilm"
    """Encoder of choice-only-encoder."""
    ordinal: bool = False
    """mlp: learn the labels as an ordinal scale."""
    epochs: Annotated[int, Ge(1)] | None = None
    """Maximum number of epochs. By default, chosen by the control."""


@dataclass(frozen=True, slots=True)
class ControlFit:
    """A control fitted once per seed, with its answers to the test set."""

    name: str
    probe: Probe
    """The test set."""
    fits: tuple[Fitted, ...]
    """One per seed."""
    leaks: Leaks
    train: int
    """Number of training items."""

    @property
    def answers(self) -> list[list[Answer]]:
        """The answers of each seed, one per item."""
        items = self.probe.items
        return [
            [Answer(item.id, item.form, scores) for item, scores in zip(items, fit.scores, strict=True)]
            for fit in self.fits
        ]

    def credits(self) -> list[Floats]:
        """Return the credit of each test item, for each seed; nan without a gold."""
        golds, ids = [item.answer for item in self.probe.items], [item.id for item in self.probe.items]
        return [credits(fit.scores, golds, ids).values for fit in self.fits]


@dataclass(frozen=True, slots=True)
class AccuracyWhereControlsFail:
    """Accuracy of a model on all items, and on those that the controls get wrong."""

    model: str
    """The model."""
    all: Estimate
    """On every item that the controls answered too."""
    missed: Estimate | None
    """On the items that all controls get wrong; null if there are none."""


@dataclass(frozen=True)
class FittedControl(TableDocument):
    """The accuracy of a control that sees only a part of each item."""

    name: str
    """The control."""
    method: str
    """How it answers."""
    estimate: Estimate
    """Mean accuracy over seeds, with a clustered interval."""
    group: str
    """The cluster."""
    train: int
    """Number of training items."""
    by_seed: tuple[float, ...]
    """Accuracy of each seed."""
    spread: float | None
    """Standard deviation over seeds; null for one seed."""
    strict: Estimate | None
    """Share of whole families right, mean over seeds; null if there are no families."""
    notes: Mapping[str, float]
    """What was counted or selected during fitting."""
    leaks: Leaks
    """Leaks from training into the test."""
    other_controls: tuple[str, ...]
    """Controls among the runs that it was compared with."""
    missed_by_controls: tuple[AccuracyWhereControlsFail, ...]
    """Each model that it was compared with, on all items and where all controls fail."""
    verdict: str
    """Whether the probe has an artefact that the control finds, and how large it is."""

    def frame(self) -> Frame:
        """Return the control, then each model on all items and where all controls fail."""
        parts = [(self.name, "all", self.estimate)]
        parts += [(each.model, "all", each.all) for each in self.missed_by_controls]
        parts += [(each.model, "missed by controls", each.missed) for each in self.missed_by_controls if each.missed]
        rows = [{"model": model, "items": items, **e.columns("accuracy")} for model, items, e in parts]
        return Frame(columns_of(rows), self.verdict)

    def plot(self) -> Any:
        """Return a chart (Altair): the control, and models where it fails, with intervals and chance."""
        from horsesense.drawing import accuracies

        rows = [row | {"label": f"{row['model']}, {row['items']}"} for row in self.frame()]
        return accuracies(rows, "accuracy")

    def __repr__(self) -> str:
        return self.verdict


@translate_errors()
def fit_control(
    name: str,
    *,
    test: Probe | str | Path,
    train: Probe | str | Path | None = None,
    dev: Probe | str | Path | None = None,
    settings: ControlSettings | None = None,
    seeds: Annotated[int, Interval(ge=1, le=1000)] = 3,
    out: str | Path | None = None,
    against: Sequence[AnyRun | str | Path] = (),
    allow_overlap: bool = False,
    progress: Progress = NO_PROGRESS,
) -> FittedControl:
    """Fit a control (a baseline that sees only part of each item), and measure its accuracy.

    Args:
        name: Control: random; majority or majority-per (most frequent training answer, overall or per value of
            --slot); cue (best surface cue); vector-similarity (of question and option); choice-only-linear,
            choice-only, choice-to-choice or choice-only-encoder (see the options only); question-to-choice or esim (see
            question and option); hypothesis-only (sees the second text of a pair); mlp (sees whole, part and
            adjective); a plug-in's; or the folder of a fitted baseline.
        test: Probe to answer: name or file. In Python, also a `Probe`.
        train: Probe to train on.
        dev: Probe for model selection. By default, a tenth of the training probe.
        settings: Control settings.
        seeds: Number of seeds to average over, from 0 on.
        out: Folder for its answers as a run, one folder per seed.
        against: Run folders. Their models are also scored on the items that this control gets wrong, and likewise for
            each control among the runs.
        allow_overlap: Train despite leaks from training into the test; the result records it.
        progress: Progress callback.

    Returns:
        Its accuracy with an interval, leaks, a verdict, and models where it fails.
    """
    from horsesense.core.catalogue import as_probe, name_in_run
    from horsesense.runs.ask_models import store_control
    from horsesense.runs.run import answered_of

    settings = settings or ControlSettings()
    probe = as_probe(test)
    stored = is_stored(Path(name))
    if stored:
        fit = fit_from_folder(Path(name), probe)
    else:
        options = {"ordinal": float(settings.ordinal)}
        options |= {"epochs": float(settings.epochs)} if settings.epochs else {}
        task = ControlTask(
            (), (), (), slots=tuple(settings.slots), vectors=settings.vectors, encoder=settings.encoder,
            options=options, progress=progress,
        )  # fmt: skip
        control(name)
        fit = fit_baseline(
            name,
            None if train is None else as_probe(train),
            probe,
            dev=None if dev is None else as_probe(dev),
            seeds=range(seeds),
            allow_overlap=allow_overlap,
            task=task,
        )
    if leaks := fit.leaks.in_words():
        progress.log(leaks)
    if out is not None:
        for seed, (answers, each) in enumerate(zip(fit.answers, fit.fits, strict=True)):
            folder = Path(out) if len(fit.fits) == 1 else Path(out) / f"seed-{seed}"
            store_control(folder, fit.name, each.method, name_in_run(test), probe, answers, seed)
            if each.weights is not None and not stored:
                store_weights(folder, fit.name, seed, settings.vectors, fit.train, each.weights)
    if not against:
        return measure(fit)
    credit = np.mean(fit.credits(), axis=0)
    by_item = {item.id: float(value) for item, value in zip(probe.items, credit, strict=True)}
    return measure(fit, *where_controls_fail(by_item, answered_of(against), probe.card.group))


def fit_baseline(
    name: str,
    train: Probe | None,
    test: Probe,
    *,
    dev: Probe | None = None,
    seeds: Sequence[int] = (0,),
    allow_overlap: bool = False,
    task: ControlTask | None = None,
) -> ControlFit:
    """Fit a control once per seed; ``task`` has its other settings (slots, vectors, options, progress).

    Without a development set, a tenth of the training set is held out for model selection, the same for every seed.
    """
    fitter = control(name)
    seeds = tuple(seeds) if fitter.by_chance else tuple(seeds[:1])
    task = replace(task or ControlTask((), (), ()), group=test.card.group)
    items: list[Item] = []
    leaks = Leaks()
    if fitter.trains:
        if train is None:
            raise UserError(f"the control {name} needs a training set", fix=f"give {argument('train', 'PROBE')}")
        items = with_gold(train.items, "training")
        leaks = check_leaks(find_leaks(items, test.items), allow_overlap)
        if dev is not None:
            check_leaks(find_leaks(items, dev.items), allow_overlap)
            task = replace(task, train=items, dev=with_gold(dev.items, "development"))
        elif fitter.chooses == "never" or (fitter.chooses == "without slots" and task.slots):
            task = replace(task, train=items)
        else:
            stay, held = hold_out(items, HELD_OUT, 0, train.card.group)
            task = replace(task, train=stay, dev=held)
    fits = tuple(fitter.fit(replace(task, test=test.items, seed=seed)) for seed in seeds)
    return ControlFit(name, test, fits, leaks, len(task.train))


def fit_from_folder(folder: Path, test: Probe) -> ControlFit:
    """Return the answers of a stored control to a probe."""
    stored, weights = read_stored(folder)
    fitter = control(stored.name)
    if not fitter.again:
        fix = f"fit it with {argument('train', 'PROBE')} instead"
        raise UserError(f"the control {stored.name} cannot answer other items", file=folder, fix=fix)
    fitted = fitter.fit(ControlTask((), (), list(test.items), seed=stored.seed, vectors=stored.vectors), weights)
    return ControlFit(stored.name, test, (fitted,), Leaks(), stored.train)


def measure(
    fit: ControlFit, others: Sequence[str] = (), missed: Sequence[AccuracyWhereControlsFail] = ()
) -> FittedControl:
    """Return the accuracy of a fitted control, beside the models and controls that it is compared with."""
    items = fit.probe.items
    by_seed = fit.credits()
    strict = strict_accuracy(items, by_seed[0])
    if strict is not None:
        each = [strict, *filter(None, (strict_accuracy(items, values) for values in by_seed[1:]))]
        ends = min(estimate.low for estimate in each), max(estimate.high for estimate in each)
        strict = replace(strict, value=float(np.mean([estimate.value for estimate in each])), ci=ends)
    estimate = item_accuracy(items, np.mean(by_seed, axis=0), fit.probe.card.group)
    seeds = tuple(float(np.nanmean(values)) for values in by_seed)
    return FittedControl(
        name=fit.name,
        method=fit.fits[0].method,
        estimate=estimate,
        group=fit.probe.card.group,
        train=fit.train,
        by_seed=seeds,
        spread=float(np.std(seeds, ddof=1)) if len(seeds) > 1 else None,
        strict=strict,
        notes={key: float(np.mean([each.notes[key] for each in fit.fits])) for key in fit.fits[0].notes},
        leaks=fit.leaks,
        other_controls=tuple(others),
        missed_by_controls=tuple(missed),
        verdict=_verdict(fit.name, estimate),
    )


def _verdict(name: str, e: Estimate) -> str:
    guess = e.chance or 0.0
    score = f"{name} has an accuracy of {e:.3f}, chance is {guess:.3f}"
    if e.low > guess:
        return f"{score}: {e.value - guess:z.3f} above chance, which a model can get without understanding the item"
    return f"{score}: not above chance, so this control finds no artefact"


def where_controls_fail(
    credit: Mapping[str, float], runs: Sequence[ProbeAnswers], group: str
) -> tuple[list[str], list[AccuracyWhereControlsFail]]:
    """Return the names of the other controls among the runs, and each model's accuracy where all controls fail.

    ``credit`` is the credit of the control by item id; runs of the family ``control`` join it. A control fails on an
    item if its credit is at most a half: a tie between two options is luck, not an answer.
    """
    models = [run for run in runs if run.part.model.family != "control"]
    others = [run for run in runs if run.part.model.family == "control"]
    if not models:
        raise UserError("no run of a model was given", fix=f"give {argument('against')} the folder of a run")
    failing = {name for name, value in credit.items() if value <= 0.5}
    for other in others:
        values = other.credits(other.primary()).values
        failing &= {item.id for item, value in zip(other.items, values, strict=True) if value <= 0.5}
    results = []
    for run in models:
        values = run.credits(run.primary()).values
        rows = [row for row, item in enumerate(run.items) if item.id in credit and item.answer is not None]
        if not rows:
            raise UserError(
                f"{run.part.model.name} did not answer any item of this test set", fix="run it on this probe"
            )
        hard = [row for row in rows if run.items[row].id in failing]
        overall, missed = (
            item_accuracy([run.items[row] for row in at], values[at], group) if at else None for at in (rows, hard)
        )
        assert overall is not None
        results.append(AccuracyWhereControlsFail(run.part.model.name, overall, missed))
    return [run.part.model.name for run in others], results
