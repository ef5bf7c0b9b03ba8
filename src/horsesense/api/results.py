"""What models got right and how they compare, as tables that a notebook shows and ``--json`` prints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from horsesense.api.frames import Frame, columns_of
from horsesense.core.document import plain
from horsesense.runs.comparison import ComparisonDocument, ProbeComparison, SideBySide, comparison_document
from horsesense.runs.result import Result

if TYPE_CHECKING:
    from horsesense.stats import Estimate


class Results(Frame):
    """One row a model and probe; `documents` has all that is known of each."""

    def __init__(self, results: Sequence[Result]) -> None:
        self.documents = tuple(results)
        super().__init__(columns_of([_row(result) for result in results]), "what models got right")

    def to_json(self) -> list[dict[str, Any]]:
        """What ``horsesense run --json`` prints as its results."""
        documents: list[dict[str, Any]] = plain(self.documents)
        return documents


def _row(result: Result) -> dict[str, Any]:
    strict = result.strict
    return {
        "model": result.model,
        "probe": result.probe,
        "format": result.format,
        **estimate_columns("accuracy", result.estimate),
        "strict": None if strict is None else strict.value,
        "families": None if strict is None else strict.n,
        "normalise": result.normalise,
        "ties": result.ties,
        "unjudged": result.unjudged,
        "unanswered": result.asked_items - result.answered,
    }


def estimate_columns(name: str, e: Estimate) -> dict[str, Any]:
    """An estimate as the columns of a row."""
    return {name: e.value, "low": e.low, "high": e.high, "chance": e.chance, "n": e.n, "clusters": e.clusters}


@dataclass(frozen=True)
class Comparison:
    """Models side by side, probe by probe; as a table, one row a probe and pair of models."""

    sides: tuple[SideBySide, ...]
    """Each probe that two models were asked, down to the ids of items that only one of two gets."""
    unfinished: tuple[str, ...] = ()
    """Models, each with its probe, whose answers are not all there; left out."""
    too_few: tuple[str, ...] = ()
    """Models, each with a probe of which it answered too few items; left out."""
    alone: tuple[str, ...] = ()
    """Models, each with a probe that no other was asked; left out."""

    @property
    def probes(self) -> tuple[ProbeComparison, ...]:
        """The same without the ids of items."""
        return self.document().probes

    def document(self) -> ComparisonDocument:
        """The figures as plain data."""
        return comparison_document(self.sides, self.unfinished, self.too_few, self.alone)

    def to_json(self) -> dict[str, Any]:
        """What ``--json`` prints."""
        return self.document().to_json()

    def frame(self) -> Frame:
        """What the one gets more than the other, with interval and p, on the items that both were asked."""
        rows = [
            {
                "probe": probe.probe,
                "one": each.one,
                "other": each.other,
                "difference": each.difference.value,
                "low": each.difference.low,
                "high": each.difference.high,
                "p_holm": each.p_holm,
                "n": probe.n,
                "only_one": each.only_one,
                "only_other": each.only_other,
            }
            for probe in self.probes
            for each in probe.differences
        ]
        return Frame(columns_of(rows), "differences on the same items")

    def _repr_html_(self) -> str:
        return self.frame()._repr_html_()
