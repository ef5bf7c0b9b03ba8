"""How sound a probe is: what a reading of a sample found, with the reader's own errors, as its card keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from horsesense.core.document import Document
from horsesense.errors import UserError
from horsesense.formatting import with_interval

PEOPLE, PROGRAM = "people", "program"
"""Lineages that are no language model's."""


@dataclass(frozen=True, slots=True)
class Party(Document):
    """Somebody who had a hand in a probe or in its reading."""

    name: str
    """Who: people by number or code, a program, or a model by its full name."""
    lineage: str
    """``people``, ``program``, or the lineage of a language model: what models that were made from one another, or by
    one maker on the same texts, have in common."""

    @property
    def is_model(self) -> bool:
        """Whether it is a language model.

        >>> Party("three students", "people").is_model, Party("smollm2", "smollm").is_model
        (False, True)
        """
        return self.lineage not in (PEOPLE, PROGRAM)

    def in_words(self) -> str:
        """The name, and what it is.

        >>> Party("smollm2", "smollm").in_words()
        'smollm2 (a language model of the lineage smollm, and no person)'
        """
        if self.is_model:
            return f"{self.name} (a language model of the lineage {self.lineage}, and no person)"
        return f"{self.name} ({'people' if self.lineage == PEOPLE else 'a program'})"


def parse_party(text: str) -> Party:
    """A party from ``NAME:LINEAGE``.

    >>> parse_party("three students:people")
    Party(name='three students', lineage='people')
    """
    name, colon, lineage = (part.strip() for part in text.rpartition(":"))
    if not colon or not name or not lineage:
        raise UserError(
            f"{text!r} does not say who and of which lineage",
            fix="write NAME:LINEAGE, such as 'three students:people' or 'smollm2:smollm'",
        )
    return Party(name, lineage.casefold())


@dataclass(frozen=True, slots=True)
class Share(Document):
    """A share with its interval."""

    value: float
    """Between 0 and 1."""
    ci: tuple[float, float]
    """Its 95% interval."""
    n: int
    """Items it rests on."""

    def __format__(self, spec: str) -> str:
        """Format value and interval by a float's spec."""
        return with_interval(self.value, self.ci, spec)


@dataclass(frozen=True, slots=True)
class Stage(Document):
    """What a reading found, before or after the reader saw the key."""

    bad: Share
    """Items of the sample whose key is not judged true, that have another true option, or that make no sense."""
    reasons: Mapping[str, float]
    """The same by what is wrong: shares of the sample."""
    sensitivity: Share
    """Planted faults that the reader finds."""
    by_fault: Mapping[str, Share]
    """The same for each kind of planted fault."""
    false_alarms: Share | None
    """Items known to be good that the reader calls bad; null where none were read."""
    corrected: Share | None
    """The share of bad items that is truly there, by Rogan and Gladen; null where the reader cannot tell."""
    clipped: bool
    """Whether the corrected share came out below 0 or above 1 and was cut."""
    comparable: bool
    """False where even the upper end of the corrected share came out below 0: the items known to be good are called bad
    more often than the sample, so they are of another kind, and no false alarms were taken off."""
    best: Share
    """The best accuracy that can be reached on the sample as it was read: of two right options half, of a wrong key
    none, of what makes no sense or is unclear as much as by chance."""
    second_option: Share | None = None
    """Items with another true option, corrected by how often that very fault is found; null where none was planted."""


@dataclass(frozen=True, slots=True)
class EarlierReading(Document):
    """A reading before the last one."""

    date: str
    """When it was worked out."""
    reader: Party
    """Who read."""
    n: int
    """Items of the sample."""
    bad: float
    """Share judged bad."""
    corrected: Share | None
    """Corrected share; null where the reader could not tell."""
    content: str
    """The probe that was read, by its items: another one where the probe was built anew since."""


@dataclass(frozen=True, slots=True)
class Soundness(Document):
    """How sound a probe is, by a reading of a sample that did not see the key."""

    date: str
    """When it was worked out."""
    n: int
    """Items of the sample."""
    items: int
    """Items of the probe that the sample was drawn from."""
    content: str
    """SHA-256 over the ids of these items, 16 digits."""
    seed: int
    """Of the sample, of the planted faults and of the order."""
    planted: Mapping[str, int]
    """Planted faults by kind."""
    known: int
    """Items known to be good, by the votes of people."""
    before: Stage
    """Before the reader saw the key."""
    after: Stage | None
    """After the key was shown to those who differed and to as many who agreed; null where it was not shown."""
    reader: Party
    """Who read."""
    writer: Party
    """Who wrote the tables and templates that the items were made from."""
    judge: Party
    """Who decided what a judgement means for an item."""
    remarks: tuple[str, ...] = ()
    """What to mind, in sentences."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Names of the files of the reading, without folders."""
    earlier: tuple[EarlierReading, ...] = ()
    """Readings before this one, the last one first."""

    @property
    def final(self) -> Stage:
        """The last stage that was read."""
        return self.after or self.before

    def as_earlier(self) -> EarlierReading:
        """The reading in short, for the list of those before."""
        stage = self.final
        return EarlierReading(self.date, self.reader, self.n, stage.bad.value, stage.corrected, self.content)

    def in_words(self) -> str:
        """State the share of bad items, the ceiling and the auditor."""
        stage = self.final
        share = stage.corrected or stage.bad
        kind = "corrected for" if stage.corrected else "not corrected for"
        quality = f"bad items {share:.1%}, {kind} the auditor's errors; ceiling {stage.best:.1%}"
        return f"{quality}; blind audit of {self.n:,} items by {self.reader.in_words()}"
