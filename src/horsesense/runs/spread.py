"""How much the way of asking matters: one model on one probe, asked in several ways. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from horsesense.records.document import Document
from horsesense.runs.result import Result


@dataclass(frozen=True, slots=True)
class Spread(Document):
    """One model on one probe in several ways: the part of the uncertainty that no interval shows."""

    model: str
    """Who was asked."""
    probe: str
    """What was asked."""
    ways: Mapping[str, float]
    """Accuracy by way of asking."""
    low: float
    """The lowest of them."""
    high: float
    """The highest of them."""
    spread: float
    """What they are apart."""


def spreads(results: Sequence[Result]) -> tuple[Spread, ...]:
    """Each model and probe that was asked in two ways at least."""
    by_pair: dict[tuple[str, str], dict[str, float]] = {}
    for result in results:
        by_pair.setdefault((result.model, result.probe), {})[result.way] = result.estimate.value
    return tuple(
        Spread(model, probe, ways, min(ways.values()), max(ways.values()), max(ways.values()) - min(ways.values()))
        for (model, probe), ways in by_pair.items()
        if len(ways) > 1
    )
