"""What the answers to a RICA probe say: by perturbation, by valence, asked twice, with the fact told, by rung."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from horsesense.core import Facet, Item
from horsesense.core.card import UNIT_AVERAGE
from horsesense.core.document import Document
from horsesense.errors import UserError
from horsesense.lexicons.comparatives import PAIR_OF
from horsesense.lexicons.frequency import zipf
from horsesense.methods.rica.controls import ControlScore, control_scores
from horsesense.methods.rica.items import SETTINGS
from horsesense.methods.rica.ladder_analysis import LadderAnalysis, climb
from horsesense.runs.results import Answered, read_run
from horsesense.stats import Estimate, accuracy, by_facet, effective_units, family_accuracy, unit_average
from horsesense.stats.ablation import ablation, asked_again, retest
from horsesense.stats.bias import Bias, right_word, valence_bias, valence_of
from horsesense.stats.families import without_repeats
from horsesense.stats.resampling import Floats, Names

Question = tuple[str, str, bool]
"""Axiom, kind up to renaming, whether the fact is told."""


@dataclass(frozen=True, slots=True)
class KindAccuracy:
    """Items that are said in the same way."""

    kind: tuple[Facet, ...]
    """Perturbation and asymmetry."""
    accuracy: Estimate


@dataclass(frozen=True, slots=True)
class OperatorAccuracy:
    """Statements whose sameness is proved, or asserted by the lexicon."""

    accuracy: Estimate
    """Share of items right."""
    strict: Estimate
    """Share of axioms with every such statement right; a renaming counts once."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """What the answers of one model to one probe say; what the probe does not have is null."""

    model: str
    probe: str
    average: Estimate | None
    """Average over properties with at least four axioms, without items that tell the fact; null where there are not two
    such properties, and for imported releases, which keep the paper's metric."""
    accuracy: Estimate
    """Share of items right, without those that tell the fact."""
    effective_units: float
    """How many properties of equal size would say as much (Kish)."""
    operators: Mapping[str, OperatorAccuracy] | None
    """Apart for what is proved to say the same (logical) and what rests on the lexicon (lexical); robustness is
    headlined on the first."""
    strict: Estimate
    """Share of whole axioms right; a renaming counts once."""
    kinds: tuple[KindAccuracy, ...] | None
    """Accuracy by kind of perturbation."""
    bias: Bias | None
    """How answers depend on the valence of the right word."""
    words: Mapping[str, float]
    """Zipf frequency of the words that were right, and of their opposites."""
    retest: Estimate | None
    """How often a question that is asked twice gets the same credit: the noise floor of everything else."""
    background: Mapping[str, Mapping[str, Estimate]] | None
    """Accuracy with the fact told and without, and the difference, by what is asked."""
    ladder: LadderAnalysis | None
    """Where what is known gets lost; null where the probe is no fact ladder."""


@dataclass(frozen=True, slots=True)
class EntityAblation:
    """Novel entities against names, on the same statements (section 4.3, figure 5b)."""

    novel: Estimate
    """Accuracy with novel entities."""
    named: Estimate
    """Accuracy with names."""
    difference: Estimate
    """Novel minus named."""


@dataclass(frozen=True, slots=True)
class RunAnalysis(Document):
    """What a run on RICA probes says."""

    run: Path
    """The folder of the run."""
    results: tuple[Analysis, ...]
    """One entry a model and probe."""
    ablation: EntityAblation | None
    """Against a run with names; null where none is given."""
    controls: tuple[ControlScore, ...] = ()
    """Each set beside its controls, where they were asked."""


def analyse_run(folder: Path, against: Path | None = None) -> RunAnalysis:
    """All analyses of a run's answers; ``against`` is a run of the same model on the same axioms with names."""
    _, answered = read_run(folder)
    results = tuple(analyse(part) for part in answered if part.judged)
    ablated = entity_ablation(answered[0], read_run(against)[1][0]) if against is not None else None
    return RunAnalysis(folder, results, ablated, control_scores(answered))


def analyse(answered: Answered) -> Analysis:
    """All analyses that a probe's facets allow.

    Items with the fact told outright count in the lines about the fact only, and so do the lower rungs of a ladder.
    """
    items = answered.items
    credited = answered.credits(answered.primary())
    earned, units = credited.values, answered.units
    facets = [item.facets for item in items]
    again = [asked_again(item) for item in items]
    families = [item.unit() for item in items]
    questions = [question_of(item) for item in items]
    aside = [item.facets.get("rung", "inference") not in ("inference", "reworded") for item in items]
    told = [question[2] or beside for question, beside in zip(questions, aside, strict=True)]
    values = without_repeats(earned, told)
    kinds = None
    if any("perturbation" in of_item for of_item in facets):
        slices = by_facet(values, units, facets, ("perturbation", "asymmetry")).slices
        kinds = tuple(KindAccuracy(kind.where, kind.accuracy) for kind in slices)
    counts = [len(item.options) for item in items]
    whole = family_accuracy(without_repeats(values, again), families, option_counts=counts)[0]
    averaged = answered.probe.card.metric == UNIT_AVERAGE
    return Analysis(
        model=answered.part.model.name,
        probe=answered.part.probe.name,
        average=unit_average(values, units, families, chance=0.5) if averaged else None,
        accuracy=accuracy(values, units),
        effective_units=effective_units(units),
        operators=_operators(items, values, units, families, again),
        strict=whole.strict,
        kinds=kinds,
        bias=_bias(values.tolist(), [valence_of(item) for item in items], units),
        words=_frequencies(items),
        retest=retest(questions, values, again, units) if any(again) else None,
        background=_background(answered, earned.tolist(), questions),
        ladder=climb(items, earned, credited.predicted),
    )


def _operators(
    items: Sequence[Item], values: Floats, units: Names, families: Sequence[str], again: Sequence[bool]
) -> dict[str, OperatorAccuracy] | None:
    """Accuracy by kind of operator, where the set was built with it."""
    found = {}
    for operator in ("logical", "lexical"):
        kept = without_repeats(values, [item.facets.get("operator") != operator for item in items])
        if not np.isnan(kept).all():
            counts = [len(item.options) for item in items]
            strict = family_accuracy(without_repeats(kept, again), families, option_counts=counts)[0].strict
            found[operator] = OperatorAccuracy(accuracy(kept, units), strict)
    return found or None


def question_of(item: Item) -> Question:
    """What an item asks, whoever it is about."""
    kind = str(item.facets.get("perturbation", ""))
    turned = item.facets.get("asymmetry", "none") != "none"
    return item.family, f"{kind} turned" if turned else kind, item.facets.get("background", "none") != "none"


def _bias(values: list[float], valences: list[int], units: Names) -> Bias | None:
    try:
        return valence_bias(values, valences, units)
    except UserError:  # one valence only: a probe of before and after has none
        return None


def _frequencies(items: Sequence[Item]) -> dict[str, float]:
    """Zipf frequency of the words that were right, and of their opposites: a model may just like the frequent one."""
    words = sorted({pole for item in items for pole in PAIR_OF.get(right_word(item), ())})
    return {word: round(zipf(word), 2) for word in words}


def _background(
    answered: Answered, values: list[float], questions: list[Question]
) -> dict[str, dict[str, Estimate]] | None:
    """The effect of the fact, apart for repeating it and for turning it round (appendix C)."""
    effects = {}
    units = {question[:2]: unit for question, unit in zip(questions, answered.units, strict=True)}
    for perturbation, setting in SETTINGS.items():
        answers = [pair for pair in zip(questions, values, strict=True) if pair[0][1] == perturbation]
        plain = {question[:2]: value for question, value in answers if not question[2]}
        helped = {question[:2]: value for question, value in answers if question[2]}
        if plain and helped:
            compared = ablation(list(helped), list(helped.values()), list(plain), list(plain.values()), units)
            effects[setting] = {"with": compared.a, "without": compared.b, "difference": compared.difference}
    return effects or None


def entity_ablation(novel: Answered, named: Answered) -> EntityAblation:
    """The accuracy of the same model with either kind of entity, and the difference on what both were asked."""

    def statements(side: Answered) -> list[tuple[str, str, str]]:
        kinds = ((item, item.facets.get("perturbation"), item.facets.get("asymmetry")) for item in side.items)
        return [(item.family, str(perturbation), str(asymmetry)) for item, perturbation, asymmetry in kinds]

    def earned(side: Answered) -> Floats:
        return side.credits(side.primary()).values

    units = dict(zip(statements(novel), novel.units, strict=True))
    compared = ablation(statements(novel), earned(novel), statements(named), earned(named), units)
    return EntityAblation(compared.a, compared.b, compared.difference)
