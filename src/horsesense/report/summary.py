"""What a report says of one model on one probe, as plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from horsesense.analysis import (
    Credits,
    FamilyAccuracy,
    Reliability,
    Search,
    Sliced,
    Standout,
    by_facet,
    confidence,
    credits,
    family_accuracy,
    reliability,
    standouts,
)
from horsesense.analysis.ablation import asked_again, once
from horsesense.analysis.bias import Bias
from horsesense.records import Facet, Item
from horsesense.report.artefacts import BestCue, Control, control
from horsesense.report.confusion import Confusion, confusion
from horsesense.report.leaning import leaning
from horsesense.runs.results import Answered, Result, result_of
from horsesense.scoring.normalise import Normalisation

MOST_VALUES = 30
"""A facet with more values than this is not a slice but a label."""
HEAT = ("hops", "distractor_kind")
"""The pair of facets that makes the heat map (wordnetqa, figure 3)."""
MOST_SIZES = 12
SURE = 0.05
SHOWN = 3
BINS = 6
"""Of the calibration curve; ten bins of a small probe are noise."""
LARGE = 5_000
"""Above this many items 200 permutations find what is worth telling; 1000 would take a minute."""


@dataclass(frozen=True, slots=True)
class Summary:
    """One model on one probe."""

    label: str
    """The model, and its folder where one model was asked twice."""
    result: Result
    answered: Answered
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
    """How answers depend on the valence of the right word, where the probe varies it."""
    families: Sequence[FamilyAccuracy]
    """All families, then those of each size; empty where every item stands alone."""
    calibration: Reliability
    search: Search
    control: Control | None
    """Beside the best cue; None where that was not looked for."""
    no_control: str
    """Why not."""

    @property
    def strong(self) -> list[Standout]:
        """Parts where the model is better than elsewhere, beyond luck."""
        return [s for s in self.search.standouts if s.p < SURE and s.gap > 0][:SHOWN]

    @property
    def weak(self) -> list[Standout]:
        return [s for s in self.search.standouts if s.p < SURE and s.gap < 0][:SHOWN]


def summarise(label: str, answered: Answered, cue: BestCue | str, how: Normalisation | None = None) -> Summary:
    """All that a report tells of one model on one probe, under the normalisation given or the probe's own.

    ``cue`` is the probe's best, or why there is none.
    """
    scores = answered.scores(how or answered.primary())
    earned = credits(scores, [item.answer for item in answered.items], [item.id for item in answered.items])
    facets = [item.facets for item in answered.items]
    slices, labels = _slices(answered, earned, facets)
    result = result_of(answered, how)
    permutations = 1000 if len(facets) <= LARGE else 200
    return Summary(
        label=label,
        result=result,
        answered=answered,
        earned=earned,
        scores=scores,
        facets=slices,
        labels=labels,
        heat=_heat(answered, earned, facets),
        confusion=confusion(answered.items, earned.predicted),
        leaning=leaning(answered, earned.values),
        families=_families(answered, earned),
        calibration=reliability(confidence(scores), earned.values, answered.units, BINS),
        search=standouts(earned.values, answered.units, facets, sorted(slices), permutations=permutations),
        control=None if isinstance(cue, str) else control(cue, result.estimate, earned.values, answered),
        no_control=cue if isinstance(cue, str) else "",
    )


def _slices(
    answered: Answered, earned: Credits, facets: Sequence[Mapping[str, Facet]]
) -> tuple[dict[str, Sliced], dict[str, int]]:
    guesses = _guesses(answered.items)
    found, labels = {}, {}
    for name in sorted({name for own in facets for name in own}):
        values = {own[name] for own in facets if name in own}
        if len(values) > MOST_VALUES:
            labels[name] = len(values)
        elif len(values) > 1:
            sliced = by_facet(earned.values, answered.units, facets, name, guesses)
            if len(sliced.slices) > 1:
                found[name] = sliced
    return found, labels


def _heat(answered: Answered, earned: Credits, facets: Sequence[Mapping[str, Facet]]) -> Sliced | None:
    if not any(all(name in own for name in HEAT) for own in facets):
        return None
    found = by_facet(earned.values, answered.units, facets, HEAT, _guesses(answered.items))
    return found if len(found.slices) > 1 else None


def _families(answered: Answered, earned: Credits) -> list[FamilyAccuracy]:
    families, counts = [item.unit() for item in answered.items], [len(item.options) for item in answered.items]
    if len(set(families)) == len(families):
        return []
    values = once(earned.values, [asked_again(item) for item in answered.items])
    return family_accuracy(values, families, option_counts=counts)[: MOST_SIZES + 1]


def _guesses(items: Sequence[Item]) -> list[float]:
    return [1 / len(item.options) for item in items]


def confident_errors(summary: Summary, most: int) -> list[int]:
    """Places of items that are wrong, by the widest margin first."""
    margins = summary.earned.margins
    order = np.argsort(margins, kind="stable")
    return [int(place) for place in order[:most] if margins[place] < 0]
