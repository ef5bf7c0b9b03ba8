"""Logistic regression of correctness with two-way clustered errors, for items that share concepts and answers.

The model is fitted by generalised estimating equations with an independence working correlation (Liang and Zeger,
1986). Its variance is robust to any dependence within a concept and within an answer: the sum of both clusterings minus
that of their intersection (Cameron, Gelbach and Miller, 2011). Each has its small-sample factor, and intervals use the
t distribution of the smaller number of clusters. `bench/hops_coverage.py` measures their coverage by simulation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.special
import scipy.stats
from numpy.typing import NDArray

from horsesense.errors import UserError
from horsesense.stats.intervals import Estimate
from horsesense.stats.resampling import Floats

_STEPS = 50
_DONE = 1e-9
_FEWEST = 5
"""Minimum number of clusters in each grouping."""


@dataclass(frozen=True, slots=True)
class Effect:
    """Change in the log odds of a correct answer per unit of a predictor."""

    name: str
    """Name of the predictor."""
    log_odds: Estimate
    """0 for no effect; negative if the predictor makes items harder."""
    p: float
    """Two-sided p-value."""


def clustered_logit(
    right: Sequence[bool] | NDArray[np.bool_] | Floats,
    columns: Mapping[str, Sequence[float]],
    *clusters: Sequence[str],
) -> list[Effect]:
    """Estimate the effect of each column, the others held fixed; ``clusters`` are one or two groupings of the items."""
    outcome = np.asarray(right, dtype=np.float64)
    design = np.stack([np.ones(len(outcome)), *(np.asarray(c, dtype=np.float64) for c in columns.values())], axis=1)
    codes = [np.unique(np.asarray(names, dtype=str), return_inverse=True)[1] for names in clusters]
    fewest = min(int(code.max()) + 1 for code in codes)
    if fewest < _FEWEST:
        raise UserError(f"{fewest} clusters are too few for a regression", fix=f"give {_FEWEST} or more")
    if np.linalg.matrix_rank(design) < design.shape[1] or outcome.min() == outcome.max():
        raise UserError("the effects are not identifiable", fix="give items that vary in each of them, right and wrong")
    beta = _fitted(design, outcome)
    rate = scipy.special.expit(design @ beta)
    bread = np.linalg.inv(design.T @ (design * (rate * (1 - rate))[:, None]))
    scores = design * (outcome - rate)[:, None]
    meat = sum(_meat(scores, code) for code in codes)
    if len(codes) > 1:
        meat = meat - _meat(scores, codes[0] * (int(codes[1].max()) + 1) + codes[1])
    variance = np.diag(bread @ meat @ bread)
    # The combined variance may be negative; the larger one-way variance is then the conservative choice.
    single = np.max([np.diag(bread @ _meat(scores, code) @ bread) for code in codes], axis=0)
    error = np.sqrt(np.where(variance > 0, variance, single))
    wide = float(scipy.stats.t.ppf(0.975, fewest - 1))
    effects = []
    for name, value, spread in zip(columns, beta[1:].tolist(), error[1:].tolist(), strict=True):
        ends = value - wide * spread, value + wide * spread
        method = "estimating equations, two-way sandwich, t"
        estimate = Estimate(value, ends, len(outcome), fewest, 0.0, method=method)
        p = float(2 * scipy.stats.t.sf(abs(value) / spread, fewest - 1)) if spread > 0 else 1.0
        effects.append(Effect(name, estimate, p))
    return effects


def supported(
    right: Sequence[bool], columns: Mapping[str, Sequence[float]], *clusters: Sequence[str]
) -> dict[str, Sequence[float]]:
    """Return the columns whose effect can be estimated: one item of another value gives a large and certain-looking
    number.

    Both the items of the most common value and the others need right and wrong answers, and ``_FEWEST`` clusters in
    each grouping.

    >>> answers, hops = [True, False] * 10, [1.0] * 19 + [2.0]
    >>> list(supported(answers, {"hops": hops, "verb": [0.0, 0.0, 1.0, 1.0] * 5}, [str(i) for i in range(20)]))
    ['verb']
    """
    outcome, selected = np.asarray(right, dtype=bool), {}
    for name, column in columns.items():
        values, counts = np.unique(column, return_counts=True)
        common = np.asarray(column) == values[counts.argmax()]
        sides = (common, ~common)
        answered = all(outcome[side].any() and not outcome[side].all() for side in sides)
        if answered and all(len(set(np.asarray(names)[side])) >= _FEWEST for side in sides for names in clusters):
            selected[name] = column
    return selected


def _fitted(design: Floats, outcome: Floats) -> Floats:
    """Fit by Newton's method, with a ridge that matters only for separated items."""
    beta = np.zeros(design.shape[1])
    ridge = 1e-6 * np.eye(design.shape[1])
    for _ in range(_STEPS):
        rate = scipy.special.expit(design @ beta)
        slope = design.T @ (outcome - rate) - ridge @ beta
        step = np.linalg.solve(design.T @ (design * (rate * (1 - rate))[:, None]) + ridge, slope)
        beta = beta + np.clip(step, -5, 5)
        if np.abs(step).max() < _DONE:
            break
    return beta


def _meat(scores: Floats, code: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Floats:
    _, index = np.unique(code, return_inverse=True)
    number = int(index.max()) + 1
    sums = np.stack([np.bincount(index, weights=column, minlength=number) for column in scores.T], axis=1)
    meat: Floats = sums.T @ sums * number / max(number - 1, 1)
    return meat
