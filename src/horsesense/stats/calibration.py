"""Calibration: confidence compared with accuracy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from horsesense.errors import UserError
from horsesense.stats.accuracy import accuracy, score_table
from horsesense.stats.intervals import Estimate
from horsesense.stats.resampling import RESAMPLES, Floats, Names, unit_array


@dataclass(frozen=True, slots=True)
class Bin:
    """Items of similar confidence."""

    confidence: float
    """Mean confidence of the items."""
    low: float
    """Lowest confidence."""
    high: float
    """Highest confidence."""
    accuracy: Estimate
    """Accuracy of the items."""


@dataclass(frozen=True, slots=True)
class Reliability:
    """Reliability curve and calibration error."""

    bins: tuple[Bin, ...]
    """Bins of about equal size, by increasing confidence."""
    error: float
    """Expected calibration error: mean absolute difference of accuracy and confidence over items, bin by bin."""
    noise: float
    """Expected error of a perfectly calibrated model on as many independent items; it is never 0."""
    overconfidence: float
    """Mean confidence minus accuracy: positive for an overconfident model."""
    n: int
    seed: int
    """Seed of the resampling and of the noise."""


def confidence(scores: Sequence[Sequence[float]]) -> Floats:
    """Return the probability of the best option: scores are log-probabilities, and one option is true.

    >>> confidence([[0.0, 0.0], [1.0, 1.0, -1000.0], [0.0, -1000.0]]).tolist()
    [0.5, 0.5, 1.0]
    """
    table, _ = score_table(scores)
    best: Floats = 1 / np.exp(table - table.max(axis=1, keepdims=True, initial=-np.inf)).sum(axis=1)
    return best


def reliability(
    confidences: Floats | Sequence[float],
    values: Floats | Sequence[float],
    units: Names,
    bins: int = 10,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Reliability:
    """Compute the reliability curve. Items of equal confidence share a bin, so there may be fewer than ``bins``.

    >>> curve = reliability([0.6] * 10 + [0.9] * 10, [1, 0] * 5 + [1] * 10, [str(i) for i in range(20)], bins=2)
    >>> [(round(b.confidence, 2), b.accuracy.value) for b in curve.bins], round(curve.error, 3)
    ([(0.6, 0.5), (0.9, 1.0)], 0.1)
    """
    sure, credit = np.asarray(confidences, dtype=np.float64), np.asarray(values, dtype=np.float64)
    if not len(sure) == len(credit) == len(units):
        raise UserError(f"there are {len(sure)} confidences for {len(credit)} values and {len(units)} clusters")
    if bins < 1:
        raise UserError(f"{bins} bins are too few", fix="use 10")
    judged = ~np.isnan(credit)
    if not judged.any():
        raise UserError("no item has a gold answer, so there is no accuracy")
    sure, credit = sure[judged], credit[judged]
    if not (sure >= 0).all() or not (sure <= 1).all():
        raise UserError("a confidence is not between 0 and 1")
    names = unit_array(units)[judged]
    bin_of = _equal_counts(sure, bins)
    filled = []
    for number in np.unique(bin_of):
        here = bin_of == number
        rate = accuracy(credit[here], names[here].tolist(), None, seed=seed, resamples=resamples)
        filled.append(Bin(float(sure[here].mean()), float(sure[here].min()), float(sure[here].max()), rate))
    rng = np.random.default_rng(seed)
    ideal = [calibration_error(sure, (rng.random(len(sure)) < sure).astype(np.float64), bin_of) for _ in range(200)]
    return Reliability(
        bins=tuple(filled),
        error=calibration_error(sure, credit, bin_of),
        noise=float(np.mean(ideal)),
        overconfidence=float(sure.mean() - credit.mean()),
        n=len(sure),
        seed=seed,
    )


def calibration_error(confidences: Floats, values: Floats, places: Sequence[int] | NDArray[np.int64]) -> float:
    """Sum over bins the share of items times the absolute difference of accuracy and confidence.

    >>> round(calibration_error(np.array([0.6, 0.8, 0.9, 0.9]), np.array([0.0, 1.0, 1.0, 1.0]), [0, 0, 1, 1]), 3)
    0.15
    """
    gaps = np.bincount(np.asarray(places, dtype=np.int64), weights=confidences - values)
    return float(np.abs(gaps).sum() / len(values))


def _equal_counts(confidences: Floats, bins: int) -> NDArray[np.int64]:
    """Return the bin of each item by rank; ties share their mid-rank, so the order of items does not matter."""
    _, codes, counts = np.unique(confidences, return_inverse=True, return_counts=True)
    middle = np.cumsum(counts) - counts / 2
    bin_of: NDArray[np.int64] = np.floor(middle * bins / len(confidences)).astype(np.int64)[codes]
    return bin_of
