"""How much is known beyond chance and beyond cues, as a number that is linear in a few rates.

An explanation, such as a cue, splits the items into sides: where it is right, where it is wrong, where it is silent;
several explanations split them into cells. Giving the cells other weights, as near to their shares as can be (the
least relative entropy), makes each explanation earn exactly chance; the model's surplus under these weights is what
they do not explain. For one cue that is right or wrong this is 1/n · accuracy where it is right + (1 - 1/n) ·
accuracy where it is wrong, chance taken off: a guesser, a reader of the cue and one who avoids it all get 0.

The weights come from the items and the explanations alone, so a surplus is linear in the model's rates on the cells,
and so are averages and differences of surpluses. Their ends are put together from those of the rates (Zou and Donner
2008).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy

from horsesense.analysis.combined import Rates, rates_of
from horsesense.analysis.intervals import FEW, Estimate, unit_note
from horsesense.analysis.resampling import RESAMPLES, Floats
from horsesense.methods.profile.item_scores import Bools, Ints, ItemScores

_SILENT = 1e-9
"""A cue that expects no more than this above or below chance tells nothing of the item."""
_STEPS = 200
BLIND = "the model without the question"


@dataclass(frozen=True, slots=True)
class Split:
    """The cells that explanations split a scores into, and the weights that make surpluses of the rates on them."""

    scores: ItemScores
    masks: tuple[Bools, ...]
    """The items of each cell; no cell is empty."""
    chance: Floats
    """Mean of what guessing earns on each cell."""
    plain: Floats
    """Weights of the surplus over all items alike."""
    left: Floats | None
    """Weights of the surplus that is left when every explanation earns chance; None where no weights do that."""


def side_masks(cue: Floats, chance: Floats) -> tuple[Bools, Bools, Bools]:
    """Where a cue is more right than chance, where less, and where it is silent."""
    gain = cue - chance
    silent = (np.abs(gain) < _SILENT) | np.isnan(gain)
    return ~silent & (gain > 0), ~silent & (gain < 0), silent


def leaning(cue: Floats, chance: Floats) -> float:
    """Mean of what a cue earns above chance; 0 where it is silent."""
    gain = float(np.nan_to_num(cue - chance).mean())
    return 0.0 if abs(gain) < _SILENT else gain


def split(scores: ItemScores, *explanations: Floats) -> Split:
    """Split a scores by what may explain its answers, each as what it earns an item; by nothing there is one cell.

    >>> names, right = np.array(list("stuv")), np.array([1.0, 1, 1, 0])
    >>> sides = split(ItemScores("m", "a", "x", names, right, np.full(4, 5), names), right)
    >>> sides.plain.round(2).tolist(), sides.left.round(2).tolist()
    ([0.31, 0.94], [1.0, 0.25])
    """
    chance = scores.chance
    code = np.zeros(len(scores), dtype=np.int64)
    for earned in explanations:
        won, lost, _ = side_masks(earned, chance)
        code = 3 * code + np.where(won, 2, np.where(lost, 0, 1))
    masks = tuple(code == cell for cell in np.unique(code))
    guess = np.array([chance[mask].mean() for mask in masks])
    shares = np.array([mask.mean() for mask in masks])
    gains = np.array([[leaning(earned[mask], chance[mask]) for earned in explanations] for mask in masks])
    scale = 1.0 if scores.bad is None else 1 - scores.bad.value
    balanced = _balanced(shares, gains.reshape(len(masks), len(explanations)))
    left = None if balanced is None else balanced / (balanced @ (1 - guess)) / scale
    return Split(scores, masks, guess, shares / (shares @ (1 - guess)) / scale, left)


def _balanced(shares: Floats, gains: Floats) -> Floats | None:
    """Shares of cells, as near to those given as can be, under which no column of gains earns anything.

    A column that gains nowhere cannot have earned the model anything, and is left out; where one loses nowhere, only
    cells without its gain are taken.
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


def explanations(scores: ItemScores) -> dict[str, tuple[Floats, int]]:
    """What may explain a score away, by name, with how many cues it was chosen from: cues, and the blind model."""
    columns = {f"picking {cue.name}": (cue.right, cue.tried) for cue in scores.cues}
    if scores.blind is not None and not np.isnan(scores.blind).all():
        columns[BLIND] = (np.where(np.isnan(scores.blind), scores.chance, scores.blind), 1)
    return columns


def beyond_explanations(scores: ItemScores) -> Split:
    """The scores under weights that make all explanations earn chance; where none do, of the one that leaves least."""
    columns = [column for column, _ in explanations(scores).values()]
    together = split(scores, *columns)
    if together.left is not None or len(columns) < 2:
        return together
    return min((split(scores, column) for column in columns), key=leaves)


def leaves(part: Split) -> float:
    """How much a split leaves; less than anything where nobody knows."""
    rates = np.array([part.scores.right[mask].mean() for mask in part.masks])
    return -np.inf if part.left is None else float(part.left @ (rates - part.chance))


@dataclass(frozen=True, slots=True)
class Linear:
    """A number that is linear in rates above chance, with what its interval needs."""

    weights: Floats
    """One a rate."""
    chance: Floats
    """What guessing earns of each rate."""
    rates: Rates
    """The model's rates on the sides, of one or several every."""
    of: tuple[int, ...]
    """For each rate, the number of its scores."""
    bad: Floats
    """For each scores, the relative standard error of its scale, from the reading of bad items."""
    n: int
    """Items."""
    units: int
    """Units of dependence of all sides together."""

    @property
    def terms(self) -> Floats:
        """What each rate adds."""
        terms: Floats = self.weights * (self.rates.values - self.chance)
        return terms

    @property
    def value(self) -> float:
        """The number."""
        return float(self.terms.sum())

    def weighed(self, weights: Floats) -> Linear:
        """Another number of the same rates."""
        return replace(self, weights=weights)

    def ends(self, level: float) -> tuple[float, float]:
        """Lower and upper end: square and add, with the correlation of rates that share units."""
        low, high = self.rates.ends(level)
        below, above = self.rates.values - low, high - self.rates.values
        signs, sizes = np.sign(self.weights), np.abs(self.weights)
        correlation = self.rates.correlation * np.outer(signs, signs)
        down, up = sizes * np.where(signs > 0, below, above), sizes * np.where(signs > 0, above, below)
        scale = np.bincount(self.of, weights=self.terms, minlength=len(self.bad)) * self.bad
        spread = float(scale @ scale) * float(scipy.special.ndtri((1 + level) / 2)) ** 2
        reach = [max(0.0, float(side @ correlation @ side) + spread) ** 0.5 for side in (down, up)]
        return self.value - reach[0], self.value + reach[1]

    def estimate(self, level: float, seed: int) -> Estimate:
        """The number with its interval; chance is 0."""
        used = [number for number, weight in zip(self.rates.numbers, self.weights, strict=True) if weight]
        note = unit_note(self.units if used else 0)
        if not note and (least := min(used)) < FEW:
            note = f"a side of it has {least} unit{'s' if least > 1 else ''} only, which makes the interval wider"
        method = "intervals of rates, combined"
        return Estimate(self.value, self.ends(level), self.n, self.units, 0.0, level, method, seed, note)

    def p(self) -> float:
        """Two-sided p: the level at which the interval just reaches 0."""
        return reaching_p(self.value, self.ends)


def linear(parts: Sequence[tuple[Split, Floats]], seed: int = 0, resamples: int = RESAMPLES) -> Linear:
    """The sum of what splits and their weights give; rates of one method are correlated where they share units."""
    names = [np.char.add(f"{part.scores.method}\t", part.scores.units) for part, _ in parts]
    ends = np.cumsum([len(each) for each in names])
    codes = np.split(np.unique(np.concatenate(names), return_inverse=True)[1].astype(np.int64), ends[:-1])
    credits: list[Floats] = []
    units: list[Ints] = []
    variances: list[Floats] = []
    numbers: list[int] = []
    for (part, _), code in zip(parts, codes, strict=True):
        scores = part.scores
        crossed = None if scores.crossed is None else [scores.crossed[mask] for mask in part.masks]
        own = [scores.right[mask] for mask in part.masks], [code[mask] for mask in part.masks]
        rates = rates_of(*own, seed, resamples, crossed)
        credits += own[0]
        units += own[1]
        variances.append(rates.variances)
        numbers += rates.numbers
    if len(parts) > 1:
        rates = rates_of(credits, units, seed, 2)  # for the correlation across every alone
    every = replace(rates, variances=np.concatenate(variances), numbers=tuple(numbers))
    spares = [0.0 if p.scores.bad is None else p.scores.bad.variance**0.5 / (1 - p.scores.bad.value) for p, _ in parts]
    return Linear(
        weights=np.concatenate([weights for _, weights in parts]),
        chance=np.concatenate([part.chance for part, _ in parts]),
        rates=every,
        of=tuple(number for number, (part, _) in enumerate(parts) for _ in part.masks),
        bad=np.array(spares),
        n=sum(len(part.scores) for part, _ in parts),
        units=int(max(code.max() for code in codes)) + 1,
    )


def reaching_p(value: float, ends: Callable[[float], tuple[float, float]]) -> float:
    """The level at which an interval just reaches 0, as a two-sided p."""
    if value == 0:
        return 1.0

    def short(p: float) -> float:
        low, high = ends(1 - p)
        return low if value > 0 else -high

    least, most = 1e-9, 1 - 1e-6
    if short(least) > 0:
        return least
    return 1.0 if short(most) < 0 else float(scipy.optimize.brentq(short, least, most, xtol=1e-7))
