"""Ask models all sets of a paper, and compute its tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from horsesense.core import ScoringSpec
from horsesense.data import cache_folder
from horsesense.errors import translate_errors
from horsesense.methods.suites import find_paper_suite
from horsesense.methods.suites.frame import CONTROLS, OpenedData, PaperSuite, PaperTable, store_suite, suite_tables
from horsesense.progress import Progress
from horsesense.runs.ask import ask
from horsesense.runs.run import Run
from horsesense.signatures import extends
from horsesense.training.baselines import ControlSettings, fit_control
from horsesense.training.controls import control

if TYPE_CHECKING:
    from horsesense.models.protocol import Model

_MOST_LINES = 10
"""Maximum number of skipped lines that are logged with their reason."""


@dataclass(frozen=True)
class AskedSuite:
    """Answers of models to a suite, with the paper's tables."""

    run: Run
    """The answers."""
    results: Any = None
    """Results beyond the paper's tables, where the suite has some."""

    @property
    def tables(self) -> tuple[PaperTable, ...]:
        """The paper's tables with these models in them."""
        return self.run.tables


@translate_errors()
@extends(ask, without=("probe", "formats", "design"))
def ask_suite(
    model: str | Model | Sequence[str | Model],
    suite: str = "cats",
    *,
    data: str | Path | None = None,
    skip_bad: bool = False,
    spec: str | ScoringSpec | None = None,
    **options: Any,
) -> AskedSuite:
    """Run models on all sets of a paper.

    Args:
        model: One or several, by name or loaded.
        suite: Suite, by its name.
        data: Folder of the paper's datasets. By default, what was fetched.
        skip_bad: Skip and count lines that cannot be read.
        spec: Scoring spec. By default, the paper's.

    Returns:
        The run, and its tables.
    """
    paper = find_paper_suite(suite)
    opened = paper.open_data(None if data is None else Path(data), skip_bad)
    out, progress = options["out"], options["progress"]
    _log_sets(suite, opened, progress)
    run = ask(model, opened.probes, spec=paper.spec if spec is None else spec, formats="loglikelihood", **options)
    if out is not None:
        store_suite(Path(out), suite, opened.others)
        _fit_controls(paper, opened, Path(out) / CONTROLS, progress)
    run.tables = suite_tables(suite, list(run.answered), None if out is None else Path(out), opened.others)
    results = paper.results and paper.results(opened, progress)
    return AskedSuite(run, results)


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
                test=test,
                train=training,
                settings=ControlSettings(slots=tuple(each.slots), vectors=vectors),
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
