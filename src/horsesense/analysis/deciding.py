"""Which tokens decide: q_k over many pairs (CATs, section "Robustness Test", figure 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from horsesense.analysis.accuracy import accuracy
from horsesense.analysis.intervals import Estimate
from horsesense.errors import UserError


@dataclass(frozen=True, slots=True)
class Place:
    """One place of a pair of sentences."""

    q: float
    """How much it speaks for the right sentence and against the wrong one."""
    edited: bool
    """Whether the two sentences differ here."""


@dataclass(frozen=True, slots=True)
class Decision:
    """How one pair was decided."""

    right: bool
    by_edit: bool
    """Whether the place that speaks most for the decision is one where the sentences differ."""
    position: float
    """Where that place is, from 0 (first token) to 1 (last)."""
    carried_by_others: bool
    """Whether the places that are the same in both speak more for the decision than those that differ."""
    edit_share: float
    """Share of all evidence, for or against, that lies where the sentences differ."""


@dataclass(frozen=True, slots=True)
class Deciding:
    """What decides over many pairs."""

    n: int
    """Pairs."""
    by_edit: Estimate
    """Share of pairs whose deciding token is an edited one."""
    carried_by_others: Estimate
    """Share of decisions carried by tokens other than the edit."""
    edit_share: Estimate
    """Mean share of the evidence that lies in the edit."""
    position_quartiles: tuple[float, float, float]
    """Quartiles of the deciding token's position."""
    position_thirds: tuple[int, int, int]
    """Deciding tokens in the first, middle and last third of the sentence."""


def decision(places: Sequence[Place]) -> Decision:
    """How a pair was decided, by the sum of q over its places; a sum of 0 counts as wrong.

    >>> decision([Place(0.5, False), Place(-1.0, True), Place(2.5, False)])
    Decision(right=True, by_edit=False, position=1.0, carried_by_others=True, edit_share=0.25)
    """
    if not places:
        raise UserError("a pair has no token to look at")
    total = sum(place.q for place in places)
    sign = 1.0 if total > 0 else -1.0
    toward = [sign * place.q for place in places]
    top = int(np.argmax(toward))
    edit = sum(value for value, place in zip(toward, places, strict=True) if place.edited)
    weight = sum(map(abs, toward))
    share = sum(abs(value) for value, place in zip(toward, places, strict=True) if place.edited)
    return Decision(
        right=total > 0,
        by_edit=places[top].edited,
        position=top / (len(places) - 1) if len(places) > 1 else 0.0,
        carried_by_others=sum(toward) - edit > edit,
        edit_share=share / weight if weight else 0.0,
    )


def deciding(decisions: Sequence[Decision], units: Sequence[str]) -> Deciding:
    """Put decisions together, with intervals over units of dependence."""
    if not decisions:
        raise UserError("there is no pair to look at", fix="use a probe with two options an item")
    positions = np.array([each.position for each in decisions])
    low, middle, high = np.quantile(positions, [0.25, 0.5, 0.75]).tolist()
    borders = [0.0, 1 / 3, 2 / 3, 1.0 + 1e-9]
    first, second, third = (int(((positions >= a) & (positions < b)).sum()) for a, b in pairwise(borders))

    def rate(values: list[float]) -> Estimate:
        return accuracy(values, units)

    return Deciding(
        n=len(decisions),
        by_edit=rate([float(each.by_edit) for each in decisions]),
        carried_by_others=rate([float(each.carried_by_others) for each in decisions]),
        edit_share=rate([min(1.0, each.edit_share) for each in decisions]),
        position_quartiles=(low, middle, high),
        position_thirds=(first, second, third),
    )
