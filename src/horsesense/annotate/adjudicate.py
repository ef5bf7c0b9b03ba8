"""From judgements to labels, by a stated rule, with agreement beside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from horsesense.annotate.judgement_files import Collected
from horsesense.annotate.study_figures import Figure
from horsesense.core import Label
from horsesense.core.document import Document
from horsesense.stats.raters.adjudication import reasons

_MOST_COUNTED = 20
"""With more different labels than this their counts say nothing: they are pieces of text."""


@dataclass(frozen=True, slots=True)
class SettledLabels(Document):
    """Labels that judgements gave."""

    out: Path
    """Their file."""
    instrument: str
    """What people judged with."""
    rule: str
    """How judgements became labels."""
    judgements: int
    """Judgements that were settled."""
    people: int
    """How many people judged; 0 where they are not named."""
    items: int
    """Items that were judged."""
    labels: int
    """Items that get a label."""
    ties: int
    """Items whose votes tie."""
    unanimous: int
    """Items whose label nobody voted against."""
    dropped: Mapping[str, int]
    """Why items get no label, the commonest reason first."""
    counts: Mapping[str, int]
    """How many items get each label; empty where there are many."""
    figures: tuple[Figure, ...]
    """How far people agree, on all items and on those that are kept."""
    notes: Mapping[str, int]
    """What was found odd, counted."""


def settled_labels(
    collected: Collected, rule: str, labels: Sequence[Label], figures: Sequence[Figure], out: Path
) -> SettledLabels:
    """What came of settling the judgements by a rule."""
    kept = [label for label in labels if label.value is not None]
    counts = Counter(str(label.value) for label in kept)
    return SettledLabels(
        out=out,
        instrument=collected.instrument.name,
        rule=rule,
        judgements=len(collected.judgements),
        people=collected.number_of_people,
        items=len(labels),
        labels=len(kept),
        ties=sum(label.tie for label in labels),
        unanimous=sum(len(label.votes) == 1 for label in kept),
        dropped=reasons(labels),
        counts=dict(counts.most_common()) if len(counts) <= _MOST_COUNTED else {},
        figures=tuple(figures),
        notes=dict(collected.notes),
    )
