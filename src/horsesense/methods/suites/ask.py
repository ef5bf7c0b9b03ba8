"""Ask models all sets of a paper, and compute its tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from horsesense.api.asking import ask
from horsesense.api.controls import fit_control
from horsesense.api.run import Run
from horsesense.core import ScoringSpec
from horsesense.data import cache_folder
from horsesense.errors import translate_errors
from horsesense.methods.cats.suite import SUITES as CATS_SUITES
from horsesense.methods.cats.suite import OpenedSuite, SetFiles, SuiteTable, suite_table
from horsesense.methods.suites import find_paper_suite
from horsesense.methods.suites.frame import OpenedData, PaperSuite, PaperTable
from horsesense.methods.suites.stored import CONTROLS, keep_suite, suite_tables
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.training.controls import control

if TYPE_CHECKING:
    from horsesense.models.api import ServedSettings
    from horsesense.models.protocol import Model
    from horsesense.runs.engine import Engine

_MOST_LINES = 10
"""Maximum number of skipped lines that are logged with their reason."""


@dataclass(frozen=True)
class AskedSuite:
    """Answers of models to a suite, with the paper's tables."""

    run: Run
    """The answers."""
    tables: tuple[PaperTable, ...]
    """The paper's tables with these models in them."""
    table: SuiteTable | None = None
    """For CATs: one row per model, the published rows, and the best blind cue of each set."""


@translate_errors()
def ask_suite(
    model: str | Model | Sequence[str | Model],
    name: str = "cats",
    *,
    data: str | Path | None = None,
    out: str | Path | None = None,
    spec: str | ScoringSpec | None = None,
    normalise: str | None = None,
    limit: int | None = None,
    seed: int = 0,
    skip_bad: bool = False,
    device: str = "auto",
    family: str | None = None,
    budget: int | None = None,
    allow_pickle: bool = False,
    cache: bool = True,
    served: ServedSettings | None = None,
    engine: str | Engine = "here",
    progress: Progress = NO_PROGRESS,
) -> AskedSuite:
    """Ask models all sets of a paper.

    Args:
        model: Name of a model, a loaded model, or several of them.
        name: Suite: ``"cats"``, ``"cats-robust"``, ``"partwhole"``, ``"rica"`` …
        data: Folder of its sets, flat or as published; by default, what was fetched.
        out: Run folder; without one, no answers are stored.
        spec: Scoring spec; by default, the paper's own definition.
        normalise: Normalisation of option scores; by default, that of each card.
        limit: Maximum number of items per set.
        seed: Random seed.
        skip_bad: Skip and count bad lines.
        device: Device of the model: auto, cpu, cuda, cuda:1, mps.
        family: Model family, where the config does not say.
        budget: Tokens per batch; by default, what fits the device.
        allow_pickle: Load pickled weights too.
        cache: With ``out``, use answers that another run has computed.
        served: Server settings.
        engine: Engine: ``"here"``, ``"ray"``, ``"ray:ADDRESS"``, or a result of `horsesense.engine`.
        progress: Progress callback.

    Returns:
        The run, and the paper's tables.
    """
    suite = find_paper_suite(name)
    opened = suite.open_data(None if data is None else Path(data), skip_bad)
    _log_sets(name, opened, progress)
    run = ask(
        model,
        opened.probes,
        out=out,
        spec=suite.spec if spec is None else spec,
        normalise=normalise,
        limit=limit,
        seed=seed,
        device=device,
        family=family,
        budget=budget,
        allow_pickle=allow_pickle,
        cache=cache,
        ways="options",
        served=served,
        engine=engine,
        progress=progress,
    )
    if out is not None:
        keep_suite(Path(out), name, opened.others)
        _fit_controls(suite, opened, Path(out) / CONTROLS, progress)
    tables = suite_tables(name, list(run.answered), None if out is None else Path(out), opened.others)
    if name not in CATS_SUITES:
        return AskedSuite(run, tables)
    of_cats = OpenedSuite(CATS_SUITES[name], SetFiles(opened.found, opened.missing), opened.probes)
    return AskedSuite(run, tables, suite_table(of_cats, list(run.answered), run.normalise, progress))


def _fit_controls(suite: PaperSuite, opened: OpenedData, folder: Path, progress: Progress) -> None:
    """Fit the paper's controls on the training part of each set and store them as runs; stored ones are reused."""
    for name, probe in opened.probes.items():
        training = opened.training.get(name)
        test = replace(probe, card=replace(probe.card, name=name), called=name)
        for each in suite.controls:
            where = folder / "-".join((name, each.name, *each.slots))
            if where.is_dir() or (training is None and control(each.name).trains):
                continue
            vectors = "glove" if cache_folder("glove").is_dir() else "none"
            if vectors == "none" and each.name == "vector-similarity":
                progress.log(f"{name}: {each.name} is left out because it needs word vectors: horsesense fetch glove")
                continue
            progress.log(f"{name}: fitting {each.name}")
            fit_control(
                each.name,
                test,
                train=training,
                slots=each.slots,
                vectors=vectors,
                seeds=1,
                out=where,
                allow_overlap=True,
                progress=progress,
            )


def _log_sets(name: str, opened: OpenedData, progress: Progress) -> None:
    """Log which sets were found, before hours of scoring."""
    for called, probe in opened.probes.items():
        if skipped := probe.card.notes.get("bad lines skipped"):
            progress.log(f"{called}: {skipped:,} bad lines skipped")
        for line in probe.skipped[:_MOST_LINES]:
            progress.log(f"skipped {line}")
        if len(probe.skipped) > _MOST_LINES:
            progress.log(f"and {len(probe.skipped) - _MOST_LINES:,} more lines skipped")
    n = len(opened.found) + len(opened.missing)
    progress.log(f"{name}: {len(opened.found)} of {n} sets found: {', '.join(opened.found)}")
    if opened.missing:
        progress.log(f"{name}: missing: {', '.join(opened.missing)}; the tables have no figure for them")
