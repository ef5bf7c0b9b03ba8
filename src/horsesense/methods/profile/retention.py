"""What is known in one condition and still known in another: retest, ways of condition, families, facts and their use.

Take what is earned on a scale where a guess is worth 0 on average and a right answer 1: y = (right - chance) / (1 -
chance). Guesses then average to nothing, also in products of two conditions whose guesses are independent. Of what is
known first, the share that is known again is E[y·z] / E[y]: for retests, members of a family, and items above facts.
Ways of condition are held against the main way by what they show at all, E[z] / E[y]: there, too, a model may guess
alike both times. Intervals are Fieller's (1954), over units of dependence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy

from horsesense.analysis.accuracy import accuracy
from horsesense.analysis.families import family_accuracy
from horsesense.analysis.intervals import Estimate, unit_note
from horsesense.analysis.resampling import RESAMPLES, Floats, Names
from horsesense.methods.profile.finding import OtherCondition, Use, WholeFamilies
from horsesense.methods.profile.item_scores import Ints, ItemScores, Strings

LEAST_UNITS = 10
"""Fewer say nothing of what is kept."""


def kept(
    first: Floats,
    first_chance: Floats,
    second: Floats,
    second_chance: Floats,
    units: Names,
    crossed: Names | None = None,
    level: float = 0.95,
    together: bool = True,
) -> Estimate | None:
    """The share of what is known in the first condition that is known in the second; None where nothing surely is known.

    ``together`` asks for the same items, else for as many. Items that were not asked twice (nan) are left out. A share
    over 1 is cut to 1: who guesses alike both times would seem to keep more than there is.

    >>> half = np.full(400, 0.5)
    >>> y = np.array([1.0] * 300 + [1.0, 0.0] * 50)
    >>> z = np.array([1.0] * 150 + [1.0, 0.0] * 75 + [1.0, 1.0, 0.0, 0.0] * 25)
    >>> share = kept(y, half, z, half, [str(i) for i in range(400)])
    >>> share.value, [round(end, 2) for end in share.ci]
    (0.5, [0.38, 0.63])
    """
    asked = ~(np.isnan(first) | np.isnan(second))
    groupings = [_codes(np.asarray(each)[asked]) for each in (units, crossed) if each is not None]
    number = min(int(codes.max(initial=-1)) + 1 for codes in groupings)
    if number < LEAST_UNITS:
        return None
    y, z, c, d = first[asked], second[asked], first_chance[asked], second_chance[asked]
    y, z = (y - c) / (1 - c), (z - d) / (1 - d)
    columns = np.stack([y * z if together else z, y], axis=1)
    top, bottom = columns.mean(axis=0).tolist()
    (top_spread, common), (_, bottom_spread) = _covariance(columns, groupings).tolist()
    t2 = float(scipy.special.stdtrit(number - 1, (1 + level) / 2)) ** 2
    square = bottom**2 - t2 * bottom_spread
    if bottom <= 0 or square <= 0:
        return None
    middle = top * bottom - t2 * common
    rest = max(0.0, middle**2 - square * (top**2 - t2 * top_spread)) ** 0.5
    ends = (min(1.0, (middle - rest) / square), min(1.0, (middle + rest) / square))
    return Estimate(
        min(1.0, top / bottom), ends, len(y), number, 0.0, level, "Fieller over units", 0, unit_note(number)
    )


def _codes(names: Strings | Ints) -> Ints:
    return np.unique(names, return_inverse=True)[1].astype(np.int64)


def _covariance(columns: Floats, groupings: Sequence[Ints]) -> Floats:
    """Covariance of the means of two columns over one grouping or two that cross (Cameron, Gelbach and Miller 2011)."""
    alone = [_one_way(columns, codes) for codes in groupings]
    if len(groupings) == 1:
        return alone[0]
    first, second = groupings
    both = alone[0] + alone[1] - _one_way(columns, _codes(first * (second.max() + 1) + second))
    # The difference of groupings may fall below one of them; the larger is then the safe value.
    return max((*alone, both), key=lambda spread: float(np.trace(spread)))


def _one_way(columns: Floats, codes: Ints) -> Floats:
    residual = columns - columns.mean(axis=0)
    sums = np.stack([np.bincount(codes, weights=column) for column in residual.T], axis=1)
    number = len(sums)
    spread: Floats = sums.T @ sums / len(columns) ** 2 * number / max(1, number - 1)
    return spread


@dataclass(frozen=True, slots=True)
class Second:
    """A second condition."""

    name: str
    """As a sentence ends: "when asked again"."""
    right: Floats
    """What it earns."""
    together: bool
    """Whether the same items have to be known."""

    def kept(self, scores: ItemScores, level: float) -> Estimate | None:
        """What is kept in it of what the main condition shows."""
        chance = scores.chance
        return kept(scores.right, chance, self.right, chance, scores.units, scores.crossed, level, self.together)


def other_conditions(scores: ItemScores) -> list[Second]:
    """The retest, other ways, and other members of families that test one knowledge."""
    found = []
    if scores.retest is not None:
        found.append(Second("when asked again", scores.retest, True))
    found += [Second(f"when asked by {name}", right, False) for name, right in scores.ways.items()]
    if scores.same_knowledge and scores.families is not None:
        found.append(Second("in the rest of the family", _others(scores.right, scores.families), True))
    return [second for second in found if not np.isnan(second.right).all()]


def _others(right: Floats, families: Names) -> Floats:
    """For each item the mean of the other members of its family; nan where there is none."""
    codes = np.unique(np.asarray(families), return_inverse=True)[1]
    sums, sizes = np.bincount(codes, weights=right)[codes], np.bincount(codes)[codes]
    with np.errstate(invalid="ignore", divide="ignore"):
        mean: Floats = np.where(sizes > 1, (sums - right) / (sizes - 1), np.nan)
    return mean


def shown(scores: ItemScores, level: float, seed: int, resamples: int = RESAMPLES) -> tuple[OtherCondition, ...]:
    """The other conditions of a scores, each with its accuracy and what is kept."""
    found = []
    for second in other_conditions(scores):
        asked = ~np.isnan(second.right)
        crossed = None if scores.crossed is None else scores.crossed[asked]
        chance = float(scores.chance[asked].mean())
        rate = accuracy(second.right[asked], scores.units[asked], chance, level, seed, resamples, crossed)
        found.append(OtherCondition(second.name, rate, second.kept(scores, level)))
    return tuple(found)


def whole_families(scores: ItemScores, level: float, seed: int, resamples: int = RESAMPLES) -> WholeFamilies | None:
    """Families of two members and more with every one right; None where there are fewer than two of them."""
    if scores.families is None:
        return None
    _, codes, sizes = np.unique(scores.families, return_inverse=True, return_counts=True)
    large = sizes[codes] > 1
    if (sizes > 1).sum() < 2:
        return None
    everything = family_accuracy(
        scores.right[large],
        scores.families[large].tolist(),
        option_counts=scores.options[large].tolist(),
        level=level,
        seed=seed,
        resamples=resamples,
    )[0]
    return WholeFamilies(everything.strict, everything.independent)


def use_of_facts(scores: ItemScores, level: float, seed: int, resamples: int = RESAMPLES) -> Use | None:
    """The bare facts that are known, and how many of these are used; None where the ability is no ladder."""
    if scores.facts is None or scores.fact_chance is None:
        return None
    asked = ~np.isnan(scores.facts)
    if not asked.any():
        return None
    crossed = None if scores.crossed is None else scores.crossed[asked]
    chance = float(scores.fact_chance[asked].mean())
    known = accuracy(scores.facts[asked], scores.units[asked], chance, level, seed, resamples, crossed)
    low, high = ((end - chance) / (1 - chance) for end in known.ci)
    surplus = replace(known, value=(known.value - chance) / (1 - chance), ci=(low, high), chance=0.0)
    used = kept(scores.facts, scores.fact_chance, scores.right, scores.chance, scores.units, scores.crossed, level)
    return Use(known, surplus, used)
