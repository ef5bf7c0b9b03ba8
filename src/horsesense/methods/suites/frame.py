"""The frame of a suite: data to probes, answers to a paper's tables, and the suite that a run folder belongs to.

A run outside a suite has the tables that methods make of their own probes beyond accuracy.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import orjson

from horsesense.core import Probe
from horsesense.core.document import Document
from horsesense.data import cache_folder
from horsesense.data.store import Store
from horsesense.errors import UserError, argument
from horsesense.methods.suites import find_paper_suite
from horsesense.progress import Progress
from horsesense.registry import load, methods
from horsesense.runs.manifest import manifest_path
from horsesense.runs.probe_answers import ProbeAnswers, read_run
from horsesense.stats import Estimate

Kind = Literal["ours", "control", "people", "published"]
HOPS = ", k = "
"""In the name of a row: separates the name from its number of hops."""


@dataclass(frozen=True, slots=True)
class PaperRow:
    """One row of a paper's table."""

    name: str
    kind: Kind
    """Origin of the figures: measured here, a control, people, or printed in the paper."""
    cells: tuple[Estimate | float | None, ...]
    """One per column; a published figure has no interval, and an empty cell was not measured."""
    group: str = ""
    """Heading of a group of rows: unidirectional, bidirectional, people."""


@dataclass(frozen=True, slots=True)
class PaperTable(Document):
    """A table of the paper, with a user's models in it."""

    title: str
    """Title: which table of which paper."""
    columns: tuple[str, ...]
    """Names of the columns after the name of the row."""
    rows: tuple[PaperRow, ...]
    """Measured rows, then controls and people, then published rows."""
    notes: tuple[str, ...] = ()
    """Notes below the table."""


@dataclass(frozen=True, slots=True)
class OpenedData:
    """The data of a suite on disk."""

    probes: Mapping[str, Probe]
    """Probes by their name in a run."""
    found: Mapping[str, Path]
    """The file of each set."""
    missing: tuple[str, ...] = ()
    """Sets that were not found."""
    others: Mapping[str, Path] = field(default_factory=dict)
    """Other files that the tables need, such as votes of people."""
    training: Mapping[str, Probe] = field(default_factory=dict)
    """Training data of controls, by set."""


@dataclass(frozen=True, slots=True)
class PaperControl:
    """A control in the paper's table."""

    name: str
    """Name of a control."""
    slots: tuple[str, ...] = ()
    """Groups of an item that it uses."""


@dataclass(frozen=True, slots=True)
class PaperSuite:
    """The data of a paper, and its tables."""

    name: str
    source: str
    """The paper."""
    spec: str
    """Scoring spec."""
    open_data: Callable[[Path | None, bool], OpenedData]
    """Opens a flat folder, a published folder, or by default the fetched dataset; skips or refuses bad lines."""
    tables: Callable[[Sequence[ProbeAnswers], Sequence[ProbeAnswers], Mapping[str, Path]], tuple[PaperTable, ...]]
    """Computes the paper's tables from answers of models, answers of controls, and the other files."""
    controls: tuple[PaperControl, ...] = ()
    """Controls to fit on the training part of each set that has one."""
    results: Callable[[OpenedData, Progress], Document] | None = None
    """Computes results of the data beside the paper's tables; their ``name`` is the suite's."""
    render: str = ""
    """``"module:function"`` that prints these results with the tables."""


def with_published(
    title: str,
    columns: Sequence[str],
    ours: Sequence[PaperRow],
    published: Sequence[PaperRow],
    same: bool,
    source: str,
    about: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> tuple[PaperTable, ...]:
    """Return measured and published rows in one table where they are comparable, else in two tables.

    ``about`` are notes on measured rows, ``notes`` those on published ones.
    """
    marked = f"Rows marked published are from {source}."
    if same:
        return (PaperTable(title, tuple(columns), (*ours, *published), (*about, marked, *notes)),)
    apart = "They are in a separate table: dataset, split or scoring differ from the paper's, or only a part was asked."
    return (
        PaperTable(title, tuple(columns), tuple(ours), tuple(about)),
        PaperTable(f"{title}, as published", tuple(columns), tuple(published), (marked, apart, *notes)),
    )


# Data of a suite, and its answers.


def data_folder(folder: Path | None, dataset: str, suite: str) -> Path:
    """Return the folder of a suite's data, by default the fetched dataset; a missing folder is an error."""
    folder = cache_folder("releases", dataset) if folder is None else folder
    if not folder.is_dir():
        fix = f"give the folder of the dataset with {argument('data')}, or: horsesense fetch {dataset}"
        raise UserError(f"the suite {suite} needs its sets", file=folder, fix=fix)
    return folder


def find_file(folder: Path, name: str) -> Path | None:
    """Find a file or folder in a folder or below it, the highest first."""
    paths = sorted(folder.rglob(name), key=lambda path: (len(path.parts), str(path)))
    return paths[0] if paths else None


def by_model(
    answered: Sequence[ProbeAnswers], probes: Container[str] | None = None
) -> dict[str, dict[str, ProbeAnswers]]:
    """Return model → probe → answers with a gold answer, by default to all probes."""
    models: dict[str, dict[str, ProbeAnswers]] = {}
    for run in answered:
        if run.judged and (probes is None or run.part.probe.name in probes):
            models.setdefault(run.part.model.name, {})[run.part.probe.name] = run
    return models


def restrict(run: ProbeAnswers, ids: Container[str]) -> ProbeAnswers:
    """Return the answers to some of the items."""
    pairs = [pair for pair in zip(run.items, run.answers, strict=True) if pair[0].id in ids]
    probe = replace(run.probe, items=[item for item, _ in pairs])
    return replace(run, probe=probe, answers=[answer for _, answer in pairs])


# The suite of a run folder.


FILE, CONTROLS = "suite.json", "controls"


@dataclass(frozen=True, slots=True)
class StoredSuite:
    """The suite of a run."""

    suite: str
    others: dict[str, str]
    """Paths of its other files."""


def store_suite(folder: Path, name: str, others: Mapping[str, Path]) -> None:
    """Write the suite of a run and the paths of its other files into its folder."""
    suite = StoredSuite(name, {key: str(path.resolve()) for key, path in others.items()})
    Store(folder).write(folder / FILE, orjson.dumps(suite, option=orjson.OPT_INDENT_2))


def stored_tables(folder: Path, answered: Sequence[ProbeAnswers] | None = None) -> tuple[PaperTable, ...]:
    """Return the tables of the suite of a run folder; empty for a plain run."""
    if not (folder / FILE).is_file():
        return ()
    stored = Store(folder).read(folder / FILE, StoredSuite, "run the suite again")
    others = {key: Path(path) for key, path in stored.others.items()}
    runs = read_run(folder, unfinished=True)[1] if answered is None else answered
    return suite_tables(stored.suite, runs, folder, {key: path for key, path in others.items() if path.is_file()})


def suite_tables(
    name: str, answered: Sequence[ProbeAnswers], folder: Path | None, others: Mapping[str, Path]
) -> tuple[PaperTable, ...]:
    """Return the tables of a suite, with the controls in the run folder."""
    controls = [run for path in _controls(folder) for run in read_run(path)[1]]
    return find_paper_suite(name).tables(answered, controls, others)


def _controls(folder: Path | None) -> list[Path]:
    if folder is None:
        return []
    return sorted(path for path in (folder / CONTROLS).glob("*") if manifest_path(path).is_file())


# Tables of a run.


def run_tables(folder: Path, answered: Sequence[ProbeAnswers]) -> tuple[tuple[PaperTable, ...], tuple[PaperTable, ...]]:
    """Return the paper's tables of a suite's run, and the methods' tables of any other run."""
    papers = stored_tables(folder, answered) if folder.is_dir() else ()
    if papers:
        return papers, ()
    known, asked = methods(), {each.probe.card.method for each in answered}
    makers = [load(method.tables) for name, method in known.items() if method.tables and asked & {name, ""}]
    return (), tuple(table for tables in makers for table in tables(folder, answered))
