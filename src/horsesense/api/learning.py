"""What changes a model: training under a setting, and small doses of a probe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from horsesense.api.probes import PathLike, called, opened
from horsesense.core import Probe
from horsesense.errors import UserError, argument, translate_errors
from horsesense.progress import NO_PROGRESS, Progress

if TYPE_CHECKING:
    from horsesense.api.learnt import Inoculation, Training
    from horsesense.core import Item
    from horsesense.runs.engine import Engine


@translate_errors()
def train(
    model: str,
    probe: Probe | PathLike,
    *,
    out: PathLike,
    tests: Sequence[Probe | PathLike] = (),
    dev: Probe | PathLike | None = None,
    setting: str = "full",
    numbers: Sequence[int] = (),
    objective: str = "",
    lora: bool = False,
    lr: float | None = None,
    epochs: float = 3.0,
    batch: int = 16,
    every: int = 0,
    patience: int = 3,
    seeds: int = 3,
    by: Sequence[str] = (),
    along: bool = False,
    allow_overlap: bool = False,
    device: str = "auto",
    dtype: str = "float32",
    engine: str | Engine = "here",
    progress: Progress = NO_PROGRESS,
) -> Training | None:
    """Fine-tune a model under a setting, and measure it before and after.

    Args:
        model: A name or a folder.
        probe: What it learns from.
        out: Folder for the trained models, their answers and ``results.json``; a stopped training goes on from there.
        tests: Probes to test on.
        dev: The probe to choose on; by default a tenth of ``probe``.
        setting: full, low-resource, high-resource, noisy, half-exception or full-exception; the last
            two split by schema as the paper does, with ``-unseen-nouns`` behind them by noun.
        numbers: The setting's numbers: per cent, times or statements.
        objective: masked-word, random-mask, causal, options, letters, classification, classification-lm or
            multiple-choice; by default what fits the model.
        lora: Train an adapter and not the weights themselves.
        lr: Learning rate.
        epochs: Rounds at most.
        batch: Items a step; halved where memory runs out.
        every: Steps between looks at ``dev``; 0: once an epoch.
        patience: Looks without a gain before stopping; 0: never.
        seeds: How many trainings, from seed 0 on.
        by: Facets to slice the tests by.
        along: Measure the tests along training too.
        allow_overlap: Train in spite of leaks.
        device: Where it is trained and asked.
        dtype: With an adapter: what the weights below it are in (bfloat16, int8, int4 …), trained and asked.
        engine: Where it is trained and asked: ``"here"``, ``"ray"``, ``"ray:ADDRESS"``, or what `engine` gave; a worker
            has one training at a time, and what it gave is kept here.
        progress: Told how far it has come.

    Returns:
        Each test before and after, with intervals; ``frame()`` and ``plot()``. None in the other processes of torchrun.
    """
    from horsesense.api.learnt import Training
    from horsesense.api.models import named
    from horsesense.training.fine_tuning import fine_tune
    from horsesense.training.one_training import check_dtype
    from horsesense.training.settings import TrainingMaterial, plans
    from horsesense.training.training_record import Recipe

    learned = opened(probe)
    tested = {called(test): opened(test) for test in tests}
    chosen_on = None if dev is None else opened(dev)
    drawn = [plans(setting, TrainingMaterial(learned, chosen_on, tested, seed), numbers) for seed in range(seeds)]
    recipe = Recipe(
        objective=objective or _objective(model, setting, learned.items),
        lora=lora,
        lr=lr,
        epochs=epochs,
        batch=batch,
        every=every,
        patience=patience,
        device=device,
        dtype=dtype,
    )
    check_dtype(recipe)
    lender = next(iter(tested.values()), learned)
    results = fine_tune(
        model,
        setting,
        drawn,
        recipe,
        Path(out),
        lender,
        slices=by,
        along=along,
        allow_overlap=allow_overlap,
        progress=progress,
        engine=named(engine),
    )
    return None if results is None else Training.of(results)


@translate_errors()
def inoculate(
    model: str,
    *,
    train: Probe | PathLike,
    dev: Probe | PathLike,
    test: Probe | PathLike,
    original_dev: Sequence[Probe | PathLike],
    original_test: Sequence[Probe | PathLike],
    out: PathLike,
    natural: Probe | PathLike | None = None,
    original_train: Probe | PathLike | None = None,
    adds: Sequence[int] = (0,),
    doses: Sequence[int] = (),
    rates: Sequence[float] = (),
    steps: Sequence[int] = (),
    seeds: Sequence[int] = (0, 1, 2),
    batch: int = 16,
    lora: bool = False,
    objective: str = "",
    as_paper: bool = False,
    allow_overlap: bool = False,
    device: str = "auto",
    dtype: str = "float32",
    engine: str | Engine = "here",
    progress: Progress = NO_PROGRESS,
) -> Inoculation:
    """Small doses of a probe, what they teach a model and what they cost it.

    Args:
        model: A name or a folder of a model that was trained on its original task.
        train: The probe that doses are drawn from.
        dev: The probe's development set, which chooses.
        test: The probe's test set, read once.
        original_dev: Development sets of the original task, joined.
        original_test: Test sets of the original task, read once.
        out: Folder for doses, answers and curves; what is done there is not done again.
        natural: A reserved natural set, for ``adds``.
        original_train: What the model was trained on: which concepts did it meet there?
        adds: Items of the natural set added to each of a dose: 0, 1 or 2.
        doses: Examples of the probe; by default 10 to 3,000.
        rates: Learning rates; by default 1e-5, 3e-5 and 1e-4.
        steps: Steps to look at; by default 10 to 600.
        seeds: Which examples are drawn.
        batch: Items a step.
        lora: Train an adapter and not the weights themselves.
        objective: What the model is trained to do; by default multiple-choice, and options for a decoder.
        as_paper: Fill up to five options with empty ones; for multiple-choice.
        allow_overlap: Train in spite of leaks.
        device: Where it is trained and asked.
        dtype: With an adapter: what the weights below it are in.
        engine: Where doses are given: ``"here"``, ``"ray"``, ``"ray:ADDRESS"``, or what `engine` gave; a worker has one
            dose of one seed at a time.
        progress: Told how far it has come.

    Returns:
        The curves over doses, and the best weights of each setting, dose and seed; ``frame()`` and ``plot()``.
    """
    from horsesense.api.learnt import Inoculation
    from horsesense.api.models import named
    from horsesense.models.hf.load import architecture_of
    from horsesense.runs.folder import locked
    from horsesense.training.curves import read_chosen
    from horsesense.training.doses import DOSES, RATES, STEPS, BestDose, Grid, Sets
    from horsesense.training.inoculation import Study, concepts_seen
    from horsesense.training.inoculation_folder import Folder, inoculation_document
    from horsesense.training.objectives import objective_of_doses

    objective = objective or objective_of_doses(architecture_of(model)).name
    if as_paper and objective != "multiple-choice":
        raise UserError(
            f"the objective {objective} has no use for empty options", fix=f"leave {argument('as_paper')} out"
        )

    sets = Sets(
        opened(train),
        opened(dev),
        opened(test),
        _joined(original_dev),
        _joined(original_test),
        None if natural is None else opened(natural),
    )
    grid = Grid(
        doses=tuple(sorted(doses or DOSES)),
        rates=tuple(rates or RATES),
        steps=tuple(sorted(steps or STEPS)),
        adds=tuple(adds),
        seeds=tuple(seeds),
        batch=batch,
        fill_to=5 if as_paper else 0,
        lora=lora,
        device=device,
        dtype=dtype,
    )
    folder = Folder(Path(out))
    seen = {} if original_train is None else concepts_seen(sets.test.items, opened(original_train).items)
    where = named(engine)

    def keep(best: BestDose) -> None:
        folder.chosen(best, sets, seen)

    study = Study(model, sets, grid, objective, progress, tried=folder.tried, chosen=keep)
    leaks = study.check(allow_overlap)
    with locked(Path(out)):
        folder.bind(study.made_from())
        study.done = frozenset((dose["setting"], dose["k"], dose["seed"]) for dose in read_chosen(Path(out)))
        where.carry_out([study], progress)
        if study.lost:
            raise UserError(
                f"not all doses could be given: {'; '.join(study.lost)}", fix="the same command tries these again"
            )
        return Inoculation.of(inoculation_document(model, Path(out), read_chosen(Path(out)), leaks))


def _joined(probes: Sequence[Probe | PathLike]) -> Probe:
    """Several original tasks as one; items keep their families, which is what intervals are over then."""
    parts = [opened(probe) for probe in probes]
    if len(parts) == 1:
        return parts[0]
    card = replace(parts[0].card, name="+".join(part.card.name for part in parts), group="family")
    return Probe.of([item for part in parts for item in part.items], card)


def _objective(model: str, setting: str, items: Sequence[Item]) -> str:
    """What fits by itself: WinoVenti's settings mask at random, RICA's mask the word."""
    from horsesense.models.hf.load import architecture_of
    from horsesense.training.objectives import objective_for

    name = objective_for(architecture_of(model), items, model).name
    return "random-mask" if name == "masked-word" and setting.endswith("-exception") else name
