"""How much is known beyond chance and beyond a cue, as a number that is linear in a few rates.

A cue splits the items into sides: where it is right, where it is wrong, where it is silent. Giving the sides other
weights makes it earn exactly chance; the model's surplus under these weights is what the cue does not explain. For a
cue that is right or wrong this is 1/n · accuracy where it is right + (1 - 1/n) · accuracy where it is wrong, chance
taken off. The weights come from the items and the cue alone, so a surplus is linear in the model's rates on the
sides, and so are averages and differences of surpluses. Their ends are put together from those of the rates (Zou and
Donner 2008).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy

from horsesense.analysis.combined import Rates, rates_of
from horsesense.analysis.intervals import Estimate, unit_note
from horsesense.analysis.resampling import RESAMPLES, Floats
from horsesense.methods.profile.sheet import Bools, Sheet, Strings

_SILENT = 1e-9
"""A cue that expects no more than this above or below chance tells nothing of the item."""


@dataclass(frozen=True, slots=True)
class Split:
    """The sides that a cue splits a sheet into, and the weights that make surpluses of the rates on them."""

    sheet: Sheet
    masks: tuple[Bools, ...]
    """The items of each side; no side is empty."""
    chance: Floats
    """Mean of what guessing earns on each side."""
    plain: Floats
    """Weights of the surplus over all items alike."""
    left: Floats | None
    """Weights of the surplus that is left when the cue earns chance; None where it is right on every item."""


def side_masks(cue: Floats, chance: Floats) -> tuple[Bools, Bools, Bools]:
    """Where a cue is more right than chance, where less, and where it is silent."""
    gain = cue - chance
    silent = (np.abs(gain) < _SILENT) | np.isnan(gain)
    return ~silent & (gain > 0), ~silent & (gain < 0), silent


def split(sheet: Sheet, cue: Floats | None = None) -> Split:
    """Split a sheet by a cue; without one there is one side.

    >>> names, right = np.array(list("stuv")), np.array([1.0, 1, 1, 0])
    >>> sides = split(Sheet("m", "a", "x", names, right, np.full(4, 5), names), cue=right)
    >>> sides.plain.tolist(), sides.left.round(2).tolist()
    ([0.9375, 0.3125], [0.25, 1.0])
    """
    chance, every = sheet.chance, np.ones(len(sheet), dtype=bool)
    sides = (every,) if cue is None else side_masks(cue, chance)
    masks = tuple(mask for mask in sides if mask.any())
    guess = np.array([chance[mask].mean() for mask in masks])
    shares = np.array([mask.mean() for mask in masks])
    scale = 1.0 if sheet.bad is None else 1 - sheet.bad.value
    plain = shares / (shares @ (1 - guess)) / scale
    if cue is None:
        return Split(sheet, masks, guess, plain, plain)
    gains = np.array([float(np.nan_to_num(cue[mask] - chance[mask]).mean()) for mask in masks])
    balanced = _balanced(shares, np.where(np.abs(gains) < _SILENT, 0.0, gains))
    left = None if balanced is None else balanced / (balanced @ (1 - guess)) / scale
    return Split(sheet, masks, guess, plain, left)


def _balanced(shares: Floats, gains: Floats) -> Floats | None:
    """Shares of sides under which gains sum to 0; the silent side keeps its share, as it gains nothing anyway."""
    won, lost = gains > 0, gains < 0
    if not won.any():
        return shares  # it earns no more than chance anywhere, so it cannot have earned the model anything
    speaking = float(shares[won | lost].sum())
    balanced = np.where(won | lost, 0.0, shares)
    if lost.any():
        gain, loss = float(gains[won][0]), float(-gains[lost][0])
        balanced[won], balanced[lost] = speaking * loss / (gain + loss), speaking * gain / (gain + loss)
    return balanced if balanced.sum() > 0 else None


@dataclass(frozen=True, slots=True)
class Linear:
    """A number that is linear in rates above chance, with what its interval needs."""

    weights: Floats
    """One a rate."""
    chance: Floats
    """What guessing earns of each rate."""
    rates: Rates
    """The model's rates on the sides, of one or several sheets."""
    of: tuple[int, ...]
    """For each rate, the number of its sheet."""
    bad: Floats
    """For each sheet, the relative standard error of its scale, from the reading of bad items."""
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
        note = unit_note(min(used, default=0))
        method = "intervals of rates, combined"
        return Estimate(self.value, self.ends(level), self.n, self.units, 0.0, level, method, seed, note)

    def p(self) -> float:
        """Two-sided p: the level at which the interval just reaches 0."""
        return reaching_p(self.value, self.ends)


def linear(parts: Sequence[tuple[Split, Floats]], seed: int = 0, resamples: int = RESAMPLES) -> Linear:
    """The sum of what splits and their weights give; rates of one method are correlated where they share units."""
    credits: list[Floats] = []
    units: list[Strings] = []
    variances: list[Floats] = []
    numbers: list[int] = []
    for part, _ in parts:
        sheet = part.sheet
        names = np.char.add(f"{sheet.method}\t", sheet.units)
        crossed = None if sheet.crossed is None else [sheet.crossed[mask] for mask in part.masks]
        own = [sheet.right[mask] for mask in part.masks], [names[mask] for mask in part.masks]
        rates = rates_of(*own, seed, resamples, crossed)
        credits += own[0]
        units += own[1]
        variances.append(rates.variances)
        numbers += rates.numbers
    if len(parts) > 1:
        rates = rates_of(credits, units, seed, 2)  # for the correlation across sheets alone
    every = replace(rates, variances=np.concatenate(variances), numbers=tuple(numbers))
    spares = [0.0 if p.sheet.bad is None else p.sheet.bad.variance**0.5 / (1 - p.sheet.bad.value) for p, _ in parts]
    return Linear(
        weights=np.concatenate([weights for _, weights in parts]),
        chance=np.concatenate([part.chance for part, _ in parts]),
        rates=every,
        of=tuple(number for number, (part, _) in enumerate(parts) for _ in part.masks),
        bad=np.array(spares),
        n=sum(len(part.sheet) for part, _ in parts),
        units=len(np.unique(np.concatenate(units))),
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
