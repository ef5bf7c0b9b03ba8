"""Analyse the answers to RICA probes, and make the tables of a report.

Accuracy by perturbation and operator, positivity bias, test-retest agreement, the effect of the background fact, the
fact ladder, novel entities against names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from horsesense.core import Facet, Item
from horsesense.core.card import CLUSTER_AVERAGE
from horsesense.core.document import Document
from horsesense.errors import UserError, translate_errors
from horsesense.lexicons.word_forms import PAIR_OF
from horsesense.lexicons.words import zipf
from horsesense.methods.rica.controls import CONTROLS, NEAR, ControlScore, control_scores
from horsesense.methods.rica.items import SETTINGS
from horsesense.methods.rica.views import ViewScore, view_scores
from horsesense.methods.suites.frame import PaperRow, PaperTable
from horsesense.runs.probe_answers import ProbeAnswers, read_run
from horsesense.stats import Estimate, accuracy, by_facet, effective_units, family_accuracy, unit_average
from horsesense.stats.combined import Bias, right_word, valence_bias, valence_of
from horsesense.stats.families import without_repeats
from horsesense.stats.paired import ablation, is_retest, retest
from horsesense.stats.resampling import Floats, Names
from horsesense.stats.rungs import BESIDE, RUNGS, LadderAnalysis, analyse_ladder

Question = tuple[str, str, bool]
"""Axiom, kind up to renaming, whether the fact is stated."""


@dataclass(frozen=True, slots=True)
class KindAccuracy:
    """Accuracy on one kind of perturbation."""

    kind: tuple[Facet, ...]
    """Perturbation and asymmetry."""
    accuracy: Estimate


@dataclass(frozen=True, slots=True)
class ProbeAnalysis:
    """Analysis of the answers of one model to one probe; null for what the probe does not have."""

    model: str
    probe: str
    average: Estimate | None
    """Average over properties with at least four axioms, without items that state the fact; null if there are fewer
    than two such properties, and for published datasets, which use the paper's metric."""
    accuracy: Estimate
    """Share of items right, without those that state the fact."""
    effective_units: float
    """Effective number of properties (Kish)."""
    operators: Mapping[str, Mapping[str, Estimate]] | None
    """On statements that are proved to be equivalent (logical) and on those that rest on the lexicon (lexical): share
    of items right (accuracy), and of axioms with every such statement right (strict). The first is the headline."""
    strict: Estimate
    """Share of whole axioms right; a renaming counts once."""
    kinds: tuple[KindAccuracy, ...] | None
    """Accuracy by kind of perturbation."""
    bias: Bias | None
    """Accuracy by the valence of the right word."""
    words: Mapping[str, float]
    """Zipf frequency of the words that were right, and of their opposites."""
    retest: Estimate | None
    """Share of repeated questions that get the same credit: the noise floor of all other figures."""
    background: Mapping[str, Mapping[str, Estimate]] | None
    """Accuracy with and without the stated fact, and the difference, by setting."""
    ladder: LadderAnalysis | None
    """Fact ladder; null if the probe is not one."""


@dataclass(frozen=True, slots=True)
class RunAnalysis(Document):
    """Analysis of a run on RICA probes."""

    run: Path
    """Run folder."""
    results: tuple[ProbeAnalysis, ...]
    """One entry per model and probe."""
    ablation: Mapping[str, Estimate] | None
    """Accuracy with novel entities, with names (named) and the difference, on the same statements (section 4.3, figure
    5b); null if no run with names is given."""
    controls: tuple[ControlScore, ...] = ()
    """Scores on the controls of each set, if they were run."""


@translate_errors()
def analyse(folder: str | Path, *, against: str | Path | None = None, picture: str | Path | None = None) -> RunAnalysis:
    """Analyse a run on RICA probes: accuracy by kind, positivity bias, test-retest, background facts, fact ladder.

    Args:
        folder: Run folder with answers to RICA probes.
        against: Run folder of the same model on the same axioms with names: the entity ablation.
        picture: File of the chart of the fact ladder, .svg or .png.

    Returns:
        All analyses that the facets of the probes allow.
    """
    answered = _rica_answers(Path(folder))
    results = tuple(analyse_answers(part) for part in answered if part.judged)
    ablated = None if against is None else entity_ablation(answered[0], _rica_answers(Path(against))[0])
    analysis = RunAnalysis(Path(folder), results, ablated, control_scores(answered))
    if picture is not None:
        plot_ladder(analysis, picture)
    return analysis


def _rica_answers(folder: Path) -> list[ProbeAnswers]:
    """Return the parts of a run whose probe is RICA's."""
    answered = [part for part in read_run(folder)[1] if part.probe.card.method == "rica"]
    if not answered:
        fix = "build one with horsesense build rica, and give the folder of a run on it"
        raise UserError("the run has no RICA probe", file=folder, fix=fix)
    return answered


@translate_errors()
def plot_ladder(analysis: RunAnalysis, path: str | Path | None = None) -> Any:
    """Plot the fact ladder: accuracy on each rung, for known and for unknown facts.

    Args:
        analysis: Result of `analyse` for a run on a probe of the task ``ladder``.
        path: File to write as well, .svg or .png.

    Returns:
        An Altair chart with one panel per model.
    """
    from horsesense.methods.suites.charts import ladder_chart, write_ladder

    ladders = [(result.model, result.ladder) for result in analysis.results if result.ladder is not None]
    panels = [
        (f"{model}: {each.known.value:.0%} of {each.facts:,} facts known", (each.given_known, each.given_unknown))
        for model, each in ladders
    ]
    if path is not None:
        write_ladder(panels, Path(path))
    return ladder_chart(panels)


def analyse_answers(answered: ProbeAnswers) -> ProbeAnalysis:
    """Run all analyses that a probe's facets allow.

    Items with a stated fact only count in the lines about the fact, and so do the lower rungs of a ladder.
    """
    items = answered.items
    credited = answered.credits(answered.primary())
    credits, units = credited.values, answered.units
    facets = [item.facets for item in items]
    repeats = [is_retest(item) for item in items]
    families = [item.unit() for item in items]
    questions = [question_of(item) for item in items]
    aside = [item.facets.get("rung", "inference") not in ("inference", "reworded") for item in items]
    excluded = [question[2] or beside for question, beside in zip(questions, aside, strict=True)]
    values = without_repeats(credits, excluded)
    kinds = None
    if any("perturbation" in of_item for of_item in facets):
        slices = by_facet(values, units, facets, ("perturbation", "asymmetry")).slices
        kinds = tuple(KindAccuracy(kind.where, kind.accuracy) for kind in slices)
    counts = [len(item.options) for item in items]
    whole = family_accuracy(without_repeats(values, repeats), families, option_counts=counts)[0]
    averaged = answered.probe.card.metric == CLUSTER_AVERAGE
    return ProbeAnalysis(
        model=answered.part.model.name,
        probe=answered.part.probe.name,
        average=unit_average(values, units, families, chance=0.5) if averaged else None,
        accuracy=accuracy(values, units),
        effective_units=effective_units(units),
        operators=_operators(items, values, units, families, repeats),
        strict=whole.strict,
        kinds=kinds,
        bias=_bias(values.tolist(), [valence_of(item) for item in items], units),
        words=_frequencies(items),
        retest=retest(questions, values, repeats, units) if any(repeats) else None,
        background=_background(answered, credits.tolist(), questions),
        ladder=analyse_ladder(items, credits, credited.predicted),
    )


def _operators(
    items: Sequence[Item], values: Floats, units: Names, families: Sequence[str], again: Sequence[bool]
) -> dict[str, dict[str, Estimate]] | None:
    """Compute accuracy by kind of operator, for probes that have it."""
    found = {}
    for operator in ("logical", "lexical"):
        kept = without_repeats(values, [item.facets.get("operator") != operator for item in items])
        if not np.isnan(kept).all():
            counts = [len(item.options) for item in items]
            strict = family_accuracy(without_repeats(kept, again), families, option_counts=counts)[0].strict
            found[operator] = {"accuracy": accuracy(kept, units), "strict": strict}
    return found or None


def question_of(item: Item) -> Question:
    """Return what an item asks, regardless of the entities."""
    kind = str(item.facets.get("perturbation", ""))
    turned = item.facets.get("asymmetry", "none") != "none"
    return item.family, f"{kind} turned" if turned else kind, item.facets.get("background", "none") != "none"


def _bias(values: list[float], valences: list[int], units: Names) -> Bias | None:
    try:
        return valence_bias(values, valences, units)
    except UserError:  # one valence only: a probe of before and after has none
        return None


def _frequencies(items: Sequence[Item]) -> dict[str, float]:
    """Return the Zipf frequencies of the right words and of their opposites: a model may prefer the frequent one."""
    words = sorted({pole for item in items for pole in PAIR_OF.get(right_word(item), ())})
    return {word: round(zipf(word), 2) for word in words}


def _background(
    answered: ProbeAnswers, values: list[float], questions: list[Question]
) -> dict[str, dict[str, Estimate]] | None:
    """Compute the effect of the stated fact, separately for repeating and for negating it (appendix C)."""
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


def entity_ablation(novel: ProbeAnswers, named: ProbeAnswers) -> dict[str, Estimate]:
    """Compare the accuracy with either kind of entity on the statements that both runs have."""

    def statements(side: ProbeAnswers) -> list[tuple[str, str, str]]:
        kinds = ((item, item.facets.get("perturbation"), item.facets.get("asymmetry")) for item in side.items)
        return [(item.family, str(perturbation), str(asymmetry)) for item, perturbation, asymmetry in kinds]

    def earned(side: ProbeAnswers) -> Floats:
        return side.credits(side.primary()).values

    units = dict(zip(statements(novel), novel.units, strict=True))
    compared = ablation(statements(novel), earned(novel), statements(named), earned(named), units)
    return {"novel": compared.a, "named": compared.b, "difference": compared.difference}


LADDER = "RICA: the fact ladder"


def rica_tables(runs: Sequence[ProbeAnswers], controls: bool = True) -> tuple[PaperTable, ...]:
    """Make the tables of a run's RICA probes."""
    rica_runs = [run for run in runs if run.probe.card.method == "rica" and run.judged]
    tables = [
        control_table(control_scores(rica_runs)) if controls else None,
        view_table(view_scores(rica_runs)),
        *_ladders(rica_runs),
    ]
    return tuple(table for table in tables if table is not None)


def tables_of_run(folder: Path, runs: Sequence[ProbeAnswers]) -> tuple[PaperTable, ...]:
    """Make the tables of a run folder."""
    return rica_tables(runs)


def control_table(scores: Sequence[ControlScore]) -> PaperTable | None:
    """Make the table of scores on each set and its controls; None if no control was run."""
    if not scores:
        return None
    rows = tuple(
        PaperRow(
            f"{score.model} on {score.probe}",
            "ours",
            (score.whole, *(score.controls.get(kind) for kind in CONTROLS)),
            "models",
        )
        for score in scores
    )
    off = [f"{score.model} on {score.probe}" for score in scores if not score.at_chance]
    verdict = f"not the case for {'; '.join(off)}" if off else "the case for every control"
    note = f"Chance is 0.5. A control is at chance if 0.5 is in its interval and at most {NEAR} away: {verdict}."
    columns = ("whole", *(kind.replace("-", " ") for kind in CONTROLS))
    return PaperTable("RICA: scores on the controls", columns, rows, (note,))


def view_table(scores: Sequence[ViewScore]) -> PaperTable | None:
    """Make the table of views; None if there are no scores."""
    rows = tuple(
        PaperRow(
            f"{score.model} on {score.probe}: {score.view}",
            "ours",
            (score.accuracy, score.strict, score.labels, score.agreement),
            f"{score.model} on {score.probe}",
        )
        for score in scores
    )
    if not rows:
        return None
    note = (
        "Accuracy: the right word, sentence or conclusion is ranked above the flipped one; chance is 0.5. Label "
        "accuracy: entailment, contradiction and neutral; chance is 1/3. For a causal model the first two views agree, "
        "because the text before the word is the same in both statements. Only a model with an entailment head was "
        "trained on the labels; other models get a prompt."
    )
    columns = ("accuracy", "whole axioms", "label accuracy", "agreement with masked word")
    return PaperTable("RICA: masked word, sentences, entailment", columns, rows, (note,))


def _ladders(runs: Sequence[ProbeAnswers]) -> Iterator[PaperTable]:
    """Make the tables of accuracy on each rung, and of the losses between rungs."""
    found = []
    for run in runs:
        credited = (
            run.credits(run.primary()) if run.format == "loglikelihood" and "rung" in run.items[0].facets else None
        )
        ladder = analyse_ladder(run.items, credited.values, credited.predicted) if credited else None
        found += [(run.part.model.name, ladder)] if ladder else []
    if not found:
        return
    rungs = (*RUNGS, *(rung for rung in BESIDE if rung != "false"))
    rows = [
        PaperRow(f"{model}, {title}", "ours", tuple(rates.get(rung) for rung in rungs), model)
        for model, ladder in found
        for title, rates in (("fact known", ladder.given_known), ("fact not known", ladder.given_unknown))
    ]
    yield PaperTable(LADDER, rungs, tuple(rows), ("Chance is 0.5.",))
    steps = list(dict.fromkeys((loss.lower, loss.upper) for _, ladder in found for loss in ladder.losses))
    between = [f"{lower} to {upper}" for lower, upper in steps]
    columns = ("facts known", *between, "use of a stated fact", "follows a false fact")
    lost = tuple(PaperRow(model, "ours", _lost(ladder, steps), "models") for model, ladder in found)
    notes = (
        "Facts known: right in both orders, affirmed and denied. From rung to rung: loss of accuracy on known facts. "
        "Use: accuracy with the fact stated minus accuracy with an irrelevant fact. Items with a false fact have no "
        "right answer: the column gives the share of answers that follow it.",
        *(f"{model}: {ladder.verdict}" for model, ladder in found),
    )
    yield PaperTable("RICA: losses on the fact ladder", columns, lost, notes)


def _lost(ladder: LadderAnalysis, steps: Sequence[tuple[str, str]]) -> tuple[Estimate | None, ...]:
    by_step = {(loss.lower, loss.upper): loss.loss for loss in ladder.losses}
    return (ladder.known, *(by_step.get(step) for step in steps), ladder.use, ladder.follows)
