"""A suite's table: a row for each model that was asked, the paper's own rows, and what blind cues earn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from horsesense.core.document import Document
from horsesense.core.spec import Normalisation
from horsesense.cues.findings import Finding
from horsesense.methods.cats.suite import BlindCue, OpenedSuite, blind_cues
from horsesense.methods.cats.table import (
    AccuracyRow,
    ConsistencyRow,
    PublishedRow,
    accuracy_row,
    consistency_row,
    published_rows,
    source,
)
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.runs.results import Answered
from horsesense.stats import Estimate


@dataclass(frozen=True, slots=True)
class PublishedAverage:
    """The average of a published row."""

    printed: float
    """As the paper has it."""
    recomputed: float
    """The mean of the row's own figures."""
    follows: bool
    """Whether the printed average can be had from the row."""
    same_sets: float
    """The mean over the sets that are here, to be held against a measured average."""


@dataclass(frozen=True, slots=True)
class PublishedFigures:
    """One row of the paper's table."""

    model: str
    kind: str
    """``published``, or ``published, people``."""
    direction: str | None
    """unidirectional or bidirectional; null for people."""
    parameters_in_millions: int | None
    """Where the paper says."""
    text: str | None
    """What it was trained on, in the paper's own units."""
    sets: Mapping[str, float]
    """By set, as printed."""
    average: PublishedAverage | None = None
    """Left out where the table has none."""


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """What the paper printed."""

    source: str
    """Whose figures they are."""
    rows: tuple[PublishedFigures, ...]
    """In the order of the paper."""
    averages_that_do_not_follow: tuple[str, ...]
    """Models whose printed average cannot be had from their row."""


@dataclass(frozen=True, slots=True)
class CueOfSet:
    """What answers a set without its question."""

    name: str
    pick: str
    """How to answer by it: "the option …"."""
    accuracy: Estimate
    """What it earns, on items that took no part in choosing it."""
    p: float
    """Probability that the best of all cues does as well on a shuffled key."""


@dataclass(frozen=True, slots=True)
class CuesOfSet:
    """What can be had of one set without its question."""

    rule: CueOfSet | None
    """The best cue that a person could apply at once."""
    learnt: CueOfSet | None
    """The best of all, those included that learn words from other items."""
    chance: float
    """What guessing earns."""
    searched: bool
    """False where the set is too small to look for cues."""


@dataclass(frozen=True, slots=True)
class SuiteTable(Document):
    """A suite as it was asked, beside what the paper printed."""

    name: str
    """Which suite it is."""
    found: Mapping[str, Path]
    """The file of each set that is here."""
    missing: tuple[str, ...]
    """Sets that are not here; rows have no figure for them."""
    measure: str
    """What the table has: accuracy or consistency."""
    rows: tuple[AccuracyRow, ...] | tuple[ConsistencyRow, ...]
    """One row a model that was asked."""
    published: PublishedTable
    """The paper's own rows."""
    cues: Mapping[str, CuesOfSet]
    """By set: what a score has to be held against."""


def suite_table(
    opened: OpenedSuite,
    answered: Sequence[Answered],
    how: Normalisation | None = None,
    progress: Progress = NO_PROGRESS,
) -> SuiteTable:
    """Put the answers of all models together, set by set, with the paper's rows and the cues of each set."""
    suite, paths, probes = opened.suite, opened.files.paths, opened.probes
    models = list(dict.fromkeys(each.part.model.name for each in answered))
    by_model = [
        {name: each for name in probes for each in answered if _answers(each, model, name) and each.judged}
        for model in models
    ]
    rows: tuple[AccuracyRow, ...] | tuple[ConsistencyRow, ...]
    if suite.table == "accuracy":
        rows = tuple(accuracy_row(sets, how) for sets in by_model if sets)
    else:
        rows = tuple(consistency_row(sets, how) for sets in by_model if sets)
    printed = published_rows(suite.table)
    return SuiteTable(
        name=suite.name,
        found=paths,
        missing=opened.files.missing,
        measure=suite.table,
        rows=rows,
        published=PublishedTable(
            source=source(),
            rows=tuple(_published(row, list(paths)) for row in printed),
            averages_that_do_not_follow=tuple(row.model for row in printed if not row.follows),
        ),
        cues={name: _cues(cues) for name, cues in blind_cues(probes, progress).items()},
    )


def _answers(answered: Answered, model: str, probe: str) -> bool:
    return answered.part.model.name == model and answered.part.probe.name == probe


def _published(row: PublishedRow, sets: list[str]) -> PublishedFigures:
    average = None
    if row.printed is not None:
        average = PublishedAverage(row.printed, row.average(), row.follows, row.average(sets))
    return PublishedFigures(
        model=row.model,
        kind="published, people" if row.human else "published",
        direction=row.direction or None,
        parameters_in_millions=row.parameters,
        text=row.text or None,
        sets=row.values,
        average=average,
    )


def _cues(cues: BlindCue) -> CuesOfSet:
    return CuesOfSet(_cue(cues.rule), _cue(cues.learnt), cues.chance, cues.searched)


def _cue(cue: Finding | None) -> CueOfSet | None:
    return None if cue is None else CueOfSet(cue.name, cue.pick, cue.accuracy, cue.p)
