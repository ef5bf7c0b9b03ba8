"""A probe that was written: what ``import`` and every ``build`` give."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from horsesense.records.document import Document
from horsesense.records.probe import Probe, write_probe


@dataclass(frozen=True, slots=True)
class WrittenProbe(Document):
    """Where a probe lies, and what is in it."""

    out: Path
    """The file of its items."""
    items: int
    """How many it has."""
    families: int
    """Families that its items fall into."""
    notes: Mapping[str, int]
    """What was counted while it was made: lines repaired, items left out."""


def written(out: Path, probe: Probe) -> WrittenProbe:
    """Write the probe, and say how many items it has and what was left out."""
    write_probe(out, probe)
    card = probe.card
    return WrittenProbe(out, card.items, card.families, dict(card.notes))
