"""Scores of forecast distributions over ordinal labels, evaluated on the votes of several people. Pure.

A single label hides disagreement between people; their votes show it. The ranked probability score is the distance of a
distribution from a vote in steps of the scale (0 is best, 1 is worst). The log score is minus the log-probability of
the vote. A model may prefer some labels whatever the question, so both are also reported after a calibration that was
fitted on other items.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from horsesense.errors import UserError
from horsesense.stats.resampling import Floats

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
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds)
    preference = found.x[1:] - found.x[1:].mean()
    return Calibration(float(found.x[0]), tuple(preference.tolist()), len(votes))


def leave_one_out(votes: Sequence[Sequence[int]], labels: int) -> tuple[Floats, list[int], list[int]]:
    """Return for each vote the distribution of the other votes on its item: forecasts, votes, and item indices.

    Items with a single vote are left out.

    >>> forecast, held, items = leave_one_out([[0, 0, 2], [1]], 3)
    >>> forecast.tolist(), held, items
    ([[0.5, 0.0, 0.5], [0.5, 0.0, 0.5], [1.0, 0.0, 0.0]], [0, 0, 2], [0, 0, 0])
    """
    rows, held, items = [], [], []
    for place, given in enumerate(votes):
        if len(given) < 2:
            continue
        counts = np.bincount(np.asarray(given), minlength=labels).astype(np.float64)
        for vote in given:
            others = counts.copy()
            others[vote] -= 1
            rows.append(others / (len(given) - 1))
            held.append(vote)
            items.append(place)
    return np.array(rows).reshape(-1, labels), held, items
