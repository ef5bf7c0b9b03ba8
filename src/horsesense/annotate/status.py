"""How far people have come with a study or with task files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from horsesense.annotate.judgement_files import Collected
from horsesense.core.document import Document


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a study is, in four figures."""

    tasks: int
    wanted: int
    """Answers that are wanted in all."""
    answered: int
    people: frozenset[str]
    """Codes of those who answered."""

    def has(self, enough: float) -> bool:
        """Whether this share of what is wanted was answered."""
        return self.answered >= enough * self.wanted


@dataclass(frozen=True, slots=True)
class PersonStatus:
    """How far one person has come."""

    annotator: str
    """Empty where the tasks name nobody."""
    judgements: int
    open: int
    """Tasks without an answer yet."""


@dataclass(frozen=True, slots=True)
class Status(Document):
    """How far people have come."""

    instrument: str
    """What they judge with."""
    wanted: int
    """Judgements that an item should have; one in dispute wants more."""
    items: int
    """Items that were asked about."""
    done: int
    """Items that have as many judgements as they should."""
    judgements: int
    """Judgements that were given."""
    missing: int
    """Judgements that are still wanted, whoever is to give them."""
    disputed: int
    """Items for which more people are asked, since the first did not agree."""
    open: int
    """Tasks that are with people and have no answer yet."""
    by_votes: Mapping[str, int]
    """Number of judgements → how many items have so many."""
    people: tuple[PersonStatus, ...]
    """In order of names; those who were invited to a study and have not begun, too."""
    notes: Mapping[str, int]
    """What was found odd, counted."""


def status_of(collected: Collected) -> Status:
    """Judgements and open tasks, by person, and how many items have how many judgements."""
    given = Counter(each.annotator for each in collected.judgements)
    waiting = Counter(annotator for _, annotator in collected.open)
    asked = set(collected.scales) | {item for item, _ in collected.open} | {each.item for each in collected.judgements}
    votes = Counter(each.item for each in collected.judgements)
    depth = Counter(votes[item] for item in asked)
    wanted = min(collected.targets.values(), default=collected.instrument.judgements)
    missing = {item: max(0, collected.targets.get(item, wanted) - votes[item]) for item in asked}
    return Status(
        instrument=collected.instrument.name,
        wanted=wanted,
        items=len(asked),
        done=sum(not each for each in missing.values()),
        judgements=len(collected.judgements),
        missing=sum(missing.values()),
        disputed=sum(each > wanted for each in collected.targets.values()),
        open=len(collected.open),
        by_votes={str(number): depth[number] for number in sorted(depth)},
        people=tuple(
            PersonStatus(name, given[name], waiting[name]) for name in sorted({*given, *waiting, *collected.people})
        ),
        notes=dict(collected.notes),
    )
