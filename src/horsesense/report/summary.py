"""Everything that a report shows of one model on one probe, as plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from horsesense.core.spec import Normalisation
from horsesense.cues.artefact_control import ArtefactControl, BestCue, control
from horsesense.errors import UserError, argument, unknown
from horsesense.report.run_text import value_text
from horsesense.runs.probe_answers import ProbeAnswers, result_of
from horsesense.runs.result import Result
from horsesense.runs.withheld import WithheldResult
from horsesense.stats import (
    Credits,
    FamilyAccuracy,
    Reliability,
    Search,
    Sliced,
    Standout,
    by_facet,
    confidence,
    family_accuracy,
    reliability,
    standouts,
)
from horsesense.stats.combined import Bias, leaning
from horsesense.stats.families import without_repeats
from horsesense.stats.mistakes import Confusion, SharedErrors, confusion, shared_errors
from horsesense.stats.slices import MOST_TO_SLICE_BY, FacetRow, by_every_facet, facet_rows

HEAT = ("hops", "distractor_kind")
"""The pair of facets that makes the heat map."""
MOST_SIZES = 12
SURE = 0.05
SHOWN = 3
BINS = 6
"""Bins of the calibration curve; ten bins of a small probe are noise."""
LARGE = 5_000
"""Above this many items 200 permutations are enough; 1000 would take a minute."""


@dataclass(frozen=True, slots=True)
class Summary:
    """One model on one probe."""

    label: str
    """The model, and its folder where one model has two runs."""
    result: Result
    answered: ProbeAnswers
    earned: Credits
    scores: Sequence[tuple[float, ...]]
    """Under the normalisation of the result."""
    facets: Mapping[str, Sliced]
    labels: Mapping[str, int]
    """Facets that have too many values to be slices, and how many."""
    heat: Sliced | None
    """Hops by kind of distractor, where the probe has both."""
    confusion: Confusion | None
    """Which label is taken for which, where options are labels."""
    leaning: Bias | None
    """How answers depend on the valence of the gold word, where the probe varies it."""
    families: Sequence[FamilyAccuracy]
    """All families, then those of each size; empty where no two items share a family."""
    calibration: Reliability
    search: Search
    control: ArtefactControl | None
    """The model compared with the best cue; None where that was not searched."""
    no_control: str
    """Why not."""
    withheld: WithheldResult | None = None
    """The same items without options or question, where they were asked."""

    @property
    def strong(self) -> list[Standout]:
        """Slices where the model is significantly better than elsewhere."""
        return [s for s in self.search.standouts if s.p < SURE and s.gap > 0][:SHOWN]

    @property
    def weak(self) -> list[Standout]:
        return [s for s in self.search.standouts if s.p < SURE and s.gap < 0][:SHOWN]


def summarise(label: str, answered: ProbeAnswers, cue: BestCue | str, how: Normalisation | None = None) -> Summary:
    """Compute everything that a report shows of one model on one probe.

    ``cue`` is the probe's best cue, or why it is missing; ``how`` a normalisation in place of the probe's own.
    """
    scores = answered.scores(how or answered.primary())
    earned = answered.credits(how or answered.primary())
    facets, guesses = answered.facets, answered.columns.guesses
    slices, labels = by_every_facet(earned.values, answered.units, facets, guesses)
    result = result_of(answered, how)
    if result.unanswered:
        slices = {}
    permutations = 1000 if len(facets) <= LARGE else 200
    return Summary(
        label=label,
        result=result,
        answered=answered,
        earned=earned,
        scores=scores,
        facets=slices,
        labels=labels,
        heat=_heat(answered, earned),
        confusion=confusion(answered.items, earned.predicted),
        leaning=leaning(answered.items, earned.values, answered.units),
        families=_families(answered, earned),
        calibration=reliability(confidence(scores), earned.values, answered.units, BINS),
        search=standouts(earned.values, answered.units, facets, sorted(slices), permutations=permutations),
        control=None if isinstance(cue, str) else control(cue, result.accuracy, earned.values, answered.units),
        no_control=cue if isinstance(cue, str) else "",
    )


def _heat(answered: ProbeAnswers, earned: Credits) -> Sliced | None:
    facets = answered.facets
    if not all(name in facets for name in HEAT):
        return None
    sliced = by_facet(earned.values, answered.units, facets, HEAT, answered.columns.guesses)
    return sliced if len(sliced.slices) > 1 else None


def _families(answered: ProbeAnswers, earned: Credits) -> list[FamilyAccuracy]:
    columns = answered.columns
    if len(np.unique(columns.families)) == len(columns.families):
        return []
    values = without_repeats(earned.values, columns.again)
    return family_accuracy(values, columns.families, option_counts=columns.options)[: MOST_SIZES + 1]


def errors_in_common(summaries: Sequence[Summary]) -> dict[tuple[str, str], SharedErrors]:
    """Return for each pair of models, by label, the items that both get wrong."""
    answered = [summary for summary in summaries if not summary.result.unanswered]
    return shared_errors({summary.label: (summary.answered.items, summary.earned.values) for summary in answered})


def sliced_by(
    summaries: Sequence[Summary], facets: Sequence[str]
) -> tuple[list[tuple[Summary, list[FacetRow]]], list[str]]:
    """Return the rows of each summary that can be sliced by the facets, and a sentence for each that cannot.

    A facet by which nothing can be sliced is an error.
    """
    rows: dict[int, list[FacetRow]] = {}
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
            rows.setdefault(number, []).extend(_facet_rows(summaries[number], facet))
        remarks += [f"not sliced by {facet}: {reason}" for reason in why]
    return [(summaries[number], rows[number]) for number in sorted(rows)], remarks


def _nothing(summaries: Sequence[Summary], facet: str, why: Sequence[str]) -> UserError:
    known = sorted({name for summary in summaries for name in summary.facets})
    if known and not any(facet in item.facets for summary in summaries for item in summary.answered.items):
        return unknown("facet to slice by", facet, known)
    listed = (
        f"slice by one of {', '.join(known)}" if known else f"leave {argument('by')} out: there is nothing to slice by"
    )
    return UserError(f"nothing can be sliced by {facet!r} ({'; '.join(why)})", fix=listed)


def _why_not(summary: Summary, facet: str) -> str:
    if summary.result.unanswered:
        return "no item was answered"
    if facet in summary.labels:
        return f"it has {summary.labels[facet]:,} values, and more than {MOST_TO_SLICE_BY} are labels and not slices"
    values = {item.facets[facet] for item in summary.answered.items if facet in item.facets}
    if not values:
        return f"it has no such facet, but {', '.join(summary.facets) or 'none to slice by'}"
    if len(values) == 1:
        return f"it has one value only, {value_text(*values)}"
    return "items with a gold have one value only"


def _facet_rows(summary: Summary, facet: str) -> list[FacetRow]:
    answered = summary.answered
    return facet_rows(answered.items, summary.earned.values, summary.facets[facet], answered.units)
