"""Human performance on a probe: against its answers, against labels, or against other people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from annotated_types import Ge, Interval

from horsesense.annotate.instrument import NO_ONE_LABEL
from horsesense.annotate.judgements import CollectedJudgements, JudgementOptions, read_judgements
from horsesense.annotate.labels import FILTERED
from horsesense.annotate.rater_agreement import clusters_of
from horsesense.annotate.study import answers_of
from horsesense.core import HumanFigure, Judgement, Label, Probe, add_human_figures, read_labels
from horsesense.core.document import Document
from horsesense.errors import UserError, argument, translate_errors
from horsesense.stats.accuracy import chance
from horsesense.stats.raters.human_performance import (
    HumanAccuracy,
    against_the_others,
    majority_of_people,
    single_person,
)
from horsesense.stats.raters.qualification import KAPPA, Qualification, Threshold
from horsesense.stats.raters.qualification import qualify as qualify_people


@dataclass(frozen=True, slots=True)
class Performance(Document):
    """Human performance on a probe."""

    by: str | None
    """The facet of the slices; null if there is none."""
    instrument: str
    """Name of the instrument."""
    human: tuple[HumanAccuracy, ...]
    """Every figure with its kind; figures of different kinds cannot be compared."""


def performance_of(collected: CollectedJudgements, labels: Sequence[Label] = (), by: str = "") -> Performance:
    """Return each kind of figure that the judgements allow, overall or by facet."""
    slices = _by_facet(collected, by) if by else {"": collected}
    human = [
        replace(score, slice=value or None) for value, part in slices.items() for score in human_scores(part, labels)
    ]
    return Performance(by or None, collected.instrument.name, tuple(human))


def _by_facet(collected: CollectedJudgements, facet: str) -> dict[str, CollectedJudgements]:
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
class Qualifications(Document):
    """Who qualifies, by gold items."""

    gold: int
    """Gold items with an answer."""
    threshold: Threshold
    """The threshold."""
    passed: int
    """Number of people who pass."""
    people: tuple[Qualification, ...]
    """By name."""


def qualifications(collected: CollectedJudgements, gold: Mapping[str, str], threshold: Threshold) -> Qualifications:
    """Compare each person's answers to the gold items with a threshold."""
    people = tuple(qualify_people(collected.judgements, gold, collected.instrument.labels, threshold))
    least = replace(threshold, items=threshold.items or len(gold))
    return Qualifications(len(gold), least, sum(each.passed for each in people), people)


def gold_of(collected: CollectedJudgements) -> dict[str, str]:
    """Return the answers of the probe, in the words that people could choose."""
    if collected.probe is None or collected.instrument.effect != "answer":
        return {}
    return answers_of(collected.probe, collected.instrument)


def human_scores(collected: CollectedJudgements, labels: Sequence[Label] = ()) -> list[HumanAccuracy]:
    """Return each kind of figure that the judgements allow.

    With ``labels`` from these judgements, single votes are compared with them and with the other votes for the same
    items; otherwise with the probe's answers. If items that people get wrong were dropped from the probe, figures are
    marked as filtered.
    """
    if collected.instrument.kind in NO_ONE_LABEL:
        raise UserError(f"the instrument {collected.instrument.name} has no right answers")
    rounds = {each.round for each in collected.judgements}
    if len(rounds) > 1:
        raise UserError("the judgements are of several rounds", fix=f"choose one with {argument('round')}")
    clusters = clusters_of(collected.probe, False) if collected.probe else {}
    own_labels = {label.item: label.value for label in labels if label.value is not None}
    gold = own_labels or gold_of(collected)
    judged = [each for each in collected.judgements if each.item in gold] if gold else list(collected.judgements)
    if not judged:
        raise UserError(
            "no judged item has an answer", fix="give the probe or the labels that the judgements are about"
        )
    scores = _against_gold(collected, judged, gold, clusters, bool(own_labels)) if gold else []
    if (own_labels or not gold) and _shared(judged):
        scores.append(against_the_others([each for each in judged if _is_vote(collected, each)], clusters))
    if not scores:
        raise UserError(
            "there is nothing to compare people with",
            fix="give a probe with answers (-p), or have items judged by two people",
        )
    return scores


def _against_gold(
    collected: CollectedJudgements,
    judged: Sequence[Judgement],
    gold: Mapping[str, str],
    clusters: Mapping[str, str],
    own_label: bool,
) -> list[HumanAccuracy]:
    filtered = collected.probe is not None and FILTERED in collected.probe.card.notes
    scale_of = collected.scale_of()
    guess = chance([len(scale_of(item).labels) or 1 for item in sorted({each.item for each in judged})])
    if own_label:
        return [single_person(judged, gold, scale_of, clusters, against="own label", filtered=filtered, chance=guess)]
    scores = [single_person(judged, gold, scale_of, clusters, filtered=filtered, chance=guess)]
    if _shared(judged):
        scores.append(majority_of_people(judged, gold, clusters, filtered=filtered, chance=guess))
    return scores


def _shared(judged: Sequence[Judgement]) -> bool:
    return max(Counter(each.item for each in judged).values()) > 1


def _is_vote(collected: CollectedJudgements, judgement: Judgement) -> bool:
    return judgement.value not in collected.scale_of()(judgement.item).abstentions


@translate_errors()
def performance(
    *files: str | Path,
    probe: Probe | str | Path | None = None,
    labels: str | Path | None = None,
    by: str = "",
    options: JudgementOptions | None = None,
    to_card: bool = False,
) -> Performance:
    """Measure human performance: single people and the majority, against the probe's answers or against each other.

    Args:
        files: Filled task files or judgements (.csv, .tsv, .jsonl), Label Studio's .json, or the folder of a study.
        probe: Probe that was judged.
        labels: Labels from these judgements, to compare votes with.
        by: Facet of the probe to slice by.
        options: How judgements are read.
        to_card: Write the figures to the probe's card, so that reports show them.

    Returns:
        Human accuracy with n, an interval and the kind of each figure.
    """
    collected = read_judgements(*files, probe=probe, options=options)
    own_labels = [label for _, label in read_labels(Path(labels))] if labels is not None else []
    figures = performance_of(collected, own_labels, by)
    if to_card:
        if probe is None or isinstance(probe, Probe):
            raise UserError(
                f"{argument('to_card')} needs the file of the probe", fix=f"give it with {argument('probe')}"
            )
        _write_to_card(Path(probe), figures, [Path(file) for file in files])
    return figures


def _write_to_card(probe: Path, performance: Performance, files: Sequence[Path]) -> None:
    """Write the figures to the card beside the probe; they replace earlier ones from the same files."""
    source = f"judgements in {', '.join(file.name for file in files)}"
    figures = [
        HumanFigure(
            score.estimate.value,
            score.name,
            source,
            f"{performance.by}={score.slice}" if score.slice else "",
            score.estimate.n,
            score.people or None,
        )
        for score in performance.human
    ]
    add_human_figures(probe, figures)


@translate_errors()
def qualify(
    *files: str | Path,
    gold: Probe | str | Path,
    options: JudgementOptions | None = None,
    kappa: Annotated[float, Interval(ge=-1, le=1)] = KAPPA,
    accuracy: Annotated[float, Interval(ge=0, le=1)] = 0.0,
    items: Annotated[int, Ge(0)] = 0,
) -> Qualifications:
    """Score each person on gold items, and list who passes the thresholds.

    Args:
        files: Filled task files or judgements (.csv, .tsv, .jsonl), Label Studio's .json, or the folder of a study.
        gold: Probe of the gold items, with answers.
        options: How judgements are read.
        kappa: Minimum quadratic-weighted kappa with the gold.
        accuracy: Minimum accuracy on the gold items.
        items: Minimum number of gold items answered; 0 requires all.

    Returns:
        Who passes, and why others do not.
    """
    collected = read_judgements(*files, probe=gold, options=options)
    if collected.instrument.kind != "labels" or not collected.instrument.ordered:
        raise UserError(
            f"the instrument {collected.instrument.name} has no scale, so there is no weighted kappa",
            fix="qualify people with an instrument whose labels are a scale",
        )
    answers = gold_of(collected)
    if not answers:
        file = None if isinstance(gold, Probe) else gold
        raise UserError("the gold items have no answers", file=file, fix="give a probe with answers")
    return qualifications(collected, answers, Threshold(kappa=kappa, accuracy=accuracy, items=items))
