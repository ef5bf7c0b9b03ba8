"""The rules: from what was measured to one verdict, by stated questions in a fixed order.

*Significantly* means: by the interval at the level that keeps the whole page right (Bonferroni over its abilities, and
within an ability over what is searched). What is claimed is shown. Low power limits claims of absence and nothing else.

1. Is it significantly above chance, while significantly more of its score goes than stays when the explanations are
   made to earn chance? Or is nothing significant left, while significantly more than half of the answers follow a cue
   or relatedness, or avoid it? Reads cues.
2. Do significantly more than half of the pairs with opposite keys get the same answer whichever way they are asked, and
   is exactly one right significantly more than twice as often as both? Same answer. Else, is it significantly below
   chance? Reads cues, the wrong way round.
3. Is something significantly left beyond the explanations? If so:
   was relatedness not controlled? Inconclusive (pairs with opposite keys are nearly immune: partly at best);
   is significantly less than two thirds of it retained in another condition? Not robust; less, but not
   significantly? Inconclusive;
   are significantly more than two thirds known? Knows. Significantly not all? Partly. Else inconclusive.
4. If not: would a model that knows half have been found in four of five draws, is less than half possible, is nothing
   earned that is not explained, and nothing left at 95% either? Not above chance. Else inconclusive.

Contamination is asked before (`contamination`): an ability whose frozen half does better than its twin is contaminated,
and the rules then say what the twin half alone shows. Where contamination is found in all abilities together, one
without a twin is inconclusive at best.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from horsesense.profiling.finding import ContrastPairs, Verdict
from horsesense.stats.intervals import FEW, Estimate

HALF = 1 / 2
"""What a model must be detectable with to claim absence; more answers than this follow a cue, or are the same."""
MOST = 2 / 3
"""Who knows more than this knows; who retains less than this is not robust."""
ROUNDING = 1e-9
POWER = 0.8
"""Below this no absence is claimed."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the rules look at; all intervals at the level that keeps the whole page right."""

    accuracy: float
    """Share right."""
    chance: float
    """What guessing earns."""
    chance_corrected: Estimate
    """What is earned above chance."""
    adjusted: Estimate
    """The same when every explanation earns chance."""
    floor: float
    """Lower end of the adjusted score, one-sided at the same level: that something is known is claimed first."""
    hint: float
    """Lower end of the adjusted score at 95%: where it is above 0, absence is not claimed."""
    balance: Estimate
    """What goes by the adjustment minus what stays."""
    strongest: str
    """The explanation that leaves least by itself; empty where there is none."""
    followed: Mapping[str, Estimate]
    """By cue or relatedness, the share of answers that follow it, below 0 where they avoid it; only where nothing is
    significantly left; one-sided at the level of a page."""
    retention: Mapping[str, Estimate]
    """By other condition, the share of what is known that is retained; level corrected for their number."""
    contrasts: tuple[ContrastPairs, ...]
    """Pairs with opposite keys; one-sided at the level of a page."""
    relatedness_controlled: bool
    """Whether relatedness is among the explanations."""
    power: float
    """How often a model that knows half would be found above chance."""
    level: float
    """Confidence behind "significantly"."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict with its deciding reason."""

    verdict: Verdict
    reason: str


def judge(evidence: Evidence) -> Judged:
    """Return the verdict by the questions above."""
    return _cues(evidence) or _same_answer(evidence) or _below_chance(evidence) or _known(evidence) or _absent(evidence)


def _earned(evidence: Evidence) -> str:
    return f"Right in {_percent(evidence.accuracy)}, where guessing gives {_percent(evidence.chance)}"


def _beyond(evidence: Evidence) -> str:
    return f" beyond {evidence.strongest}" if evidence.strongest else ""


def _cues(evidence: Evidence) -> Judged | None:
    corrected, adjusted = evidence.chance_corrected, evidence.adjusted
    if corrected.clusters < FEW:
        return None
    if corrected.low > 0 and evidence.balance.low > 0:
        return Judged(
            "reads cues",
            f"{_earned(evidence)}: a chance-corrected score of {_percent(corrected.value)}, but "
            f"{_percent(adjusted.value)} is left{_beyond(evidence)}.",
        )
    if not adjusted.low > 0:
        for name, share in evidence.followed.items():
            # Whoever avoids a cue still has to guess among the other options.
            if share.low > HALF or share.high < -HALF / (1 / evidence.chance - 1):
                how = f"{_percent(share.value)} of its answers come from" if share.value > 0 else "its answers avoid"
                return Judged("reads cues", f"{_earned(evidence)}, and {how} {name}.")
    return None


def _same_answer(evidence: Evidence) -> Judged | None:
    for pairs in evidence.contrasts:
        if pairs.same_answer.clusters >= FEW and pairs.same_answer.low > HALF and pairs.margin.low > 0:
            return Judged(
                "same answer",
                f"Of {pairs.pairs:,} pairs with opposite keys ({pairs.kind}) exactly one question is right in "
                f"{_percent(pairs.one_right)}: it gives the same answer whichever way it is asked in about "
                f"{_percent(pairs.same_answer.value)}, and knows {_percent(max(0.0, pairs.known.value))}.",
            )
    return None


def _below_chance(evidence: Evidence) -> Judged | None:
    """Asked after the same answer: of pairs that get one right each, the rest decides by next to nothing."""
    corrected = evidence.chance_corrected
    if corrected.clusters < FEW or not corrected.high < 0:
        return None
    return Judged("reads cues", f"{_earned(evidence)}: significantly worse, so a cue is read the wrong way round.")


def _known(evidence: Evidence) -> Judged | None:
    adjusted, what = evidence.adjusted, _beyond(evidence)
    if not adjusted.low > 0 or adjusted.clusters < FEW:
        return None
    if not evidence.relatedness_controlled and not evidence.contrasts:
        return Judged(
            "inconclusive",
            f"{_earned(evidence)}, but relatedness was not controlled: picking the option on the topic of the question "
            "may earn as much.",
        )
    lost = [(condition, share) for condition, share in evidence.retention.items() if share.high < MOST]
    if lost:
        condition, share = min(lost, key=lambda each: each[1].value)
        return Judged(
            "not robust",
            f"Of what is known, {_percent(share.value)} is known {condition} ({_percent(share.high)} at most).",
        )
    doubtful = [condition for condition, share in evidence.retention.items() if share.value < MOST]
    if doubtful:
        share = evidence.retention[doubtful[0]]
        return Judged(
            "inconclusive",
            f"{_range(adjusted)} of what can be known is known{what}, and {_range(share)} of it {doubtful[0]}: it may "
            "not be robust.",
        )
    if evidence.floor > MOST and evidence.relatedness_controlled:
        return Judged("knows", f"At least {_percent(evidence.floor)} of what can be known is known{what}.")
    if adjusted.high < 1 - ROUNDING or not evidence.relatedness_controlled:
        return Judged("partly", f"{_range(adjusted)} of what can be known is known{what}.")
    return Judged("inconclusive", f"{_range(adjusted)} of what can be known is known{what}: a part of it, or all.")


def _absent(evidence: Evidence) -> Judged:
    adjusted, what = evidence.adjusted, _beyond(evidence)
    if adjusted.value != adjusted.value:
        return Judged(
            "inconclusive", "Nothing can be known here: an explanation is right on every item that it answers."
        )
    if adjusted.clusters < FEW:
        return Judged("inconclusive", f"{adjusted.n:,} items in {adjusted.clusters:,} clusters are too few.")
    if evidence.chance_corrected.low > 0:
        return Judged(
            "inconclusive", f"{_earned(evidence)}; {_range(adjusted)} is left{what}, which may be much or nothing."
        )
    if evidence.power < POWER or adjusted.high >= HALF or evidence.hint > 0:
        return Judged(
            "inconclusive",
            f"{_earned(evidence)}; {_range(adjusted)} may be known{what}. With {adjusted.n:,} items in "
            f"{adjusted.clusters:,} clusters, a model that knows half is found in {_percent(evidence.power)} of draws.",
        )
    return Judged(
        "not above chance",
        f"{_earned(evidence)}; a model that knows half would have been found in {_percent(evidence.power)} of draws.",
    )


def _range(share: Estimate) -> str:
    return f"{_percent(share.low)} to {_percent(share.high)}"


def _percent(share: float) -> str:
    return f"{100 * share:z.0f}%"
