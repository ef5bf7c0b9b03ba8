"""What is found out about a model: each number with its n and interval, the verdict, and why.

*Surplus* is what is earned above chance, on a scale where 0 is guessing and 1 the best that can be reached:
(accuracy - chance) / (reachable best - chance). It is never clipped.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from horsesense.analysis.intervals import Estimate
from horsesense.methods.profile.item_scores import BadShare, HumanScore
from horsesense.records.document import Document

Verdict = Literal[
    "knows",
    "partly",
    "not to be told from guessing",
    "reads cues",
    "knows the facts but does not use them",
    "not robust",
    "too few items",
]


@dataclass(frozen=True, slots=True)
class Explanation(Document):
    """Something that may explain the score away: a cue, or the model without the question."""

    name: str
    """What it is."""
    tried: int
    """Out of how many cues it was chosen; 1 where there was no choice."""
    accuracy: Estimate
    """What it earns by itself."""
    where_right: Estimate | None
    """The model's accuracy where it is right; None where there are no such items."""
    where_wrong: Estimate | None
    """The model's accuracy where it is wrong; None where there are no such items."""
    left: Estimate
    """The surplus that is left when items are weighted so that this explanation alone earns exactly chance."""
    gone: Estimate
    """The surplus that goes by that: what it may have earned the model."""
    followed: Estimate | None
    """The share of answers that follow it, below 0 where they avoid it; None where it is right or wrong everywhere."""


@dataclass(frozen=True, slots=True)
class OtherCondition(Document):
    """The same items asked once more: again, in another way, or as other members of a family."""

    name: str
    """How they were asked."""
    accuracy: Estimate
    """What is earned so."""
    kept: Estimate | None
    """Of what is known in the main condition, the share that is known here as well; None where nothing is known there."""


@dataclass(frozen=True, slots=True)
class WholeFamilies(Document):
    """Families with every member right."""

    strict: Estimate
    """Their share; n counts families."""
    independent: Estimate
    """What it would be if members failed on their own."""


@dataclass(frozen=True, slots=True)
class Use(Document):
    """The bare facts below the items, and what becomes of them."""

    known: Estimate
    """Accuracy on the bare facts."""
    surplus: Estimate
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
    """The method it belongs to."""
    n: int
    """Items that the verdict rests on."""
    half: Literal["all", "twin"]
    """Whether it rests on all items, or on the twin half alone because memory of the frozen half was found."""
    accuracy: Estimate
    """Share right, with chance."""
    reachable: float
    """The best that can be reached: bad items earn chance."""
    surplus: Estimate
    """What is earned above chance, as a share of what can be."""
    beyond: Estimate
    """The surplus that is left when all explanations at once earn exactly chance."""
    explanations: tuple[Explanation, ...]
    """Cues, and the model without the question."""
    conditions: tuple[OtherCondition, ...]
    """Retest, other ways of condition, other members of families."""
    families: WholeFamilies | None
    """Whole families, where there are any."""
    facts: Use | None
    """Facts below the items, where there is a ladder."""
    twin: Estimate | None
    """Accuracy on the frozen half minus that on the twin; None where there is no twin."""
    people: HumanScore | None
    """How people do, with the kind of the figure."""
    bad: BadShare | None
    """Bad items, where a sample was read."""
    judged: str
    """Who has judged the items; empty where nobody has."""
    verdict: Verdict
    """One of the stated ones."""
    reasons: tuple[str, ...]
    """Why, in one sentence each, the deciding one first."""
    power: float
    """How often so many items would show a model that knows half of what can be known."""


@dataclass(frozen=True, slots=True)
class Contamination(Document):
    """Whether the frozen halves do better than their twins: all abilities in one test."""

    difference: Estimate | None
    """Frozen minus twin, averaged over the abilities that have a twin; None where none has."""
    p: float
    """Of so large a difference, in the direction of memory, where there is none."""
    told: bool
    """Whether there are items enough to tell: a difference of 0.10 would be found with power 0.8."""
    found: bool
    """Whether it is surely above 0, where that can be told."""
    abilities: tuple[str, ...]
    """Those in the test."""
    detectable: float | None
    """The least difference that would be found with power 0.8."""


@dataclass(frozen=True, slots=True)
class GroupScore(Document):
    """What one method adds to the one number."""

    method: str
    """The method."""
    abilities: tuple[str, ...]
    """Its abilities, each of the same weight."""
    beyond: Estimate
    """Their mean surplus beyond all explanations."""


@dataclass(frozen=True, slots=True)
class OverallScore(Document):
    """For those who need one: the surplus beyond cue and blind model, each method of the same weight."""

    value: Estimate
    """0 for a guesser, a cue reader and an anti-cue reader, 1 for the best that can be reached; never clipped."""
    parts: tuple[GroupScore, ...]
    """What it is made of; it is never shown without them."""
    left_out: tuple[str, ...]
    """Abilities that stay outside because nobody has judged their items."""


@dataclass(frozen=True, slots=True)
class Verdicts(Document):
    """Everything about one model."""

    model: str
    """The model."""
    findings: tuple[Finding, ...]
    """One an ability, in the order given."""
    memory: Contamination
    """The frozen halves against their twins."""
    number: OverallScore | None
    """The one number; None where nobody has judged any ability."""
    level: float
    """Confidence of the intervals."""
    sure: float
    """Confidence that verdicts rest on: so much stricter that the whole page is right at the level above."""


@dataclass(frozen=True, slots=True)
class ModelDifference(Document):
    """Two models on the same items."""

    first: str
    """One model."""
    second: str
    """The other."""
    ability: str
    """In which ability; "one number" for the one number."""
    difference: Estimate
    """Surplus beyond all explanations of the first minus that of the second."""
    p: float
    """Of so large a difference, either way, where there is none."""
    adjusted: float
    """The same after Holm's correction for all comparisons that are shown together."""
