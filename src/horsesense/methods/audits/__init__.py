"""Audits of our own probes that ship with the package, one file per probe, named like its card.

An audit applies to exactly the items that were audited, which are identified by their content. Another version of the
builder, another seed, limit or source gives other items: their card has no label quality of its own and says what was
audited instead. The files are the output of ``audit apply --json``.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

from horsesense.core import Probe
from horsesense.core.audit import LabelQuality, content_of
from horsesense.data import FieldProblem, check_json
from horsesense.errors import UserError

MIXED = "-mixed"
"""Ending of the card's name of a set with near and random distractors."""


@cache
def stored_audit(name: str) -> LabelQuality | None:
    """Return the last audit of one of our probes, by the name on its card."""
    file = Path(__file__).with_name(f"{name}.json")
    return check_json(LabelQuality, file.read_text(encoding="utf-8"), _broken) if file.is_file() else None


def _broken(problem: FieldProblem) -> UserError:
    return UserError(f"an audit that ships with the package is broken at {problem.field}", fix="reinstall the package")


def with_audit(probe: Probe, similar: bool = True) -> Probe:
    """Add the audit of exactly these items to the card; if others were audited, ``made`` says so.

    ``similar``: whether the probe is built like the audited one, so that the earlier audit is of interest. A set named
    NAME-mixed has items like those of NAME-near-more, or NAME-near, and of NAME.
    """
    name = probe.card.name
    audit = stored_audit(name)
    if audit is not None and audit.content == content_of(probe.items):
        return replace(probe, card=replace(probe.card, label_quality=audit))
    base = name.removesuffix(MIXED)
    near = next((n for n in (f"{base}-near-more", f"{base}-near") if stored_audit(n) is not None), base)
    others = {other: stored_audit(other) for other in ((name,) if base == name else (near, base))}
    shares = " and ".join(_share_bad(other, audit) for other, audit in others.items() if audit is not None)
    if not shares or not similar:
        return probe
    note = f"These items have not been audited; of other builds, {shares} were bad."
    return replace(probe, card=replace(probe.card, made=f"{probe.card.made} {note}".strip()))


def _share_bad(name: str, audit: LabelQuality) -> str:
    share = audit.final.corrected or audit.final.bad
    return f"{share:.1%} of {name} ({audit.items:,} items, {audit.date})"
