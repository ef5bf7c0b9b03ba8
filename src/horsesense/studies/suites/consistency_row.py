"""The row of CATs' table 6: are the two halves of a pair right or wrong together?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from horsesense.analysis import Consistency, Estimate, consistency
from horsesense.runs.results import Answered
from horsesense.scoring.normalise import Normalisation


@dataclass(frozen=True, slots=True)
class PairsOfSet:
    """The pairs of one set: an original and what an edit made of it. Right means fully right."""

    consistent: Estimate
    """Share of pairs with both right or both wrong."""
    both_right: Estimate
    """Share of pairs with both right: what knowledge would give."""
    expected: Estimate
    """The share that would be consistent if the two had nothing to do with each other."""
    excess: Estimate
    """Consistent minus expected."""
    accuracy_a: Estimate
    """Accuracy on the originals."""
    accuracy_b: Estimate
    """Accuracy on what the edit made."""
    pairs: int
    """How many pairs there are."""
    unpaired: int
    """Items with a gold that have no partner, which are left out."""


@dataclass(frozen=True, slots=True)
class ConsistencyRow:
    """One model on the robust sets that were asked."""

    model: str
    kind: Literal["measured"]
    """Not taken from a paper."""
    direction: str
    """unidirectional or bidirectional."""
    parameters: int
    """How many the model has."""
    sets: Mapping[str, PairsOfSet]
    """By set."""


def consistency_row(answered: Mapping[str, Answered], how: Normalisation | None = None) -> ConsistencyRow:
    """Sum up the pairs of one model, by set."""
    record = next(iter(answered.values())).part.model
    sets = {}
    for name, one in answered.items():
        sets[name] = _pairs_of_set(
            consistency(
                one.credits(how or one.primary()).values,
                [item.unit() for item in one.items],
                [item.member for item in one.items],
                [item.unit(one.probe.card.group) for item in one.items],
                [len(item.options) for item in one.items],
            )
        )
    return ConsistencyRow(record.name, "measured", record.direction, record.parameters, sets)


def _pairs_of_set(pairs: Consistency) -> PairsOfSet:
    return PairsOfSet(
        consistent=pairs.consistent,
        both_right=pairs.both,
        expected=pairs.expected,
        excess=pairs.excess,
        accuracy_a=pairs.first[1],
        accuracy_b=pairs.second[1],
        pairs=pairs.consistent.n,
        unpaired=pairs.unpaired,
    )
