"""The row of CATs' table 6: are the two halves of a pair right or wrong together?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from horsesense.analysis import Consistency, consistency
from horsesense.runs.results import Answered
from horsesense.scoring.normalise import Normalisation


@dataclass(frozen=True, slots=True)
class ConsistencyRow:
    """One model on the robust sets that were asked."""

    model: str
    direction: str
    parameters: int
    sets: Mapping[str, Consistency]
    """By set."""


def consistency_row(answered: Mapping[str, Answered], how: Normalisation | None = None) -> ConsistencyRow:
    """Sum up the pairs of one model, by set."""
    record = next(iter(answered.values())).part.model
    sets = {}
    for name, one in answered.items():
        sets[name] = consistency(
            one.credits(how or one.primary()).values,
            [item.unit() for item in one.items],
            [item.member for item in one.items],
            [item.unit(one.probe.card.group) for item in one.items],
            [len(item.options) for item in one.items],
        )
    return ConsistencyRow(record.name, record.direction, record.parameters, sets)
