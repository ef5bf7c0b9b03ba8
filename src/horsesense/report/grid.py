"""Models × probes, and pairs of models: what the page opens with, as plain values for its templates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import Literal

from horsesense.report.collecting import Collected
from horsesense.report.summary import Summary
from horsesense.report.tables import people_of
from horsesense.runs.comparison import Pairing, SideBySide
from horsesense.stats import Slice, Sliced

Kind = Literal["above", "cue", "like", "below"]
FEW_ITEMS = 20
"""A slice of fewer items is folded away: its interval holds most of what could be."""
MANY_LEADS = 40
"""Of more paired differences than these only the real ones are drawn."""
ROOMY = 4
"""So many columns stand beside one another with room for a verdict in one line."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One model on one probe."""

    summary: Summary
    key: str
    """What its card and its details are called in the page."""
    kind: Kind
    verdict: str
    """The chip: how the score stands to guessing and to the best cue, in a few words."""
    people: float | None
    """What people get on the whole probe, where that is known in one figure."""
    cue: float | None
    """What the best cue gets."""


@dataclass(frozen=True, slots=True)
class Named:
    """A model or a probe, as it stands at the head of a row or a column."""

    label: str
    questions: int | None
    """How many a probe has; None of a model."""


@dataclass(frozen=True, slots=True)
class GridRow:
    """One model on every probe, or one probe for every model."""

    head: Named
    cells: tuple[Cell | str, ...]
    """Where there is nothing to show, why: not finished, no gold or not asked."""


@dataclass(frozen=True, slots=True)
class Grid:
    """Models and probes crossed. Whichever there are more of goes down the page, which has no end; its width has."""

    down: Literal["model", "probe"]
    """What a row is."""
    columns: tuple[Named, ...]
    rows: tuple[GridRow, ...]

    @property
    def crowded(self) -> bool:
        """Whether the columns have to be narrow."""
        return len(self.columns) > ROOMY

    def marked(self, mark: Literal["people", "cue"]) -> bool:
        """Whether any cell has this mark, so that the legend speaks of it."""
        cells = [cell for row in self.rows for cell in row.cells if isinstance(cell, Cell)]
        return any(getattr(cell, mark) is not None for cell in cells)


def grid_of(collected: Collected) -> Grid:
    """Models in the order of the runs and probes in that of the asking; a row a model unless there are more probes."""
    labels = list(dict.fromkeys(summary.label for summary in collected.summaries))
    cells: dict[tuple[str, str], Cell | str] = dict.fromkeys(collected.unfinished, "not finished")
    cells |= dict.fromkeys(collected.unjudged, "no gold")
    for column, (probe, summaries) in enumerate(collected.probes.items()):
        for summary in summaries:
            cells[summary.label, probe] = _cell(summary, f"{column}-{labels.index(summary.label)}")
    models = [Named(label, None) for label in labels]
    probes = [Named(probe, summaries[0].result.estimate.n) for probe, summaries in collected.probes.items()]

    def at(model: Named, probe: Named) -> Cell | str:
        return cells.get((model.label, probe.label), "not asked")

    if len(probes) > len(models):
        rows = tuple(GridRow(probe, tuple(at(model, probe) for model in models)) for probe in probes)
        return Grid("probe", tuple(models), rows)
    rows = tuple(GridRow(model, tuple(at(model, probe) for probe in probes)) for model in models)
    return Grid("model", tuple(probes), rows)


def _cell(summary: Summary, key: str) -> Cell:
    kind, verdict = chip(summary)
    cue = summary.control.cue.value if summary.control else None
    return Cell(summary, key, kind, verdict, people_of(summary), cue)


def chip(summary: Summary) -> tuple[Kind, str]:
    """How a score stands, in a few words: to guessing first, and where that is passed, to the best cue."""
    e, control = summary.result.estimate, summary.control
    if e.chance is None:
        return "like", "no chance known"
    if e.high < e.chance:
        return "below", "below guessing"
    if e.low <= e.chance:
        return "like", "like guessing"
    if control is None or not control.cue_works:
        return "above", "above guessing"
    return ("above", "above the best cue") if e.low > control.cue.high else ("cue", "no more than a cue")


@dataclass(frozen=True, slots=True)
class Lead:
    """How far one model is ahead of another."""

    ahead: str
    behind: str
    value: float
    """Accuracy of the first less that of the second: never below 0."""
    low: float
    high: float
    pairing: Pairing


@dataclass(frozen=True, slots=True)
class Forest:
    """The paired differences of all probes on one axis, the better model of each pair first."""

    least: float
    most: float
    leads: Mapping[str, Sequence[Lead]]
    """By probe, the furthest ahead first."""

    @property
    def crowded(self) -> bool:
        """Whether there are too many to draw all: what may be luck is told in words then."""
        return sum(map(len, self.leads.values())) > MANY_LEADS

    def drawn(self, probe: str) -> list[Lead]:
        """Those of a probe that get a row."""
        return [lead for lead in self.leads[probe] if lead.pairing.settled or not self.crowded]

    def place(self, difference: float) -> float:
        """Where a difference lies on the axis, in percent of its width."""
        return 100 * (difference - self.least) / (self.most - self.least)


def forest_of(sides: Mapping[str, SideBySide | str]) -> Forest:
    """One axis for all differences, as wide as they reach, in steps of five points."""
    compared = {probe: side.pairings for probe, side in sides.items() if not isinstance(side, str)}
    leads = {probe: sorted(map(_lead, pairs), key=lambda lead: -lead.value) for probe, pairs in compared.items()}
    ends = [end for each in leads.values() for lead in each for end in (lead.low, lead.high)]
    least = min(-0.05, floor(min(ends, default=0.0) * 20 + 1e-9) / 20)
    most = max(0.05, ceil(max(ends, default=0.0) * 20 - 1e-9) / 20)
    return Forest(least, most, leads)


def _lead(pairing: Pairing) -> Lead:
    d = pairing.comparison.difference
    if d.value < 0:
        return Lead(pairing.other, pairing.one, -d.value, -d.high, -d.low, pairing)
    return Lead(pairing.one, pairing.other, d.value, d.low, d.high, pairing)


def large_and_small(sliced: Sliced) -> tuple[list[Slice], list[Slice]]:
    """Slices worth a row, and those of few items. Words go by distance from chance; numbers keep their order."""
    slices = list(sliced.slices)
    if any(isinstance(value, str) for each in slices for value in each.where):
        slices.sort(key=lambda each: -abs(each.accuracy.value - (each.accuracy.chance or 0.0)))
    large = [each for each in slices if each.accuracy.n >= FEW_ITEMS]
    return large, [each for each in slices if each.accuracy.n < FEW_ITEMS]
