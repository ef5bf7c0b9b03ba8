"""Retention of knowledge between conditions: retest, prompt formats, families, facts and their use.

Credit is put on a scale where a guess is worth 0 on average and a right answer 1: y = (right - chance) / (1 - chance).
The share of the knowledge in the first condition that is retained in another one is E[y·z] / E[y], as independent
guesses average to 0 in the product. They are not independent if a model has a fixed preference, such as a favourite
word: it then guesses alike in both conditions, and in a pair of questions with opposite keys it is right in one exactly
when it is wrong in the other. So pairs with opposite keys are combined: half the sum of the two y is 1 if both are
right, -1 if both are wrong, 0 if one is, and a fixed preference earns 0. Within such a pair retention is undefined: by
identity its score is (both right - both wrong) / pairs.

Prompt formats are compared with the main one by their total scores, E[z] / E[y]. Intervals are Fieller's (1954), over
clusters, clipped to [0, 1].
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy

from horsesense.profiling.finding import ContrastPairs, FactUse, OtherCondition, WholeFamilies
from horsesense.profiling.item_scores import ItemScores, Strings
from horsesense.stats.accuracy import accuracy
from horsesense.stats.families import family_accuracy
from horsesense.stats.intervals import Estimate, difference_interval, unit_note
from horsesense.stats.resampling import RESAMPLES, Floats, Names, cluster_covariance, codes_of

REPHRASED = "rephrased"
"""The same question in other words, which is compared like a prompt format."""
LEAST_CLUSTERS = 10
"""Minimum number for an estimate of retention."""


def retention(
    first: Floats,
    second: Floats,
    clusters: Names,
    crossed: Names | None = None,
    level: float = 0.95,
    together: bool = True,
) -> Estimate | None:
    """Estimate the share of the knowledge in the first condition that is retained in the second; None without any.

    Both are chance-corrected: 1 for right, 0 for a guess on average. ``together`` requires the same items to be known,
    otherwise as many. Items missing from one condition (nan) are left out.

    >>> y = np.array([1.0] * 300 + [1.0, -1.0] * 50)
    >>> z = np.array([1.0] * 150 + [1.0, -1.0] * 75 + [1.0, 1.0, -1.0, -1.0] * 25)
    >>> share = retention(y, z, [str(i) for i in range(400)])
    >>> share.value, [round(end, 2) for end in share.ci]
    (0.5, [0.38, 0.63])
    """
    asked = ~(np.isnan(first) | np.isnan(second))
    groupings = [codes_of(np.asarray(each)[asked]) for each in (clusters, crossed) if each is not None]
    number = min(int(codes.max(initial=-1)) + 1 for codes in groupings)
    if number < LEAST_CLUSTERS:
        return None
    y, z = first[asked], second[asked]
    columns = np.stack([y * z if together else z, y], axis=1)
    top, bottom = columns.mean(axis=0).tolist()
    residual = (columns - columns.mean(axis=0)) / len(columns)
    (top_spread, common), (_, bottom_spread) = cluster_covariance(residual, groupings, small_sample=True).tolist()
    t2 = float(scipy.special.stdtrit(number - 1, (1 + level) / 2)) ** 2
    square = bottom**2 - t2 * bottom_spread
    if bottom <= 0 or square <= 0:
        return None
    middle = top * bottom - t2 * common
    rest = max(0.0, middle**2 - square * (top**2 - t2 * top_spread)) ** 0.5
    low, value, high = (
        min(1.0, max(0.0, each)) for each in ((middle - rest) / square, top / bottom, (middle + rest) / square)
    )
    return Estimate(value, (low, high), len(y), number, 0.0, level, "Fieller over clusters", 0, unit_note(number))


# Pairs with opposite keys.


def _first_contrast(scores: ItemScores) -> Strings | None:
    return next(iter(scores.contrasts.values()), None)


def _complete(pairs: Strings) -> np.ndarray:
    """Return the mask of items in a complete pair."""
    _, codes, sizes = np.unique(pairs, return_inverse=True, return_counts=True)
    complete: np.ndarray = (sizes[codes] == 2) & (pairs != "")
    return complete


def paired(values: Floats, pairs: Strings | None) -> Floats:
    """Replace credit by the mean of the contrast pair, if any; a fixed preference then earns 0."""
    if pairs is None:
        return values
    inside = _complete(pairs)
    codes = np.unique(pairs, return_inverse=True)[1]
    means = np.bincount(codes, weights=np.where(inside, values, 0.0))[codes] / 2
    return np.where(inside, means, values)


def contrast_pairs(scores: ItemScores, level: float) -> tuple[ContrastPairs, ...]:
    """Count contrast pairs by the number of members that are right, for each kind."""
    found = []
    for kind, pairs in scores.contrasts.items():
        inside = _complete(pairs)
        if inside.sum() < 4:
            continue
        names, first = np.unique(pairs[inside], return_index=True)
        codes = np.unique(pairs[inside], return_inverse=True)[1]
        right = scores.right[inside]
        # With credits a and b: both right a·b, both wrong (1 - a)(1 - b); ties earn a half.
        both, neither = np.ones((2, len(names)))
        np.multiply.at(both, codes, right)
        np.multiply.at(neither, codes, 1 - right)
        one = 1 - both - neither
        clusters = scores.clusters[inside][first]
        numbers = (both - neither, one - 2 * neither, one - 2 * both)
        known, same, margin = (_mean(each, clusters, level) for each in numbers)
        found.append(
            ContrastPairs(
                kind=kind,
                pairs=len(names),
                both_right=float(both.mean()),
                both_wrong=float(neither.mean()),
                one_right=float(one.mean()),
                known=known,
                same_answer=same,
                margin=margin,
            )
        )
    return tuple(found)


def _mean(values: Floats, clusters: Strings, level: float) -> Estimate:
    codes = codes_of(clusters)
    number = int(codes.max()) + 1
    variance = float(cluster_covariance((values - values.mean()) / len(values), [codes], small_sample=True))
    ends = difference_interval(float(values.mean()), variance, number, level)
    return Estimate(float(values.mean()), ends, len(values), number, 0.0, level, "clustered, t", 0, unit_note(number))


# Other conditions.


@dataclass(frozen=True, slots=True)
class Other:
    """Another condition."""

    name: str
    """Name, as the end of a sentence: "in the retest"."""
    right: Floats
    """Credit in this condition."""
    together: bool
    """Whether the same items have to be known."""
    first: Floats
    """Chance-corrected credit in the main condition, averaged over contrast pairs."""
    second: Floats
    """The same in this condition."""

    def retention(self, scores: ItemScores, level: float) -> Estimate | None:
        """Estimate the retention of the main condition's knowledge."""
        return retention(self.first, self.second, scores.clusters, scores.crossed, level, self.together)


def other_conditions(scores: ItemScores) -> list[Other]:
    """Return the retest, other prompt formats, and other members of families with the same knowledge."""
    pairs, chance = _first_contrast(scores), scores.chance
    y = (scores.right - chance) / (1 - chance)
    first = paired(y, pairs)

    def beside(name: str, right: Floats, together: bool) -> Other:
        z = (right - chance) / (1 - chance)
        return Other(name, right, together, first if together else y, paired(z, pairs) if together else z)

    found = []
    if scores.retest is not None:
        found.append(beside("in the retest", scores.retest, True))
    found += [beside(_format_name(name), right, False) for name, right in scores.formats.items()]
    if scores.same_knowledge and scores.families is not None:
        rest = _others(first, scores.families, pairs)
        right = np.where(np.isnan(rest), np.nan, _others(scores.right, scores.families, pairs))
        found.append(Other("in the other items of the family", right, True, first, rest))
    return [other for other in found if not np.isnan(other.right).all()]


def _format_name(name: str) -> str:
    return "when the question is rephrased" if name == REPHRASED else f"in the {name} format"


def _others(values: Floats, families: Strings, pairs: Strings | None) -> Floats:
    """Return for each item the mean of its family members outside its own pair; nan without such members.

    If a family has contrast pairs, members outside any pair are ignored, since a fixed preference may affect them.
    """
    own = np.char.add("item ", np.arange(len(values)).astype(str)) if pairs is None else pairs
    inside = np.ones(len(values), dtype=bool) if pairs is None else _complete(own)
    codes, pair_codes = codes_of(families), codes_of(own)
    filled = np.where(inside, values, 0.0)
    sums, sizes = np.bincount(codes, weights=filled)[codes], np.bincount(codes, weights=inside)[codes]
    own_sums = np.bincount(pair_codes, weights=filled)[pair_codes]
    own_sizes = np.bincount(pair_codes, weights=inside)[pair_codes]
    rest = sizes - own_sizes
    with np.errstate(invalid="ignore", divide="ignore"):
        mean: Floats = np.where(inside & (rest > 0), (sums - own_sums) / rest, np.nan)
    return mean


def conditions_shown(
    scores: ItemScores, level: float, seed: int = 0, resamples: int = RESAMPLES
) -> tuple[OtherCondition, ...]:
    """Return the other conditions, each with its accuracy and its retention."""
    found = []
    for other in other_conditions(scores):
        asked = ~np.isnan(other.right)
        crossed = None if scores.crossed is None else scores.crossed[asked]
        chance = float(scores.chance[asked].mean())
        rate = accuracy(other.right[asked], scores.clusters[asked], chance, level, seed, resamples, crossed)
        main = float(scores.right[asked].mean())
        found.append(OtherCondition(other.name, rate, main, other.retention(scores, level)))
    return tuple(found)


def whole_families(scores: ItemScores, level: float, seed: int = 0, resamples: int = RESAMPLES) -> WholeFamilies | None:
    """Estimate the share of families with all of at least two members right; None for fewer than two such families."""
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


def use_of_facts(scores: ItemScores, level: float, seed: int = 0, resamples: int = RESAMPLES) -> FactUse | None:
    """Estimate the share of known facts, and the share of these that is used; None unless the ability is a ladder."""
    if scores.facts is None or scores.fact_chance is None:
        return None
    asked = ~np.isnan(scores.facts)
    if not asked.any():
        return None
    crossed = None if scores.crossed is None else scores.crossed[asked]
    chance = float(scores.fact_chance[asked].mean())
    known = accuracy(scores.facts[asked], scores.clusters[asked], chance, level, seed, resamples, crossed)
    low, high = ((end - chance) / (1 - chance) for end in known.ci)
    corrected = replace(known, value=(known.value - chance) / (1 - chance), ci=(low, high), chance=0.0)
    pairs = _first_contrast(scores)
    facts = paired((scores.facts - scores.fact_chance) / (1 - scores.fact_chance), pairs)
    used = paired((scores.right - scores.chance) / (1 - scores.chance), pairs)
    return FactUse(known, corrected, retention(facts, used, scores.clusters, scores.crossed, level))
