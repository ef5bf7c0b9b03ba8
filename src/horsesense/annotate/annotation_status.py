"""Progress of a study or of task files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from horsesense.annotate.judgements import CollectedJudgements, JudgementOptions, read_judgements
from horsesense.core import Probe
from horsesense.core.document import Document
from horsesense.errors import translate_errors


@dataclass(frozen=True, slots=True)
class StudyCounts:
    """Counts of tasks and answers of a study."""

    tasks: int
    target: int
    """Target number of answers."""
    answered: int
    people: frozenset[str]
    """Codes of the people who answered."""

    def has(self, share: float) -> bool:
        """Whether this share of the target was answered."""
        return self.answered >= share * self.target


@dataclass(frozen=True, slots=True)
class PersonStatus:
    """Progress of one person."""

    annotator: str
    """Empty if the tasks name nobody."""
    judgements: int
    unanswered: int
    """Tasks without an answer."""


@dataclass(frozen=True, slots=True)
class Status(Document):
    """Progress of a study or of task files."""

    instrument: str
    """Name of the instrument."""
    target: int
    """Target number of judgements per item; a disputed item has more."""
    items: int
    """Number of items."""
    done: int
    """Items with all their judgements."""
    judgements: int
    """Number of judgements."""
    missing: int
    """Judgements that are still missing."""
    disputed: int
    """Items for which more people are asked, because the first did not agree."""
    unanswered: int
    """Assigned tasks without an answer."""
    by_votes: Mapping[str, int]
    """Number of items by number of judgements."""
    people: tuple[PersonStatus, ...]
    """By name, including people who were invited to a study and have not started."""
    notes: Mapping[str, int]
    """Irregularities, counted."""


def status_of(collected: CollectedJudgements) -> Status:
    """Count judgements and unanswered tasks by person, and items by number of judgements."""
    judged = Counter(each.annotator for each in collected.judgements)
    waiting = Counter(annotator for _, annotator in collected.unanswered)
    asked = (
        set(collected.scales)
        | {item for item, _ in collected.unanswered}
        | {each.item for each in collected.judgements}
    )
    votes = Counter(each.item for each in collected.judgements)
    depth = Counter(votes[item] for item in asked)
    target = min(collected.targets.values(), default=collected.instrument.judgements)
    missing = {item: max(0, collected.targets.get(item, target) - votes[item]) for item in asked}
    return Status(
        instrument=collected.instrument.name,
        target=target,
        items=len(asked),
        done=sum(not each for each in missing.values()),
        judgements=len(collected.judgements),
        missing=sum(missing.values()),
        disputed=sum(each > target for each in collected.targets.values()),
        unanswered=len(collected.unanswered),
        by_votes={str(number): depth[number] for number in sorted(depth)},
        people=tuple(
            PersonStatus(name, judged[name], waiting[name]) for name in sorted({*judged, *waiting, *collected.people})
        ),
        notes=dict(collected.notes),
    )


@translate_errors()
def status(
    *files: str | Path,
    probe: Probe | str | Path | None = None,
    options: JudgementOptions | None = None,
) -> Status:
    """Count judgements and unanswered tasks by person, and items by number of judgements.

    Args:
        files: Filled task files or judgements (.csv, .tsv, .jsonl), Label Studio's .json, or the folder of a study.
        probe: Probe that was judged; each item is checked.
        options: How judgements are read.

    Returns:
        What is done and what is missing.
    """
    return status_of(read_judgements(*files, probe=probe, options=options))
