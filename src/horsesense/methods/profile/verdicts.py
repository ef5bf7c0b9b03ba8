"""From every to findings: every number with its interval, and one verdict an ability."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from horsesense.analysis.accuracy import accuracy
from horsesense.analysis.intervals import Estimate
from horsesense.analysis.resampling import RESAMPLES, Floats
from horsesense.errors import UserError
from horsesense.methods.profile.retention import other_conditions, shown, use_of_facts, whole_families
from horsesense.methods.profile.finding import Explanation, Finding, Contamination, Verdicts
from horsesense.methods.profile.contamination import frozen_minus_twin, memory
from horsesense.methods.profile.overall import differences, overall_score
from horsesense.methods.profile.rules import Evidence, judge
from horsesense.methods.profile.item_scores import Bools, ItemScores
from horsesense.methods.profile.adjusted import (
    BLIND,
    Linear,
    Split,
    beyond_explanations,
    explanations,
    leaning,
    leaves,
    linear,
    side_masks,
    split,
)

__all__ = ["differences", "finding", "overall_score", "verdicts"]

ALPHA = 0.05
"""How often a whole page may be wrong somewhere."""
NAN = float("nan")


def verdicts(every: Sequence[ItemScores], level: float = 0.95, seed: int = 0, resamples: int = RESAMPLES) -> Verdicts:
    """All that is found of one model: its abilities, its memory of the frozen halves, its one number."""
    if not every:
        raise UserError("there is nothing to judge", fix="give one scores an ability")
    if len({scores.model for scores in every}) > 1:
        raise UserError("the every are of several models", fix="judge one model at a time")
    for scores in every:
        if not len(scores):
            raise UserError(f"{scores.ability} has no items", fix="leave it out of the page")
    remembered = memory(every, level)
    sure = page_level(len(every))
    judged = [judged_half(scores, remembered, sure) for scores in every]
    findings = tuple(
        finding(used, whole, sure, level, seed, resamples) for used, whole in zip(judged, every, strict=True)
    )
    number = overall_score(judged, level, seed, resamples)
    return Verdicts(every[0].model, findings, remembered, number, level, sure)


def page_level(abilities: int) -> float:
    """How sure each claim has to be: two are made of an ability, that it reads and that it knows (Bonferroni).

    >>> round(page_level(6), 4)
    0.9958
    """
    return 1 - ALPHA / (2 * abilities)


def judged_half(scores: ItemScores, remembered: Contamination, sure: float) -> ItemScores:
    """The scores, or its twin half where the frozen one is remembered, in all abilities together or in this one."""
    own = frozen_minus_twin([scores], sure)
    if scores.twin is None or own is None or not remembered.told or not (remembered.found or own.low > 0):
        return scores
    return scores.take(scores.twin)


def finding(
    scores: ItemScores, whole: ItemScores, sure: float, level: float, seed: int = 0, resamples: int = RESAMPLES
) -> Finding:
    """One ability: ``scores`` is what the verdict rests on, ``whole`` has both halves."""
    surpluses = AdjustedScores(scores, seed, resamples)
    surplus, chance = surpluses.plain, float(scores.chance.mean())
    found = judge(evidence(surpluses, sure))
    told = tuple(_explanation(name, surpluses, level) for name in surpluses.columns)
    return Finding(
        model=scores.model,
        ability=scores.ability,
        method=scores.method,
        n=len(scores),
        half="all" if len(scores) == len(whole) else "twin",
        accuracy=_rate(scores, np.ones(len(scores), dtype=bool), scores.right, level, seed, resamples),
        reachable=1.0 if scores.bad is None else 1 - scores.bad.value * (1 - chance),
        surplus=surplus.estimate(level, seed),
        beyond=surpluses.estimate(0, 1, level),
        explanations=told,
        conditions=shown(scores, level, seed, resamples),
        families=whole_families(scores, level, seed, resamples),
        facts=use_of_facts(scores, level, seed, resamples),
        twin=frozen_minus_twin([whole], level),
        people=scores.people,
        bad=scores.bad,
        judged=scores.judged,
        verdict=found.verdict,
        reasons=(found.reason, *_remarks(scores, whole)),
        power=found.power,
    )


class AdjustedScores:
    """The surplus of a scores, what is left beyond all explanations at once, and beyond each by itself."""

    def __init__(self, scores: ItemScores, seed: int = 0, resamples: int = RESAMPLES) -> None:
        self.scores, self.seed, self.resamples = scores, seed, resamples
        self.columns = explanations(scores)
        self.plain = self._rates(split(scores))
        self.beyond = beyond_explanations(scores)
        self.rates = self._rates(self.beyond)

    def _rates(self, part: Split) -> Linear:
        return linear([(part, part.plain)], self.seed, self.resamples)

    def alone(self, name: str) -> tuple[Linear, Split]:
        """The rates on the sides of one explanation."""
        part = split(self.scores, self.columns[name][0])
        return self._rates(part), part

    def estimate(self, plain: float, left: float, level: float, of: tuple[Linear, Split] | None = None) -> Estimate:
        """So many times the plain surplus plus so many times what is left; nan where nobody knows."""
        rates, part = (self.rates, self.beyond) if of is None else of
        if part.left is None:
            note = "a cue is right wherever it speaks, so nothing can be told beyond it"
            return Estimate(NAN, (NAN, NAN), len(self.scores), self.plain.units, 0.0, level, "none", self.seed, note)
        return rates.weighed(plain * part.plain + left * part.left).estimate(level, self.seed)

    def followed(self, name: str, level: float) -> Estimate | None:
        """The share of answers that follow an explanation, below 0 where they avoid it; None where it has one side.

        Whoever knows some items, answers others by a cue and guesses the rest, is more often right where the cue is
        right than where it is wrong by the share that is answered by the cue.
        """
        rates, part = self.alone(name)
        column, chance = self.columns[name][0], self.scores.chance
        earned = np.array([column[mask].mean() for mask in part.masks])
        gains = np.array([leaning(column[mask], chance[mask]) for mask in part.masks])
        if not ((gains > 0).any() and (gains < 0).any()):
            return None
        weights = np.sign(gains) / (earned[gains > 0][0] - earned[gains < 0][0])
        return replace(rates, weights=weights, chance=np.zeros(len(gains)), bad=np.zeros(1)).estimate(level, self.seed)

    def strongest(self) -> str:
        """The explanation that leaves least, as the reader is told; empty where there is none."""
        values = {name: leaves(split(self.scores, column)) for name, (column, _) in self.columns.items()}
        return min(values, key=lambda name: values[name], default="")


def evidence(surpluses: AdjustedScores, sure: float) -> Evidence:
    """What the rules look at, at the level that keeps the page right; what is searched pays for the search."""
    scores, seed, resamples = surpluses.scores, surpluses.seed, surpluses.resamples
    seconds = other_conditions(scores)
    strict = 1 - (1 - sure) / max(1, len(seconds))
    shares = {second.name: second.kept(scores, strict) for second in seconds}
    facts = use_of_facts(scores, sure, seed, resamples)
    beyond = surpluses.estimate(0, 1, sure)
    # What is followed matters where nothing is left beyond; not for the model without the question, as whoever does
    # not know an answer falls back on what it would say anyway.
    cues = [name for name in surpluses.columns if name != BLIND and not beyond.low > 0]
    follows = {name: surpluses.followed(name, 1 - (1 - sure) / len(cues)) for name in cues}
    return Evidence(
        accuracy=float(scores.right.mean()),
        chance=float(scores.chance.mean()),
        surplus=surpluses.plain.estimate(sure, seed),
        beyond=beyond,
        balance=surpluses.estimate(1, -2, sure),
        strongest=surpluses.strongest(),
        followed={name: share for name, share in follows.items() if share is not None},
        kept={name: share for name, share in shares.items() if share is not None},
        facts=None if facts is None else facts.surplus,
        used=None if facts is None else facts.used,
        level=sure,
    )


def _explanation(name: str, surpluses: AdjustedScores, level: float) -> Explanation:
    scores, seed, resamples = surpluses.scores, surpluses.seed, surpluses.resamples
    column, tried = surpluses.columns[name]
    right, wrong, _ = side_masks(column, scores.chance)
    alone = surpluses.alone(name)
    return Explanation(
        name=name,
        tried=tried,
        accuracy=_rate(scores, np.ones(len(scores), dtype=bool), column, level, seed, resamples),
        where_right=_rate(scores, right, scores.right, level, seed, resamples) if right.any() else None,
        where_wrong=_rate(scores, wrong, scores.right, level, seed, resamples) if wrong.any() else None,
        left=surpluses.estimate(0, 1, level, alone),
        gone=surpluses.estimate(1, -1, level, alone),
        followed=surpluses.followed(name, level),
    )


def _rate(scores: ItemScores, mask: Bools, earned: Floats, level: float, seed: int, resamples: int) -> Estimate:
    crossed = None if scores.crossed is None else scores.crossed[mask]
    chance = float(scores.chance[mask].mean())
    return accuracy(earned[mask], scores.units[mask], chance, level, seed, resamples, crossed)


def _remarks(scores: ItemScores, whole: ItemScores) -> tuple[str, ...]:
    """What else has to be known beside a verdict."""
    said = []
    if len(scores) < len(whole):
        said.append("The frozen half does better than its twin, so the twin half alone is judged.")
    elif whole.twin is None:
        said.append("There is no twin half here, so memory of the items cannot be told from knowledge.")
    if not scores.cues:
        said.append("No cue was held against it.")
    if not other_conditions(scores):
        said.append("It was asked once and in one way, so robustness was not looked at.")
    if not scores.judged:
        said.append("Nobody has judged these items, so they stay outside the one number.")
    return tuple(said)
