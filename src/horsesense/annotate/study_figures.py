"""The figures of a study: how far its judges agree, and how well they do, each with n and an interval.

``alpha`` is Krippendorff's; ``kappa of pairs`` is Cohen's, over all pairs of votes. Rounds are never put together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from horsesense.analysis.intervals import Estimate
from horsesense.analysis.people.adjudication_rules import failing
from horsesense.analysis.people.agreement import fleiss_kappa, krippendorff_alpha, pair_kappa, percent_agreement
from horsesense.analysis.people.human_performance import (
    HumanScore,
    against_the_others,
    majority_of_people,
    single_person,
)
from horsesense.analysis.people.votes import Votes, tabulate, votes_on_scale
from horsesense.analysis.prediction import chance
from horsesense.analysis.resampling import RESAMPLES
from horsesense.annotate.apply_labels import FILTERED
from horsesense.annotate.gold_items import answers_of
from horsesense.annotate.instrument import WRITTEN
from horsesense.annotate.judgement_files import Collected
from horsesense.errors import UserError
from horsesense.records import Judgement, Label, Probe

KEPT = "kept items"
"""What is judged where the figure is about the items that got a label."""
OBJECTING = "objecting"
"""What is judged where the figure is about whether people object at all."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of agreement."""

    name: str
    about: str
    """``labels``, ``kept items``, ``objecting``, or the name of a criterion."""
    round: int
    estimate: Estimate
    votes: int
    people: int
    """0 where it is not known whose votes these are."""


def units_of(probe: Probe, family: bool) -> dict[str, str]:
    """The unit of dependence of each item, or of each family, as the probe's card names it."""
    group = probe.card.group
    if not family:
        return {item.id: item.unit(group) for item in probe.items}
    return {item.family: item.unit(group) for item in reversed(probe.items)}


def agreement_figures(collected: Collected, resamples: int = RESAMPLES) -> list[Figure]:
    """Agreement, round by round: rounds are never put together. Fewer ``resamples`` give rougher intervals, sooner."""
    units = units_of(collected.probe, collected.instrument.unit == "family") if collected.probe else {}
    figures: list[Figure] = []
    for round in sorted({judgement.round for judgement in collected.judgements}):
        of_round = [judgement for judgement in collected.judgements if judgement.round == round]
        for about, votes, ordered in _tables(collected, of_round):
            if votes.counts().sum(axis=1).max(initial=0) < 2:
                continue
            names = [units.get(item, item) for item in votes.items]
            for name, estimate in _estimates(votes, ordered, names, about, resamples):
                figures.append(Figure(name, about, round, estimate, votes.number, votes.people))
    return figures


def kept_figures(collected: Collected, kept: Iterable[str]) -> list[Figure]:
    """Agreement over the items that got a label, as papers report it: higher, since what is disputed is dropped."""
    items = set(kept)
    judgements = tuple(each for each in collected.judgements if each.item in items)
    figures = agreement_figures(replace(collected, judgements=judgements))
    return [replace(figure, about=KEPT) for figure in figures if figure.about == "labels"]


def check_overlap(collected: Collected) -> None:
    """Agreement needs two people, and an item that both judged in the same round."""
    people = {judgement.annotator for judgement in collected.judgements}
    if len(people) == 1:
        raise UserError(
            f"all judgements are {people.pop()}'s, so there is no agreement",
            fix="have a second person judge some items",
        )
    if max(Counter((each.item, each.round) for each in collected.judgements).values(), default=0) < 2:
        raise UserError(
            "no item was judged twice in a round, so there is no agreement",
            fix="have some items judged by two people, or ask for annotate performance",
        )


def _tables(collected: Collected, judgements: Sequence[Judgement]) -> Iterator[tuple[str, Votes, bool]]:
    """What the judgements are about, as tables of votes, and whether the labels are a scale."""
    instrument = collected.instrument
    if instrument.kind in WRITTEN:
        raise UserError("words that people write are not labels, so there is no agreement on them")
    if instrument.kind == "criteria":
        for name in instrument.criteria:
            yield name, _yes_or_no(judgements, partial(_objects, name)), False
        return
    scale_of = collected.scale_of()
    ordered = all(scale.ordered for scale in collected.scales.values()) and bool(collected.scales)
    yield "labels", votes_on_scale(judgements, scale_of), ordered
    objecting = [each for each in judgements if each.value not in scale_of(each.item).abstentions]
    if any(each.value in scale_of(each.item).objections for each in objecting):
        yield OBJECTING, _yes_or_no(objecting, lambda each: each.value in scale_of(each.item).objections), False


def _objects(criterion: str, judgement: Judgement) -> bool:
    return criterion in failing(judgement.value)


def _yes_or_no(judgements: Sequence[Judgement], yes: Callable[[Judgement], bool]) -> Votes:
    return tabulate(((each.item, each.annotator, "yes" if yes(each) else "no") for each in judgements), ("no", "yes"))


def _estimates(
    votes: Votes, ordered: bool, units: Sequence[str], about: str, resamples: int
) -> Iterator[tuple[str, Estimate]]:
    yield "percent agreement", percent_agreement(votes, units=units, resamples=resamples)
    if about == "labels":
        yield "Fleiss' kappa", fleiss_kappa(votes, units=units, resamples=resamples)
    yield "alpha, nominal", krippendorff_alpha(votes, "nominal", units=units, resamples=resamples)
    if ordered:
        yield "alpha, ordinal", krippendorff_alpha(votes, "ordinal", units=units, resamples=resamples)
        yield "kappa of pairs, quadratic", pair_kappa(votes, "quadratic", units=units, resamples=resamples)


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
    if collected.instrument.kind in ("criteria", *WRITTEN):
        raise UserError(f"the instrument {collected.instrument.name} has no right answers")
    rounds = {each.round for each in collected.judgements}
    if len(rounds) > 1:
        raise UserError("the judgements are of several rounds", fix="choose one with --round")
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
