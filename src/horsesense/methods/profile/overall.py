"""One number for those who need one, and models against one another: means and differences of what is left.

Abilities weigh the same in a method, methods weigh the same in the number, and it never stands without its parts.
What nobody has judged stays outside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from horsesense.analysis.paired import holm
from horsesense.analysis.resampling import RESAMPLES, Floats
from horsesense.methods.profile.finding import GroupScore, ModelDifference, OverallScore
from horsesense.methods.profile.item_scores import ItemScores, Strings
from horsesense.methods.profile.adjusted import Linear, Split, beyond_explanations, linear


def overall_score(
    every: Sequence[ItemScores], level: float = 0.95, seed: int = 0, resamples: int = RESAMPLES
) -> OverallScore | None:
    """The mean surplus beyond all explanations: abilities of the same weight in a method, methods of the same weight.

    None where nobody has judged any of them.
    """
    inside, left_out = _inside(every)
    if not inside:
        return None
    parts = []
    for method, own in inside.items():
        weighed = [(part, weights / len(own)) for _, (part, weights) in own]
        beyond = linear(weighed, seed, resamples).estimate(level, seed)
        parts.append(GroupScore(method, tuple(scores.ability for scores, _ in own), beyond))
    whole = linear(_number_terms(inside), seed, resamples)
    return OverallScore(whole.estimate(level, seed), tuple(parts), left_out)


_Inside = dict[str, list[tuple[ItemScores, tuple[Split, Floats]]]]


def _inside(every: Sequence[ItemScores]) -> tuple[_Inside, tuple[str, ...]]:
    """The abilities that make the one number, by method, and those outside."""
    inside: _Inside = {}
    left_out = []
    for scores in every:
        part = beyond_explanations(scores)
        if scores.judged and part.left is not None:
            inside.setdefault(scores.method, []).append((scores, (part, part.left)))
        else:
            left_out.append(scores.ability)
    return inside, tuple(left_out)


def _number_terms(inside: _Inside) -> list[tuple[Split, Floats]]:
    return [(part, weights / len(own) / len(inside)) for own in inside.values() for _, (part, weights) in own]


def differences(
    models: Mapping[str, Sequence[ItemScores]], level: float = 0.95, seed: int = 0, resamples: int = RESAMPLES
) -> tuple[ModelDifference, ...]:
    """Every pair of models in every ability that both have, and in the one number; p corrected for all of them (Holm).

    Models are compared on the items that both were asked; halves do not matter, as both models had the same.
    """
    found: list[ModelDifference] = []
    for first, second in combinations(models, 2):
        pairs = _pairs(models[first], models[second])
        for one, other in pairs:
            here, there = beyond_explanations(one), beyond_explanations(other)
            if here.left is not None and there.left is not None:
                number = linear([(here, here.left), (there, -there.left)], seed, resamples)
                found.append(_difference(first, second, one.ability, number, len(one), level, seed))
        sides = [_inside([pair[place] for pair in pairs])[0] for place in (0, 1)]
        if sides[0] and sides[0].keys() == sides[1].keys():
            minus = [(part, -weights) for part, weights in _number_terms(sides[1])]
            number = linear([*_number_terms(sides[0]), *minus], seed, resamples)
            n = sum(len(scores) for own in sides[0].values() for scores, _ in own)
            found.append(_difference(first, second, "one number", number, n, level, seed))
    adjusted = holm([each.p for each in found])
    return tuple(replace(each, adjusted=p) for each, p in zip(found, adjusted, strict=True))


def _difference(
    first: str, second: str, ability: str, number: Linear, n: int, level: float, seed: int
) -> ModelDifference:
    p = number.p()
    return ModelDifference(first, second, ability, replace(number.estimate(level, seed), n=n), p, p)


def _pairs(first: Sequence[ItemScores], second: Sequence[ItemScores]) -> list[tuple[ItemScores, ItemScores]]:
    """Sheets of the same ability, cut to the items that both models were asked, in one order."""
    by_ability = {scores.ability: scores for scores in second}
    pairs = []
    for one in first:
        other = by_ability.get(one.ability)
        if other is None:
            continue
        common = np.intersect1d(one.items, other.items)
        if len(common):
            pairs.append((_ordered(one, common), _ordered(other, common)))
    return pairs


def _ordered(scores: ItemScores, items: Strings) -> ItemScores:
    order = np.argsort(scores.items)
    return scores.take(order[np.searchsorted(scores.items[order], items)])
