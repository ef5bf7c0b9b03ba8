"""Models side by side as plain data: what ``compare --json`` prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from horsesense.core.audit import Soundness
from horsesense.core.document import Document
from horsesense.runs.comparison import SideBySide
from horsesense.stats import Estimate


@dataclass(frozen=True, slots=True)
class ModelAccuracy(Document):
    """One model on the common items."""

    model: str
    """Its name; with the folder where it was asked in several."""
    accuracy: Estimate
    """What it gets right of the common items, by the metric."""
    plain: Estimate | None = None
    """The share of items, where the metric is another."""


@dataclass(frozen=True, slots=True)
class Difference(Document):
    """Two models on the same items."""

    one: str
    """The one model."""
    other: str
    """The other."""
    difference: Estimate
    """What the one gets right minus what the other does, by the metric."""
    p: float
    """Over units of dependence."""
    p_holm: float
    """Corrected for the comparisons on this probe."""
    mcnemar_p: float
    """Over items; too small where items depend on one another."""
    only_one: int
    """Items that only the one gets."""
    only_other: int
    """Items that only the other gets."""
    units_missing: int | None
    """Units that would settle it, beyond those there are; null where it is settled or cannot be."""
    items_missing: int | None
    """The same in items."""
    plain: Estimate | None = None
    """The difference of the shares of items, where the metric is another."""


@dataclass(frozen=True, slots=True)
class ProbeComparison(Document):
    """All models on one probe, as plain data."""

    probe: str
    """Its name in the runs."""
    format: str
    """How all were asked."""
    metric: str
    """What is compared: accuracy, or the average over units, as the probe's card has it."""
    n: int
    """Items with a gold that all models were asked."""
    excluded: Mapping[str, int]
    """By model, items that another model was not asked."""
    unjudged: int
    """Common items without a gold."""
    notes: tuple[str, ...]
    """What makes the comparison less than clean."""
    models: tuple[ModelAccuracy, ...]
    """Each model on its own."""
    differences: tuple[Difference, ...]
    """Each two of them."""
    soundness: Soundness | None = None
    """How sound the items are, as the probe's card has it."""


@dataclass(frozen=True, slots=True)
class ComparisonDocument(Document):
    """Models side by side, probe by probe."""

    probes: tuple[ProbeComparison, ...]
    """Those that two models at least were asked."""
    unfinished: tuple[str, ...] | None = None
    """Models, each with its probe, whose answers are not all there; left out."""
    alone: tuple[str, ...] | None = None
    """Models, each with a probe that no other was asked; left out."""


def comparison_document(
    sides: Sequence[SideBySide], unfinished: Sequence[str] = (), alone: Sequence[str] = ()
) -> ComparisonDocument:
    """Comparisons without the ids of items."""
    return ComparisonDocument(tuple(map(_plain, sides)), tuple(unfinished) or None, tuple(alone) or None)


def _plain(side: SideBySide) -> ProbeComparison:
    return ProbeComparison(
        probe=side.probe,
        format=side.format,
        metric=side.metric,
        n=side.items,
        excluded=side.excluded,
        unjudged=side.unjudged,
        notes=side.notes,
        models=tuple(
            ModelAccuracy(label, estimate, None if side.plain is None else side.plain[label])
            for label, estimate in side.accuracies.items()
        ),
        differences=tuple(
            Difference(
                one=pairing.one,
                other=pairing.other,
                difference=pairing.comparison.difference,
                p=pairing.comparison.p,
                p_holm=pairing.comparison.adjusted,
                mcnemar_p=pairing.comparison.mcnemar,
                only_one=len(pairing.only_one),
                only_other=len(pairing.only_other),
                units_missing=pairing.power.more_clusters,
                items_missing=pairing.power.more_items,
                plain=pairing.plain,
            )
            for pairing in side.pairings
        ),
        soundness=side.soundness,
    )
