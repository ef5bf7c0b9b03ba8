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


@cache
def stored_audit(name: str) -> LabelQuality | None:
    """Return the last audit of one of our probes, by the name on its card."""
    file = Path(__file__).with_name(f"{name}.json")
    return check_json(LabelQuality, file.read_text(encoding="utf-8"), _broken) if file.is_file() else None


def _broken(problem: FieldProblem) -> UserError:
    return UserError(f"an audit that ships with the package is broken at {problem.field}", fix="reinstall the package")


def with_audit(probe: Probe, similar: bool = True) -> Probe:
    """Add the audit of exactly these items to the card; if others were audited, ``made`` says so.

    ``similar``: whether the probe is built like the audited one, so that the earlier audit is of interest.
    """
    audit = stored_audit(probe.card.name)
    if audit is None:
        return probe
    if audit.content == content_of(probe.items):
        return replace(probe, card=replace(probe.card, label_quality=audit))
    if not similar:
        return probe
    share = audit.final.corrected or audit.final.bad
    note = (
        f"These items have not been audited; in another build ({audit.items:,} items, {audit.date}) "
        f"{share:.1%} were bad."
    )
    return replace(probe, card=replace(probe.card, made=f"{probe.card.made} {note}".strip()))
