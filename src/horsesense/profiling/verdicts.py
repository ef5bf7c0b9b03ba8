"""From item scores to findings: estimates with intervals, and one verdict per ability."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from horsesense.errors import UserError
from horsesense.profiling.adjusted import (
    BLIND,
    Weighting,
    beyond_explanations,
    explanations,
    linear,
    plain,
    side_masks,
    weighted,
)
from horsesense.profiling.contamination import contamination, frozen_minus_twin, is_untestable, judged_half
from horsesense.profiling.finding import AbilityFinding, Contamination, ExplanationFinding, Verdict, Verdicts
from horsesense.profiling.item_scores import Bools, ItemScores
from horsesense.profiling.overall import differences, group_scores, overall_score
from horsesense.profiling.power import DRAWS, flawless_floor, power_to_detect
from horsesense.profiling.retention import (
    conditions_shown,
    contrast_pairs,
    other_conditions,
    use_of_facts,
    whole_families,
)
from horsesense.profiling.verdict_rules import HALF, MOST, Evidence, Judged, judge
from horsesense.runs.result import LEAST_ANSWERED
from horsesense.stats.accuracy import accuracy
from horsesense.stats.intervals import Estimate
from horsesense.stats.resampling import RESAMPLES, Floats

__all__ = ["differences", "finding", "overall_score", "verdicts"]

ALPHA = 0.05
"""Probability of any wrong claim on a page."""
NAN = float("nan")


def verdicts(every: Sequence[ItemScores], level: float = 0.95, seed: int = 0, resamples: int = RESAMPLES) -> Verdicts:
    """Compute all results for one model: abilities, contamination, scores per group and the overall score."""
    if not every:
        raise UserError("there is nothing to judge", fix="give the scores of at least one ability")
    if len({scores.model for scores in every}) > 1:
        raise UserError("the scores are of several models", fix="judge one model at a time")
    for scores in every:
        if not len(scores):
            raise UserError(f"{scores.ability} has no items", fix="leave it out of the page")
    strict = page_level(len(every))
    seen = contamination(every, level)
    judged = [judged_half(scores, seen) for scores in every]
    findings = tuple(
        finding(used, whole, seen, strict, level, seed, resamples) for used, whole in zip(judged, every, strict=True)
    )
    scored = [used for used, whole in zip(judged, every, strict=True) if not is_untestable(whole, seen)]
    overall = overall_score([scores for scores in scored if scores.answered >= LEAST_ANSWERED], level)
    inside = {ability for group in (overall.groups if overall else ()) for ability in group.abilities}
    left_out = tuple(scores.ability for scores in every if scores.ability not in inside)
    groups = group_scores(scored, level)
    return Verdicts(every[0].model, findings, seen, groups, overall, left_out, level, strict)


def page_level(abilities: int) -> float:
    """Return the confidence level of each claim (Bonferroni): two per ability, reading cues and knowing.

    >>> round(page_level(6), 4)
    0.9958
    """
    return 1 - ALPHA / (2 * abilities)


def finding(
    scores: ItemScores,
    whole: ItemScores,
    seen: Contamination,
    strict: float,
    level: float,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> AbilityFinding:
    """Analyse one ability: ``scores`` are the scores used, ``whole`` has both halves."""
    own = AdjustedScores(scores)
    chance = float(scores.chance.mean())
    shown = evidence(own, strict)
    found = judge(shown)
    verdict, on_twin, reasons = with_contamination(found, whole, seen)
    facts = use_of_facts(scores, level, seed, resamples)
    return AbilityFinding(
        model=scores.model,
        ability=scores.ability,
        method=scores.method,
        group=scores.group or scores.method,
        n=len(scores),
        half="all" if len(scores) == len(whole) else "twin",
        accuracy=_rate(scores, np.ones(len(scores), dtype=bool), scores.right, level, seed, resamples),
        ceiling=1.0 if scores.bad is None else 1 - scores.bad.value * (1 - chance),
        chance_corrected=own.corrected(level),
        adjusted=own.adjusted(level),
        decisive=shown.adjusted,
        explanations=tuple(_explanation(name, own, level, seed, resamples) for name in own.columns),
        relatedness_controlled=bool(scores.relatedness),
        conditions=conditions_shown(scores, level, seed, resamples),
        contrasts=contrast_pairs(scores, level),
        families=whole_families(scores, level, seed, resamples),
        facts=facts,
        twin=frozen_minus_twin([whole], level),
        people=scores.people,
        bad=scores.bad,
        judged=scores.judged,
        verdict=verdict,
        on_twin=on_twin,
        reasons=(*reasons, *_facts_unused(scores, strict), *_remarks(scores, whole)),
        power=power_to_detect(own.weighting, strict),
        knows_attainable=flawless_floor(own.weighting, one_sided(strict)) > MOST,
    )


def with_contamination(
    found: Judged, whole: ItemScores, seen: Contamination
) -> tuple[Verdict, Verdict | None, tuple[str, ...]]:
    if whole.ability not in seen.contaminated:
        if is_untestable(whole, seen) and found.verdict in ("knows", "partly"):
            reason = "Contamination was found in other abilities, and cannot be tested here: these items have no twins."
            return "inconclusive", None, (reason, found.reason)
        return found.verdict, None, (found.reason,)
    own = frozen_minus_twin([whole], 0.95)
    assert own is not None, "a contaminated ability has both halves"
    reason = (
        f"Accuracy on the public items is {100 * own.value:.0f} points higher than on their twins "
        f"({100 * own.low:.0f} to {100 * own.high:.0f}). On the twins alone: {found.verdict}."
    )
    return "contaminated", found.verdict, (reason, found.reason)


class AdjustedScores:
    """The chance-corrected score, and the scores adjusted for all explanations jointly and for each separately."""

    def __init__(self, scores: ItemScores) -> None:
        self.scores = scores
        self.columns = explanations(scores)
        self.plain = plain(scores)
        self.weighting = beyond_explanations(scores)

    def corrected(self, level: float) -> Estimate:
        """Return the chance-corrected score."""
        return linear([(self.plain, 1.0)]).estimate(level)

    def adjusted(self, level: float) -> Estimate:
        """Return the score adjusted for all explanations; nan if undefined."""
        return self.combined(0, 1, level, self.weighting)

    def alone(self, name: str) -> Weighting | None:
        """Return the weights under which one explanation is at chance."""
        return weighted(self.scores, self.columns[name].right)

    def combined(self, corrected: float, adjusted: float, level: float, part: Weighting | None) -> Estimate:
        """Return a linear combination of the chance-corrected and the adjusted score; nan without weights."""
        if part is None:
            note = "an explanation is right wherever it applies, so the adjusted score is undefined"
            n, clusters = len(self.scores), len(np.unique(self.scores.clusters))
            return Estimate(NAN, (NAN, NAN), n, clusters, 0.0, level, "none", 0, note)
        terms = [(each, factor) for each, factor in ((self.plain, corrected), (part, adjusted)) if factor]
        return linear(terms).estimate(level)

    def followed(self, name: str, level: float) -> Estimate | None:
        """Estimate the share of answers that follow an explanation, negative if they avoid it; None if it has one side.

        For a model that knows some items, answers others by a cue and guesses the rest, the difference between accuracy
        where the cue is right and where it is wrong is the share answered by the cue.
        """
        column, chance = self.columns[name].right, self.scores.chance
        sides = side_masks(column, chance)
        if not all(side.any() for side in sides):
            return None
        none = np.zeros((len(self.scores), 0))
        parts = [
            (Weighting(self.scores, side / side.sum(), none), sign) for side, sign in zip(sides, (1, -1), strict=True)
        ]
        rates = linear([(part, float(sign)) for part, sign in parts])
        apart = float(column[sides[0]].mean() - column[sides[1]].mean())
        followed = replace(rates, factors=np.array([1, -1]) / apart, chance=np.zeros(2), bad=np.zeros(1))
        return followed.estimate(level)

    def strongest(self) -> str:
        """Name the explanation that most answers follow, to a tenth; the first of equal ones, or nothing."""
        shares = {name: self.followed(name, 0.95) for name in self.columns}
        values = {name: share.value for name, share in shares.items() if share is not None and share.value > 0}
        return max(values, key=lambda name: round(values[name], 1), default="")


def one_sided(level: float) -> float:
    """Return the two-sided level whose lower limit is one-sided at the given level."""
    return 1 - 2 * (1 - level)


def evidence(own: AdjustedScores, strict: float, draws: int = DRAWS) -> Evidence:
    """Collect the inputs of the rules at the level that is valid for the page, corrected for the search."""
    scores = own.scores
    others = other_conditions(scores)
    stricter = 1 - (1 - strict) / max(1, len(others))

    def retained(level: float) -> dict[str, Estimate]:
        shares = {other.name: other.retention(scores, level) for other in others}
        return {name: share for name, share in shares.items() if share is not None}

    adjusted = own.adjusted(strict)
    left = adjusted.low > 0
    # Following matters if nothing significant is left. The model without the question is exempt: without knowledge a
    # model falls back on its prior.
    cues = [name for name in own.columns if name != BLIND and not left]
    # The claim is more than half, far from both guessing and knowing: one claim per ability, one-sided.
    majority = 1 - 4 * (1 - strict)
    follows = {name: own.followed(name, majority) for name in cues}
    return Evidence(
        accuracy=float(scores.right.mean()),
        chance=float(scores.chance.mean()),
        chance_corrected=own.corrected(strict),
        adjusted=adjusted,
        floor=own.adjusted(one_sided(strict)).low,
        hint=own.adjusted(0.95).low,
        balance=own.combined(1, -2, strict, own.weighting),
        strongest=own.strongest(),
        followed={name: share for name, share in follows.items() if share is not None},
        retention=retained(stricter),
        retention_at_95=retained(one_sided(0.95)),
        contrasts=contrast_pairs(scores, majority),
        relatedness_controlled=bool(scores.relatedness),
        power=1.0 if left else power_to_detect(own.weighting, strict, draws=draws),
        level=strict,
        answered=scores.answered,
    )


def _explanation(name: str, own: AdjustedScores, level: float, seed: int, resamples: int) -> ExplanationFinding:
    scores, column = own.scores, own.columns[name]
    right, wrong = column.right >= 1, column.right <= 0  # ties are on neither side
    alone = own.alone(name)
    return ExplanationFinding(
        name=name,
        kind=column.kind,
        tried=column.tried,
        accuracy=_rate(scores, np.ones(len(scores), dtype=bool), column.right, level, seed, resamples),
        where_right=_rate(scores, right, scores.right, level, seed, resamples) if right.any() else None,
        where_wrong=_rate(scores, wrong, scores.right, level, seed, resamples) if wrong.any() else None,
        adjusted=own.combined(0, 1, level, alone),
        explained=own.combined(1, -1, level, alone),
        followed=own.followed(name, level),
    )


def _rate(scores: ItemScores, mask: Bools, earned: Floats, level: float, seed: int, resamples: int) -> Estimate:
    crossed = None if scores.crossed is None else scores.crossed[mask]
    chance = float(scores.chance[mask].mean())
    return accuracy(earned[mask], scores.clusters[mask], chance, level, seed, resamples, crossed)


def _facts_unused(scores: ItemScores, strict: float) -> tuple[str, ...]:
    """Report a ladder whose facts are mostly known and mostly unused."""
    facts = use_of_facts(scores, strict)
    if facts is None or facts.used is None or not (facts.chance_corrected.low > HALF and facts.used.high < HALF):
        return ()
    return (
        f"It knows {100 * facts.chance_corrected.value:.0f}% of the underlying facts, and applies "
        f"{100 * facts.used.value:.0f}% of these in the inference.",
    )


def _remarks(scores: ItemScores, whole: ItemScores) -> tuple[str, ...]:
    """Return further caveats of a verdict."""
    said = []
    if len(scores) < len(whole):
        said.append("Contamination was found, so these numbers are for the unpublished twins alone.")
    elif whole.twin is None:
        said.append("These items have no unpublished twins, so contamination cannot be distinguished from knowledge.")
    if not scores.cues:
        said.append("No surface cue applies to these items.")
    if not scores.relatedness:
        said.append("Relatedness was not controlled.")
    if not other_conditions(scores):
        said.append("Each item was asked once and in one format, so robustness was not tested.")
    if not scores.judged:
        said.append("No person has validated these items, so they do not count in the overall score.")
    return tuple(said)
