"""Accuracy by a facet, item by item and cluster by cluster (wordnetqa, tables 7 and 8)."""

from __future__ import annotations

from dataclasses import dataclass

from horsesense.analysis import Estimate, family_accuracy
from horsesense.errors import unknown
from horsesense.records import Facet
from horsesense.report.summary import Summary


@dataclass(frozen=True, slots=True)
class Row:
    """One value of a facet."""

    facet: str
    value: Facet
    items: Estimate
    """Share of items right."""
    clusters: Estimate
    """Share of families of which every item with this value is right; its chance is that of guessing them all."""


def rows_by(summary: Summary, facet: str) -> list[Row]:
    """One row a value, in the order of the values."""
    if facet not in summary.facets:
        raise unknown("facet to slice by", facet, list(summary.facets))
    return [
        Row(facet, one.where[0], one.accuracy, _clusters(summary, facet, one.where[0]))
        for one in summary.facets[facet].slices
    ]


def _clusters(summary: Summary, facet: str, value: Facet) -> Estimate:
    chosen = [number for number, item in enumerate(summary.answered.items) if item.facets.get(facet) == value]
    items = [summary.answered.items[number] for number in chosen]
    families, options = [item.unit() for item in items], [len(item.options) for item in items]
    return family_accuracy(summary.earned.values[chosen], families, option_counts=options)[0].strict
