"""The rules: from measurements to one verdict, by fixed questions in a fixed order.

*Significantly* means: by the interval at the level that is valid for the whole page (Bonferroni over its abilities, and
within an ability over the search). Claims are based on positive evidence. Low power limits only claims of absence.

0. Were fewer than nine of ten questions answered (refused, filtered, cut off, unparsed, empty, failed)? Inconclusive.
   Up to that, a question without an answer earns what a guess does.
1. Is it significantly above chance, and does significantly more of its score disappear than remain when the
   explanations are adjusted to chance? Or is nothing significant left, while significantly more than half of the
   answers follow a cue or relatedness, or avoid it? Reads cues.
2. Do significantly more than half of the pairs with opposite keys get the same answer whichever way they are asked, and
   is exactly one right significantly more than twice as often as both? Same answer. Else, is it significantly below
   chance? Reads cues, in the wrong direction.
3. Is the adjusted score significantly above chance? If so:
   is accuracy itself not? Inconclusive;
   was relatedness not controlled? Inconclusive (pairs with opposite keys are nearly immune: partly at best);
   is significantly less than two thirds of it retained in another condition? Not robust; less, but not
   significantly, or not shown to be more than a third? Inconclusive;
   are significantly more than two thirds known? Knows. Significantly not all? Partly. Else inconclusive.
4. If not: would a model that knows 40% have been found in four of five draws, is less than that possible, is all
   credit explained, and nothing left at 95% either? Not above chance. Else inconclusive.

Contamination is tested before (`contamination`): an ability whose frozen half does better than its twin is
contaminated, and the rules are then applied to the twin half alone. If contamination is found in all abilities
together, an ability without a twin is inconclusive at best.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from horsesense.formatting import interval, number
from horsesense.profiling.finding import ContrastPairs, Verdict
from horsesense.runs.result import LEAST_ANSWERED
from horsesense.stats.intervals import FEW, Estimate

HALF = 1 / 2
"""Threshold for following a cue, for same answers, and for the use of facts."""
THIRD = 1 / 3
"""Retention that has to be excluded at 95%, one-sided, before anything is called known: a retest of a dozen questions
may come out well by luck."""
MISSABLE = 0.4
"""Share known by the alternative of a claim of absence. With a half, models that know 40% and reply with noise were
called not above chance in up to one of eight quick profiles."""
MOST = 2 / 3
"""Threshold of knowledge for "knows", and of retention for "not robust"."""
ROUNDING = 1e-9
POWER = 0.8
"""Minimum power for a claim of absence."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Inputs of the rules; all intervals at the level that is valid for the whole page."""

    accuracy: float
    """Accuracy."""
    chance: float
    """Chance level."""
    chance_corrected: Estimate
    """Credit above chance."""
    adjusted: Estimate
    """The same with every explanation at chance."""
    floor: float
    """Lower limit of the adjusted score, one-sided at the same level, since knowledge is claimed first."""
    hint: float
    """Lower limit of the adjusted score at 95%: if positive, absence is not claimed."""
    balance: Estimate
    """Part of the score removed by the adjustment minus the part that remains."""
    strongest: str
    """Explanation that most answers follow; empty if they follow none."""
    followed: Mapping[str, Estimate]
    """Share of answers that follow each cue or relatedness, negative if they avoid it; only if nothing significant is
    left; one-sided at the level of a page."""
    retention: Mapping[str, Estimate]
    """Retention by other condition; level corrected for their number."""
    retention_at_95: Mapping[str, Estimate]
    """The same with limits that are one-sided at 95%; it exists for smaller samples."""
    contrasts: tuple[ContrastPairs, ...]
    """Contrast pairs; one-sided at the level of a page."""
    relatedness_controlled: bool
    """Whether relatedness is among the explanations."""
    power: float
    """Probability that a model that knows 40% would be found above chance."""
    level: float
    """Confidence level of "significantly"."""
    answered: float = 1.0
    """Share of the questions that were answered."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict with its deciding reason."""

    verdict: Verdict
    reason: str


def judge(evidence: Evidence) -> Judged:
    """Return the verdict by the questions above."""
    if evidence.answered < LEAST_ANSWERED:
        return Judged(
            "inconclusive",
            f"Only {evidence.answered:.0%} of the questions were answered, and a verdict needs {LEAST_ANSWERED:.0%}.",
        )
    return _cues(evidence) or _same_answer(evidence) or _below_chance(evidence) or _known(evidence) or _absent(evidence)


def _accuracy(evidence: Evidence) -> str:
    return f"Accuracy is {evidence.accuracy:.0%}, chance {evidence.chance:.0%}"


def _strongest(evidence: Evidence) -> str:
    if not evidence.strongest:
        return ""
    return f" Among the controls, its answers agree most with {evidence.strongest}; the adjusted score allows for this."


def _cues(evidence: Evidence) -> Judged | None:
    corrected, adjusted = evidence.chance_corrected, evidence.adjusted
    if corrected.clusters < FEW:
        return None
    if corrected.low > 0 and evidence.balance.low > 0:
        return Judged(
            "reads cues",
            f"{_accuracy(evidence)}. Controls explain most of this: the chance-corrected score of "
            f"{number(corrected.value)} falls to an adjusted score of {number(adjusted.value)}.{_strongest(evidence)}",
        )
    if not adjusted.low > 0:
        for name, share in evidence.followed.items():
            # A model that avoids a cue still has to guess among the other options.
            if share.low > HALF or share.high < -HALF / (1 / evidence.chance - 1):
                if share.value <= 0:
                    return Judged("reads cues", f"{_accuracy(evidence)}. It avoids {name}.")
                how = f"An estimated {_share(share)} of its answers come from {name}."
                return Judged("reads cues", f"{_accuracy(evidence)}. {how}")
    return None


def _same_answer(evidence: Evidence) -> Judged | None:
    for pairs in evidence.contrasts:
        if pairs.same_answer.clusters >= FEW and pairs.same_answer.low > HALF and pairs.margin.low > 0:
            return Judged(
                "same answer",
                f"In {pairs.one_right:.0%} of {pairs.pairs:,} {pairs.kind} pairs it gets exactly one of the two "
                "questions right. Their gold answers are opposites, so it mostly gives the same answer to both: in "
                f"about {pairs.same_answer.value:.0%} of the pairs, corrected for guessing. With the same correction, "
                f"it knows both answers in {max(0.0, pairs.known.value):.0%}.",
            )
    return None


def _below_chance(evidence: Evidence) -> Judged | None:
    """Test after the same answer: among pairs with one right each, the few others would decide."""
    corrected = evidence.chance_corrected
    if corrected.clusters < FEW or not corrected.high < 0:
        return None
    return Judged(
        "reads cues",
        f"{_accuracy(evidence)}. This is significantly below chance, so it follows a cue in the wrong direction.",
    )


def _known(evidence: Evidence) -> Judged | None:
    adjusted, strongest = evidence.adjusted, _strongest(evidence)
    if not adjusted.low > 0 or adjusted.clusters < FEW:
        return None
    if not evidence.chance_corrected.low > 0:
        # Weights that rest on a few items can lift the adjusted score above 0 by chance.
        return Judged(
            "inconclusive",
            f"The adjusted score is between {_scores(evidence)}. But at the level of the verdict, plain accuracy is "
            f"not significantly above chance ({evidence.accuracy:.0%}, chance "
            f"{evidence.chance:.0%}).",
        )
    if not evidence.relatedness_controlled and not evidence.contrasts:
        return Judged(
            "inconclusive",
            f"{_accuracy(evidence)}. But relatedness was not controlled: picking the option most similar to the "
            "question may score as high.",
        )
    lost = [(condition, share) for condition, share in evidence.retention.items() if share.high < MOST]
    if lost:
        condition, share = min(lost, key=lambda each: each[1].value)
        return Judged(
            "not robust",
            f"{max(0.0, share.value):.0%} of the score is left {condition} (at most {max(0.0, share.high):.0%}). "
            "This is significantly less than two thirds.",
        )
    for condition, share in evidence.retention_at_95.items():
        if share.value < MOST or share.low <= THIRD:
            return Judged(
                "inconclusive",
                f"The adjusted score is between {_scores(evidence)}. But it may not be robust: between "
                f"{max(0.0, share.low):.0%} and {min(1.0, share.high):.0%} of the score is left {condition} "
                "(one-sided 95% limits).",
            )
    if evidence.floor > MOST and evidence.relatedness_controlled:
        return Judged(
            "knows",
            f"The adjusted score is at least {number(evidence.floor)} (one-sided {_level(evidence)} limit).{strongest}",
        )
    if adjusted.high < 1 - ROUNDING or not evidence.relatedness_controlled:
        return Judged("partly", f"The adjusted score is between {_scores(evidence)}.{strongest}")
    return Judged(
        "inconclusive",
        f"The adjusted score is between {_scores(evidence)}. So it may know all items, or only some.{strongest}",
    )


def _absent(evidence: Evidence) -> Judged:
    adjusted = evidence.adjusted
    if adjusted.value != adjusted.value:
        return Judged(
            "inconclusive", "The adjusted score is undefined: a control is right on every item that it answers."
        )
    if adjusted.clusters < FEW:
        return Judged("inconclusive", f"There are only {adjusted.n:,} items in {adjusted.clusters:,} clusters.")
    if evidence.chance_corrected.low > 0:
        return Judged(
            "inconclusive",
            f"{_accuracy(evidence)}. This is above chance, but the controls may explain it: the adjusted score is "
            f"between {_scores(evidence)}.{_strongest(evidence)}",
        )
    if evidence.power < POWER or adjusted.high >= MISSABLE or evidence.hint > 0:
        return Judged(
            "inconclusive",
            f"{_accuracy(evidence)}. The adjusted score is between {_scores(evidence)}. {_open(evidence)}"
            f"{_leaning(evidence)}",
        )
    return Judged(
        "not above chance",
        f"{_accuracy(evidence)}. Nothing significant is left after the controls, although {_power(evidence)}"
        f"{_leaning(evidence)}",
    )


def _open(evidence: Evidence) -> str:
    """State why absence is not claimed although nothing is significantly above 0."""
    if evidence.hint > 0:
        return f"Its lower limit is above 0 at 95% ({evidence.hint:.3f}), but not at {_level(evidence)}."
    if evidence.adjusted.high >= MISSABLE:
        return f"So it may be 0, and it may be {MISSABLE:.2f} or more."
    return f"It is not significantly above 0. But {_power(evidence, 'only ')}"


def _leaning(evidence: Evidence) -> str:
    """State what would be another verdict if it were significant, so that nobody misses it."""
    leaning = {f"of its answers come from {name}": share for name, share in evidence.followed.items()}
    leaning |= {f"of {pairs.kind} pairs get the same answer": pairs.same_answer for pairs in evidence.contrasts}
    what = max(leaning, key=lambda what: leaning[what].value, default="")
    if not what or leaning[what].value <= HALF:
        return ""
    share = leaning[what]
    return f" An estimated {_share(share)} {what}."


def _share(share: Estimate) -> str:
    close = share.low > HALF and round(share.low, 2) == HALF
    ends = interval(max(0.0, share.low), min(1.0, share.high), ".1%" if close else ".0%")
    includes = ", which includes 50%" if share.low <= HALF else ""
    return f"{min(1.0, share.value):.0%} ({_percent(share.level)} interval {ends}{includes})"


def _power(evidence: Evidence, only: str = "") -> str:
    digits = 1 if evidence.power < POWER and round(evidence.power, 2) >= POWER else 0
    power = f"{evidence.power:.{digits}%}" if evidence.power >= 0.005 else "less than 1%"
    n = f"n = {evidence.adjusted.n:,}"
    return f"a model that knows 40% of the items would be detected with {only}{power} power ({n})."


def _scores(evidence: Evidence) -> str:
    low, high = evidence.adjusted.low, min(1.0, evidence.adjusted.high)
    return f"{number(low)} and {number(high)} ({_level(evidence)} interval)"


def _level(evidence: Evidence) -> str:
    return _percent(evidence.level)


def _percent(level: float) -> str:
    return f"{100 * level:.4g}%"
