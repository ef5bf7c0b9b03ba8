"""Consistency of duals: two questions that test the same knowledge (cats, table 6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from horsesense.errors import UserError
from horsesense.stats.accuracy import accuracy
from horsesense.stats.combined import combined_interval, rates_of
from horsesense.stats.intervals import Estimate
from horsesense.stats.resampling import RESAMPLES, Floats


@dataclass(frozen=True, slots=True)
class Consistency:
    """Agreement of the two members of each pair. A tie counts as wrong. ``n`` counts pairs."""

    consistent: Estimate
    """Share of pairs with both members correct or both wrong (cats: "consistent")."""
    both: Estimate
    """Share of pairs with both members correct, as knowledge predicts."""
    expected: Estimate
    """Expected share of consistent pairs under independence: pq + (1 - p)(1 - q)."""
    excess: Estimate
    """Consistent minus expected: negative if a correct member makes its partner more likely to be wrong."""
    first: tuple[str, Estimate]
    """Role of the first member, and its accuracy."""
    second: tuple[str, Estimate]
    """Role of the second member, and its accuracy."""
    unpaired: int
    """Number of items with a gold but no partner, which are left out."""


def consistency(
    values: Floats | Sequence[float],
    families: Sequence[str],
    roles: Sequence[str],
    units: Sequence[str] | None = None,
    option_counts: Sequence[int] | None = None,
    level: float = 0.95,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Consistency:
    """Estimate the consistency of pairs: families in which each of two ``roles`` (an item's ``member``) occurs once.

    ``units`` name the clusters; by default each pair is its own cluster.

    >>> pairs = consistency([1, 1, 0, 0, 1, 0, 1, 0], list("wwxxyyzz"), ["a", "b"] * 4)
    >>> pairs.consistent.value, pairs.both.value, pairs.expected.value
    (0.5, 0.25, 0.375)
    """
    credit = np.asarray(values, dtype=np.float64)
    if not len(credit) == len(families) == len(roles) == len(families if units is None else units):
        raise UserError(f"there are {len(credit)} values for {len(families)} items")
    pairs, unpaired = _pairs(credit, families, roles)
    kinds = sorted({role for pair in pairs for role in pair})
    if len(kinds) != 2:
        raise UserError(
            f"pairs need two roles, but there are {len(kinds)}" + (f" ({', '.join(kinds[:5])} …)" if kinds else ""),
            fix="keep the items of two roles",
        )
    rows = np.array([[pair[kind] for kind in kinds] for pair in pairs])
    right = (credit[rows] == 1).astype(np.float64)
    names = [str((families if units is None else units)[row[0]]) for row in rows]
    guess = None if option_counts is None else 1 / np.asarray(option_counts, dtype=np.float64)[rows]

    def rate(flags: Floats, chance: float | None) -> Estimate:
        return accuracy(flags, names, chance, level, seed, resamples)

    p, q = right.T
    g = None if guess is None else guess.T
    consistent = rate(
        p * q + (1 - p) * (1 - q), None if g is None else float(np.mean(1 - g[0] - g[1] + 2 * g[0] * g[1]))
    )
    same = p * q + (1 - p) * (1 - q)
    rates = rates_of([p, q, same], [names] * 3, seed, resamples)
    value = float(_expected(rates.values[None, :])[0])
    expected_ends = combined_interval(_expected, rates.only(0, 1), level)
    excess_ends = combined_interval(_excess, rates, level)
    return Consistency(
        consistent=consistent,
        both=rate(p * q, None if g is None else float(np.mean(g[0] * g[1]))),
        expected=replace(
            consistent,
            value=value,
            ci=expected_ends,
            chance=None,
            method="intervals of both roles, combined",
        ),
        excess=replace(
            consistent,
            value=consistent.value - value,
            ci=excess_ends,
            chance=None,
            method="intervals of consistency and of both roles, combined",
        ),
        first=(kinds[0], rate(p, None if g is None else float(g[0].mean()))),
        second=(kinds[1], rate(q, None if g is None else float(g[1].mean()))),
        unpaired=unpaired,
    )


def _pairs(credit: Floats, families: Sequence[str], roles: Sequence[str]) -> tuple[list[dict[str, int]], int]:
    """Return the item indices of each complete pair by role, and the number of judged items without a pair."""
    members: dict[str, list[int]] = {}
    judged = np.flatnonzero(~np.isnan(credit)).tolist()
    for place in judged:
        members.setdefault(families[place], []).append(place)
    by_role = [
        {str(roles[place]): place for place in places} for _, places in sorted(members.items()) if len(places) == 2
    ]
    pairs = [pair for pair in by_role if len(pair) == 2]
    return pairs, len(judged) - 2 * len(pairs)


def _expected(rates: Floats) -> Floats:
    p, q = rates[:, 0], rates[:, 1]
    expected: Floats = p * q + (1 - p) * (1 - q)
    return expected


def _excess(rates: Floats) -> Floats:
    excess: Floats = rates[:, 2] - _expected(rates)
    return excess
