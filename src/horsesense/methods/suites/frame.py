"""The frame of a suite: data to probes, answers to a paper's tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from horsesense.core import Probe
from horsesense.core.document import Document
from horsesense.runs.results import Answered
from horsesense.stats import Estimate

Kind = Literal["ours", "control", "people", "published"]
HOPS = ", k = "
"""In the name of a row: what stands before it, over so many links."""


@dataclass(frozen=True, slots=True)
class PaperRow:
    """One row of a paper's table."""

    name: str
    kind: Kind
    """Whose figures they are: measured here, a control's, people's, or printed in the paper."""
    cells: tuple[Estimate | float | None, ...]
    """One a column; a published figure has no interval, and an empty cell was not measured."""
    group: str = ""
    """What rows stand together under: unidirectional, bidirectional, people."""


@dataclass(frozen=True, slots=True)
class PaperTable(Document):
    """A table as the paper has it, with one's own models in it."""

    title: str
    """What stands above it: which table of which paper."""
    columns: tuple[str, ...]
    """Names of the columns behind that of the row."""
    rows: tuple[PaperRow, ...]
    """Ours first, then controls and people, then what was published."""
    notes: tuple[str, ...] = ()
    """What has to be said below it."""


@dataclass(frozen=True, slots=True)
class OpenedData:
    """The data of a suite as it lies on disk."""

    probes: Mapping[str, Probe]
    """What models are asked, by the name that it has in a run."""
    found: Mapping[str, Path]
    """The file of each set."""
    missing: tuple[str, ...] = ()
    """Sets that are not there."""
    others: Mapping[str, Path] = field(default_factory=dict)
    """Files that are not asked and are needed for the tables, such as votes of people."""
    training: Mapping[str, Probe] = field(default_factory=dict)
    """For each set with controls, what they are fitted on."""


@dataclass(frozen=True, slots=True)
class PaperControl:
    """A control that the paper has in its table."""

    name: str
    """One of the controls that can be fitted."""
    slots: tuple[str, ...] = ()
    """The groups of an item that it looks at."""


@dataclass(frozen=True, slots=True)
class PaperSuite:
    """What a paper asks, and what it makes of the answers."""

    name: str
    source: str
    """The paper."""
    spec: str
    """How it scores."""
    open_data: Callable[[Path | None, bool], OpenedData]
    """From a flat folder, a release's folder, or what was fetched where none is given; bad lines skipped or refused."""
    tables: Callable[[Sequence[Answered], Sequence[Answered], Mapping[str, Path]], tuple[PaperTable, ...]]
    """From the answers of models, those of controls, and the other files, to the paper's tables."""
    controls: tuple[PaperControl, ...] = ()
    """What is fitted on the training part of each set that has one."""


def with_published(
    title: str, columns: Sequence[str], ours: Sequence[PaperRow], published: Sequence[PaperRow], same: bool, source: str
) -> tuple[PaperTable, ...]:
    """Ours and the published rows in one table where both are about the same; else the published ones apart."""
    marked = f"Rows marked published are from {source}."
    if same:
        return (PaperTable(title, tuple(columns), (*ours, *published), (marked,)),)
    apart = "They stand apart: release, split or scoring of our rows is not the paper's, or only a part was asked."
    return (
        PaperTable(title, tuple(columns), tuple(ours)),
        PaperTable(f"{title}, as published", tuple(columns), tuple(published), (marked, apart)),
    )
