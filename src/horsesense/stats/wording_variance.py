"""Wording as a random effect: variance components of a crossed sample of questions and wordings, and what they mean.

Every family is asked in every wording, so the design is balanced, and the restricted likelihood depends on the mean
squares alone. The usual interval treats the wording as fixed. The wider one treats the wordings as a sample of those
that might have been used, as Brennan's generalizability theory does, and has Satterthwaite's degrees of freedom.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain, combinations

import numpy as np
import scipy
from numpy.typing import NDArray

from horsesense.core.document import Document
from horsesense.errors import UserError
from horsesense.stats.intervals import Estimate, unit_note
from horsesense.stats.resampling import NOTHING

Floats = NDArray[np.float64]
FACTORS = ("families", "wordings", "orders")
METHOD = "crossed random effects of families and wordings, t with Satterthwaite's degrees of freedom"


@dataclass(frozen=True, slots=True)
class Allocation(Document):
    """A way to spend more questions, and the interval to expect."""

    families: int
    """Families, with those already asked."""
    wordings: int
    """Wordings of each."""
    half_width: float
    """Expected half-width of the wider interval."""


def mean_squares(table: Floats) -> dict[tuple[str, ...], tuple[float, int]]:
    """Return mean square and degrees of freedom of each effect of a complete crossed table.

    The axes are those of `FACTORS`; an axis with one level has no effects.
    """
    axes = [axis for axis in range(table.ndim) if table.shape[axis] > 1]
    squares: dict[tuple[str, ...], tuple[float, int]] = {}
    for chosen in chain.from_iterable(combinations(axes, many) for many in range(1, len(axes) + 1)):
        effect = table
        for axis in axes:
            mean = effect.mean(axis=axis, keepdims=True)
            effect = effect - mean if axis in chosen else mean
        freedom = int(np.prod([table.shape[axis] - 1 for axis in chosen]))
        repeats = table.size / effect.size
        squares[tuple(FACTORS[axis] for axis in chosen)] = float((effect**2).sum()) * repeats / freedom, freedom
    return squares


def variance_components(table: Floats) -> dict[str, float]:
    """Estimate the variance components of a complete crossed table by restricted maximum likelihood.

    >>> rng = np.random.default_rng(0)
    >>> table = rng.normal(size=(400, 1, 1)) + 0.5 * rng.normal(size=(1, 40, 1)) + rng.normal(size=(400, 40, 1))
    >>> {name: round(value, 1) for name, value in variance_components(table).items()}
    {'families': 1.0, 'wordings': 0.3, 'families x wordings': 1.0}
    """
    squares = mean_squares(table)
    effects = list(squares)
    sizes = dict(zip(FACTORS, table.shape, strict=True))
    # Expected mean squares: each effect has those components that contain it, times the levels of their other factors.
    repeats = [np.prod([sizes[name] for name in FACTORS if name not in effect]) for effect in effects]
    contains = np.array([[set(outer) <= set(inner) for inner in effects] for outer in effects])
    levels = contains * np.array(repeats, dtype=np.float64)
    observed, freedom = (np.array(values) for values in zip(*squares.values(), strict=True))
    scale = max(float(observed.max()), NOTHING)

    def loss(components: Floats) -> tuple[float, Floats]:
        expected = levels @ components + 1e-12
        ratio = observed / scale / expected
        return float(freedom @ (np.log(expected) + ratio)) / 2, levels.T @ (freedom * (1 - ratio) / expected) / 2

    start = np.linalg.solve(levels, observed / scale).clip(1e-6)
    best = scipy.optimize.minimize(
        loss, start, jac=True, bounds=[(0, None)] * len(effects), method="L-BFGS-B", tol=1e-12
    )
    return {" x ".join(effect): float(value) * scale for effect, value in zip(effects, best.x, strict=True)}


def with_wording(table: Floats, items: int, chance: float | None = None) -> Estimate:
    """Return the mean of a table with the interval that contains the wording.

    Args:
        table: Mean credit of each family in each wording and option order.
        items: Number of items.
        chance: Chance level.
    """
    families, wordings = table.shape[:2]
    if min(families, wordings) < 2:
        raise UserError("the interval needs at least two families and two wordings")
    # Both orders are always asked, so they are averaged and no source of error.
    averaged = table.mean(axis=2, keepdims=True)
    squares = mean_squares(averaged)
    parts = [squares["families",], squares["wordings",]]
    both = squares["families", "wordings"]
    # Where a component is estimated below 0, its mean square says no more than the interaction's.
    total = max(parts[0][0] + parts[1][0] - both[0], parts[0][0], parts[1][0]) / averaged.size
    weight = sum((square / averaged.size) ** 2 / freedom for square, freedom in (*parts, both))
    freedom = max(1.0, total**2 / weight) if weight > NOTHING**2 else float(families - 1)
    value = float(table.mean())
    reach = float(scipy.special.stdtrit(freedom, 0.975)) * total**0.5
    ends = max(0.0, value - reach), min(1.0, value + reach)
    return Estimate(value, ends, items, families, chance, method=METHOD, note=unit_note(families))


def best_allocation(
    components: Mapping[str, float], families: int, wordings: int, cost: float, more: int, most: int
) -> tuple[Allocation, Allocation, Allocation]:
    """Return how to spend more questions: the best way, all on new families, all on new wordings.

    Args:
        components: Variance components of families, wordings and their interaction, with orders averaged.
        families: Families asked so far.
        wordings: Wordings asked so far.
        cost: Questions per family and wording: its items times the option orders.
        more: Questions to spend.
        most: Wordings that are registered.
    """
    budget = families * wordings * cost + more

    def spent(number: int) -> Allocation:
        many = max(families, int(budget / (number * cost)))
        parts = components["families"] / many, components["wordings"] / number
        variance = sum(parts) + components["families x wordings"] / (many * number)
        return Allocation(many, number, float(1.96 * variance**0.5))

    choices = [spent(number) for number in range(wordings, most + 1) if number * families * cost <= budget]
    choices = choices or [spent(wordings)]
    return min(choices, key=lambda each: each.half_width), choices[0], choices[-1]
