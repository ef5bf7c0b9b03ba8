"""What is found out about a model: each number with its n and interval, the verdict, and why.

*Chance-corrected* is what is earned above chance, on a scale where 0 is guessing and 1 the ceiling: (accuracy - chance)
/ (ceiling - chance). *Adjusted* is the same where every explanation earns exactly chance. Neither is ever clipped.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from horsesense.core.document import Document
from horsesense.profiling.item_scores import BadShare, HumanScore
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
    """Something that may explain the score away: a cue, relatedness, or the model without the question."""

    name: str
    """What it is."""
    kind: Literal["cue", "relatedness", "blind"]
    """A surface cue, the option nearest to the question, or the model without the question."""
    tried: int
    """Out of how many cues it was chosen; 1 where there was no choice."""
    accuracy: Estimate
    """What it earns by itself."""
    where_right: Estimate | None
    """The model's accuracy where it is right; None where there are no such items."""
    where_wrong: Estimate | None
    """The model's accuracy where it is wrong; None where there are no such items."""
    adjusted: Estimate
    """The model's score when items are weighted so that this explanation alone earns exactly chance."""
    explained: Estimate
    """What goes by that: what it may have earned the model."""
    followed: Estimate | None
    """The share of answers that follow it, below 0 where they avoid it; None where it is right or wrong everywhere."""


@dataclass(frozen=True, slots=True)
class OtherCondition(Document):
    """The same items in another condition: retest, another prompt format, other members of a family."""

    name: str
    """Which condition."""
    accuracy: Estimate
    """What is earned there."""
    retention: Estimate | None
    """Of what is known in the main condition, the share that is known here too; None where nothing is known there."""


@dataclass(frozen=True, slots=True)
class ContrastPairs(Document):
    """Pairs of questions with opposite keys: who gives the same answer to both gets exactly one right."""

    kind: str
    """What sets the two apart: "reversal", "negation", "context"."""
    pairs: int
    """How many."""
    both_right: float
    """Share of pairs with both right."""
    both_wrong: float
    """Share of pairs with both wrong."""
    one_right: float
    """Share of pairs with exactly one right."""
    known: Estimate
    """Share of pairs that is known: both right minus both wrong, as a guess gets both right as often as both wrong."""
    same_answer: Estimate
    """Share of pairs that get the same answer whichever way: exactly one right minus twice both wrong."""
    margin: Estimate
    """Exactly one right minus twice both right: above 0 where far more pairs get the same answer than are known."""


@dataclass(frozen=True, slots=True)
class WholeFamilies(Document):
    """Families with every member right."""

    strict: Estimate
    """Their share; n counts families."""
    independent: Estimate
    """What it would be if members failed on their own."""


@dataclass(frozen=True, slots=True)
class FactUse(Document):
    """The bare facts below the items, and what becomes of them."""

    known: Estimate
    """Accuracy on the bare facts."""
    chance_corrected: Estimate
    """The same above chance: the share of facts that are known."""
    used: Estimate | None
    """Of the facts that are known, the share that is used in the item; None where none are."""


@dataclass(frozen=True, slots=True)
class Finding(Document):
    """One ability of one model: what it earns, what could explain that away, and the verdict."""

    model: str
    """The model."""
    ability: str
    """What was asked."""
    method: str
    """The method that the items come from."""
    group: str
    """The group of abilities that it belongs to."""
    n: int
    """Items that the numbers rest on."""
    half: Literal["all", "twin"]
    """Whether they rest on all items, or on the twin half alone because contamination was found."""
    accuracy: Estimate
    """Share right, with chance."""
    ceiling: float
    """The best accuracy that can be reached: bad items earn chance."""
    chance_corrected: Estimate
    """What is earned above chance, as a share of what can be."""
    adjusted: Estimate
    """The same when all explanations at once earn exactly chance."""
    explanations: tuple[ExplanationFinding, ...]
    """Cues, relatedness, and the model without the question."""
    relatedness_controlled: bool
    """Whether relatedness is among the explanations; otherwise the verdict is never "knows"."""
    conditions: tuple[OtherCondition, ...]
    """Retest, other prompt formats, other members of families."""
    contrasts: tuple[ContrastPairs, ...]
    """Pairs with opposite keys, by kind."""
    families: WholeFamilies | None
    """Whole families, where there are any."""
    facts: FactUse | None
    """Facts below the items, where there is a ladder."""
    twin: Estimate | None
    """Accuracy on the frozen half minus that on the twin; None where there is no twin."""
    people: HumanScore | None
    """How people do, with the kind of the figure."""
    bad: BadShare | None
    """Bad items, where a sample was audited."""
    judged: str
    """Who has judged the items; empty where nobody has."""
    verdict: Verdict
    """One of the stated ones."""
    on_twin: Verdict | None
    """Where the verdict is "contaminated", what the twin half alone shows; else None."""
    reasons: tuple[str, ...]
    """Why, in one sentence each, the deciding one first."""
    power: float
    """How often a model that knows half of what can be known would be found above chance with these items, by
    simulation on their clusters."""
    knows_attainable: bool
    """Whether a flawless model would be said to know with these items."""


@dataclass(frozen=True, slots=True)
class Contamination(Document):
    """Whether the frozen halves do better than their twins: all abilities in one test, and each by itself."""

    difference: Estimate | None
    """Accuracy on frozen halves minus that on twins, over all abilities that have a twin; None where none has."""
    p: float
    """One-sided p of the difference."""
    found: bool
    """Whether it is significantly above 0, in all abilities together."""
    level: float
    """Of the one-sided test of all abilities together."""
    abilities: tuple[str, ...]
    """Those in the test."""
    contaminated: tuple[str, ...]
    """Those that do significantly better on their frozen half."""
    detectable: float | None
    """The least difference that would be found with power 0.8; where it is large, no difference says little."""


@dataclass(frozen=True, slots=True)
class GroupScore(Document):
    """The score of one group of abilities."""

    group: str
    """The group: "word knowledge"."""
    abilities: tuple[str, ...]
    """Its abilities, each of the same weight."""
    judged: bool
    """Whether people stand behind the keys of all of them, or they are proved."""
    adjusted: Estimate
    """Their mean adjusted score."""


@dataclass(frozen=True, slots=True)
class OverallScore(Document):
    """The mean adjusted score over the groups of abilities whose keys people or logic stand behind."""

    name: str
    """What it is a score of: the groups, such as "word knowledge; reversal and negation"."""
    value: Estimate
    """0 for a guesser and for readers of cues or relatedness, 1 for the ceiling; never clipped."""
    groups: tuple[GroupScore, ...]
    """The groups that it is the mean of; it is never shown without them."""


@dataclass(frozen=True, slots=True)
class Verdicts(Document):
    """Everything about one model."""

    model: str
    """The model."""
    findings: tuple[Finding, ...]
    """One per ability, in the order given."""
    contamination: Contamination
    """The frozen halves against their twins."""
    groups: tuple[GroupScore, ...]
    """The score of every group of abilities; those whose items nobody has judged stay outside the overall score."""
    overall: OverallScore | None
    """The overall score; None where nobody has judged any ability."""
    left_out: tuple[str, ...]
    """Abilities that the overall score leaves out."""
    level: float
    """Confidence of the intervals."""
    verdict_level: float
    """Confidence that verdicts rest on: so much stricter that the whole page is right at the level above."""


@dataclass(frozen=True, slots=True)
class ModelDifference(Document):
    """Two models on the same items."""

    first: str
    """One model."""
    second: str
    """The other."""
    ability: str
    """In which ability; a group of abilities by its name, and "overall score"."""
    half: Literal["all", "twin"]
    """Whether all items were compared, or the twin half alone because one of the two is contaminated."""
    difference: Estimate
    """Adjusted score of the first minus that of the second."""
    p: float
    """Of so large a difference, either way, where there is none."""
    adjusted: float
    """The same after Holm's correction for all comparisons that are shown together."""
