"""Label quality of a probe: the result of a blind audit, with the auditor's own errors, as on its card."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from horsesense.core.document import Document
from horsesense.core.item import Item
from horsesense.errors import UserError
from horsesense.formatting import with_interval

PEOPLE, PROGRAM = "people", "program"
"""Lineages other than those of language models."""


@dataclass(frozen=True, slots=True)
class Party(Document):
    """A person, program or model that took part in making or auditing a probe."""

    name: str
    """Name: people by number or code, a program, or a model by its full name."""
    lineage: str
    """``people``, ``program``, or the lineage of a language model: related models have one lineage."""

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
        'smollm2 (a language model)'
        """
        if self.is_model:
            return f"{self.name} (a language model)"
        return f"{self.name} ({'people' if self.lineage == PEOPLE else 'a program'})"


def parse_party(text: str) -> Party:
    """Read a party from ``NAME:LINEAGE``.

    >>> parse_party("three students:people")
    Party(name='three students', lineage='people')
    """
    name, colon, lineage = (part.strip() for part in text.rpartition(":"))
    if not colon or not name or not lineage:
        raise UserError(
            f"{text!r} is not NAME:LINEAGE",
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
class AuditStage(Document):
    """Estimates of an audit, before or after the auditor saw the key."""

    bad: Share
    """Share of the sample judged bad: wrong or unclear key, another true option, or nonsense."""
    reasons: Mapping[str, float]
    """Shares of the sample by reason."""
    sensitivity: Share
    """Share of the seeded errors that the auditor finds."""
    by_error: Mapping[str, Share]
    """The same for each kind of seeded error."""
    false_alarms: Share | None
    """Share of known good items that the auditor judges bad; null if there were none."""
    corrected: Share | None
    """Share of bad items corrected for the auditor's errors (Rogan and Gladen); null if it cannot be corrected."""
    clipped: bool
    """Whether the corrected share was below 0 or above 1 and was clipped."""
    comparable: bool
    """False if known good items are judged bad more often than the sample: they are of another kind, and false alarms
    were not subtracted."""
    ceiling: Share
    """Highest expected accuracy on the sample: half for two right options, 0 for a wrong key, chance for nonsense and
    unclear items."""
    second_option: Share | None = None
    """Share of items with another true option, corrected by how often this seeded error is found; null if none was
    seeded."""


@dataclass(frozen=True, slots=True)
class EarlierAudit(Document):
    """An audit before the last one."""

    date: str
    """Date of the audit."""
    auditor: Party
    """The auditor."""
    n: int
    """Size of the sample."""
    bad: float
    """Share judged bad."""
    corrected: Share | None
    """Corrected share; null if it cannot be corrected."""
    content: str
    """Identity of the audited items; another one if the probe was rebuilt since."""


@dataclass(frozen=True, slots=True)
class LabelQuality(Document):
    """Label quality of a probe, from a blind audit of a sample."""

    date: str
    """Date of the audit."""
    n: int
    """Size of the sample."""
    items: int
    """Number of items of the probe."""
    content: str
    """SHA-256 over the ids of these items, 16 digits."""
    seed: int
    """Random seed of the sample, the seeded errors and the order."""
    seeded: Mapping[str, int]
    """Number of seeded errors by kind."""
    known: int
    """Number of known good items, by the votes of people."""
    before: AuditStage
    """Before the auditor saw the key."""
    after: AuditStage | None
    """After the key was shown; null if it was not shown."""
    auditor: Party
    """The auditor."""
    writer: Party
    """Author of the tables and templates behind the items."""
    judge: Party
    """Judge of the meaning of a judgement for an item."""
    notes: tuple[str, ...] = ()
    """Remarks."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Names of the files of the audit, without folders."""
    earlier: tuple[EarlierAudit, ...] = ()
    """Earlier audits, the last one first."""

    @property
    def final(self) -> AuditStage:
        """The last stage."""
        return self.after or self.before

    def as_earlier(self) -> EarlierAudit:
        """Return a summary, for the list of earlier audits."""
        stage = self.final
        return EarlierAudit(self.date, self.auditor, self.n, stage.bad.value, stage.corrected, self.content)

    def in_words(self) -> str:
        """State the share of bad items, the ceiling and the auditor."""
        stage = self.final
        share = stage.corrected or stage.bad
        kind = "corrected for" if stage.corrected else "not corrected for"
        quality = f"bad items {share:.1%}, {kind} the auditor's errors; ceiling {stage.ceiling:.1%}"
        return f"{quality}; blind audit of {self.n:,} items by {self.auditor.in_words()}"


def content_of(items: Iterable[Item]) -> str:
    """Return the identity of a set of items, whatever their order: SHA-256 over their ids, 16 digits."""
    return hashlib.sha256("\n".join(sorted(item.id for item in items)).encode()).hexdigest()[:16]
