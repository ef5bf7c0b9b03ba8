"""Ordinal labels: error, chance-corrected agreement, and scores of forecast distributions. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from horsesense.core import Item
from horsesense.errors import UserError
from horsesense.stats.accuracy import accuracy
from horsesense.stats.combined import Rates, combined_interval, rates_of
from horsesense.stats.intervals import Estimate
from horsesense.stats.raters.agreement import FEWEST, NO_VALUE, TOO_FEW, kappa_of
from horsesense.stats.resampling import Floats, Names, unit_array

Predicted = Sequence[Sequence[int]]
"""Index of the predicted label of each item, or of all labels that tie."""


def mean_absolute_error(
    golds: Sequence[int],
    predicted: Predicted,
    labels: int,
    units: Names,
    crossed: Names | None = None,
) -> Estimate:
    """Estimate the mean distance of answer and gold in steps of the scale; tied labels are averaged.

    >>> error = mean_absolute_error([0, 4, 2], [(1,), (4,), (0, 4)], 5, ["a", "b", "c"])
    >>> round(error.value, 3), error.chance
    (1.0, None)
    """
    _check(golds, predicted, labels)
    steps = [
        float(np.mean([abs(gold - label) for label in picked])) for gold, picked in zip(golds, predicted, strict=True)
    ]
    most = labels - 1
    # Divided by the longest distance it is between 0 and 1, like an accuracy.
    shares = accuracy([step / most for step in steps], units, crossed=crossed)
    return replace(shares, value=float(np.mean(steps)), ci=(shares.low * most, shares.high * most))


def quadratic_kappa(
    golds: Sequence[int],
    predicted: Predicted,
    labels: int,
    units: Names,
    crossed: Names | None = None,
) -> Estimate:
    """Estimate the quadratic-weighted kappa of answers and golds; a constant answer gets 0.

    >>> kappa = quadratic_kappa([0, 1, 2, 3], [(0,), (1,), (2,), (3,)], 4, ["a", "b", "c", "d"])
    >>> kappa.value
    1.0
    """
    _check(golds, predicted, labels)
    cells = np.zeros((len(golds), labels * labels))
    for row, (gold, picked) in enumerate(zip(golds, predicted, strict=True)):
        for label in picked:
            cells[row, gold * labels + label] += 1 / len(picked)
    value = float(kappa_of(cells.sum(axis=0).reshape(1, labels, labels), "quadratic")[0])
    rates = _disagreements(cells.reshape(-1, labels, labels), units, crossed)
    number = rates.numbers[0]
    missing = np.isnan(value)
    few = number < FEWEST
    ends = (value, value)
    if not missing:
        ends = (float("nan"),) * 2 if few else combined_interval(_kappa, rates)
    return Estimate(
        n=len(golds),
        clusters=number,
        value=value,
        ci=ends,
        chance=0.0,
        method=f"{'' if crossed is None else 'two-way '}intervals of disagreement seen and expected, combined",
        note=NO_VALUE if missing else TOO_FEW.format(number) if few else "",
    )


def _disagreements(tables: Floats, units: Names, crossed: Names | None) -> Rates:
    """Return error rate, mean size of errors and expected disagreement, each as a share of its maximum.

    Rare large errors dominate a quadratic measure, and their size is poorly estimated while few are observed. So rate
    and size are separate, and the size has a wide interval if there are few errors. Expected disagreement is a mean
    over pairs of items, the gold of one and the answer of the other. Half of an item's contribution comes from its gold
    and half from its answer, so its variance is four times that of the mean contribution.
    """
    levels = np.arange(tables.shape[1])
    cost = ((levels[:, None] - levels[None, :]) / levels[-1]) ** 2
    gold, answer = tables.sum(axis=2), tables.sum(axis=1)
    seen = (tables * cost).sum(axis=(1, 2))
    off = seen > 0
    parts = (gold @ cost @ answer.mean(axis=0) + answer @ cost @ gold.mean(axis=0)) / 2
    # Without any error, the size of errors is bounded only by its maximum.
    sizes, where = (seen[off], off) if off.any() else (np.ones(1), np.arange(len(seen)) == 0)
    masks = [np.ones(len(seen), dtype=bool), where, np.ones(len(seen), dtype=bool)]
    columns = [[unit_array(names)[mask] for mask in masks] for names in (units, crossed) if names is not None]
    rates = rates_of(
        [off.astype(np.float64), sizes, parts], columns[0], crossed=columns[1] if crossed is not None else None
    )
    return replace(rates, variances=rates.variances * [1, 1, 4])


def _kappa(rates: Floats) -> Floats:
    kappa: Floats = 1 - rates[:, 0] * rates[:, 1] / rates[:, 2]
    return np.clip(kappa, -1.0, 1.0)


def _check(golds: Sequence[int], predicted: Predicted, labels: int) -> None:
    if len(golds) != len(predicted):
        raise UserError(f"there are {len(golds)} golds and {len(predicted)} answers")
    if labels < 2:
        raise UserError("a scale needs at least two labels")
    for index, (gold, picked) in enumerate(zip(golds, predicted, strict=True)):
        if not picked or not 0 <= gold < labels or not all(0 <= label < labels for label in picked):
            raise UserError(f"item {index} (from 0) has a gold or an answer outside of the scale of {labels}")


def novelty(items: Sequence[Item], train: Sequence[Item], groups: Sequence[str]) -> list[Mapping[str, str]]:
    """Mark for each item and group whether its value is ``seen`` or ``unseen`` in training, and count the unseen.

    >>> tested = Item("demo", "choice", text="a", options=("x", "y"), groups={"whole": "car", "part": "door"})
    >>> trained = Item("demo", "choice", text="b", options=("x", "y"), groups={"whole": "car", "part": "roof"})
    >>> novelty([tested], [trained], ["whole", "part"])
    [{'whole in training': 'seen', 'part in training': 'unseen', 'words in training': '1 unseen'}]
    """
    known = {group: {item.groups.get(group) for item in train} for group in groups}
    facets_of_items: list[Mapping[str, str]] = []
    for item in items:
        new = {group: item.groups.get(group) not in known[group] for group in groups}
        facets = {f"{group} in training": "unseen" if new[group] else "seen" for group in groups}
        count = sum(new.values())
        facets_of_items.append({**facets, "words in training": f"{count} unseen" if count else "all seen"})
    return facets_of_items


SMOOTHING = 0.05
"""Share of every distribution that is spread uniformly before the log score, so that a single vote with probability 0
does not outweigh all others."""


def softmax(scores: Floats) -> Floats:
    """Convert scores to probabilities, row by row.

    >>> softmax(np.array([[0.0, 0.0], [0.0, -1000.0]])).tolist()
    [[0.5, 0.5], [1.0, 0.0]]
    """
    raised: Floats = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares: Floats = raised / raised.sum(axis=1, keepdims=True)
    return shares


def ranked_probability(forecast: Floats, votes: Sequence[int]) -> Floats:
    """Compute the ranked probability score per vote: squared cumulative differences, summed over the scale.

    >>> ranked_probability(np.array([[1.0, 0, 0], [0, 0, 1.0], [0.5, 0, 0.5]]), [0, 0, 1]).tolist()
    [0.0, 1.0, 0.25]
    """
    labels = forecast.shape[1]
    reached = np.arange(labels - 1)[None, :] >= np.asarray(votes)[:, None]
    distance = np.cumsum(forecast, axis=1)[:, :-1] - reached
    score: Floats = (distance**2).sum(axis=1) / (labels - 1)
    return score


def log_score(forecast: Floats, votes: Sequence[int], smoothing: float = SMOOTHING) -> Floats:
    """Compute minus the smoothed log-probability of each vote; 0 is best.

    >>> log_score(np.array([[0.5, 0.5]]), [0], smoothing=0.0).round(3).tolist()
    [0.693]
    """
    spread = (1 - smoothing) * forecast + smoothing / forecast.shape[1]
    surprise: Floats = -np.log(spread[np.arange(len(votes)), np.asarray(votes)])
    return surprise


@dataclass(frozen=True, slots=True)
class Calibration:
    """Calibration map from scores to probabilities that removes a model's preference for some labels."""

    scale: float
    """Factor of the scores: below 1 for an overconfident model."""
    preference: tuple[float, ...]
    """Term added to the score of each label; the mean is 0."""
    votes: int
    """Number of votes it was fitted on."""

    def __call__(self, scores: Floats) -> Floats:
        """Return calibrated probabilities, row by row."""
        return softmax(self.scale * scores + np.asarray(self.preference))


def fit_calibration(scores: Floats, votes: Sequence[int]) -> Calibration:
    """Fit scale and preferences by maximum likelihood of the votes (multinomial logistic, a weak prior).

    >>> fitted = fit_calibration(np.array([[0.0, 5.0]] * 40), [0] * 30 + [1] * 10)
    >>> fitted(np.array([[0.0, 5.0]])).round(1).tolist()
    [[0.7, 0.3]]
    """
    from scipy.optimize import minimize

    if len(scores) != len(votes) or not len(votes):
        raise UserError(f"there are {len(scores)} rows of scores for {len(votes)} votes")
    centred = scores - scores.mean(axis=1, keepdims=True)
    chosen = np.eye(scores.shape[1])[np.asarray(votes)]

    def loss(values: Floats) -> tuple[float, Floats]:
        scale, preference = values[0], values[1:]
        shares = softmax(scale * centred + preference)
        missing = shares - chosen
        lost = -np.log(np.maximum(shares[chosen > 0], 1e-12)).sum() + 0.5 * float(preference @ preference)
        slope = np.concatenate([[(missing * centred).sum()], missing.sum(axis=0) + preference])
        return float(lost), slope

    start = np.zeros(1 + scores.shape[1])
    start[0] = 0.1
    # Scores may be uninformative, but their sign is never reversed.
    bounds = [(0.0, None)] + [(None, None)] * scores.shape[1]
    optimum = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds)
    preference = optimum.x[1:] - optimum.x[1:].mean()
    return Calibration(float(optimum.x[0]), tuple(preference.tolist()), len(votes))


def leave_one_out(votes: Sequence[Sequence[int]], labels: int) -> tuple[Floats, list[int], list[int]]:
    """Return for each vote the distribution of the other votes on its item: forecasts, votes, and item indices.

    Items with a single vote are left out.

    >>> forecast, held, items = leave_one_out([[0, 0, 2], [1]], 3)
    >>> forecast.tolist(), held, items
    ([[0.5, 0.0, 0.5], [0.5, 0.0, 0.5], [1.0, 0.0, 0.0]], [0, 0, 2], [0, 0, 0])
    """
    rows, held, items = [], [], []
    for index, own_votes in enumerate(votes):
        if len(own_votes) < 2:
            continue
        counts = np.bincount(np.asarray(own_votes), minlength=labels).astype(np.float64)
        for vote in own_votes:
            others = counts.copy()
            others[vote] -= 1
            rows.append(others / (len(own_votes) - 1))
            held.append(vote)
            items.append(index)
    return np.array(rows).reshape(-1, labels), held, items
