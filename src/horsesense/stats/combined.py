"""Statistics of several rates: a gap, a product over roles, d′; and the positivity bias that they measure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import scipy

from horsesense.core import Item
from horsesense.errors import UserError
from horsesense.lexicons.word_forms import comparative_valence
from horsesense.stats.accuracy import accuracy
from horsesense.stats.intervals import Estimate, rate_interval, unit_note
from horsesense.stats.resampling import NOTHING, RESAMPLES, Floats, Names, Statistic, mean_spread, unit_array

Function = Callable[[Floats], Floats]
"""From rates, one row per case, to one value per row."""

VERY_FEW = 5
MOST_CORNERS = 6
DIRECTIONS = 200
"""Directions from the centre of the ellipse that are tried in addition to the steepest."""


@dataclass(frozen=True, slots=True)
class Rates:
    """Several rates over the same clusters."""

    values: Floats
    variances: Floats
    """Variance of each mean, by cluster bootstrap."""
    numbers: tuple[int, ...]
    """Number of clusters of each rate."""
    correlation: Floats
    """Correlation of the means through shared clusters; 0 without shared clusters."""

    def only(self, *places: int) -> Rates:
        """Select rates by index."""
        chosen = list(places)
        numbers = tuple(self.numbers[index] for index in chosen)
        return Rates(self.values[chosen], self.variances[chosen], numbers, self.correlation[np.ix_(chosen, chosen)])

    def ends(self, level: float) -> tuple[Floats, Floats]:
        """Return the lower and upper limit of each rate."""
        both = [
            rate_interval(value, variance, number, level)
            for value, variance, number in zip(self.values.tolist(), self.variances, self.numbers, strict=True)
        ]
        return np.array([low for low, _ in both]), np.array([high for _, high in both])


def rates_of(
    credits: Sequence[Floats],
    units: Sequence[Names],
    seed: int = 0,
    resamples: int = RESAMPLES,
    crossed: Sequence[Names] | None = None,
) -> Rates:
    """Compute the mean of each list of credits; ``units`` name the clusters of its items and may be shared.

    >>> rates = rates_of([np.array([1.0, 0.0]), np.array([1.0, 1.0, 1.0])], [["a", "b"], ["b", "c", "d"]])
    >>> rates.values.tolist(), rates.numbers
    ([0.5, 1.0], (2, 3))
    """
    others: Sequence[Names | None] = [None] * len(credits) if crossed is None else crossed
    spreads = [
        mean_spread(credit, unit_array(names), other, seed, resamples)
        for credit, names, other in zip(credits, units, others, strict=True)
    ]
    values = np.array([min(1.0, float(np.sort(credit).mean())) for credit in credits])
    return Rates(
        values,
        np.array([variance for variance, _ in spreads]),
        tuple(number for _, number in spreads),
        _correlation(credits, values, units),
    )


def _correlation(credits: Sequence[Floats], values: Floats, units: Sequence[Names]) -> Floats:
    """Correlate means by the contributions of each cluster; the estimate is shrunk when few clusters are shared."""
    known = [unit_array(names) for names in units]
    numbers = all(names.dtype.kind == "i" for names in known)
    every = np.concatenate(known if numbers else [names.astype(str) for names in known])
    codes = np.unique(every, return_inverse=True)[1]
    ends = np.cumsum([len(credit) for credit in credits])
    parts = np.split(codes, ends[:-1])
    number = int(codes.max()) + 1
    residuals = np.stack(
        [
            np.bincount(part, weights=credit - value, minlength=number)
            for part, credit, value in zip(parts, credits, values, strict=True)
        ]
    )
    held = np.stack([np.bincount(part, minlength=number) > 0 for part in parts]).astype(np.float64)
    size = np.sqrt((residuals**2).sum(axis=1))
    scaled = residuals / np.where(size > NOTHING**0.5, size, np.inf)[:, None]
    shared = held @ held.T
    trusted: Floats = scaled @ scaled.T * np.clip(1 - 3 / np.maximum(shared, 3), 0, 1)
    np.fill_diagonal(trusted, 1.0)
    return trusted


def difference_of(rates: Rates, level: float = 0.95) -> tuple[float, float]:
    """Return the limits of the first rate minus the second in closed form (Zou and Donner 2008, equation 8).

    >>> rates = rates_of([np.ones(10), np.zeros(10)], [[str(i) for i in range(10)], [str(i) for i in range(10, 20)]])
    >>> [round(end, 3) for end in difference_of(rates)]
    [0.564, 1.0]
    """
    (low_a, low_b), (high_a, high_b) = rates.ends(level)
    a, b = rates.values
    both = 2 * rates.correlation[0, 1]
    down, up = (a - low_a, high_b - b), (high_a - a, b - low_b)
    reach = [max(0.0, x**2 + y**2 - both * x * y) ** 0.5 for x, y in (down, up)]
    return max(-1.0, float(a - b - reach[0])), min(1.0, float(a - b + reach[1]))


@np.errstate(invalid="ignore")  # infinite values at two boundary points have no difference
def combined_interval(function: Function, rates: Rates, level: float = 0.95) -> tuple[float, float]:
    """Return the limits of a statistic of rates: its extremes over the ellipse that their intervals span.

    >>> rates = rates_of([np.ones(10), np.zeros(10)], [[str(i) for i in range(10)], [str(i) for i in range(10, 20)]])
    >>> [round(end, 3) for end in combined_interval(lambda p: p[:, 0] - p[:, 1], rates)]
    [0.564, 1.0]
    """
    low, high = rates.ends(level)
    down, up = rates.values - low, high - rates.values
    weights, axes = np.linalg.eigh(rates.correlation)
    shape = axes * np.sqrt(np.clip(weights, 0, None))

    def at(ways: Floats) -> Floats:
        """Evaluate the function at the boundary of the ellipse in each direction."""
        out = ways @ shape.T
        return function(np.clip(rates.values + np.where(out > 0, out * up, out * down), 0.0, 1.0))

    middle = float(np.nan_to_num(function(rates.values[None, :]), nan=0.0, posinf=1e9, neginf=-1e9)[0])
    number = len(rates.values)
    rng = np.random.default_rng(0)
    ways = rng.normal(size=(DIRECTIONS, number))
    ways = np.concatenate([ways / np.linalg.norm(ways, axis=1, keepdims=True), np.eye(number), -np.eye(number)])
    values = [at(ways), function(rates.values[None, :])]
    if min(rates.numbers) < VERY_FEW and number <= MOST_CORNERS:
        # So few clusters cannot estimate the correlation: all limits may be reached at once.
        values.append(function(np.array(list(product(*zip(low, high, strict=True))))))
    for sign in (1.0, -1.0):
        reach = (up + down) / 2
        for _ in range(3):  # slope and direction of each rate depend on each other
            step = np.clip(rates.values + np.diag(reach), 0.0, 1.0)
            slope = np.nan_to_num((function(step) - middle) * np.sign(reach), posinf=1e9, neginf=-1e9)
            way = shape.T @ (sign * slope)
            if not way.any():
                break
            way /= np.linalg.norm(way)
            values.append(at(way[None, :]))
            out = shape @ way
            reach = np.where(out > 0, up, -down)
    every = np.concatenate(values)
    return float(np.nanmin(every)), float(np.nanmax(every))


def z(rate: Floats) -> Floats:
    """Return the normal quantile of a rate; infinite at 0 and 1."""
    quantile: Floats = scipy.special.ndtri(rate)
    return quantile


LEAST = 20
"""Minimum number of items of each valence for an estimate of bias."""

NO_LIMIT = (
    "answers of one valence may all be right or all wrong, which has no z: the interval has no limit on that side"
)


@dataclass(frozen=True, slots=True)
class Bias:
    """Dependence of answers on the valence of the correct word."""

    positive: Estimate
    """Accuracy where the positive word is correct."""
    negative: Estimate
    """Accuracy where the negative word is correct."""
    sensitivity: Estimate
    """d′: 0 for a model that cannot discriminate, whatever its preference."""
    criterion: Estimate
    """c: negative for a preference for the positive word, 0 for no preference."""


def right_word(item: Item) -> str:
    """Return the correct word of a cloze item without its article; empty for other forms.

    >>> right_word(Item("demo", "cloze", text="It is ___ bird.", options=("a bigger", "a smaller"), answer=0))
    'bigger'
    """
    return item.options[item.answer].split(" ")[-1] if item.form == "cloze" and item.answer is not None else ""


def valence_of(item: Item) -> int:
    """Return the valence of the correct word: the probe's facet, or that of the comparative; 0 if unknown.

    >>> valence_of(Item("demo", "cloze", text="Ice is ___.", options=("colder", "hotter"), answer=0))
    -1
    """
    stated = item.facets.get("valence")
    return stated if type(stated) is int else comparative_valence(right_word(item))


def valence_bias(
    values: Floats | Sequence[float],
    valences: Sequence[int],
    units: Names,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Bias:
    """Estimate the bias of answers with two options, a positive and a negative word.

    ``valences`` are those of the correct words. Items with valence 0 or without a gold are left out. A tie counts half.

    >>> bias = valence_bias([1, 1, 1, 0] * 20 + [0, 0, 1, 0] * 20, [1] * 80 + [-1] * 80, [str(k) for k in range(160)])
    >>> bias.positive.value, bias.negative.value, round(bias.criterion.value, 2), round(bias.sensitivity.value, 2)
    (0.75, 0.25, -0.66, 0.0)
    """
    credit, valence = np.asarray(values, dtype=np.float64), np.asarray(valences)
    if not len(credit) == len(valence) == len(units):
        raise UserError(f"there are {len(credit)} values, {len(valence)} valences and {len(units)} clusters")
    valid = ~np.isnan(credit) & (valence != 0)
    credit, up, names = credit[valid], valence[valid] > 0, unit_array(units)[valid]
    if up.all() or not up.any():
        raise UserError("all correct words have one valence, so there is no bias to measure")
    whole = np.array([[credit[up].sum(), up.sum(), credit[~up].sum(), (~up).sum()]], dtype=np.float64)
    rates = rates_of([credit[up], 1 - credit[~up]], [names[up], names[~up]], seed, resamples)
    number = len(np.unique(names))

    def estimate(statistic: Statistic, of_rates: Function) -> Estimate:
        value = float(statistic(whole)[0])
        low, high = combined_interval(of_rates, rates)
        return Estimate(
            n=len(credit),
            clusters=number,
            value=value,
            ci=(min(low, value), max(high, value)),
            chance=0.0,
            method="intervals of hits and false alarms, combined",
            seed=seed,
            note=NO_LIMIT if np.isinf([low, high]).any() else unit_note(min(rates.numbers)),
        )

    return Bias(
        positive=accuracy(credit[up], names[up], 0.5, seed=seed, resamples=resamples),
        negative=accuracy(credit[~up], names[~up], 0.5, seed=seed, resamples=resamples),
        sensitivity=estimate(_sensitivity, lambda p: z(p[:, 0]) - z(p[:, 1])),
        criterion=estimate(_criterion, lambda p: -(z(p[:, 0]) + z(p[:, 1])) / 2),
    )


def leaning(items: Sequence[Item], values: Floats, units: Names) -> Bias | None:
    """Estimate the bias of answers to a probe by the valence of each item's correct word; None if it does not vary."""
    valences = [valence_of(item) if _is_between_two(item) else 0 for item in items]
    if min(valences.count(1), valences.count(-1)) < LEAST:
        return None
    return valence_bias(values, valences, units)


def _is_between_two(item: Item) -> bool:
    return item.answer is not None and len(item.options) == 2


def _rates(sums: Floats) -> tuple[Floats, Floats]:
    """Return z of hits and of false alarms, with half an answer added to each (Hautus, 1995): a rate of 1 has no z."""
    hits = (sums[:, 0] + 0.5) / (sums[:, 1] + 1)
    alarms = (sums[:, 3] - sums[:, 2] + 0.5) / (sums[:, 3] + 1)
    return scipy.special.ndtri(hits), scipy.special.ndtri(alarms)


def _sensitivity(sums: Floats) -> Floats:
    hits, alarms = _rates(sums)
    return hits - alarms


def _criterion(sums: Floats) -> Floats:
    hits, alarms = _rates(sums)
    criterion: Floats = -(hits + alarms) / 2
    return criterion
