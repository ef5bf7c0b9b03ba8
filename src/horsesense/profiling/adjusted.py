"""The adjusted score: knowledge above chance that no explanation accounts for.

An explanation (a cue, relatedness, the model without the question) has an expected credit on each item. Items are
weighted, as equally as possible (least relative entropy), so that no explanation is above chance. The model's
chance-corrected score under these weights is the adjusted score. For one cue that is right or wrong it is 1/n ·
accuracy where the cue is right + (1 - 1/n) · accuracy where it is wrong, minus chance. Guessing, following the cue and
avoiding it all get 0.

The weights depend on the items and the explanations alone, so the score is linear in the model's answers. It is a
calibration estimator (Deville and Särndal 1992): its variance is that of the residuals of the answers on the
explanations, summed over clusters. Intervals of sums and differences of such scores are combined from those of their
rates (Zou and Donner 2008).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy

from horsesense.profiling.item_scores import Bools, ExplanationColumn, Ints, ItemScores
from horsesense.stats.combined import Rates
from horsesense.stats.intervals import FEW, Estimate, unit_note
from horsesense.stats.resampling import NOTHING, Floats, cluster_covariance, codes_of

_SILENT = 1e-9
"""Deviation from chance up to which a cue is uninformative about an item."""
_STEPS = 200
PSEUDO = 0.5
"""Right and wrong answers added to a fitted rate for its least variance (Jeffreys)."""
BLIND = "its own choice without the question"
TRUSTED = 3
"""Number of shared clusters up to which a correlation of two rates is ignored."""


def explanations(scores: ItemScores) -> dict[str, ExplanationColumn]:
    """Return the possible explanations of a score by name: cues, relatedness, and the model without the question."""
    found = {f"picking {each.name}": each for each in (*scores.cues, *scores.relatedness)}
    if scores.blind is not None and not np.isnan(scores.blind).all():
        column = np.where(np.isnan(scores.blind), scores.chance, scores.blind)
        found[BLIND] = ExplanationColumn(BLIND, column, kind="blind")
    return found


@dataclass(frozen=True, slots=True)
class Weighting:
    """Item weights, and the chance-corrected score under them."""

    scores: ItemScores
    weights: Floats
    """One weight per item; they sum to 1."""
    gains: Floats
    """Credit of each explanation above chance, items × explanations; 0 where it abstains."""

    @property
    def chance(self) -> float:
        """Chance level under the weights."""
        return float(self.weights @ self.scores.chance)

    @property
    def scale(self) -> float:
        """Inverse of the attainable credit above chance: bad items earn chance."""
        sound = 1.0 if self.scores.bad is None else 1 - self.scores.bad.value
        return 1 / (1 - self.chance) / sound

    @property
    def value(self) -> float:
        """Chance-corrected score."""
        return self.scale * (float(self.weights @ self.scores.right) - self.chance)


def gain(column: Floats, chance: Floats) -> Floats:
    """Return the credit of an explanation above chance on each item; 0 where it abstains or is unknown."""
    above: Floats = np.nan_to_num(column - chance)
    return np.where(np.abs(above) < _SILENT, 0.0, above)


def side_masks(column: Floats, chance: Floats) -> tuple[Bools, Bools]:
    """Return the items where an explanation is above chance, and those where it is below."""
    above = gain(column, chance)
    return above > 0, above < 0


def plain(scores: ItemScores) -> Weighting:
    """Weight all items equally."""
    return Weighting(scores, np.full(len(scores), 1 / len(scores)), np.zeros((len(scores), 0)))


def weighted(scores: ItemScores, *columns: Floats) -> Weighting | None:
    """Weight items so that no column is above chance; None if no such weights exist.

    >>> names, right = np.array(list("stuv")), np.array([1.0, 1, 1, 0])
    >>> found = weighted(ItemScores("m", "a", "x", names, right, np.full(4, 5), names), right)
    >>> found.weights.round(2).tolist(), abs(round(found.value, 6))
    ([0.07, 0.07, 0.07, 0.8], 0.0)
    """
    gains = np.stack([gain(column, scores.chance) for column in columns], axis=1) if columns else None
    if gains is None:
        return plain(scores)
    balanced = _balanced(np.full(len(scores), 1 / len(scores)), gains)
    return None if balanced is None else Weighting(scores, balanced, gains)


def _balanced(shares: Floats, gains: Floats) -> Floats | None:
    """Return the weights closest to ``shares`` under which no column of gains is above chance.

    A column without positive gains cannot have helped the model and is ignored; for one without negative gains, only
    items without its gain are used.
    """
    gains = gains[:, (gains > 0).any(axis=0)]
    never = ~(gains < 0).any(axis=0)
    taken = ~(gains[:, never] > 0).any(axis=1)
    if not taken.any():
        return None
    if never.any():
        inside = _balanced(shares[taken], gains[taken][:, ~never])
        if inside is None:
            return None
        balanced = np.zeros(len(shares))
        balanced[taken] = inside
        balanced /= balanced.sum()
        return balanced
    tilt = np.zeros(gains.shape[1])
    for _ in range(_STEPS):
        weights = _tilted(shares, gains, tilt)
        slope = weights @ gains
        if np.abs(slope).max(initial=0.0) < 1e-11:
            return weights
        curve = (gains * weights[:, None]).T @ gains - np.outer(slope, slope)
        step = np.linalg.lstsq(curve, slope, rcond=1e-12)[0]
        tilt = tilt - np.clip(step, -2.0, 2.0)
    return None


def _tilted(shares: Floats, gains: Floats, tilt: Floats) -> Floats:
    power = gains @ tilt
    raised: Floats = shares * np.exp(power - power.max(initial=0.0))
    whole: Floats = raised / raised.sum()
    return whole


def beyond_explanations(scores: ItemScores) -> Weighting | None:
    """Weight items so that all explanations are at chance; if impossible, by the one that leaves the lowest score."""
    columns = [each.right for each in explanations(scores).values()]
    together = weighted(scores, *columns)
    if together is not None or len(columns) < 2:
        return together
    alone = [weighted(scores, column) for column in columns]
    if any(each is None for each in alone):
        return None
    return min((each for each in alone if each is not None), key=lambda each: each.value)


# Weighted rates and their variances.


def effective_clusters(weights: Floats, codes: Ints) -> int:
    """Return the effective number of clusters of equal weight."""
    sums = np.bincount(codes, weights=weights)
    return max(1, int(sums.sum() ** 2 / (sums @ sums) + 1e-9))


def residuals(right: Floats, weights: Floats, gains: Floats) -> Floats:
    """Return weighted residuals of answers (items, or draws × items) on a constant and on the explanations.

    Under balanced weights the explanations sum to 0, so any multiple of them may be subtracted from the answers.
    """
    design = _design(gains)
    heavy = weights > 0
    root = np.sqrt(weights[heavy])[:, None]
    answers = np.atleast_2d(right)
    slopes = np.linalg.lstsq(design[heavy] * root, (answers[:, heavy] * root.T).T, rcond=1e-10)[0]
    left: Floats = weights * (answers - (design @ slopes).T)
    return left[0] if right.ndim == 1 else left


def _design(gains: Floats) -> Floats:
    return np.concatenate([np.ones((len(gains), 1)), gains], axis=1)


def least_variance(right: Floats, left: Floats, weights: Floats, gains: Floats, codes: Ints) -> Floats:
    """Return the smallest credible variance of a weighted rate, one per draw.

    Where all heavy items are right, or all are wrong, the regression on the explanations fits them exactly, and the
    residuals leave no variance: 0 of 12 right would be certain. So the fitted rates are moved towards one half by
    `PSEUDO` right and as many wrong answers, added to the clusters that they rest on (the inverse of the leverage). The
    variance is at least the binomial one of these rates. Members of a cluster depend on each other: pairs with
    opposite keys vary less than single items. The variance is therefore multiplied by the ratio that all clusters show.
    The caller limits it to that of as many independent answers as there are effective clusters.
    """
    answers, left = np.atleast_2d(right), np.atleast_2d(left)
    heavy = weights > 0
    number = int(codes.max()) + 1
    share = cluster_sums(weights, codes, number)
    used = share > 0
    per_cluster = np.bincount(codes, minlength=number)
    root = np.sqrt(weights[heavy])[:, None]
    basis, sizes, _ = np.linalg.svd(_design(gains)[heavy] * root, full_matrices=False)
    basis = basis[:, sizes > 1e-10 * sizes.max()]
    support = np.zeros(len(weights))
    support[heavy] = 1 / (basis**2).sum(axis=1) / per_cluster[codes[heavy]]
    fitted = np.clip(answers[:, heavy] - left[:, heavy] / weights[heavy], 0.0, 1.0)
    moved = np.zeros_like(answers)
    moved[:, heavy] = (fitted * support[heavy] + PSEUDO) / (support[heavy] + 2 * PSEUDO)
    rates = cluster_sums(weights * moved, codes, number)[:, used] / share[used]
    means = cluster_sums(answers, codes, number) / per_cluster
    overall = means.mean(axis=1)
    alone = overall * (1 - overall)
    ratio = np.where(alone > NOTHING, means.var(axis=1) / np.maximum(alone, NOTHING), 0.0)
    least: Floats = ratio * (share[used] ** 2 * rates * (1 - rates)).sum(axis=1)
    return least


def cluster_sums(values: Floats, codes: Ints, number: int) -> Floats:
    """Sum the last axis within clusters."""
    if values.ndim == 1:
        return np.bincount(codes, weights=values, minlength=number).astype(np.float64)
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(number))
    sums: Floats = np.add.reduceat(values[:, order], starts, axis=1)
    return sums


def freedom_of(right: Floats, weights: Floats, gains: Floats, clusters: int) -> tuple[int, float]:
    """Return the residual number of clusters, and the variance factor for the degrees of freedom of the explanations.

    If all answers are equal, nothing was fitted.
    """
    heavy = weights > 0
    fitted = int((np.abs(gains[heavy]).sum(axis=0) > 0).sum())
    if np.ptp(right[heavy]) < 1e-12:
        return clusters, 1.0
    left = clusters - fitted
    return max(1, left), clusters / max(1.0, left - 1.0)


@dataclass(frozen=True, slots=True)
class Linear:
    """A linear function of rates above chance, with the inputs of its interval."""

    factors: Floats
    """One factor per rate."""
    chance: Floats
    """Chance level of each rate."""
    rates: Rates
    """Weighted rates of the model, on one or several abilities."""
    of: tuple[int, ...]
    """Index of each rate's ability."""
    bad: Floats
    """Relative standard error of each ability's scale, from the audit of bad items."""
    n: int
    """Number of items."""
    clusters: int
    """Number of clusters in total."""

    @property
    def terms(self) -> Floats:
        """Contribution of each rate."""
        terms: Floats = self.factors * (self.rates.values - self.chance)
        return terms

    @property
    def value(self) -> float:
        """Value of the function."""
        return float(self.terms.sum())

    def times(self, factors: Floats) -> Linear:
        """Return another linear function of the same rates."""
        return replace(self, factors=factors)

    def ends(self, level: float) -> tuple[float, float]:
        """Return lower and upper limit: square and add, with the correlation of rates that share clusters."""
        low, high = self.rates.ends(level)
        below, above = self.rates.values - low, high - self.rates.values
        signs, sizes = np.sign(self.factors), np.abs(self.factors)
        correlation = self.rates.correlation * np.outer(signs, signs)
        down, up = sizes * np.where(signs > 0, below, above), sizes * np.where(signs > 0, above, below)
        scale = np.bincount(self.of, weights=self.terms, minlength=len(self.bad)) * self.bad
        spread = float(scale @ scale) * float(scipy.special.ndtri((1 + level) / 2)) ** 2
        reach = [max(0.0, float(side @ correlation @ side) + spread) ** 0.5 for side in (down, up)]
        return self.value - reach[0], self.value + reach[1]

    def estimate(self, level: float) -> Estimate:
        """Return the value with its interval; chance is 0."""
        used = [number for number, factor in zip(self.rates.numbers, self.factors, strict=True) if factor]
        note = unit_note(self.clusters if used else 0)
        if not note and (least := min(used)) < FEW:
            note = f"effective number of clusters: {least}"
        return Estimate(self.value, self.ends(level), self.n, self.clusters, 0.0, level, "calibration weights", 0, note)

    def p(self) -> float:
        """Return the two-sided p: the level at which the interval just reaches 0."""
        return reaching_p(self.value, self.ends)


def linear(parts: Sequence[tuple[Weighting, float]]) -> Linear:
    """Sum chance-corrected scores, each multiplied by a factor.

    Scores of one method, and parts of one ability, are correlated if they share clusters.
    """
    names = [np.char.add(f"{part.scores.method}\t", part.scores.clusters) for part, _ in parts]
    ends = np.cumsum([len(each) for each in names])
    every = codes_of(np.concatenate(names))
    number = int(every.max()) + 1
    values, variances, numbers, influences = [], [], [], []
    abilities: dict[str, int] = {}
    bad: list[float] = []
    for (part, _), codes in zip(parts, np.split(every, ends[:-1]), strict=True):
        own, scores = codes_of(codes), part.scores
        left = residuals(scores.right, part.weights, part.gains)
        crossed = [] if scores.crossed is None else [codes_of(scores.crossed)]
        count = min(effective_clusters(part.weights, grouping) for grouping in (own, *crossed))
        freedom, inflation = freedom_of(scores.right, part.weights, part.gains, count)
        value = min(1.0, max(0.0, float(np.sort(part.weights * scores.right).sum())))
        least = max(
            float(least_variance(scores.right, left, part.weights, part.gains, by)[0]) for by in (own, *crossed)
        )
        values.append(value)
        variances.append(
            max(float(cluster_covariance(left, [own, *crossed])) * inflation, min(least, value * (1 - value) / count))
        )
        numbers.append(freedom)
        influences.append(cluster_sums(left, codes, number))
        if scores.ability not in abilities:
            abilities[scores.ability] = len(abilities)
            share = scores.bad
            bad.append(0.0 if share is None else share.variance**0.5 / (1 - share.value))
    rates = Rates(np.array(values), np.array(variances), tuple(numbers), _correlation(influences))
    return Linear(
        factors=np.array([factor * part.scale for part, factor in parts]),
        chance=np.array([part.chance for part, _ in parts]),
        rates=rates,
        of=tuple(abilities[part.scores.ability] for part, _ in parts),
        bad=np.array(bad),
        n=sum(len(part.scores) for part in {id(p.scores): p for p, _ in parts}.values()),
        clusters=number,
    )


def _correlation(influences: Sequence[Floats]) -> Floats:
    """Correlate rates by the contributions of each cluster; the estimate is shrunk when few clusters are shared."""
    table = np.stack(influences)
    size = np.sqrt((table**2).sum(axis=1))
    scaled = table / np.where(size > NOTHING**0.5, size, np.inf)[:, None]
    held = (table != 0).astype(np.float64)
    shared = held @ held.T
    trusted: Floats = scaled @ scaled.T * np.clip(1 - TRUSTED / np.maximum(shared, TRUSTED), 0, 1)
    np.fill_diagonal(trusted, 1.0)
    return trusted


def reaching_p(value: float, ends: Callable[[float], tuple[float, float]]) -> float:
    """Return the level at which an interval just reaches 0, as a two-sided p."""
    if value == 0:
        return 1.0

    def short(p: float) -> float:
        low, high = ends(1 - p)
        return low if value > 0 else -high

    least, most = 1e-9, 1 - 1e-6
    if short(least) > 0:
        return least
    return 1.0 if short(most) < 0 else float(scipy.optimize.brentq(short, least, most, xtol=1e-7))
