"""The largest set of families in which sums stay small: a linear programme, rounded.

Each column is something a cue earns above chance, summed over the items of a family. A family is kept or
not; the relaxed programme has no more families in between than columns at their bound, so that
rounding costs next to nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

MOST_FAMILIES = 5000
"""Families that one programme takes; more are dealt to several, each with a tighter bound."""
_PASSES = 4


@dataclass(frozen=True, slots=True)
class Columns:
    """What is to be balanced; all tables are families × columns."""

    excess: Floats
    """Sum of what is earned above chance."""
    variance: Floats
    """What this sum would vary by if it were chance."""
    tolerance: Floats
    """Per column, by how many standard errors its sum may be off."""

    def of(self, families: Ints) -> Columns:
        """The columns of some families."""
        return Columns(self.excess[families], self.variance[families], self.tolerance)


@dataclass(frozen=True, slots=True)
class Balanced:
    """Which families stay, and what drove the others out."""

    kept: Bools
    """Per family."""
    reason: Ints
    """Per family, the column that spoke most against it; -1 for those that stay or fell to rounding."""


def largest_balanced(columns: Columns, sizes: Floats, seed: int = 0) -> Balanced:
    """Keep as many items as possible while no column's sum is further off, above or below, than it may be.

    ``sizes`` are the items of each family.

    >>> table = np.array([[0.5]] * 60 + [[-0.5]] * 20)
    >>> found = largest_balanced(Columns(table, table**2, np.array([1.0])), np.ones(80))
    >>> int(found.kept[:60].sum()), int(found.kept[60:].sum())
    (27, 20)
    """
    families = len(sizes)
    deals = max(1, -(-families // MOST_FAMILIES))
    kept = np.zeros(families, dtype=bool)
    reason = np.full(families, -1, dtype=np.int64)
    order = np.random.default_rng([seed, 5]).permutation(families)
    for deal in range(deals):
        part = np.sort(order[deal::deals])
        # Errors of separate parts add up, their standard errors only by the root.
        found = _solved(columns.of(part), sizes[part], 1 / np.sqrt(deals))
        kept[part], reason[part] = found.kept, found.reason
    return Balanced(kept, reason)


def _solved(columns: Columns, sizes: Floats, tightened: float) -> Balanced:
    from scipy.optimize import linprog

    reason = np.full(len(sizes), -1, dtype=np.int64)
    if not columns.excess.shape[1]:
        return Balanced(np.ones(len(sizes), dtype=bool), reason)
    rows = np.concatenate([columns.excess.T, -columns.excess.T])
    share = 1.0
    for _ in range(_PASSES):
        # The bound is in standard errors of what stays, and how much stays is known only afterwards: hence passes.
        bound = tightened * columns.tolerance * np.sqrt(share * columns.variance.sum(axis=0))
        solved = linprog(-sizes, A_ub=rows, b_ub=np.concatenate([bound, bound]), bounds=(0, 1), method="highs")
        share = float(solved.x @ sizes / sizes.sum())
    kept = solved.x > 0.5
    price = -solved.ineqlin.marginals
    above, below = price.reshape(2, -1)
    against = columns.excess * (above - below)
    worst = np.argmax(against, axis=1)
    blamed = ~kept & (against[np.arange(len(worst)), worst] > 0)
    reason[blamed] = worst[blamed]
    return Balanced(kept, reason)
