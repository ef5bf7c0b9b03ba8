"""Psychometric function of a ladder: how the share of correct families falls as the level rises, and where.

``p(level) = guess + (1 - guess - lapse) / (1 + exp(slope * (level - threshold)))``, fitted by maximum likelihood
(Wichmann and Hill, 2001). The threshold L50 is the level at which the part between guessing and lapsing has fallen to a
half. Guessing is bounded by chance: a model that always gives the same answer has no correct family at all. A weak
prior prefers chance and no lapses; without it, thresholds near the top are 0.1 levels too high (bench/ladder.py).

The search starts from the best point of a grid, since the likelihood of few families has several maxima. Bootstrap
replicates keep the best point of the grid, whose steps in the threshold are finer than any interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import chdtrc, chdtri

from horsesense.core.document import Document
from horsesense.errors import UserError
from horsesense.stats.resampling import Floats

LadderStanding = Literal["on the ladder", "below the ladder", "above the ladder"]
STEP = 0.05
"""Grid step of the threshold, in levels."""
MARGIN = 1.0
"""How far beyond the lowest and the highest level the threshold is searched; further out, the data are the same."""
SLOPES = (0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6, 8.0)
"""A flatter function has no threshold; a steeper one falls within a level."""
LAPSES = (0.0, 0.025, 0.05, 0.1)
GUESSES = (0.0, 0.5, 1.0)
"""As shares of chance."""
GUESS_PRIOR, LAPSE_PRIOR = 2.0, 10.0
"""Log-likelihood that guessing at 0 instead of chance, and a lapse of 1, have to gain."""
ALPHA = 0.05
RESAMPLES = 1000
_TINY = 1e-9


@dataclass(frozen=True, slots=True)
class Psychometric(Document):
    """Psychometric function of one model on one ladder."""

    standing: LadderStanding
    """Whether the threshold is on the ladder, below its lowest level or above its highest."""
    threshold: float | None
    """L50 in levels; null below and above the ladder."""
    ci: tuple[float | None, float | None]
    """Bootstrap interval of the threshold over families; null where an end is beyond the ladder."""
    standard_error: float | None
    """Standard deviation of the bootstrap thresholds; null below and above the ladder."""
    slope: float
    """Steepness at the threshold, per level."""
    guess: float
    """Share of correct families far above the threshold."""
    lapse: float
    """Share of wrong families far below the threshold."""
    misfit_p: float
    """P-value of the deviance from the accuracies by level: a small one means that the levels are not a ladder."""
    n: int
    """Number of families."""
    level: float
    """Confidence level of the interval."""
    seed: int
    """Random seed of the bootstrap."""
    where: float
    """The fitted threshold, also beyond the ladder: for the curve only."""

    def curve(self, levels: Sequence[float] | Floats) -> Floats:
        """Return the fitted share of correct families at some levels."""
        return _share(np.asarray(levels, dtype=np.float64), self.where, self.slope, self.guess, self.lapse)


@dataclass(frozen=True, slots=True)
class _Grid:
    points: Floats
    """Threshold, slope, guess, lapse: one row per point."""
    prior: Floats
    """Log-prior of each point."""
    right: Floats
    """Log-probability of a correct family: levels × points."""
    wrong: Floats

    def best(self, right: Floats, counts: Floats) -> NDArray[np.int64]:
        """Return the index of the best point for each row of counts of correct families."""
        best: NDArray[np.int64] = np.argmax(right @ self.right + (counts - right) @ self.wrong + self.prior, axis=-1)
        return best


def _prior(guess: Floats | float, lapse: Floats | float, chance: float) -> Floats:
    short = 1 - np.asarray(guess) / chance if chance else np.zeros_like(guess)
    prior: Floats = -GUESS_PRIOR * short - LAPSE_PRIOR * np.asarray(lapse)
    return prior


def _share(levels: Floats, threshold: float, slope: float, guess: float, lapse: float) -> Floats:
    fallen = np.clip(slope * (levels - threshold), -60, 60)
    shares: Floats = guess + (1 - guess - lapse) / (1 + np.exp(fallen))
    return shares


@lru_cache(maxsize=8)
def _grid(levels: tuple[float, ...], chance: float) -> _Grid:
    thresholds = np.arange(levels[0] - MARGIN, levels[-1] + MARGIN + STEP / 2, STEP)
    axes = (thresholds, np.array(SLOPES), chance * np.array(GUESSES), np.array(LAPSES))
    points = np.stack([axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")], axis=1)
    threshold, slope, guess, lapse = points.T
    fallen = np.clip(slope * (np.array(levels)[:, None] - threshold), -60, 60)
    shares = np.clip(guess + (1 - guess - lapse) / (1 + np.exp(fallen)), _TINY, 1 - _TINY)
    return _Grid(points, _prior(guess, lapse, chance), np.log(shares), np.log1p(-shares))


def _deviance(right: Floats, counts: Floats, shares: Floats) -> float:
    """Return twice the log-likelihood that a function is short of the accuracies themselves."""
    shares = np.clip(shares, _TINY, 1 - _TINY)
    own = np.clip(right / counts, _TINY, 1 - _TINY)
    gain = right * np.log(own / shares) + (counts - right) * np.log((1 - own) / (1 - shares))
    return max(0.0, 2 * float(gain.sum()))


def fit_point(levels: Floats, right: Floats, counts: Floats, chance: float) -> Floats:
    """Return threshold, slope, guess and lapse of maximum likelihood, the search started from the best grid point."""
    grid = _grid(tuple(levels.tolist()), chance)
    start = grid.points[int(grid.best(right, counts))]

    def cost(point: Floats) -> float:
        shares = np.clip(_share(levels, *point), _TINY, 1 - _TINY)
        prior = float(_prior(point[2], point[3], chance))
        return -float(right @ np.log(shares) + (counts - right) @ np.log1p(-shares)) - prior

    bounds = (
        (levels[0] - MARGIN, levels[-1] + MARGIN),
        (SLOPES[0], SLOPES[-1]),
        (0.0, chance),
        (LAPSES[0], LAPSES[-1]),
    )
    optimum = minimize(cost, start, method="L-BFGS-B", bounds=bounds)
    best: Floats = optimum.x if optimum.fun <= cost(start) else start
    return best


def fit_psychometric(
    levels: Sequence[float] | Floats,
    outcomes: Sequence[bool] | Floats,
    chance: float,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Psychometric:
    """Fit the psychometric function to families: the level of each, and whether it is correct.

    Args:
        levels: Level of each family.
        outcomes: Whether the family is correct.
        chance: Probability that a guesser has a whole family correct.
        resamples: Number of bootstrap samples of families, drawn within levels.
        seed: Random seed.

    Returns:
        The function, its threshold with an interval, and whether the threshold is on the ladder.

    >>> easy = [True] * 20
    >>> fit = fit_psychometric([0] * 20 + [1] * 20 + [2] * 20, easy + easy[:10] + [False] * 30, 0.0)
    >>> fit.standing, round(fit.threshold, 1)
    ('on the ladder', 1.0)
    """
    of_family = np.asarray(levels, dtype=np.float64)
    correct = np.asarray(outcomes, dtype=np.float64)
    if len(of_family) != len(correct):
        raise UserError(f"there are {len(correct)} outcomes for {len(of_family)} levels")
    distinct = np.unique(of_family)
    if len(distinct) < 3:
        raise UserError(f"a ladder needs at least 3 levels, and this one has {len(distinct)}", fix="ask more levels")
    counts = np.array([(of_family == level).sum() for level in distinct], dtype=np.float64)
    right = np.array([correct[of_family == level].sum() for level in distinct])
    best = fit_point(distinct, right, counts, chance)
    deviance = _deviance(right, counts, _share(distinct, *best))
    standing = _standing(distinct, right, counts, chance, deviance, float(best[0]))
    thresholds = _bootstrap(distinct, right, counts, chance, resamples, seed)
    low, high = (float(end) for end in np.quantile(thresholds, (ALPHA / 2, 1 - ALPHA / 2)))
    on = standing == "on the ladder"
    return Psychometric(
        standing=standing,
        threshold=float(best[0]) if on else None,
        ci=(low if low >= distinct[0] else None, high if high <= distinct[-1] else None),
        standard_error=float(thresholds.std()) if on else None,
        slope=float(best[1]),
        guess=float(best[2]),
        lapse=float(best[3]),
        misfit_p=float(chdtrc(max(1, len(distinct) - 2), deviance)),
        n=len(correct),
        level=1 - ALPHA,
        seed=seed,
        where=float(best[0]),
    )


def _standing(
    levels: Floats, right: Floats, counts: Floats, chance: float, deviance: float, threshold: float
) -> LadderStanding:
    """Say whether the accuracies fall on this ladder: a threshold needs more than chance below it and a fall above."""
    worth = float(chdtri(2, ALPHA))
    total, n = float(right.sum()), float(counts.sum())
    guess, ceiling = min(chance, total / n), max(1 - LAPSES[-1], total / n)
    if threshold < levels[0] or _deviance(right, counts, np.full(len(levels), guess)) - deviance < worth:
        return "below the ladder"
    if threshold > levels[-1] or _deviance(right, counts, np.full(len(levels), ceiling)) - deviance < worth:
        return "above the ladder"
    return "on the ladder"


def _bootstrap(levels: Floats, right: Floats, counts: Floats, chance: float, resamples: int, seed: int) -> Floats:
    """Return the thresholds of bootstrap samples: families drawn with replacement within each level."""
    grid = _grid(tuple(levels.tolist()), chance)
    rng = np.random.default_rng([seed, 17])
    drawn = rng.binomial(counts.astype(np.int64), right / counts, (resamples, len(levels))).astype(np.float64)
    kinds, inverse = np.unique(drawn, axis=0, return_inverse=True)
    best = np.empty(len(kinds), dtype=np.int64)
    for start in range(0, len(kinds), 200):
        rows = kinds[start : start + 200]
        best[start : start + 200] = grid.best(rows, counts)
    thresholds: Floats = grid.points[best, 0][inverse.ravel()]
    return thresholds
