"""Adjudication rules for one item: pure functions from votes to a verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from horsesense.core import Judgement
from horsesense.errors import UserError
from horsesense.stats.raters.votes import Scale

Ties = Literal["upper", "lower", "drop"]

PASS = "pass"
"""Value of a judgement without objections, and label of items that pass."""
TIE = "tie"
NO_VOTES = "no votes"
ALL_DIFFER = "all votes differ"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Decision of a rule on one item."""

    value: str | None
    """Label; None for a dropped item."""
    reason: str = ""
    """Reason for dropping the item."""
    tie: bool = False
    """Whether the votes were tied."""


def cast(judgements: Sequence[Judgement], scale: Scale) -> list[str]:
    """Return the values that count as votes; abstentions do not."""
    return [judgement.value for judgement in judgements if judgement.value not in scale.abstentions]


def objected(value: str) -> str:
    """Return the reason for dropping an item with objections."""
    return f"judged {value}"


def majority(judgements: Sequence[Judgement], scale: Scale) -> Verdict:
    """Return the label with most votes; a tie or a majority of objections drops the item.

    >>> votes = [Judgement("i", who, "demo", value) for who, value in zip("abc", ["yes", "yes", "no"])]
    >>> majority(votes, Scale(("no", "yes")))
    Verdict(value='yes', reason='', tie=False)
    """
    counts = Counter(cast(judgements, scale))
    most = max(counts.values(), default=0)
    best = [value for value, count in counts.items() if count == most]
    if len(best) != 1:
        return Verdict(None, TIE if best else NO_VOTES, tie=bool(best))
    return Verdict(None, objected(best[0])) if best[0] in scale.objections else Verdict(best[0])


def median(judgements: Sequence[Judgement], scale: Scale, ties: Ties = "upper") -> Verdict:
    """Return the median label of a scale.

    With two middle labels ``ties`` takes the upper, the lower or neither. Objections are not on the scale: a majority
    of them drops the item.
    """
    if not scale.ordered:
        raise UserError("a median needs ordinal labels", fix="use the rule majority")
    values = cast(judgements, scale)
    objections = [value for value in values if value in scale.objections]
    if 2 * len(objections) > len(values):
        return Verdict(None, objected(objections[0]))
    places = sorted(scale.labels.index(value) for value in values if value not in scale.objections)
    if not places:
        return Verdict(None, NO_VOTES)
    lower, upper = places[(len(places) - 1) // 2], places[len(places) // 2]
    if lower != upper and ties == "drop":
        return Verdict(None, TIE, tie=True)
    return Verdict(scale.labels[lower if ties == "lower" else upper], tie=lower != upper)


def partwhole(judgements: Sequence[Judgement], scale: Scale) -> Verdict:
    """Apply the rule of the published part-whole dataset (partwhole.txt, 4.3).

    Any objection drops the triple, and so do votes that all differ; otherwise it gets the median. We take the upper of
    two middle votes; the published dataset is not consistent. A single vote, if a study collects only one, is accepted.
    """
    values = cast(judgements, scale)
    objections = [value for value in values if value in scale.objections]
    if objections:
        return Verdict(None, objected(objections[0]))
    if len(set(values)) == len(values) > 1:
        return Verdict(None, ALL_DIFFER)
    return median(judgements, scale)


def winoventi(judgements: Sequence[Judgement], scale: Scale) -> Verdict:
    """Drop a schema if more than half of its judges object on the same criterion (winoventi.txt, 2.6).

    With two judges, as in the published dataset, both must object; with three, as in the paper, two.
    """
    values = cast(judgements, scale)
    objections = Counter(name for value in values for name in failing(value))
    failed = [name for name in scale.criteria if 2 * objections[name] > len(values)]
    return Verdict(None, "fails " + "+".join(failed)) if failed else Verdict(PASS)


def failing(value: str) -> list[str]:
    """Return the failed criteria of a judgement.

    >>> failing("synonym+ambiguous"), failing("pass")
    (['synonym', 'ambiguous'], [])
    """
    return [] if value == PASS else value.split("+")


def rica(judgements: Sequence[Judgement], scale: Scale) -> Verdict:
    """Combine two rounds (rica.txt, 3.2): a unanimous first round decides, otherwise the majority of the second round;
    items without a second round are dropped.
    """
    rounds: Mapping[int, list[Judgement]] = {
        number: [judgement for judgement in judgements if judgement.round == number] for number in (1, 2)
    }
    values = cast(rounds[1], scale)
    if len(values) > 1 and len(set(values)) == 1:
        return majority(rounds[1], scale)
    if not rounds[2]:
        return Verdict(None, "open after the first round", tie=len(values) > 1)
    return majority(rounds[2], scale)
