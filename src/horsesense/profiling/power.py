"""Power against a stated alternative: models of known truth, simulated on the items' own clusters and explanations.

The alternative is a model that knows 40%: a share of the families of each cluster that varies between clusters
(correlation 0.3), with all members of a family or none. It guesses the rest independently for each item; a fixed
preference, which gets one of two opposite keys right, would be easier to detect. The only input from the evaluated
model is its choice without the question.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy

from horsesense.profiling.adjusted import (
    Weighting,
    cluster_sums,
    effective_clusters,
    freedom_of,
    least_variance,
    linear,
    residuals,
)
from horsesense.profiling.item_scores import ItemScores
from horsesense.profiling.verdict_rules import MISSABLE
from horsesense.stats.intervals import FEW
from horsesense.stats.resampling import NOTHING, Floats, codes_of

CORRELATION = 0.3
"""Correlation of its knowledge within a cluster."""
DRAWS = 200


def simulated_answers(scores: ItemScores, known: float, draws: int, seed: int = 0) -> Floats:
    """Simulate the credits of a model that knows a share of the families, draws × items."""
    rng = np.random.default_rng([seed, 7])
    clusters = codes_of(scores.clusters)
    families = codes_of(scores.clusters if scores.families is None else scores.families)
    if not scores.same_knowledge:
        families = np.arange(len(scores))
    spread = 1 / CORRELATION - 1
    size = (draws, int(clusters.max()) + 1)
    rates = rng.beta(spread * known, spread * (1 - known), size=size) if 0 < known < 1 else np.full(size, known)
    lot = rng.random((draws, int(families.max()) + 1))[:, families]
    knows = lot < rates[:, clusters]
    guess = rng.random(knows.shape) < scores.chance
    return np.where(knows, 1.0, guess).astype(np.float64)


def lower_ends(weighting: Weighting, answers: Floats, level: float) -> Floats:
    """Return the lower limits of the adjusted scores of simulated answers, as in `Linear.ends`, one per draw."""
    scores, weights = weighting.scores, weighting.weights
    codes = codes_of(scores.clusters)
    number = int(codes.max()) + 1
    left = residuals(answers, weights, weighting.gains)
    variance = (cluster_sums(left, codes, number) ** 2).sum(axis=1)
    clusters = effective_clusters(weights, codes)
    least = least_variance(answers, left, weights, weighting.gains, codes)
    if scores.crossed is not None:
        other = codes_of(scores.crossed)
        least = np.maximum(least, least_variance(answers, left, weights, weighting.gains, other))
        variance = np.maximum(variance, (cluster_sums(left, other, int(other.max()) + 1) ** 2).sum(axis=1))
        clusters = min(clusters, effective_clusters(weights, other))
    units, inflation = freedom_of(scores.chance * np.arange(len(scores)), weights, weighting.gains, clusters)
    value = np.clip(answers @ weights, 0.0, 1.0)
    variance = np.maximum(variance * inflation, np.minimum(least, value * (1 - value) / clusters))
    tail = (1 - level) / 2
    if units < 2:
        low = np.zeros(len(value))
    else:
        shrink = scipy.special.ndtri(1 - tail) / scipy.special.stdtrit(units - 1, 1 - tail)
        spread = np.maximum(variance, NOTHING)
        size = value * (1 - value) / spread * shrink**2
        low = np.minimum(scipy.special.betaincinv(size * value + 0.5, size * (1 - value) + 0.5, tail), value)
        low = np.where(variance < NOTHING, tail ** (1 / units) * value, low)
    return weighting.scale * (low - weighting.chance)


def power_to_detect(
    weighting: Weighting | None, level: float, known: float = MISSABLE, draws: int = DRAWS, seed: int = 0
) -> float:
    """Return how often a model that knows the given share would have an adjusted score above chance."""
    if weighting is None or len(np.unique(weighting.scores.clusters)) < FEW:
        return 0.0
    answers = simulated_answers(weighting.scores, known, draws, seed)
    return float((lower_ends(weighting, answers, level) > 0).mean())


def flawless_floor(weighting: Weighting | None, level: float) -> float:
    """Return the lower limit of a model that is right on all valid items; nan if no adjusted score exists."""
    if weighting is None:
        return float("nan")
    scores = replace(weighting.scores, right=np.ones(len(weighting.scores)))
    sound = 1.0 if scores.bad is None else 1 - scores.bad.value
    return linear([(replace(weighting, scores=scores), 1.0)]).estimate(level).low * sound
