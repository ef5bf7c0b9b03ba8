"""The frame of a suite: data to probes, answers to a paper's tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from horsesense.core import Probe
from horsesense.core.document import Document
from horsesense.core.spec import Normalisation
from horsesense.progress import Progress
from horsesense.runs.results import Answered
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
    tables: Callable[[Sequence[Answered], Sequence[Answered], Mapping[str, Path]], tuple[PaperTable, ...]]
    """Computes the paper's tables from answers of models, answers of controls, and the other files."""
    controls: tuple[PaperControl, ...] = ()
    """Controls to fit on the training part of each set that has one."""
    results: Callable[[OpenedData, Sequence[Answered], Normalisation | None, Progress], Document] | None = None
    """Computes results beyond the paper's tables; their ``name`` is the suite's."""
    render: str = ""
    """``"module:function"`` that prints these results with the tables."""


def with_published(
    title: str, columns: Sequence[str], ours: Sequence[PaperRow], published: Sequence[PaperRow], same: bool, source: str
) -> tuple[PaperTable, ...]:
    """Return measured and published rows in one table where they are comparable, else in two tables."""
    marked = f"Rows marked published are from {source}."
    if same:
        return (PaperTable(title, tuple(columns), (*ours, *published), (marked,)),)
    apart = "They are in a separate table: dataset, split or scoring differ from the paper's, or only a part was asked."
    return (
        PaperTable(title, tuple(columns), tuple(ours)),
        PaperTable(f"{title}, as published", tuple(columns), tuple(published), (marked, apart)),
    )
