"""Accuracy: the mean credit, with an interval over units of dependence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from horsesense.analysis.intervals import Estimate, check_level, rate_interval, unit_note
from horsesense.analysis.resampling import RESAMPLES, Floats, Names, mean_spread, unit_array
from horsesense.errors import UserError

__all__ = ["Estimate", "accuracy"]


def accuracy(
    values: Floats | Sequence[float],
    units: Names,
    chance: float | None = None,
    level: float = 0.95,
    seed: int = 0,
    resamples: int = RESAMPLES,
    crossed: Names | None = None,
) -> Estimate:
    """Mean credit with an interval that respects dependence: items of one unit are drawn together.

    Items whose value is nan (no gold) are left out. ``crossed`` is a second grouping (parts × wholes).
    The order of the items does not matter.

    >>> found = accuracy([1, 1, 1, 1] * 30 + [0, 0, 0, 0] * 10, [str(i // 4) for i in range(160)], chance=0.5)
    >>> found.n, found.clusters, found.value, round(found.low, 2), round(found.high, 2)
    (160, 40, 0.75, 0.59, 0.87)
    """
    check_level(level)
    credit = np.asarray(values, dtype=np.float64)
    if len(credit) != len(units) or (crossed is not None and len(crossed) != len(units)):
        raise UserError(f"there are {len(credit)} values, but another number of units")
    judged = ~np.isnan(credit)
    if not judged.any():
        raise UserError("no item has a gold answer, so there is no accuracy")
    credit = credit[judged]
    if credit.min() < 0 or credit.max() > 1:
        raise UserError("a credit is not between 0 and 1")
    names = unit_array(units)[judged]
    others = None if crossed is None else unit_array(crossed)[judged]
    variance, number = mean_spread(credit, names, others, seed, resamples)
    value = min(1.0, float(np.sort(credit).mean()))
    ends = rate_interval(value, variance, number, level)
    return Estimate(
        n=len(credit),
        clusters=number,
        value=value,
        ci=ends,
        level=level,
        chance=chance,
        method="cluster bootstrap, beta" if crossed is None else "two-way cluster bootstrap, beta",
        seed=seed,
        note=unit_note(number),
    )
