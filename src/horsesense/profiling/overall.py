"""Scores per group of abilities, the overall score, and model comparisons.

Abilities have equal weight in a group, groups have equal weight in the overall score, and it is never shown without its
groups. Groups with items that nobody has validated have a score of their own and are excluded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Literal

import numpy as np

from horsesense.profiling.adjusted import Linear, Weighting, beyond_explanations, linear
from horsesense.profiling.contamination import is_untestable, judged_half
from horsesense.profiling.finding import Contamination, GroupScore, ModelDifference, OverallScore
from horsesense.profiling.item_scores import ItemScores, Strings
from horsesense.stats.paired import holm

OVERALL = "overall score"
Grouped = dict[str, list[Weighting]]
"""Abilities per group, with the weights of the adjusted score."""


def grouped(every: Sequence[ItemScores], judged_only: bool = True) -> Grouped:
    """Group abilities; those without an adjusted score are left out."""
    found: Grouped = {}
    for scores in every:
        part = beyond_explanations(scores) if scores.judged or not judged_only else None
        if part is not None:
            found.setdefault(scores.group or scores.method, []).append(part)
    return found


def _terms(groups: Grouped, factor: float = 1.0) -> list[tuple[Weighting, float]]:
    return [(part, factor / len(own) / len(groups)) for own in groups.values() for part in own]


def group_scores(every: Sequence[ItemScores], level: float = 0.95) -> tuple[GroupScore, ...]:
    """Compute the mean adjusted score of each group; judged and unjudged abilities are never combined."""
    found = []
    for judged in (True, False):
        own = grouped([scores for scores in every if bool(scores.judged) == judged], judged_only=False)
        for name, parts in own.items():
            score = linear(_terms({name: parts})).estimate(level)
            found.append(GroupScore(name, tuple(part.scores.ability for part in parts), judged, score))
    return tuple(found)


def overall_score(every: Sequence[ItemScores], level: float = 0.95) -> OverallScore | None:
    """Average the groups whose keys are validated by people or proved; None without such groups."""
    groups = grouped(every)
    if not groups:
        return None
    judged = tuple(each for each in group_scores([s for s in every if s.judged], level))
    return OverallScore("; ".join(groups), linear(_terms(groups)).estimate(level), judged)


def differences(
    models: Mapping[str, Sequence[ItemScores]], found: Mapping[str, Contamination], level: float = 0.95
) -> tuple[ModelDifference, ...]:
    """Compare all pairs of models in every ability, group and overall; p is corrected for all of them (Holm).

    Models are compared on the items that both answered; on the twin half alone if one of the two is contaminated, and
    not at all where that has no twin.
    """
    compared: list[ModelDifference] = []
    for first, second in combinations(models, 2):
        pairs = _pairs(models[first], models[second], (found[first], found[second]))
        halves = {one.ability: half for one, _, half in pairs}
        for one, other, half in pairs:
            here, there = beyond_explanations(one), beyond_explanations(other)
            if here is not None and there is not None:
                number = linear([(here, 1.0), (there, -1.0)])
                compared.append(_difference(first, second, one.ability, half, number, len(one), level))
        sides = [grouped([one for one, _, _ in pairs]), grouped([other for _, other, _ in pairs])]
        names = [name for name in sides[0] if len(sides[0][name]) == len(sides[1].get(name, ()))]
        for chosen in [*([name] for name in names if len(names) > 1), names]:
            if not chosen:
                continue
            one_side, other_side = ({name: side[name] for name in chosen} for side in sides)
            abilities = [part.scores.ability for own in one_side.values() for part in own]
            half = "twin" if any(halves[ability] == "twin" for ability in abilities) else "all"
            number = linear([*_terms(one_side), *_terms(other_side, -1.0)])
            n = sum(len(part.scores) for own in one_side.values() for part in own)
            name = OVERALL if chosen is names else chosen[0]
            compared.append(_difference(first, second, name, half, number, n, level))
    corrected = holm([each.p for each in compared])
    return tuple(replace(each, adjusted=p) for each, p in zip(compared, corrected, strict=True))


Half = Literal["all", "twin"]


def _difference(
    first: str, second: str, ability: str, half: Half, number: Linear, n: int, level: float
) -> ModelDifference:
    p = number.p()
    return ModelDifference(first, second, ability, half, replace(number.estimate(level), n=n), p, p)


def _pairs(
    first: Sequence[ItemScores], second: Sequence[ItemScores], found: tuple[Contamination, Contamination]
) -> list[tuple[ItemScores, ItemScores, Half]]:
    """Return scores on the same ability, restricted to the items that both models answered, in one order.

    Where one of the two is contaminated and there is no twin, they are not compared.
    """
    by_ability = {scores.ability: scores for scores in second}
    pairs: list[tuple[ItemScores, ItemScores, Half]] = []
    for one in first:
        other = by_ability.get(one.ability)
        if other is None or is_untestable(one, found[0]) or is_untestable(other, found[1]):
            continue
        cut = [judged_half(one, found[0]), judged_half(other, found[1])]
        half: Half = "twin" if len(cut[0]) < len(one) or len(cut[1]) < len(other) else "all"
        common = np.intersect1d(cut[0].items, cut[1].items)
        if len(common):
            pairs.append((_ordered(one, common), _ordered(other, common), half))
    return pairs


def _ordered(scores: ItemScores, items: Strings) -> ItemScores:
    order = np.argsort(scores.items)
    return scores.take(order[np.searchsorted(scores.items[order], items)])
