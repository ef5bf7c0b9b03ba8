"""Rules that settle one item from its judgements: each a pure function from votes to a verdict."""

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
"""The value of a judgement that objects to no criterion, and the label of what passes."""
TIE = "tie"
NO_VOTES = "no votes"
ALL_DIFFER = "all votes differ"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a rule says of one item."""

    value: str | None
    """The label; None where the item is dropped."""
    reason: str = ""
    """Why it is dropped."""
    tie: bool = False
    """Whether the votes were even."""


def cast(judgements: Sequence[Judgement], scale: Scale) -> list[str]:
    """The values that are votes: abstentions are none."""
    return [judgement.value for judgement in judgements if judgement.value not in scale.abstentions]


def objected(value: str) -> str:
    """The reason for dropping what people object to."""
    return f"judged {value}"


def majority(judgements: Sequence[Judgement], scale: Scale) -> Verdict:
    """The label with more votes than any other; a tie drops the item, and so does a majority that objects.

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
    """The middle label of a scale. Where an even number of votes leaves two, ``ties`` takes the upper, the lower
    or neither; an objection is no place on a scale, so that it drops the item where most people object.
    """
    if not scale.ordered:
        raise UserError("a median needs labels that are a scale", fix="use the rule majority")
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
    """As the part-whole release did (partwhole.txt, 4.3): any objection drops the triple, votes that all differ drop
    it, otherwise it gets the median; of two middle votes we take the upper, the release one or the other. One vote
    alone, where a study wants no more, differs from none.
    """
    values = cast(judgements, scale)
    objections = [value for value in values if value in scale.objections]
    if objections:
        return Verdict(None, objected(objections[0]))
    if len(set(values)) == len(values) > 1:
        return Verdict(None, ALL_DIFFER)
    return median(judgements, scale)


def winoventi(judgements: Sequence[Judgement], scale: Scale) -> Verdict:
    """A schema is dropped where more than half of its judges object on the same criterion (winoventi.txt, 2.6).

    Of two judges, as in the release, that is both; of three, as in the paper, two.
    """
    values = cast(judgements, scale)
    objections = Counter(name for value in values for name in failing(value))
    failed = [name for name in scale.criteria if 2 * objections[name] > len(values)]
    return Verdict(None, "fails " + "+".join(failed)) if failed else Verdict(PASS)


def failing(value: str) -> list[str]:
    """The criteria that a judgement says fail.

    >>> failing("synonym+ambiguous"), failing("pass")
    (['synonym', 'ambiguous'], [])
    """
    return [] if value == PASS else value.split("+")


def rica(judgements: Sequence[Judgement], scale: Scale) -> Verdict:
    """Two rounds (rica.txt, 3.2): where all of the first round agree it is settled, otherwise the majority of the
    second round counts; what had no second round is dropped.
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
