"""Models × probes, and pairs of models: what the page opens with, as plain values for its templates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import Literal

from horsesense.analysis import Slice, Sliced
from horsesense.report.collecting import Collected
from horsesense.report.summary import Summary
from horsesense.report.tables import people_of
from horsesense.runs.comparison import Pairing

Kind = Literal["above", "cue", "like", "below"]
FEW_ITEMS = 20
"""A slice of fewer items is folded away: its interval holds most of what could be."""


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
class GridRow:
    """One model on every probe; None where it was not asked, or nobody has judged the answers."""

    label: str
    cells: tuple[Cell | None, ...]


def grid_of(collected: Collected) -> list[GridRow]:
    """A row a model, in the order of the runs, with a cell for each probe."""
    labels = list(dict.fromkeys(summary.label for summary in collected.summaries))
    rows = []
    for number, label in enumerate(labels):
        cells: list[Cell | None] = []
        for column, summaries in enumerate(collected.probes.values()):
            here = next((summary for summary in summaries if summary.label == label), None)
            cells.append(None if here is None else _cell(here, f"{column}-{number}"))
        rows.append(GridRow(label, tuple(cells)))
    return rows


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
    """The paired differences of one probe, on one axis, the better model of each pair first."""

    least: float
    most: float
    leads: Sequence[Lead]
    """The furthest ahead first."""

    def place(self, difference: float) -> float:
        """Where a difference lies on the axis, in percent of its width."""
        return 100 * (difference - self.least) / (self.most - self.least)


def forest_of(pairings: Sequence[Pairing]) -> Forest:
    """One axis for all differences of a probe, as wide as they reach, in steps of five points."""
    leads = sorted(map(_lead, pairings), key=lambda lead: -lead.value)
    least = min(-0.05, floor(min(lead.low for lead in leads) * 20 + 1e-9) / 20)
    most = max(0.05, ceil(max(lead.high for lead in leads) * 20 - 1e-9) / 20)
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
