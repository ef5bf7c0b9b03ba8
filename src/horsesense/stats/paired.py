"""Paired comparison: models on the same items, and the same questions under two conditions."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TypeVar

import numpy as np
import scipy

from horsesense.core import Item
from horsesense.errors import UserError
from horsesense.stats.accuracy import accuracy
from horsesense.stats.combined import Rates, difference_of, rates_of
from horsesense.stats.intervals import Estimate, check_level, difference_interval, unit_note
from horsesense.stats.resampling import NOTHING, RESAMPLES, Floats, Names, mean_spread, unit_array


@dataclass(frozen=True, slots=True)
class PairedTest:
    """Comparison of two models on the judged items that both answered."""

    a: Estimate
    """Accuracy of the first model."""
    b: Estimate
    """Accuracy of the second model."""
    difference: Estimate
    """Accuracy of the first model minus that of the second."""
    p: float
    """Two-sided p-value of no difference, by clusters, so that it agrees with the interval."""
    only_a: int
    """Number of items where the first model earns more."""
    only_b: int
    """Number of items where the second model earns more."""
    mcnemar: float
    """McNemar's p for those two counts; too small if items are dependent."""
    left_out: int
    """Number of items without a gold or without an answer of one model."""
    adjusted: float
    """``p`` after Holm's correction for simultaneous comparisons; ``p`` itself for a single one."""


def compare(
    credit_a: Floats | Sequence[float],
    credit_b: Floats | Sequence[float],
    units: Names,
    chance: float | None = None,
    level: float = 0.95,
    seed: int = 0,
    resamples: int = RESAMPLES,
    crossed: Names | None = None,
) -> PairedTest:
    """Compare two models item by item by cluster bootstrap.

    >>> units = [str(i // 2) for i in range(80)]
    >>> compared = compare([1, 1, 1, 0] * 20, [1, 0, 1, 0] * 20, units)
    >>> compared.difference.value, compared.only_a, compared.only_b, compared.p < 0.001
    (0.25, 20, 0, True)
    """
    check_level(level)
    a, b = np.asarray(credit_a, dtype=np.float64), np.asarray(credit_b, dtype=np.float64)
    if not len(a) == len(b) == len(units):
        raise UserError(f"there are {len(a)} and {len(b)} values for {len(units)} items")
    both = ~(np.isnan(a) | np.isnan(b))
    if not both.any():
        raise UserError("the two models have no judged item in common")
    a, b = a[both], b[both]
    names = unit_array(units)[both]
    others = None if crossed is None else unit_array(crossed)[both]
    # The better model first, so that the resamples do not depend on the order of the models.
    variance, number = mean_spread(a - b if a.sum() >= b.sum() else b - a, names, others, seed, resamples)
    value = float(np.sort(a - b).mean())
    rates = rates_of([a, b], [names, names], seed, resamples, None if others is None else [others, others])
    ends = _ends(value, variance, number, rates, level)
    only_a, only_b = int((a > b).sum()), int((b > a).sum())
    p = max(difference_p(value, variance, number), _combined_p(value, rates))
    return PairedTest(
        a=accuracy(a, names, chance, level, seed, resamples, others),
        b=accuracy(b, names, chance, level, seed, resamples, others),
        difference=Estimate(
            n=len(a),
            clusters=number,
            value=value,
            ci=ends,
            level=level,
            chance=None,
            method="paired cluster bootstrap, t" if crossed is None else "paired two-way cluster bootstrap, t",
            seed=seed,
            note=unit_note(number),
        ),
        p=p,
        only_a=only_a,
        only_b=only_b,
        mcnemar=mcnemar(only_a, only_b),
        left_out=int((~both).sum()),
        adjusted=p,
    )


def _ends(value: float, variance: float, units: int, rates: Rates, level: float) -> tuple[float, float]:
    """Return the wider of two intervals: Student's, too narrow near accuracies of 0 and 1, and that of the two rates
    combined, which is never too narrow but depends on their correlation."""
    student = difference_interval(value, variance, units, level)
    both = difference_of(rates, level)
    return min(student[0], both[0]), max(student[1], both[1])


def _combined_p(value: float, rates: Rates) -> float:
    """Return the significance level at which the combined interval just reaches 0."""
    if value == 0:
        return 1.0

    def short(p: float) -> float:
        low, high = difference_of(rates, 1 - p)
        return low if value > 0 else -high

    least, most = 1e-9, 1 - 1e-6
    if short(least) > 0:
        return least
    return 1.0 if short(most) < 0 else float(scipy.optimize.brentq(short, least, most, xtol=1e-7))


def compare_all(
    credits: Mapping[str, Floats | Sequence[float]], units: Names, chance: float | None = None
) -> dict[tuple[str, str], PairedTest]:
    """Compare every pair of models, with p corrected for multiple comparisons.

    >>> units = [str(i) for i in range(40)]
    >>> compared = compare_all({"one": [1] * 40, "two": [1, 0] * 20, "three": [0, 1] * 20}, units)
    >>> {pair: round(each.adjusted, 4) for pair, each in compared.items()}
    {('one', 'two'): 0.0, ('one', 'three'): 0.0, ('two', 'three'): 1.0}
    """
    compared = {(a, b): compare(credits[a], credits[b], units, chance) for a, b in combinations(credits, 2)}
    adjusted = holm([each.p for each in compared.values()])
    return {pair: replace(each, adjusted=p) for (pair, each), p in zip(compared.items(), adjusted, strict=True)}


def difference_p(value: float, variance: float, units: int) -> float:
    """Return the two-sided p of a difference from the t distribution of its interval."""
    if units < 2 or value == 0:
        return 1.0
    if variance < NOTHING:
        # All clusters have the same difference: a sign test.
        return min(1.0, 2 * 0.5**units)
    return float(2 * scipy.special.stdtr(units - 1, -abs(value) / variance**0.5))


def mcnemar(only_a: int, only_b: int) -> float:
    """Run McNemar's exact test with mid-p correction.

    Mid-p counts half of the probability of the observed table. It keeps the level where the exact test is conservative
    and the chi-square test liberal, at any number of discordant pairs (Fagerland and others, 2013).

    >>> round(mcnemar(9, 1), 4), mcnemar(5, 5), mcnemar(0, 0)
    (0.0117, 1.0, 1.0)
    """
    n, fewer = only_a + only_b, min(only_a, only_b)
    below = scipy.special.bdtr(fewer - 1, n, 0.5) if fewer else 0.0
    return min(1.0, float(scipy.special.bdtr(fewer, n, 0.5) + below))


def holm(ps: Sequence[float]) -> list[float]:
    """Apply Holm's correction, which controls the family-wise error rate under any dependence.

    >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(ps, kind="stable")
    steps = np.asarray(ps, dtype=np.float64)[order] * np.arange(len(ps), 0, -1)
    adjusted = np.empty(len(ps))
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return [float(p) for p in adjusted]


Key = TypeVar("Key", bound=Hashable)


def ablation(
    keys: Sequence[Key],
    values: Floats | Sequence[float],
    other_keys: Sequence[Key],
    other_values: Floats | Sequence[float],
    unit_of: Mapping[Key, object],
) -> PairedTest:
    """Compare two conditions question by question, such as novel entities with names, or without and with the fact.

    ``keys`` identify the question of an item, ``unit_of`` its cluster. A question with several items in a condition
    (three pairs of names) counts once, with its mean.

    >>> units = {"x": "u", "y": "v", "z": "w"}
    >>> comparison = ablation(["x", "y", "z"], [1, 0, 1], ["x", "x", "y"], [1, 0, 0], units)
    >>> comparison.a.value, comparison.b.value, comparison.a.n
    (0.5, 0.25, 2)
    """
    first, second = _means(keys, values), _means(other_keys, other_values)
    shared = [key for key in first if key in second]
    if not shared:
        raise UserError("the two conditions have no question in common", fix="build both from the same axioms")
    return compare([first[k] for k in shared], [second[k] for k in shared], [str(unit_of[k]) for k in shared])


def _means(keys: Sequence[Key], values: Floats | Sequence[float]) -> dict[Key, float]:
    by_key: dict[Key, list[float]] = {}
    for key, value in zip(keys, np.asarray(values, dtype=np.float64).tolist(), strict=True):
        if value == value:  # judged
            by_key.setdefault(key, []).append(value)
    return {key: float(np.mean(each)) for key, each in by_key.items()}


def is_retest(item: Item) -> bool:
    """Return whether an item repeats another item's question with exchanged names (the facet ``retest``)."""
    return item.facets.get("retest") is True


def retest(keys: Sequence[Hashable], values: Floats | Sequence[float], again: Sequence[bool], units: Names) -> Estimate:
    """Estimate the retest consistency, the noise floor: how often a repeated question gets the same credit.

    ``again`` marks the repeated question, which differs from the first only in the exchanged names.

    >>> retest(["x", "x", "y", "y"], [1, 1, 1, 0], [False, True, False, True], ["u", "u", "v", "v"]).value
    0.5
    """
    credit = np.asarray(values, dtype=np.float64)
    first = {key: (index, str(units[index])) for index, key in enumerate(keys) if not again[index]}
    same, names = [], []
    for index, key in enumerate(keys):
        if again[index] and key in first and not np.isnan(credit[[index, first[key][0]]]).any():
            same.append(float(credit[index] == credit[first[key][0]]))
            names.append(first[key][1])
    if not same:
        raise UserError("no question was asked twice")
    return accuracy(same, names)
