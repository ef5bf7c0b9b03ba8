"""Tables of a run: those of its suite, or what a method makes of its own probes beyond accuracy."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from horsesense.methods.rica.analysis import rica_tables
from horsesense.methods.suites.frame import PaperTable
from horsesense.methods.suites.stored import kept_tables
from horsesense.methods.winoventi.suite import tables_of_run as winoventi_tables
from horsesense.runs.results import Answered


def run_tables(folder: Path, answered: Sequence[Answered]) -> tuple[tuple[PaperTable, ...], tuple[PaperTable, ...]]:
    """Return the paper's tables of a suite's run, and the methods' tables of any other run."""
    papers = kept_tables(folder, answered) if folder.is_dir() else ()
    return papers, () if papers else (*rica_tables(answered), *winoventi_tables(folder, answered))
