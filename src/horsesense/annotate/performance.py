"""How well people do at a probe: against its answers, against labels they are part of, against one another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from horsesense.annotate.apply_labels import FILTERED
from horsesense.annotate.gold_items import answers_of
from horsesense.annotate.instrument import NO_ONE_LABEL
from horsesense.annotate.judgement_files import Collected
from horsesense.annotate.study_figures import units_of
from horsesense.core import Judgement, Label
from horsesense.core.document import Document
from horsesense.errors import UserError, argument
from horsesense.stats.accuracy import chance
from horsesense.stats.intervals import Estimate
from horsesense.stats.raters.human_performance import (
    Against,
    HumanScore,
    Kind,
    against_the_others,
    majority_of_people,
    single_person,
)
from horsesense.stats.raters.qualification import Qualification, Threshold, qualify


@dataclass(frozen=True, slots=True)
class PeopleRight:
    """How often people are right, and what that means here."""

    name: str
    """The kind in words, as it stands beside the figure."""
    kind: Kind
    """Each judgement on its own, or what most of an item's judges say."""
    against: Against
    """An answer made by others, a label that contains the vote, or the majority of the other votes."""
    filtered: bool
    """Whether items that people miss were dropped before."""
    people: int
    """How many people judged; 0 where that is not known."""
    votes: int
    """How many judgements."""
    votes_per_item: tuple[int, int]
    """The fewest and the most judgements an item has."""
    ties: int
    """Items whose majority is a tie; they score 1/n as a model's ties do."""
    estimate: Estimate
    """The share that is right."""
    slice: str | None
    """The value of the facet; null where all items are taken together."""


@dataclass(frozen=True, slots=True)
class Performance(Document):
    """How well people do."""

    by: str | None
    """The facet that figures are cut by; null where there is none."""
    instrument: str
    """What people judged with."""
    human: tuple[PeopleRight, ...]
    """Every figure with its kind; figures of different kinds are never subtracted."""


def performance_of(collected: Collected, labels: Sequence[Label] = (), by: str = "") -> Performance:
    """Each kind of figure that the judgements allow, for each value of a facet where one is named."""
    slices = _by_facet(collected, by) if by else {"": collected}
    human = [
        PeopleRight(
            name=score.name,
            kind=score.kind,
            against=score.against,
            filtered=score.filtered,
            people=score.people,
            votes=score.votes,
            votes_per_item=score.votes_per_item,
            ties=score.ties,
            estimate=score.estimate,
            slice=value or None,
        )
        for value, part in slices.items()
        for score in human_scores(part, labels)
    ]
    return Performance(by or None, collected.instrument.name, tuple(human))


def _by_facet(collected: Collected, facet: str) -> dict[str, Collected]:
    if collected.probe is None:
        raise UserError(f"{argument('by')} needs the probe whose facet it is", fix="give it with -p")
    values = {item.id: str(item.facets[facet]) for item in collected.probe.items if facet in item.facets}
    if not values:
        raise UserError(f"no item of the probe has the facet {facet!r}", fix="horsesense show lists the facets")
    return {
        value: replace(
            collected, judgements=tuple(each for each in collected.judgements if values.get(each.item) == value)
        )
        for value in sorted({values[each.item] for each in collected.judgements if each.item in values})
    }


@dataclass(frozen=True, slots=True)
class Least:
    """What a person must reach."""

    kappa: float
    """Weighted kappa with the gold."""
    accuracy: float
    """Share of gold items answered as the gold."""
    items: int
    """Gold items answered."""


@dataclass(frozen=True, slots=True)
class Qualifications(Document):
    """Who may judge, by gold items."""

    gold: int
    """Gold items with an answer."""
    threshold: Least
    """What answers to them are held against."""
    passed: int
    """How many people do."""
    people: tuple[Qualification, ...]
    """In order of names."""


def qualifications(collected: Collected, gold: Mapping[str, str], threshold: Threshold) -> Qualifications:
    """Each person's answers to the gold items, held against a threshold with a kappa."""
    assert threshold.kappa is not None
    people = tuple(qualify(collected.judgements, gold, collected.instrument.labels, threshold))
    least = Least(threshold.kappa, threshold.accuracy, threshold.items or len(gold))
    return Qualifications(len(gold), least, sum(each.passed for each in people), people)


def gold_of(collected: Collected) -> dict[str, str]:
    """The answers that the probe has, in the words in which people could choose them."""
    if collected.probe is None or collected.instrument.effect != "answer":
        return {}
    return answers_of(collected.probe, collected.instrument)


def human_scores(collected: Collected, labels: Sequence[Label] = ()) -> list[HumanScore]:
    """Each kind of figure that the judgements allow.

    With ``labels``, those that these judgements gave, single votes are held against them and against the other votes
    for the same items; otherwise against the probe's answers. A probe from which items that people miss were
    dropped gives figures that are marked as filtered.
    """
    if collected.instrument.kind in NO_ONE_LABEL:
        raise UserError(f"the instrument {collected.instrument.name} has no right answers")
    rounds = {each.round for each in collected.judgements}
    if len(rounds) > 1:
        raise UserError("the judgements are of several rounds", fix=f"choose one with {argument('round')}")
    units = units_of(collected.probe, False) if collected.probe else {}
    settled = {label.item: label.value for label in labels if label.value is not None}
    gold = settled or gold_of(collected)
    judged = [each for each in collected.judgements if each.item in gold] if gold else list(collected.judgements)
    if not judged:
        raise UserError(
            "no judged item has an answer", fix="give the probe or the labels that the judgements are about"
        )
    scores = _against_gold(collected, judged, gold, units, bool(settled)) if gold else []
    if (settled or not gold) and _shared(judged):
        scores.append(against_the_others([each for each in judged if _is_vote(collected, each)], units))
    if not scores:
        raise UserError(
            "there is nothing to hold people against",
            fix="give a probe with answers (-p), or have items judged by two people",
        )
    return scores


def _against_gold(
    collected: Collected,
    judged: Sequence[Judgement],
    gold: Mapping[str, str],
    units: Mapping[str, str],
    own_label: bool,
) -> list[HumanScore]:
    filtered = collected.probe is not None and FILTERED in collected.probe.card.notes
    scale_of = collected.scale_of()
    guess = chance([len(scale_of(item).labels) or 1 for item in sorted({each.item for each in judged})])
    if own_label:
        return [single_person(judged, gold, scale_of, units, against="own label", filtered=filtered, chance=guess)]
    scores = [single_person(judged, gold, scale_of, units, filtered=filtered, chance=guess)]
    if _shared(judged):
        scores.append(majority_of_people(judged, gold, units, filtered=filtered, chance=guess))
    return scores


def _shared(judged: Sequence[Judgement]) -> bool:
    return max(Counter(each.item for each in judged).values()) > 1


def _is_vote(collected: Collected, judgement: Judgement) -> bool:
    return judgement.value not in collected.scale_of()(judgement.item).abstentions
