"""Item response model of items by models: discrimination, easiness, ability, response bias and family effects.

A two-parameter logistic model with a fixed guessing rate: ``P(right) = c + (1 - c) logistic(a ability + d + s bias)``.
``s`` is +1 or -1 by the key of a two-option probe such as yes/no, so that a model that mostly says yes is not mistaken
for an able one. Abilities are integrated out (marginal maximum likelihood by EM; Bock and Aitkin, 1981). With thousands
of items the posterior of an ability is far narrower than a fixed grid, so each model has quadrature nodes of its own.
Slopes and intercepts have normal priors whose means and variances are estimated from the items: forty models cannot
determine two numbers per item, and without shrinkage an item that all models get right has no estimate.

Items of one family share a random effect per model, as in a testlet (Bradlow, Wainer and Wang, 1999), here in log odds
(Wang and Wilson, 2005). It is estimated after the item curves: given the ability, a model answers an item once, so
dependence within families does not bias the curve of an item, only the certainty of abilities.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.optimize
import scipy.special
import scipy.stats
from numpy.typing import NDArray

from horsesense.stats.resampling import Floats

_TINY = 1e-12
STEPS = 500
"""Maximum number of EM iterations."""
_DONE = 1e-3
"""EM ends where no ability moves further than this."""
_FAMILY_NODES = 7
_LARGEST_EFFECT = 4.0
_STRIDE = 0.5
"""Largest step of a slope, which keeps the first iterations from overshooting."""
_WIDEST = (1.5, 3.0)
"""Upper limits of the standard deviations of slopes and intercepts, whose estimates diverge where one ability does not
describe the models."""
_BIAS_SD = 2.0
"""Standard deviation of the prior of response biases: a model that always says yes has no finite estimate."""
_CHUNK = 256
"""Items at a time, so that arrays stay in the cache."""
_ATTENUATION = (16 * np.sqrt(3) / (15 * np.pi)) ** 2
"""A logistic curve averaged over a normal effect of variance v is flatter by the root of 1 + this times v."""


@dataclass(frozen=True, slots=True)
class ItemResponseFit:
    """Estimates of an item response model."""

    slope: Floats
    """Discrimination of each item."""
    intercept: Floats
    """Easiness of each item: the log odds of a right answer at average ability, before guessing."""
    slope_se: Floats
    """Standard error of the slope, given the abilities."""
    guess: Floats
    """Guessing rate of each item, which is fixed."""
    keyed: Floats
    """+1 or -1 by the key of each item; 0 where response bias is not modelled."""
    ability: Floats
    """Posterior mean of each model's ability; mean 0 and standard deviation 1 over models."""
    ability_se: Floats
    """Posterior standard deviation of each ability, given the item curves and the family effects."""
    bias: Floats
    """Response bias of each model, in log odds; 0 where it is not modelled."""
    log_likelihood: float
    """Marginal log-likelihood, without the priors and without family effects."""
    prior: tuple[float, float, float, float]
    """Mean and standard deviation of slopes, and of intercepts."""
    steps: int
    """Number of EM iterations."""
    family_sd: float = 0.0
    """Standard deviation of family effects, in log odds."""
    family_p: float | None = None
    """p-value of the family effects (likelihood ratio); None where no family has two items."""

    def probability(self) -> Floats:
        """Return the probability of a right answer of each model (row) to each item (column)."""
        rate: Floats = self.guess + (1 - self.guess) * scipy.special.expit(self.logits(self.ability[:, None])[:, 0])
        return rate

    def with_families(self, right: Floats, families: NDArray[np.int64]) -> ItemResponseFit:
        """Estimate the family effects too, from the same credits; ``families`` is the index of each item's family."""
        data = _Answers(np.nan_to_num(right), (~np.isnan(right)).astype(np.float64), self.guess)
        return _with_families(self, data, families)

    def logits(self, nodes: Floats, chunk: slice = slice(None)) -> Floats:
        """Return log odds at nodes (models × nodes), as models × nodes × items."""
        bias = (self.bias[:, None] * self.keyed[chunk])[:, None, :]
        z: Floats = nodes[:, :, None] * self.slope[chunk] + self.intercept[chunk] + bias
        return z


def fit_item_response(
    right: Floats,
    guess: Floats | float = 0.0,
    families: NDArray[np.int64] | None = None,
    keyed: Floats | None = None,
    *,
    shrink: bool = True,
    steps: int = STEPS,
) -> ItemResponseFit:
    """Fit the model to credits.

    Args:
        right: Credits, models by items; nan where a model was not asked an item.
        guess: Guessing rate of each item.
        families: Index of each item's family. By default, every item is independent.
        keyed: +1 or -1 by the key of each item of a two-option probe; 0 where response bias is not modelled.
        shrink: Whether slopes and intercepts have priors.
        steps: Maximum number of EM iterations.
    """
    items = right.shape[1]
    rates = np.broadcast_to(np.asarray(guess, np.float64), items).copy()
    data = _Answers(np.nan_to_num(right), (~np.isnan(right)).astype(np.float64), rates)
    fit, variances = _start(data, np.zeros(items) if keyed is None else keyed)
    for step in range(1, steps + 1):
        before = fit.ability
        fit, variances = _step(fit, variances, data, shrink)
        if step > 5 and np.abs(fit.ability - before).max() < _DONE:
            break
    fit = replace(fit, slope_se=np.sqrt(variances), steps=step)
    return fit if families is None else fit.with_families(right, families)


@dataclass(frozen=True, slots=True)
class _Answers:
    """Credits of models (rows) on items (columns)."""

    right: Floats
    """0 where an item was not asked."""
    asked: Floats
    """1 where an item was asked, else 0."""
    guess: Floats

    def part(self, chunk: slice) -> _Answers:
        """Return the answers to some of the items."""
        return _Answers(self.right[:, chunk], self.asked[:, chunk], self.guess[chunk])

    def log_likelihood(self, z: Floats) -> Floats:
        """Return the log-likelihood of each answer, given log odds as models × … × items."""
        shape = (len(self.right), *([1] * (z.ndim - 2)), -1)
        y, asked = self.right.reshape(shape), self.asked.reshape(shape)
        wrong = -np.logaddexp(0, z)
        if not self.guess.any():
            likelihood: Floats = y * z + asked * wrong
            return likelihood
        known = np.log(self.guess + (1 - self.guess) * scipy.special.expit(z))
        likelihood = y * known + (asked - y) * (np.log1p(-self.guess) + wrong)
        return likelihood


def _start(data: _Answers, keyed: Floats) -> tuple[ItemResponseFit, Floats]:
    models, items = data.right.shape
    share = np.clip((data.right.sum(1) + 0.5) / (data.asked.sum(1) + 1), 0.02, 0.98)
    ability = scipy.special.logit(share)
    rate = (data.right.sum(0) + 0.5) / (data.asked.sum(0) + 1)
    fit = ItemResponseFit(
        slope=np.ones(items),
        intercept=scipy.special.logit(np.clip((rate - data.guess) / (1 - data.guess), 0.05, 0.95)),
        slope_se=np.ones(items),
        guess=data.guess,
        keyed=keyed,
        ability=(ability - ability.mean()) / max(float(ability.std()), 0.1),
        ability_se=np.full(models, 0.3),
        bias=np.zeros(models),
        log_likelihood=0.0,
        prior=(1.0, 1.0, 0.0, 2.0),
        steps=0,
    )
    return fit, np.ones(items)


def _nodes(fit: ItemResponseFit) -> tuple[Floats, Floats]:
    """Return the nodes of each model, and the log weights of the standard normal at them."""
    items = len(fit.slope)
    number = 3 if items >= 300 else 7 if items >= 60 else 15  # the more items, the nearer to normal the posterior
    x, w = np.polynomial.hermite.hermgauss(number)
    nodes = fit.ability[:, None] + np.sqrt(2) * fit.ability_se[:, None] * x
    weights = np.log(w) + x**2 + np.log(np.sqrt(2) * fit.ability_se)[:, None]
    return nodes, weights - nodes**2 / 2 - 0.5 * np.log(2 * np.pi)


def _posterior(nodes: Floats, total: Floats) -> tuple[Floats, Floats, Floats, float]:
    """Return the weight of each node, the mean and variance of each ability, and the marginal log-likelihood."""
    marginal = scipy.special.logsumexp(total, axis=1)
    weight = np.exp(total - marginal[:, None])
    mean = (weight * nodes).sum(1)
    return weight, mean, (weight * nodes**2).sum(1) - mean**2, float(marginal.sum())


def _step(fit: ItemResponseFit, variances: Floats, data: _Answers, shrink: bool) -> tuple[ItemResponseFit, Floats]:
    """Do one E-step, and one Fisher step for every item and for the bias of every model."""
    nodes, log_weights = _nodes(fit)
    items = data.right.shape[1]
    chunks = [slice(start, start + _CHUNK) for start in range(0, items, _CHUNK)]
    total = log_weights
    for chunk in chunks:
        total = total + data.part(chunk).log_likelihood(fit.logits(nodes, chunk)).sum(2)
    weight, mean, variance, likelihood = _posterior(nodes, total)
    sums = np.empty((5, items))
    precision, bias_score, bias_information = np.ones(len(mean)), np.zeros(len(mean)), np.full(len(mean), _BIAS_SD**-2)
    for chunk in chunks:
        score, information = _score(fit.logits(nodes, chunk), weight[:, :, None], data.part(chunk))
        sums[:, chunk] = _item_sums(score, information, nodes)
        by_model = information.sum(1)
        precision += by_model @ fit.slope[chunk] ** 2
        bias_score += score.sum(1) @ fit.keyed[chunk]
        bias_information += by_model @ fit.keyed[chunk] ** 2
    bias = fit.bias
    if fit.keyed.any():
        bias = bias + np.clip((bias_score - bias / _BIAS_SD**2) / bias_information, -1, 1)
    prior = fit.prior if shrink else (0.0, 1e4, 0.0, 1e4)
    slope, intercept, slope_variance, intercept_variance = _fisher_step(fit.slope, fit.intercept, prior, sums)
    moved = replace(
        fit,
        slope=slope,
        intercept=intercept,
        bias=bias,
        ability=mean,
        # The information bounds the posterior variance from below: few nodes that miss the mode would report 0.
        ability_se=np.sqrt(np.maximum(variance, 1 / precision)),
        log_likelihood=likelihood,
        prior=_prior(slope, slope_variance, intercept, intercept_variance) if shrink else prior,
    )
    return _normalised(moved, slope_variance)


def _item_sums(score: Floats, information: Floats, nodes: Floats) -> Floats:
    """Return per item the gradient of slope and intercept, and their information: slope, both, intercept."""
    x = nodes[:, :, None]
    gradient = [(score * x).sum((0, 1)), score.sum((0, 1))]
    sums: Floats = np.stack([*gradient, *((information * x**power).sum((0, 1)) for power in (2, 1, 0))])
    return sums


def _score(z: Floats, weight: Floats | float, data: _Answers) -> tuple[Floats, Floats]:
    """Return score and Fisher information of the log odds, as models × nodes × items."""
    rate = scipy.special.expit(z)
    chance = data.guess + (1 - data.guess) * rate
    change = (1 - data.guess) * rate * (1 - rate) / np.maximum(chance * (1 - chance), _TINY)
    weights = weight * data.asked[:, None, :]
    return (
        weights * (data.right[:, None, :] - chance) * change,
        weights * change**2 * np.maximum(chance * (1 - chance), _TINY),
    )


def _fisher_step(
    slope: Floats,
    intercept: Floats,
    prior: tuple[float, float, float, float],
    sums: Floats,
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return new slopes and intercepts with their variances."""
    middle, wide, level, tall = prior
    g_slope = sums[0] - (slope - middle) / wide**2
    g_intercept = sums[1] - (intercept - level) / tall**2
    ss, si, ii = sums[2] + wide**-2, sums[3], sums[4] + tall**-2
    determinant = np.maximum(ss * ii - si**2, _TINY)
    by_slope, by_intercept = (ii * g_slope - si * g_intercept), (ss * g_intercept - si * g_slope)
    by_slope, by_intercept = by_slope / determinant, by_intercept / determinant
    damped = np.minimum(1.0, _STRIDE / np.maximum(np.abs(by_slope), np.abs(by_intercept) / 2 + _TINY))
    return slope + damped * by_slope, intercept + damped * by_intercept, ii / determinant, ss / determinant


def _prior(
    slope: Floats, slope_variance: Floats, intercept: Floats, intercept_variance: Floats
) -> tuple[float, float, float, float]:
    """Return means and standard deviations of the normal priors, given estimates and their variances."""
    moments: list[float] = []
    for values, variances, widest in zip(
        (slope, intercept), (slope_variance, intercept_variance), _WIDEST, strict=True
    ):
        centre = float(values.mean())
        spread = float(np.sqrt(np.mean((values - centre) ** 2 + variances)))
        moments += [centre, min(max(spread, 0.05), widest)]
    return moments[0], moments[1], moments[2], moments[3]


def _normalised(fit: ItemResponseFit, variances: Floats) -> tuple[ItemResponseFit, Floats]:
    """Give abilities mean 0 and variance 1 and biases mean 0, without a change of any probability.

    Without this, scale and location would creep: a few models say little about them beside thousands of items.
    """
    slope, intercept, bias, keyed = fit.slope, fit.intercept, fit.bias, fit.keyed
    if keyed.any():
        yes, no = keyed > 0, keyed < 0
        if yes.any() and no.any():  # ability is what raises both kinds of items alike
            tilt = (float(slope[yes].mean()) - float(slope[no].mean())) / 2
            slope, bias = slope - tilt * keyed, bias + tilt * fit.ability
        centre = float(bias.mean())
        bias, intercept = bias - centre, intercept + centre * keyed
    centre = float(fit.ability.mean())
    scale = float(np.sqrt(np.mean(fit.ability_se**2 + (fit.ability - centre) ** 2)))
    scale = -scale if slope.mean() < 0 else scale  # the sign is arbitrary: able models get most items right
    prior = (fit.prior[0] * scale, fit.prior[1] * abs(scale), *fit.prior[2:])
    normal = replace(
        fit,
        slope=slope * scale,
        intercept=intercept + slope * centre,
        bias=bias,
        ability=(fit.ability - centre) / scale,
        ability_se=fit.ability_se / abs(scale),
        prior=prior,
    )
    return normal, variances * scale**2


def _with_families(fit: ItemResponseFit, data: _Answers, families: NDArray[np.int64]) -> ItemResponseFit:
    """Estimate the spread of family effects, and the certainty of abilities that is left."""
    codes = np.unique(families, return_inverse=True)[1]
    size = np.bincount(codes)[codes]
    if not (size > 1).any():
        return fit
    order = np.lexsort((codes, size < 2))
    begins = np.flatnonzero(np.diff(codes[order], prepend=-1))
    sorted_data = _Answers(data.right[:, order], data.asked[:, order], data.guess[order])
    single = size[order][begins] < 2

    def total(spread: float, at: ItemResponseFit) -> tuple[Floats, Floats]:
        nodes, log_weights = _nodes(at)
        x, w = np.polynomial.hermite.hermgauss(_FAMILY_NODES)
        # The fitted curves are averages over family effects; those of one model in one family are steeper.
        steeper = np.sqrt(1 + _ATTENUATION * spread**2 * (size > 1))
        z = (at.logits(nodes) * steeper)[:, :, order]
        evidence = np.empty((*nodes.shape, len(x), len(begins)))
        for i, effect in enumerate(np.sqrt(2) * spread * x):
            likelihood = sorted_data.log_likelihood(z + effect * (size[order] > 1))
            evidence[:, :, i] = np.add.reduceat(likelihood, begins, axis=2)
        evidence += np.log(w / np.sqrt(np.pi))[:, None]
        by_family = scipy.special.logsumexp(evidence, axis=2)
        by_family[:, :, single] = evidence[:, :, 0][:, :, single] - np.log(w[0] / np.sqrt(np.pi))
        return nodes, log_weights + by_family.sum(2)

    def likelihood(spread: float) -> float:
        return _posterior(*total(spread, fit))[-1]

    best = scipy.optimize.minimize_scalar(
        lambda spread: -likelihood(spread), bounds=(0.0, _LARGEST_EFFECT), method="bounded", options={"xatol": 0.01}
    )
    none = likelihood(0.0)
    ratio = max(0.0, 2 * (-float(best.fun) - none))
    spread = float(best.x) if ratio > 0 else 0.0
    for _ in range(3):  # the nodes follow the posterior
        _, mean, variance, _ = _posterior(*total(spread, fit))
        fit = replace(fit, ability=mean, ability_se=np.sqrt(np.maximum(variance, fit.ability_se**2 / 4)))
    # The value 0 is at the border, where half of all ratios are 0.
    p = float(scipy.stats.chi2.sf(ratio, 1) / 2) if ratio > 0 else 1.0
    return replace(fit, family_sd=spread, family_p=p)
