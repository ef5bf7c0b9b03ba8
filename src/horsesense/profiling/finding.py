"""Results for a model: each estimate with n and interval, the verdict, and its reasons.

*Chance-corrected* is credit above chance on a scale where 0 is chance and 1 the ceiling: (accuracy - chance) /
(ceiling - chance). *Adjusted* is the same with every explanation exactly at chance. Neither is ever clipped.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from horsesense.core.document import Document
from horsesense.profiling.item_scores import BadShare, HumanReference
from horsesense.stats.intervals import Estimate

Verdict = Literal[
    "knows",
    "partly",
    "not robust",
    "reads cues",
    "contaminated",
    "same answer",
    "not above chance",
    "inconclusive",
]


@dataclass(frozen=True, slots=True)
class ExplanationFinding(Document):
    """A possible explanation of the score: a cue, relatedness, or the model without the question."""

    name: str
    """Name of the explanation."""
    kind: Literal["cue", "relatedness", "blind"]
    """A surface cue, the option nearest to the question, or the model without the question."""
    tried: int
    """Number of cues it was chosen from; 1 without a choice."""
    accuracy: Estimate
    """Its own accuracy."""
    where_right: Estimate | None
    """Accuracy of the model where it is right without a tie; None without such items."""
    where_wrong: Estimate | None
    """Accuracy of the model where it is wrong; None without such items."""
    adjusted: Estimate
    """Score of the model with items weighted so that this explanation alone is exactly at chance."""
    explained: Estimate
    """Chance-corrected minus adjusted score: its possible contribution."""
    followed: Estimate | None
    """Share of answers that follow it, negative if they avoid it; None if it is right or wrong on all items."""


@dataclass(frozen=True, slots=True)
class OtherCondition(Document):
    """The same items in another condition: retest, another prompt format, other members of a family."""

    name: str
    """Name of the condition."""
    accuracy: Estimate
    """Accuracy in this condition."""
    main: float
    """Accuracy of the same items in the main condition."""
    retention: Estimate | None
    """Share of the knowledge in the main condition that is retained here; None without knowledge there."""


@dataclass(frozen=True, slots=True)
class ContrastPairs(Document):
    """Pairs of questions with opposite keys: giving the same answer to both gets exactly one right."""

    kind: str
    """Kind of contrast: "reversal", "negation", "context"."""
    pairs: int
    """Number of pairs."""
    both_right: float
    """Share of pairs with both members right."""
    both_wrong: float
    """Share of pairs with both members wrong."""
    one_right: float
    """Share of pairs with exactly one member right."""
    known: Estimate
    """Share of pairs known: both right minus both wrong, which are equally frequent under guessing."""
    same_answer: Estimate
    """Share of pairs with the same answer to both members: exactly one right minus twice both wrong."""
    margin: Estimate
    """Exactly one right minus twice both right: positive if far more pairs get the same answer than are known."""


@dataclass(frozen=True, slots=True)
class WholeFamilies(Document):
    """Families with every member right."""

    strict: Estimate
    """Share of families with every member right; n counts families."""
    independent: Estimate
    """Expected share under independent errors."""


@dataclass(frozen=True, slots=True)
class FactUse(Document):
    """Knowledge of the underlying facts, and their use."""

    known: Estimate
    """Accuracy on the underlying facts."""
    chance_corrected: Estimate
    """Chance-corrected accuracy: the share of facts that are known."""
    used: Estimate | None
    """Share of the known facts that are used in the item; None without known facts."""


@dataclass(frozen=True, slots=True)
class AbilityFinding(Document):
    """One ability of one model: score, possible explanations, and verdict."""

    model: str
    """Name of the model."""
    ability: str
    """Name of the ability."""
    method: str
    """Method that the items come from."""
    group: str
    """Group of abilities."""
    n: int
    """Number of items."""
    half: Literal["all", "twin"]
    """Items used: all, or the twin half alone because contamination was found."""
    accuracy: Estimate
    """Accuracy, with chance."""
    ceiling: float
    """Highest attainable accuracy: bad items earn chance."""
    chance_corrected: Estimate
    """Credit above chance as a share of the attainable credit."""
    adjusted: Estimate
    """The same with all explanations jointly at chance."""
    decisive: Estimate
    """The adjusted score with its interval at the level of the verdicts."""
    explanations: tuple[ExplanationFinding, ...]
    """Cues, relatedness, and the model without the question."""
    relatedness_controlled: bool
    """Whether relatedness is among the explanations; otherwise the verdict is never "knows"."""
    conditions: tuple[OtherCondition, ...]
    """Retest, other prompt formats, other members of families."""
    contrasts: tuple[ContrastPairs, ...]
    """Contrast pairs by kind."""
    families: WholeFamilies | None
    """Whole-family accuracy, if items have families."""
    facts: FactUse | None
    """Use of underlying facts, if the ability is a ladder."""
    twin: Estimate | None
    """Accuracy on the frozen half minus that on the twin; None without a twin."""
    people: HumanReference | None
    """Human performance, with the kind of the figure."""
    bad: BadShare | None
    """Share of bad items, if a sample was audited."""
    judged: str
    """Validation of the items; empty if no person validated them."""
    verdict: Verdict
    """Verdict."""
    on_twin: Verdict | None
    """Verdict on the twin half alone if the verdict is "contaminated"; otherwise None."""
    reasons: tuple[str, ...]
    """Reasons, one sentence each, the decisive one first."""
    power: float
    """Probability that a model that knows 40% would be found above chance with these items, by simulation on their
    clusters."""
    knows_attainable: bool
    """Whether a flawless model would get the verdict "knows" with these items."""


@dataclass(frozen=True, slots=True)
class Contamination(Document):
    """Comparison of frozen halves with their twins: all abilities in one test, and each separately."""

    difference: Estimate | None
    """Accuracy on frozen halves minus that on twins, over all abilities with a twin; None without any."""
    p: float
    """One-sided p of the difference."""
    found: bool
    """Whether the difference is significant in all abilities together."""
    level: float
    """Level of the one-sided test of all abilities together."""
    abilities: tuple[str, ...]
    """Abilities in the test."""
    contaminated: tuple[str, ...]
    """Abilities with a significantly higher accuracy on their frozen half."""
    detectable: float | None
    """Smallest difference detectable with power 0.8; if it is large, absence of a difference is weak evidence."""


@dataclass(frozen=True, slots=True)
class GroupScore(Document):
    """Score of one group of abilities."""

    group: str
    """Name of the group: "word knowledge"."""
    abilities: tuple[str, ...]
    """Its abilities, equally weighted."""
    judged: bool
    """Whether people validated the keys of all of them, or they are proved."""
    adjusted: Estimate
    """Mean adjusted score."""


@dataclass(frozen=True, slots=True)
class OverallScore(Document):
    """Mean adjusted score over the groups of abilities whose keys are validated by people or proved."""

    name: str
    """Groups that it covers, such as "word knowledge; reversal and negation"."""
    value: Estimate
    """0 for guessing and for cues or relatedness alone, 1 for the ceiling; never clipped."""
    groups: tuple[GroupScore, ...]
    """Groups averaged; the score is never shown without them."""


@dataclass(frozen=True, slots=True)
class Verdicts(Document):
    """All results for one model."""

    model: str
    """Name of the model."""
    findings: tuple[AbilityFinding, ...]
    """One finding per ability, in the order given."""
    contamination: Contamination
    """Comparison of frozen halves with their twins."""
    groups: tuple[GroupScore, ...]
    """Score of every group of abilities; groups without validated keys are excluded from the overall score."""
    overall: OverallScore | None
    """Overall score; None if no ability has validated keys."""
    left_out: tuple[str, ...]
    """Abilities excluded from the overall score."""
    level: float
    """Confidence level of the intervals."""
    verdict_level: float
    """Confidence level of the verdicts: strict enough for the whole page to be right at ``level``."""


@dataclass(frozen=True, slots=True)
class ModelDifference(Document):
    """Comparison of two models on the same items."""

    first: str
    """First model."""
    second: str
    """Second model."""
    ability: str
    """Name of the ability or group, or "overall score"."""
    half: Literal["all", "twin"]
    """Items compared: all, or the twin half alone because one of the two is contaminated."""
    difference: Estimate
    """Adjusted score of the first minus that of the second."""
    p: float
    """Two-sided p-value of no difference."""
    adjusted: float
    """The same after Holm's correction for all comparisons shown together."""
