"""Accuracy by a facet, item by item and cluster by cluster (wordnetqa, tables 7 and 8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from horsesense.analysis import Estimate, family_accuracy
from horsesense.errors import UserError, unknown
from horsesense.records import Facet
from horsesense.report.summary import MOST_VALUES, Summary
from horsesense.report.wording import value_text


@dataclass(frozen=True, slots=True)
class Row:
    """One value of a facet."""

    facet: str
    value: Facet
    items: Estimate
    """Share of items right."""
    clusters: Estimate
    """Share of families of which every item with this value is right; its chance is that of guessing them all."""


def sliced_by(summaries: Sequence[Summary], facets: Sequence[str]) -> tuple[list[tuple[Summary, list[Row]]], list[str]]:
    """The rows of each summary that can be sliced by any of the facets, and in words what could not be.

    A facet by which nothing can be sliced is an error.
    """
    rows: dict[int, list[Row]] = {}
    remarks: list[str] = []
    for facet in facets:
        able = [number for number, summary in enumerate(summaries) if facet in summary.facets]
        why = dict.fromkeys(
            f"{summary.result.probe}: {_why_not(summary, facet)}"
            for summary in summaries
            if facet not in summary.facets
        )
        if summaries and not able:
            raise _nothing(summaries, facet, list(why))
        for number in able:
            rows.setdefault(number, []).extend(_rows(summaries[number], facet))
        remarks += [f"not sliced by {facet}: {reason}" for reason in why]
    return [(summaries[number], rows[number]) for number in sorted(rows)], remarks


def _nothing(summaries: Sequence[Summary], facet: str, why: Sequence[str]) -> UserError:
    known = sorted({name for summary in summaries for name in summary.facets})
    if known and not any(facet in item.facets for summary in summaries for item in summary.answered.items):
        return unknown("facet to slice by", facet, known)
    listed = f"slice by one of {', '.join(known)}" if known else "leave --by out: there is nothing to slice by"
    return UserError(f"nothing can be sliced by {facet!r} ({'; '.join(why)})", fix=listed)


def _why_not(summary: Summary, facet: str) -> str:
    if facet in summary.labels:
        return f"it has {summary.labels[facet]:,} values, and more than {MOST_VALUES} are labels and not slices"
    values = {item.facets[facet] for item in summary.answered.items if facet in item.facets}
    if not values:
        return f"it has no such facet, but {', '.join(summary.facets) or 'none to slice by'}"
    if len(values) == 1:
        return f"it has one value only, {value_text(*values)}"
    return "items with a gold have one value only"


def _rows(summary: Summary, facet: str) -> list[Row]:
    """One row a value, in the order of the values."""
    return [
        Row(facet, one.where[0], one.accuracy, _clusters(summary, facet, one.where[0]))
        for one in summary.facets[facet].slices
    ]


def _clusters(summary: Summary, facet: str, value: Facet) -> Estimate:
    chosen = [number for number, item in enumerate(summary.answered.items) if item.facets.get(facet) == value]
    items = [summary.answered.items[number] for number in chosen]
    families, options = [item.unit() for item in items], [len(item.options) for item in items]
    return family_accuracy(summary.earned.values[chosen], families, option_counts=options)[0].strict
