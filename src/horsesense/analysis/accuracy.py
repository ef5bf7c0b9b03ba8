"""A rate with its interval: the one shape in which numbers leave this room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from horsesense.analysis.prediction import Floats
from horsesense.errors import UserError


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number, how sure we are of it, and how that was found out."""

    n: int
    """Items it rests on."""
    clusters: int
    """Units of dependence those items fall into."""
    value: float
    low: float
    """Lower end of the interval."""
    high: float
    """Upper end of the interval."""
    level: float
    """How often such intervals hold the true value."""
    chance: float | None
    """What guessing earns; None where that has no meaning."""
    method: str
    """How the interval was made."""
    seed: int
    """Seed of the resampling."""
    note: str = ""
    """What to mind, such as one cluster only; empty where there is nothing."""


def accuracy(
    values: Floats | Sequence[float],
    units: Sequence[str],
    chance: float | None = None,
    level: float = 0.95,
    seed: int = 0,
    resamples: int = 2000,
    crossed: Sequence[str] | None = None,
) -> Estimate:
    """Mean credit with an interval that respects dependence: items of one unit are drawn together.

    Items whose value is nan (no gold) are left out. ``crossed`` is a second grouping (parts × wholes).

    >>> accuracy([1, 0, 1, 1], ["ice", "ice", "fire", "rain"]).value
    0.75
    """
    credit = np.asarray(values, dtype=np.float64)
    if len(credit) != len(units):
        raise UserError(f"there are {len(credit)} values and {len(units)} units")
    keep = ~np.isnan(credit)
    if not keep.any():
        raise UserError("no item has a gold answer, so there is no accuracy")
    names = np.asarray(units, dtype=str)[keep]
    _, codes = np.unique(names, return_inverse=True)
    sizes = np.bincount(codes).astype(np.float64)
    sums = np.bincount(codes, weights=credit[keep])
    rng = np.random.default_rng(seed)
    draws = np.array([rng.multinomial(len(sizes), np.full(len(sizes), 1 / len(sizes))) for _ in range(resamples)])
    low, high = np.quantile((draws @ sums) / (draws @ sizes), [(1 - level) / 2, (1 + level) / 2])
    return Estimate(
        n=int(keep.sum()),
        clusters=len(sizes),
        value=float(sums.sum() / sizes.sum()),
        low=float(low),
        high=float(high),
        level=level,
        chance=chance,
        method="percentile cluster bootstrap",
        seed=seed,
    )
