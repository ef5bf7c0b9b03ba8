"""Classical item statistics, fit of an item response model, items with a doubtful key, and differential functioning.

All tables are models by items; nan marks an item that a model was not asked.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from horsesense.stats.item_response import ItemResponseFit, fit_item_response
from horsesense.stats.resampling import Floats

FEWEST_FOR_CORRELATION = 5
"""Models below which an item-rest correlation says nothing."""
FEWEST_FOR_CURVES = 20
"""Models below which no item response model is fitted."""
FEWEST_ITEMS = 20
"""Items below which abilities are too uncertain for an item response model."""
_TINY = 1e-12
_TRIAL_STEPS = 60
"""EM iterations after which the likelihood with guessing is compared with that without."""


def item_rest(right: Floats, weights: Floats | None = None) -> Floats:
    """Correlate the credit on each item with the share right on all other items, over models.

    ``weights`` are those of the items in the share. An item that all models get right, or all wrong, has nan.

    >>> right = np.array([[1.0, 1, 1, 0], [1, 1, 0, 0], [0, 1, 0, 1], [0, 0, 0, 1]])
    >>> item_rest(right).round(2).tolist()
    [0.0, 0.33, 0.33, -0.89]
    """
    asked = ~np.isnan(right)
    credit = np.nan_to_num(right)
    weight = np.ones(right.shape[1]) if weights is None else weights
    total, count = (credit * weight).sum(1, keepdims=True), (asked * weight).sum(1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        rest = (total - credit * weight) / (count - asked * weight)
    return correlation(right, np.where(asked, rest, np.nan))


def correlation(left: Floats, right: Floats) -> Floats:
    """Correlate each column of two tables over the rows where both have a value."""
    both = ~np.isnan(left) & ~np.isnan(right)
    n = np.maximum(both.sum(0), 1)
    a, b = np.where(both, left, 0), np.where(both, right, 0)
    a, b = np.where(both, a - a.sum(0) / n, 0), np.where(both, b - b.sum(0) / n, 0)
    scale = np.sqrt((a**2).sum(0) * (b**2).sum(0))
    with np.errstate(invalid="ignore", divide="ignore"):
        values: Floats = np.where(scale > 1e-9, (a * b).sum(0) / scale, np.nan)
    return values


def reliability(right: Floats) -> float:
    """Compute Cronbach's alpha over the items that every model was asked; nan below two items or models.

    >>> round(reliability(np.array([[1.0, 1, 1], [1, 1, 0], [0, 0, 0], [1, 0, 0]])), 2)
    0.75
    """
    common = right[:, ~np.isnan(right).any(0)]
    models, items = common.shape
    if models < 2 or items < 2:
        return float("nan")
    total = float(common.sum(1).var(ddof=1))
    return items / (items - 1) * (1 - float(common.var(axis=0, ddof=1).sum()) / total) if total > 0 else float("nan")


def without_bias(right: Floats, keyed: Floats) -> Floats:
    """Correlate each item with the rest, given how often a model chooses the first of two options.

    In a yes/no probe with more yes than no among the keys, a model that says yes scores well, and every item with the
    key no correlates negatively with the rest. Here both kinds of items weigh the same in the rest, and the share of
    first options is partialled out.
    """
    yes, no = keyed > 0, keyed < 0
    first = np.where(yes, right, 1 - right)
    share = np.nanmean(first, axis=1)
    weights = np.where(yes, 0.5 / max(yes.sum(), 1), 0.5 / max(no.sum(), 1))
    asked, credit = ~np.isnan(right), np.nan_to_num(right)
    rest = ((credit * weights).sum(1, keepdims=True) - credit * weights) / (
        (asked * weights).sum(1, keepdims=True) - asked * weights
    )
    design = np.stack([np.ones(len(share)), share], axis=1)
    residual = np.eye(len(share)) - design @ np.linalg.pinv(design)
    if not asked.all():
        return correlation(right, np.where(asked, residual @ rest, np.nan))
    return correlation(residual @ credit, residual @ rest)


@dataclass(frozen=True, slots=True)
class CurveFit:
    """An item response model, and how well its curves fit."""

    fit: ItemResponseFit
    guessing: bool
    """Whether guessing is at chance rather than 0."""
    infit: Floats
    """Information-weighted mean square of each item's residuals: 1 is expected, above 1 is noise."""
    outfit: Floats
    """Unweighted mean square of each item's residuals: sensitive to single surprising answers."""
    misfit: NDArray[np.bool_]
    """Items whose outfit is larger than noise explains (Wilson-Hilferty z above 3)."""
    other_likelihood: float | None
    """Marginal log-likelihood of the guessing rate that was not chosen; None where it was given."""


def fit_curves(
    right: Floats, chance: Floats, families: NDArray[np.int64] | None, keyed: Floats | None, guessing: bool | None
) -> CurveFit:
    """Fit an item response model; with ``guessing`` None, take the better of guessing at chance and no guessing.

    Models err alike, so that items on which most of them are below chance are common, and a floor at chance fits worse.
    """
    rates = {True: chance, False: np.zeros_like(chance)}
    best = bool(guessing)
    fit, other = fit_item_response(right, rates[best], None, keyed), None
    if guessing is None:
        trial = fit_item_response(right, chance, None, keyed, steps=_TRIAL_STEPS)
        best, other = trial.log_likelihood > fit.log_likelihood, trial.log_likelihood
        if best:
            fit, other = fit_item_response(right, chance, None, keyed), fit.log_likelihood
    if families is not None:
        fit = fit.with_families(right, families)
    p = fit.probability()
    asked = ~np.isnan(right)
    variance = np.maximum(p * (1 - p), 1e-3)
    squares = np.where(asked, (np.nan_to_num(right) - p) ** 2, 0)
    n = np.maximum(asked.sum(0), 1)
    outfit = (squares / variance).sum(0) / n
    infit = squares.sum(0) / np.maximum(np.where(asked, variance, 0).sum(0), _TINY)
    # The variance of a squared residual over its expectation, summed over models.
    spread = np.sqrt(np.maximum((np.where(asked, 1 / variance - 4, 0)).sum(0), _TINY)) / n
    z = (np.cbrt(outfit) - 1) * 3 / np.maximum(spread, _TINY) + spread / 3
    return CurveFit(fit, best, infit, outfit, z > 3, other)


@dataclass(frozen=True, slots=True)
class KeyDoubt:
    """How the answers to one item speak against its key."""

    item: int
    """Index of the item."""
    kind: str
    """``wrong key``: the answers favour another option; ``second answer``: able models divide between two."""
    option: int
    """The other option."""
    doubt: float
    """Log odds of the other option against the key; above 0 for a suspected wrong key."""
    key_upper: float
    """Share of the upper half of models that choose the key."""
    other_upper: float
    """Share of the upper half of models that choose the other option."""


_SECOND = 0.4
"""Share of able models that both options of a second answer have."""


def doubtful_keys(
    chosen: NDArray[np.int64],
    golds: NDArray[np.int64],
    options: NDArray[np.int64],
    ability: Floats,
    correlations: Floats,
) -> list[KeyDoubt]:
    """Return the items whose key is in doubt, the most doubtful first.

    The doubt has two parts: the log odds of the most chosen other option against the key, over models; and half of the
    log-likelihood ratio of the item-rest correlation, which under a wrong key is expected as far below 0 as it is above
    it under a right one. Half, since both parts come from the same answers. Seeded wrong keys are found best by both
    together (`bench/items.py`).

    Args:
        chosen: The option that each model chose for each item; -1 for none, a tie, or an item that was not asked.
        golds: The key of each item.
        options: Number of options of each item.
        ability: Ability or share right of each model.
        correlations: Item-rest correlation of each item; nan counts as 0.
    """
    items, most = len(golds), int(options.max())
    every = np.arange(items)
    votes = np.stack([(chosen == option).sum(0) for option in range(most)])
    top = chosen[ability >= np.median(ability)]
    shares = np.stack([(top == option).mean(0) for option in range(most)])
    against = votes.astype(np.float64)
    against[golds, every] = -1
    other = against.argmax(0)
    r = np.nan_to_num(correlations)
    ratio = -2 * np.median(r) * r / max(float(r.var()), 1e-3)
    doubts = np.log((votes[other, every] + 0.5) / (votes[golds, every] + 0.5)) + ratio / 2
    suspects = []
    for item in range(items):
        key, rival = float(shares[golds[item], item]), float(shares[other[item], item])
        if options[item] > 2 and min(key, rival) >= _SECOND:
            kind = "second answer"
        elif doubts[item] > 0:
            kind = "wrong key"
        else:
            continue
        suspects.append(KeyDoubt(item, kind, int(other[item]), float(doubts[item]), key, rival))
    return sorted(suspects, key=lambda doubt: (doubt.kind != "wrong key", -doubt.doubt))


@dataclass(frozen=True, slots=True)
class DifferentialFunctioning:
    """Whether items favour one group of models, given their abilities."""

    difference: Floats
    """Share right in the group, minus the share expected at its abilities; positive: easier for the group."""
    p: Floats
    """Two-sided p-value of each item, given the item curves."""


_UNSURE = 0.01
"""Least probability of any answer: a curve from forty models is never as certain as it looks at its ends."""


def differential_functioning(right: Floats, fit: ItemResponseFit, group: NDArray[np.bool_]) -> DifferentialFunctioning:
    """Compare the right answers of one group of models with their expected number, item by item.

    Groups are small (four models of one family), so the test is exact: the number is a sum of independent answers with
    the probabilities of the curves. The curves were fitted to the same answers, which makes the test conservative.
    """
    rate = np.clip(fit.probability()[group], _UNSURE, 1 - _UNSURE)
    asked = ~np.isnan(right[group])
    count = np.rint(np.nan_to_num(right[group]).sum(0)).astype(np.int64)
    chances = np.zeros((len(rate) + 1, rate.shape[1]))  # of 0, 1, 2 … right answers
    chances[0] = 1
    for p, there in zip(rate, asked, strict=True):
        step = np.where(there, p, 0)
        chances[1:] = chances[1:] * (1 - step) + chances[:-1] * step
        chances[0] *= 1 - step
    at_most = np.take_along_axis(chances.cumsum(0), count[None], axis=0)[0]
    at_least = 1 - at_most + np.take_along_axis(chances, count[None], axis=0)[0]
    number = np.maximum(asked.sum(0), 1)
    difference = (np.nan_to_num(right[group]).sum(0) - np.where(asked, rate, 0).sum(0)) / number
    return DifferentialFunctioning(difference, np.clip(2 * np.minimum(at_most, at_least), 0, 1))
