"""A run that is stored in a folder, with its report: what the commands ``run`` and ``suite`` give."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from horsesense.core import Card
from horsesense.core.document import INTERNAL, Document
from horsesense.methods.suites.frame import PaperTable
from horsesense.progress import Progress
from horsesense.registry import load, methods
from horsesense.report.run_report import write_report
from horsesense.runs.probe_answers import related_auditor
from horsesense.runs.result import Result, Spread, spreads
from horsesense.runs.run import Run
from horsesense.runs.stopping_rule import SequentialResult, sequential_results
from horsesense.runs.withheld import WithheldResult
from horsesense.runs.wordings import WordingResult


@dataclass(frozen=True, slots=True)
class StoredRun(Document):
    """A run that is stored in a folder, with its results and its report."""

    out: Path
    """The run folder."""
    results: tuple[Result, ...]
    """One for each model and probe of the call; a probe without gold answers has none."""
    report: Path
    """The report."""
    spread: tuple[Spread, ...] | None = None
    """The range over prompt formats, for each model and probe with several."""
    suite: Any = None
    """The suite's results beyond the paper's tables, where it has some."""
    tables: tuple[PaperTable, ...] | None = None
    """The paper's tables with these models in them."""
    withheld: tuple[WithheldResult, ...] | None = None
    """The items with and without options or question, where ``withhold`` was given."""
    wordings: tuple[WordingResult, ...] | None = None
    """The items in several wordings, where ``wordings`` was given."""
    until: tuple[SequentialResult, ...] | None = None
    """The anytime-valid interval of each result, where ``until`` was given."""
    run: Run = field(kw_only=True, metadata=INTERNAL)
    """The answers."""


def with_report(run: Run, progress: Progress, suite: Any = None) -> StoredRun:
    """Write the report of a run, and warn of what a reader should know."""
    page = (run.folder or Path()) / "report.html"
    write_report(run, out=page, pictures=False, progress=progress)
    names = {each.part.probe.name for each in (*run.answered, *run.beside)}  # also those of earlier calls
    for each in run.answered:
        name = each.part.probe.name
        if warning := related_auditor(each):
            progress.log(f"warning: {warning}")
        if not each.judged:
            progress.log(f"{name}: no item has a gold answer, so there is no accuracy; the answers are stored")
        elif method := _method_with_controls(each.probe.card, name, names):
            progress.log(f"{name}: report it with its controls; make them with: horsesense {method} controls")
    results = tuple(run.result_list())
    return StoredRun(
        out=run.folder or Path(),
        results=results,
        report=page,
        spread=spreads(results) or None,
        suite=suite,
        tables=run.tables or None,
        withheld=run.withheld() or None,
        wordings=run.wordings() or None,
        until=sequential_results(run.answered, run.until) or None,
        run=run,
    )


def _method_with_controls(card: Card, name: str, asked: Collection[str]) -> str:
    """Return the method that made a probe, if the probe has controls that were not asked; empty otherwise."""
    method = methods().get(card.method)
    if method is None or not method.missing_controls:
        return ""
    return method.name if load(method.missing_controls)(card, name, asked) else ""
