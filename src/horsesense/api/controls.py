"""What stands beside a model: controls that see a part of each item, and what they earn."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from horsesense.api.probes import PathLike, called, opened
from horsesense.api.run import AnyRun, answered_of
from horsesense.core import Probe
from horsesense.errors import translate_errors
from horsesense.progress import NO_PROGRESS, Progress

if TYPE_CHECKING:
    from horsesense.api.learnt import FittedControl


@translate_errors()
def fit_control(
    name: str,
    test: Probe | PathLike,
    *,
    train: Probe | PathLike | None = None,
    dev: Probe | PathLike | None = None,
    slots: Sequence[str] = (),
    vectors: str = "glove",
    model: str = "minilm",
    ordinal: bool = False,
    epochs: int | None = None,
    seeds: int = 3,
    out: PathLike | None = None,
    against: Sequence[AnyRun] = (),
    allow_overlap: bool = False,
    progress: Progress = NO_PROGRESS,
) -> FittedControl:
    """What a control earns that sees only a part of each item.

    Args:
        name: random, majority, majority-per, cue, vector-similarity, choice-only-linear, hypothesis-only, mlp,
            choice-only, choice-to-choice, question-to-choice, esim, choice-only-encoder or a plug-in's; or the
            folder of one that was fitted with ``out`` before, to ask it another probe.
        test: The probe to answer.
        train: The probe to learn from.
        dev: The probe to choose on; by default a tenth of ``train``.
        slots: Facets or groups to look at.
        vectors: Word vectors: glove, a file, or none.
        model: The encoder of choice-only-encoder.
        ordinal: The mlp learns the labels as a scale.
        epochs: Rounds at most; by default as the control likes.
        seeds: How many seeds to average, from 0 on.
        out: Keep its answers as a run in this folder, a folder a seed.
        against: Runs, or their folders: show their models where this control, and those among the runs, fail.
        allow_overlap: Train in spite of leaks.
        progress: Told how far it has come.

    Returns:
        Its accuracy with an interval, its answers, what leaks there are, a verdict, and models where it fails.
    """
    from horsesense.api.learnt import FittedControl
    from horsesense.runs.controls import keep_control
    from horsesense.training.baseline import ask_kept_control, fit_baseline, where_controls_fail
    from horsesense.training.controls import Task, control
    from horsesense.training.controls.stored import is_kept, keep_weights

    again = is_kept(Path(name))
    if not again:
        control(name)
    options = {"ordinal": float(ordinal)} | ({"epochs": float(epochs)} if epochs else {})
    like = Task((), (), (), slots=tuple(slots), vectors=vectors, model=model, options=options, progress=progress)
    fitted = ask_kept_control(Path(name), opened(test)) if again else fit_baseline(
        name,
        None if train is None else opened(train),
        opened(test),
        dev=None if dev is None else opened(dev),
        seeds=range(seeds),
        allow_overlap=allow_overlap,
        like=like,
    )  # fmt: skip
    if out is not None:
        for seed, (answers, weights) in enumerate(zip(fitted.answers, fitted.weights, strict=True)):
            folder = Path(out) if len(fitted.answers) == 1 else Path(out) / f"seed-{seed}"
            keep_control(folder, fitted.name, fitted.method, called(test), fitted.probe, answers, seed)
            if weights is not None and not again:
                keep_weights(folder, fitted.name, seed, vectors, fitted.train, weights)
    if not against:
        return FittedControl.of(fitted)
    credit = {item.id: float(value) for item, value in zip(fitted.probe.items, fitted.credit, strict=True)}
    return FittedControl.of(fitted, *where_controls_fail(credit, answered_of(against), fitted.probe.card.group))
