"""How far the judges of a study agree, each figure with n and an interval.

``alpha`` is Krippendorff's; ``kappa of pairs`` is Cohen's, over all pairs of votes. Rounds are never put together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from horsesense.annotate.instrument import WRITTEN, Instrument
from horsesense.annotate.judgement_files import Collected
from horsesense.core import Judgement, Probe
from horsesense.core.document import Document
from horsesense.errors import UserError
from horsesense.stats.intervals import Estimate
from horsesense.stats.raters.adjudication_rules import failing
from horsesense.stats.raters.agreement import fleiss_kappa, krippendorff_alpha, pair_kappa, percent_agreement
from horsesense.stats.raters.annotators import Annotator, Dispute, by_annotator, by_item
from horsesense.stats.raters.votes import Votes, tabulate, votes_on_scale
from horsesense.stats.resampling import RESAMPLES

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
    """Its units are units of dependence of the items."""
    votes: int
    people: int
    """0 where it is not known whose votes these are."""


@dataclass(frozen=True, slots=True)
class Agreement(Document):
    """How far people agree, who differs, and what is in dispute."""

    instrument: str
    """What they judged with."""
    judgements: int
    """How many there are."""
    items: int
    """Items that were judged."""
    people: int
    """How many people judged; 0 where they are not named."""
    figures: tuple[Figure, ...]
    """By round."""
    annotators: tuple[Annotator, ...]
    """Each person beside the others; empty where there is no one label, or several rounds."""
    disputed: tuple[Dispute, ...]
    """Items most in dispute first."""
    notes: Mapping[str, int]
    """What was found odd, counted."""


def agreement_of(collected: Collected, disputed: int) -> Agreement:
    """Agreement by round, each person beside the others, and the ``disputed`` items most in dispute."""
    collected.check_scales()
    check_overlap(collected)
    figures = agreement_figures(collected)
    annotators, disputes = _closer(collected)
    return Agreement(
        instrument=collected.instrument.name,
        judgements=len(collected.judgements),
        items=len({each.item for each in collected.judgements}),
        people=collected.number_of_people,
        figures=tuple(figures),
        annotators=tuple(annotators),
        disputed=tuple(disputes[:disputed]),
        notes=dict(collected.notes),
    )


def _closer(collected: Collected) -> tuple[list[Annotator], list[Dispute]]:
    """Person by person and item by item; criteria have no one label to look at, rounds are told apart before."""
    if collected.instrument.kind in ("criteria", "each") or len({each.round for each in collected.judgements}) > 1:
        return [], []
    votes = votes_on_scale(collected.judgements, collected.scale_of())
    ordered = all(scale.ordered for scale in collected.scales.values())
    annotators = by_annotator(votes, "quadratic" if ordered else "none") if votes.people else []
    return annotators, [dispute for dispute in by_item(votes) if dispute.agree < 1]


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
    if instrument.kind == "each":
        yield "options", _options(judgements, instrument), False
        return
    scale_of = collected.scale_of()
    ordered = all(scale.ordered for scale in collected.scales.values()) and bool(collected.scales)
    yield "labels", votes_on_scale(judgements, scale_of), ordered
    objecting = [each for each in judgements if each.value not in scale_of(each.item).abstentions]
    if any(each.value in scale_of(each.item).objections for each in objecting):
        yield OBJECTING, _yes_or_no(objecting, lambda each: each.value in scale_of(each.item).objections), False


def _options(judgements: Sequence[Judgement], instrument: Instrument) -> Votes:
    """Each option of each item is judged by itself; who objects to the item judges none."""
    names = {label[0].upper(): label for label in instrument.labels}
    given = (
        (f"{each.item} {place}", each.annotator, names[code])
        for each in judgements
        if each.value not in instrument.beside
        for place, code in enumerate(each.value)
    )
    return tabulate(given, instrument.labels)


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
