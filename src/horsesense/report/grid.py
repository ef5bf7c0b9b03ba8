"""The grid of models and probes, and the forest of paired differences, as plain values for the templates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import Literal

from horsesense.report.collection import Collection
from horsesense.report.run_text import verdict_label
from horsesense.report.summary import Summary
from horsesense.report.tables import people_of
from horsesense.runs.comparison import Difference, ProbeComparison
from horsesense.stats import Slice, Sliced

Kind = Literal["above", "cue", "chance", "below", "open"]
KINDS: dict[str, Kind] = {
    "above chance": "above",
    "near chance": "chance",
    "below chance": "below",
    "inconclusive": "open",
}
"""Colour of a verdict."""
FEW_ITEMS = 10
"""A slice of fewer items is folded: its interval is too wide to read anything from it."""
MANY_LEADS = 40
"""Of more paired differences than these only the significant ones are drawn."""
ROOMY = 4
"""So many columns have space for a verdict on one line."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One model on one probe."""

    summary: Summary
    key: str
    """Name of its card and its details in the page."""
    kind: Kind
    verdict: str
    """The chip: how the score compares with chance and with the best cue."""
    people: float | None
    """Human accuracy on the whole probe, where that is known as one figure."""
    cue: float | None
    """Accuracy of the best cue."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A model or a probe at the head of a row or a column."""

    label: str
    items: int | None
    """Items of a probe; None for a model."""


@dataclass(frozen=True, slots=True)
class GridRow:
    """One model on every probe, or one probe for every model."""

    head: Heading
    cells: tuple[Cell | str, ...]
    """Where there is nothing to show, why: incomplete, no gold answers or not run."""


@dataclass(frozen=True, slots=True)
class Grid:
    """Models by probes. Whichever there are more of goes down the page."""

    down: Literal["model", "probe"]
    """What a row is."""
    columns: tuple[Heading, ...]
    rows: tuple[GridRow, ...]

    @property
    def crowded(self) -> bool:
        """Whether the columns have to be narrow."""
        return len(self.columns) > ROOMY

    def marked(self, mark: Literal["people", "cue"]) -> bool:
        """Say whether any cell has this mark, so that the legend names it."""
        cells = [cell for row in self.rows for cell in row.cells if isinstance(cell, Cell)]
        return any(getattr(cell, mark) is not None for cell in cells)


def grid_of(collected: Collection) -> Grid:
    """Cross models and probes in the order of the runs; one row per model unless there are more probes."""
    labels = list(dict.fromkeys(summary.label for summary in collected.summaries))
    cells: dict[tuple[str, str], Cell | str] = dict.fromkeys(collected.unfinished, "incomplete")
    cells |= dict.fromkeys(collected.unjudged, "no gold answers")
    for column, (probe, summaries) in enumerate(collected.probes.items()):
        for summary in summaries:
            cells[summary.label, probe] = _cell(summary, f"{column}-{labels.index(summary.label)}")
    models = [Heading(label, None) for label in labels]
    probes = [Heading(probe, summaries[0].result.asked_items) for probe, summaries in collected.probes.items()]

    def at(model: Heading, probe: Heading) -> Cell | str:
        return cells.get((model.label, probe.label), "not run")

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
    """Compare a score with chance, and where it is above chance, with the best cue."""
    e, control = summary.result.accuracy, summary.control
    kind, label = KINDS.get(summary.result.verdict or "", "open"), verdict_label(summary.result)
    if kind != "above" or control is None or not control.cue_works:
        return kind, label
    return ("above", "above the best cue") if e.low > control.cue.high else ("cue", "not above the best cue")


@dataclass(frozen=True, slots=True)
class Lead:
    """The difference between two models."""

    ahead: str
    behind: str
    value: float
    """Accuracy of the first minus that of the second: never below 0."""
    low: float
    high: float
    difference: Difference


@dataclass(frozen=True, slots=True)
class Forest:
    """The paired differences of all probes on one axis, the better model of each pair first."""

    least: float
    most: float
    leads: Mapping[str, Sequence[Lead]]
    """By probe, the largest first."""

    @property
    def crowded(self) -> bool:
        """Whether there are too many to draw all of them."""
        return sum(map(len, self.leads.values())) > MANY_LEADS

    def drawn(self, probe: str) -> list[Lead]:
        """Return the differences of a probe that get a row."""
        return [lead for lead in self.leads[probe] if lead.difference.significant or not self.crowded]

    def place(self, difference: float) -> float:
        """Place a difference on the axis, in percent of its width."""
        return 100 * (difference - self.least) / (self.most - self.least)


def forest_of(sides: Mapping[str, ProbeComparison | str]) -> Forest:
    """Put all differences on one axis, in steps of five points."""
    compared = {probe: side.differences for probe, side in sides.items() if not isinstance(side, str)}
    leads = {probe: sorted(map(_lead, pairs), key=lambda lead: -lead.value) for probe, pairs in compared.items()}
    ends = [end for each in leads.values() for lead in each for end in (lead.low, lead.high)]
    least = min(-0.05, floor(min(ends, default=0.0) * 20 + 1e-9) / 20)
    most = max(0.05, ceil(max(ends, default=0.0) * 20 - 1e-9) / 20)
    return Forest(least, most, leads)


def _lead(difference: Difference) -> Lead:
    d = difference.difference
    if d.value < 0:
        return Lead(difference.other, difference.one, -d.value, -d.high, -d.low, difference)
    return Lead(difference.one, difference.other, d.value, d.low, d.high, difference)


def large_and_small(sliced: Sliced) -> tuple[list[Slice], list[Slice]]:
    """Split slices by their n. Those named by words are sorted by distance from chance; numbers keep their order."""
    slices = list(sliced.slices)
    if named_by_words(sliced):
        slices.sort(key=lambda each: -abs(each.accuracy.value - (each.accuracy.chance or 0.0)))
    large = [each for each in slices if each.accuracy.n >= FEW_ITEMS]
    return large, [each for each in slices if each.accuracy.n < FEW_ITEMS]


def named_by_words(sliced: Sliced) -> bool:
    """Say whether a facet has words as values, so that its slices have no order of their own."""
    return len(sliced.slices) > 1 and any(isinstance(value, str) for each in sliced.slices for value in each.where)
