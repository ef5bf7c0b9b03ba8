"""Tables of a run: those of its suite, or what a method makes of its own probes beyond accuracy."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from horsesense.methods.suites.frame import PaperTable, kept_tables
from horsesense.registry import load, methods
from horsesense.runs.results import Answered


def run_tables(folder: Path, answered: Sequence[Answered]) -> tuple[tuple[PaperTable, ...], tuple[PaperTable, ...]]:
    """Return the paper's tables of a suite's run, and the methods' tables of any other run."""
    papers = kept_tables(folder, answered) if folder.is_dir() else ()
    if papers:
        return papers, ()
    known, asked = methods(), {each.probe.card.method for each in answered}
    makers = [load(method.tables) for name, method in known.items() if method.tables and asked & {name, ""}]
    return (), tuple(table for tables in makers for table in tables(folder, answered))
