"""Label quality of a probe: results of a blind audit of a sample with the auditor's own errors, stored in the card."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from horsesense.core.document import Document
from horsesense.errors import UserError
from horsesense.formatting import with_interval

PEOPLE, PROGRAM = "people", "program"
"""Lineages that are not language models."""


@dataclass(frozen=True, slots=True)
class Party(Document):
    """A person, program or model that contributed to a probe or to its audit."""

    name: str
    """Name: people by number or code, a program, or a model by its full name."""
    lineage: str
    """``people``, ``program``, or the lineage of a language model, shared by models that were derived from one another
    or trained by one developer on the same texts."""

    @property
    def is_model(self) -> bool:
        """Return whether it is a language model.

        >>> Party("three students", "people").is_model, Party("smollm2", "smollm").is_model
        (False, True)
        """
        return self.lineage not in (PEOPLE, PROGRAM)

    def in_words(self) -> str:
        """Return the name with its kind.

        >>> Party("smollm2", "smollm").in_words()
        'smollm2 (a language model of the lineage smollm, and no person)'
        """
        if self.is_model:
            return f"{self.name} (a language model of the lineage {self.lineage}, and no person)"
        return f"{self.name} ({'people' if self.lineage == PEOPLE else 'a program'})"


def parse_party(text: str) -> Party:
    """Parse a party from ``NAME:LINEAGE``.

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
    """Share between 0 and 1."""
    ci: tuple[float, float]
    """95% interval."""
    n: int
    """Number of items."""

    def __format__(self, spec: str) -> str:
        """Format value and interval by a float's spec."""
        return with_interval(self.value, self.ci, spec)


@dataclass(frozen=True, slots=True)
class Stage(Document):
    """Results of an audit before or after the auditor saw the key."""

    bad: Share
    """Items of the sample whose key is not judged true, that have another true option, or that make no sense."""
    reasons: Mapping[str, float]
    """Shares of the sample by reason."""
    sensitivity: Share
    """Share of seeded errors that the auditor finds."""
    by_fault: Mapping[str, Share]
    """Sensitivity by kind of seeded error."""
    false_alarms: Share | None
    """Share of items known to be good that the auditor flags; null if none were audited."""
    corrected: Share | None
    """True share of bad items by Rogan and Gladen; null if the auditor does not discriminate."""
    clipped: bool
    """Whether the corrected share was below 0 or above 1 and was clipped."""
    comparable: bool
    """False if even the upper limit of the corrected share was below 0: items known to be good are flagged more often
    than the sample, so they are not comparable, and no false alarms were subtracted."""
    best: Share
    """Ceiling of the accuracy on the audited sample: half for two correct options, 0 for a wrong key, chance for items
    that make no sense or are unclear."""
    second_option: Share | None = None
    """Items with another true option, corrected by the sensitivity to that error; null if none was seeded."""


@dataclass(frozen=True, slots=True)
class EarlierReading(Document):
    """Summary of an earlier audit."""

    date: str
    """Date of the evaluation."""
    reader: Party
    """Auditor."""
    n: int
    """Number of items in the sample."""
    bad: float
    """Share judged bad."""
    corrected: Share | None
    """Corrected share; null if the auditor does not discriminate."""
    content: str
    """Hash of the audited probe's items; it differs if the probe was rebuilt since."""


@dataclass(frozen=True, slots=True)
class Soundness(Document):
    """Label quality of a probe by a blind audit of a sample."""

    date: str
    """Date of the evaluation."""
    n: int
    """Number of items in the sample."""
    items: int
    """Number of items of the probe."""
    content: str
    """SHA-256 over the ids of these items, 16 digits."""
    seed: int
    """Seed of the sample, of the seeded errors and of the order."""
    planted: Mapping[str, int]
    """Number of seeded errors by kind."""
    known: int
    """Number of items known to be good by the votes of people."""
    before: Stage
    """Results before the auditor saw the key."""
    after: Stage | None
    """Results after the key was shown for items with and, as many, without disagreement; null if it was not shown."""
    reader: Party
    """Auditor."""
    writer: Party
    """Author of the tables and templates of the items."""
    judge: Party
    """Judge of the meaning of a judgement for an item."""
    remarks: tuple[str, ...] = ()
    """Caveats, in sentences."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Names of the audit files, without folders."""
    earlier: tuple[EarlierReading, ...] = ()
    """Earlier audits, latest first."""

    @property
    def final(self) -> Stage:
        """Last stage of the audit."""
        return self.after or self.before

    def as_earlier(self) -> EarlierReading:
        """Return the summary of this audit for the list of earlier ones."""
        stage = self.final
        return EarlierReading(self.date, self.reader, self.n, stage.bad.value, stage.corrected, self.content)

    def in_words(self) -> str:
        """State the share of bad items, the ceiling and the auditor."""
        stage = self.final
        share = stage.corrected or stage.bad
        kind = "corrected for" if stage.corrected else "not corrected for"
        quality = f"bad items {share:.1%}, {kind} the auditor's errors; ceiling {stage.best:.1%}"
        return f"{quality}; blind audit of {self.n:,} items by {self.reader.in_words()}"
