"""Agreement between annotators, each figure with n and an interval.

``alpha`` is Krippendorff's; ``kappa of pairs`` is Cohen's, over all pairs of votes. Rounds are never joined.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated

from annotated_types import Ge

from horsesense.annotate.instrument import WRITTEN, Instrument
from horsesense.annotate.judgements import CollectedJudgements, JudgementOptions, read_judgements
from horsesense.core import Judgement, Probe
from horsesense.core.document import Document
from horsesense.errors import UserError, translate_errors
from horsesense.stats.intervals import Estimate
from horsesense.stats.raters.adjudication import failing
from horsesense.stats.raters.agreement import (
    Annotator,
    Dispute,
    by_annotator,
    by_item,
    fleiss_kappa,
    krippendorff_alpha,
    pair_kappa,
    percent_agreement,
)
from horsesense.stats.raters.votes import Votes, tabulate, votes_on_scale
from horsesense.stats.resampling import RESAMPLES

LABELLED = "labelled items"
"""A figure about the items with a label."""
OBJECTING = "objecting"
"""A figure about whether people object at all."""


@dataclass(frozen=True, slots=True)
class AgreementFigure:
    """One measure of agreement."""

    name: str
    about: str
    """``labels``, ``labelled items``, ``objecting``, or the name of a criterion."""
    round: int
    estimate: Estimate
    """Clustered over items."""
    votes: int
    people: int
    """Number of people; 0 if they are not named."""


@dataclass(frozen=True, slots=True)
class Agreement(Document):
    """Agreement between annotators, annotators one by one, and disputed items."""

    instrument: str
    """Name of the instrument."""
    judgements: int
    """Number of judgements."""
    items: int
    """Number of judged items."""
    people: int
    """Number of people; 0 if they are not named."""
    figures: tuple[AgreementFigure, ...]
    """By round."""
    annotators: tuple[Annotator, ...]
    """Each annotator against the others; empty if there is no single label, or several rounds."""
    disputed: tuple[Dispute, ...]
    """Most disputed items first."""
    notes: Mapping[str, int]
    """Irregularities, counted."""


@translate_errors()
def agreement(
    *files: str | Path,
    probe: Probe | str | Path | None = None,
    options: JudgementOptions | None = None,
    disputed: Annotated[int, Ge(0)] = 5,
) -> Agreement:
    """Measure agreement by round, compare each annotator with the others, and list disputed items.

    Args:
        files: Filled task files or judgements (.csv, .tsv, .jsonl), Label Studio's .json, or the folder of a study.
        probe: Probe that was judged; each item is checked.
        options: How judgements are read.
        disputed: Number of disputed items to list.

    Returns:
        The figures of each round, annotators and disputed items.
    """
    collected = read_judgements(*files, probe=probe, options=options)
    return agreement_of(collected, disputed)


def agreement_of(collected: CollectedJudgements, disputed: int) -> Agreement:
    """Return agreement by round, each annotator against the others, and the most disputed items."""
    collected.check_scales()
    check_overlap(collected)
    figures = agreement_figures(collected)
    annotators, disputes = _by_annotator_and_item(collected)
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


def _by_annotator_and_item(collected: CollectedJudgements) -> tuple[list[Annotator], list[Dispute]]:
    """Return agreement by annotator and by item; criteria have no single label, and rounds are never joined."""
    if collected.instrument.kind in ("criteria", "each") or len({each.round for each in collected.judgements}) > 1:
        return [], []
    votes = votes_on_scale(collected.judgements, collected.scale_of())
    ordered = all(scale.ordered for scale in collected.scales.values())
    annotators = by_annotator(votes, "quadratic" if ordered else "none") if votes.people else []
    return annotators, [dispute for dispute in by_item(votes) if dispute.agree < 1]


def clusters_of(probe: Probe, family: bool) -> dict[str, str]:
    """Return the cluster of each item, or of each family, as the probe's card names it."""
    group = probe.card.group
    if not family:
        return {item.id: item.unit(group) for item in probe.items}
    return {item.family: item.unit(group) for item in reversed(probe.items)}


def agreement_figures(collected: CollectedJudgements, resamples: int = RESAMPLES) -> list[AgreementFigure]:
    """Return agreement round by round; fewer ``resamples`` give rougher intervals, faster."""
    clusters = clusters_of(collected.probe, collected.instrument.unit == "family") if collected.probe else {}
    figures: list[AgreementFigure] = []
    for round in sorted({judgement.round for judgement in collected.judgements}):
        of_round = [judgement for judgement in collected.judgements if judgement.round == round]
        for about, votes, ordered in _tables(collected, of_round):
            if votes.counts().sum(axis=1).max(initial=0) < 2:
                continue
            names = [clusters.get(item, item) for item in votes.items]
            for name, estimate in _estimates(votes, ordered, names, about, resamples):
                figures.append(AgreementFigure(name, about, round, estimate, votes.number, votes.people))
    return figures


def figures_of_labelled(collected: CollectedJudgements, labelled: Iterable[str]) -> list[AgreementFigure]:
    """Return agreement over the items with a label, as papers report it: higher, since disputed items are dropped."""
    items = set(labelled)
    judgements = tuple(each for each in collected.judgements if each.item in items)
    figures = agreement_figures(replace(collected, judgements=judgements))
    return [replace(figure, about=LABELLED) for figure in figures if figure.about == "labels"]


def check_overlap(collected: CollectedJudgements) -> None:
    """Raise an error unless two people judged an item in the same round."""
    people = {judgement.annotator for judgement in collected.judgements}
    if len(people) == 1:
        raise UserError(
            f"all judgements are {people.pop()}'s, so there is no agreement",
            fix="have a second person judge some items",
        )
    if max(Counter((each.item, each.round) for each in collected.judgements).values(), default=0) < 2:
        raise UserError(
            "no item was judged twice in a round, so there is no agreement",
            fix="have some items judged by two people, or use annotate performance",
        )


def _tables(collected: CollectedJudgements, judgements: Sequence[Judgement]) -> Iterator[tuple[str, Votes, bool]]:
    """Iterate over what was judged: its name, a table of votes, and whether the labels are a scale."""
    instrument = collected.instrument
    if instrument.kind in WRITTEN:
        raise UserError("written words are not labels, so there is no agreement on them")
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
    """Tabulate the judgements of each option; an annotator who objects to an item judges no option."""
    names = {label[0].upper(): label for label in instrument.labels}
    votes = (
        (f"{each.item} {i}", each.annotator, names[code])
        for each in judgements
        if each.value not in instrument.beside
        for i, code in enumerate(each.value)
    )
    return tabulate(votes, instrument.labels)


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
