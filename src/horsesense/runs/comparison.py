"""Compare models on the items that all of them answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from horsesense.core.audit import LabelQuality
from horsesense.core.card import CLUSTER_AVERAGE
from horsesense.core.document import INTERNAL, Document, Frame, TableDocument, columns_of
from horsesense.core.spec import PROMPT_FIELDS, Normalisation
from horsesense.errors import UserError, translate_errors
from horsesense.runs.manifest import LOG
from horsesense.runs.probe_answers import SCORE, ProbeAnswers, ProbeFormat, common_indices, credits_on, guessing
from horsesense.runs.result import LEAST_ANSWERED, shown_names
from horsesense.runs.run import AnyRun, finished_by_place
from horsesense.scoring.normalise import parse_normalisation
from horsesense.stats import Estimate, PairedTest, Power, compare_all, power
from horsesense.stats.accuracy import AVERAGED, unit_shares
from horsesense.stats.paired import holm
from horsesense.stats.resampling import Floats

ACCURACY = "accuracy"
_NEEDS = f"at least {LEAST_ANSWERED:.0%} of the items must be answered: see the outcomes of the run"
_SHOTS = ("shots", "shots_from", "shots_seed")
"""Fields of the prompt that matter for log-likelihoods."""
SURE = 0.05
"""Significance level."""
HINT = 0.32
"""The p of a difference as large as its standard error."""


@dataclass(frozen=True, slots=True)
class ModelAccuracy(Document):
    """One model on the common items."""

    model: str
    """Its name; with the folder where it was run in several."""
    accuracy: Estimate
    """Accuracy on the common items, by the metric."""
    normalise: str
    """Normalisation that its options are compared by."""
    plain: Estimate | None = None
    """Share of items, where the metric is another."""


@dataclass(frozen=True, slots=True)
class Difference(Document):
    """Two models on the same items."""

    one: str
    """First model."""
    other: str
    """Second model."""
    difference: Estimate
    """Accuracy of the first minus that of the second, by the metric."""
    p: float
    """Over clusters."""
    p_holm: float
    """Corrected for all comparisons that are shown together (Holm)."""
    mcnemar_p: float
    """Over items; too small where items depend on one another."""
    only_one: int
    """Items that only the first gets right."""
    only_other: int
    """Items that only the second gets right."""
    units_missing: int | None
    """Additional clusters for a power of 0.8 after the correction; null where no number would do."""
    items_missing: int | None
    """Additional items for a power of 0.8."""
    plain: Estimate | None = None
    """Difference of the shares of items, where the metric is another."""
    ids: tuple[tuple[str, ...], tuple[str, ...]] = field(default=((), ()), metadata=INTERNAL)
    """Ids of the items that only the first gets right, and only the second."""
    power: Power | None = field(default=None, metadata=INTERNAL)
    """Items needed to detect the difference."""

    @property
    def significant(self) -> bool:
        """Whether the difference is significant, after the correction for several comparisons."""
        return self.p_holm < SURE

    def outlook(self) -> str:
        """State how many more items would make the difference significant; empty where that is not known.

        For a difference smaller than its own standard error, the number of items needed says nothing but noise.
        """
        if self.p > HINT:
            return ""
        missing = self.items_missing
        return f"about {missing:,} more items would show it in four of five studies" if missing else ""

    def corrected(self, p_holm: float, level: float) -> Difference:
        """Return the difference with a corrected p, and the missing items of a test at that level."""
        assert self.power is not None
        power = self.power.at(level)
        clusters, items = power.more_clusters, power.more_items
        return replace(self, p_holm=p_holm, power=power, units_missing=clusters, items_missing=items)


@dataclass(frozen=True, slots=True)
class ProbeComparison(Document):
    """All models on one probe."""

    probe: str
    """Name of the probe."""
    format: str
    """Prompt format."""
    metric: str
    """What is compared: accuracy, or the average over clusters, as the probe's card says."""
    n: int
    """Items with a gold answer that all models answered."""
    excluded: Mapping[str, int]
    """Model → items that another model did not answer."""
    unjudged: int
    """Common items without a gold answer."""
    notes: tuple[str, ...]
    """Caveats of the comparison."""
    models: tuple[ModelAccuracy, ...]
    """Accuracy of each model."""
    differences: tuple[Difference, ...]
    """Difference of each pair."""
    label_quality: LabelQuality | None = None
    """Label quality of the items, from the card of the first run."""

    @property
    def accuracies(self) -> dict[str, Estimate]:
        """Accuracy by model."""
        return {each.model: each.accuracy for each in self.models}


@dataclass(frozen=True, slots=True)
class SequentialDifference(Document):
    """A difference with an interval that is valid however often the runs are looked at while they grow."""

    probe: str
    """Name of the probe."""
    a: str
    """The first model."""
    b: str
    """The second model."""
    difference: Estimate
    """Accuracy of the first minus that of the second, after the last family."""
    settled: int | None
    """Families, in the random order of a draw, after which the interval was narrow enough; null if never."""


@dataclass(frozen=True)
class Comparison(TableDocument):
    """Models compared, probe by probe."""

    probes: tuple[ProbeComparison, ...]
    """Probes that at least two models answered."""
    unfinished: tuple[str, ...] | None = None
    """Models, each with its probe, whose answers are incomplete; left out."""
    too_few: tuple[str, ...] | None = None
    """Models, each with a probe of which it answered less than 90%; left out."""
    alone: tuple[str, ...] | None = None
    """Models, each with a probe that no other answered; left out."""
    until: tuple[SequentialDifference, ...] | None = None
    """Anytime-valid differences, where a rule was given."""

    def frame(self) -> Frame:
        """Return one row per probe and pair of models, with the difference, its interval and p."""
        rows = [
            {
                "probe": probe.probe,
                "one": each.one,
                "other": each.other,
                "difference": each.difference.value,
                "low": each.difference.low,
                "high": each.difference.high,
                "p_holm": each.p_holm,
                "n": probe.n,
                "only_one": each.only_one,
                "only_other": each.only_other,
            }
            for probe in self.probes
            for each in probe.differences
        ]
        return Frame(columns_of(rows), "differences on the same items")


def compare_runs(
    runs: Sequence[tuple[Path, Sequence[ProbeAnswers]]], how: Normalisation | None = None
) -> list[ProbeComparison]:
    """Compare all models of runs by probe and prompt format; answers in different formats are never compared.

    A run that shares no probe with any other model is an error: it would be left out silently.
    """
    asked = by_probe(runs)
    common = {each for each, models in asked.items() if len(models) > 1}
    enough = {each: enough_answered(models) for each, models in asked.items()}
    compared = [each for each in common if len(enough[each]) > 1]
    if common and not compared:
        reasons = "; ".join(too_few_in(runs))
        raise UserError(f"too few answers to compare: {reasons}", fix=_NEEDS)
    for folder, answered in runs:
        # A run without a complete part is reported as not finished.
        if answered and not any(ProbeFormat(a.part.probe.name, a.format) in common for a in answered):
            _refuse_alone(folder, answered, runs)
    return corrected_together([side_by_side(each.probe, enough[each], how) for each in asked if each in compared])


def corrected_together(sides: Sequence[ProbeComparison]) -> list[ProbeComparison]:
    """Correct p for everything that is shown together (Holm), and the missing items accordingly.

    A difference is certainly significant if p is below the level over the number of those that are not yet.
    """
    every = [each for side in sides for each in side.differences]
    adjusted = holm([each.p for each in every])
    level = 1 - SURE / max(1, sum(p >= SURE for p in adjusted))
    corrected = iter([each.corrected(p, level) for each, p in zip(every, adjusted, strict=True)])
    return [replace(side, differences=tuple(next(corrected) for _ in side.differences)) for side in sides]


def enough_answered(models: dict[str, ProbeAnswers]) -> dict[str, ProbeAnswers]:
    """Select the models that answered enough items to be compared."""
    return {label: run for label, run in models.items() if run.answered_share >= LEAST_ANSWERED}


def too_few_in(runs: Sequence[tuple[Path, Sequence[ProbeAnswers]]]) -> list[str]:
    """Return the models that gave too few answers on a probe to be compared."""
    asked = by_probe(runs)
    few = [(each, label, run) for each, models in asked.items() for label, run in models.items()]
    few = [(each, label, run) for each, label, run in few if run.answered_share < LEAST_ANSWERED]
    names = shown_names(label for _, label, _ in few)
    return [f"{names[label]} on {each} ({run.answered_share:.0%} answered)" for each, label, run in few]


def alone_in(runs: Sequence[tuple[Path, Sequence[ProbeAnswers]]]) -> list[str]:
    """Return what only one model answered, so that there is nothing to compare it with."""
    alone = [(each, next(iter(models))) for each, models in by_probe(runs).items() if len(models) == 1]
    names = shown_names(model for _, model in alone)
    return [f"{names[model]} on {each}" for each, model in alone]


def _refuse_alone(
    folder: Path, answered: Sequence[ProbeAnswers], runs: Sequence[tuple[Path, Sequence[ProbeAnswers]]]
) -> NoReturn:
    """Say why a run has nothing in common with the others: different prompt formats, or other probes."""
    file = folder if folder.is_dir() else None
    formats: dict[str, dict[str, list[Path]]] = {}
    for index, others in runs:
        for a in others:
            formats.setdefault(a.part.probe.name, {}).setdefault(a.format, []).append(index)
    for name in (a.part.probe.name for a in answered):
        if len(formats[name]) > 1:
            reason = "; ".join(
                f"by {prompt_format} in {', '.join(sorted({str(p) for p in formats[name][prompt_format]}))}"
                for prompt_format in formats[name]
            )
            raise UserError(
                f"{name} was run in different prompt formats, which cannot be compared: {reason}",
                file=file,
                fix="use the same prompt format for all models",
            )
    probes = ", ".join(sorted({a.part.probe.name for a in answered}))
    same = "give runs whose probes have the same name"
    if len(runs) > 1:
        raise UserError(f"no other model was run on the probes of this run ({probes})", file=file, fix=same)
    if len({a.part.model.name for a in answered}) == 1:
        raise UserError("there is only one model", file=file, fix="name a second run on the same probe")
    raise UserError("no probe was run on two models", file=file, fix=same)


def by_probe(runs: Sequence[tuple[Path, Sequence[ProbeAnswers]]]) -> dict[ProbeFormat, dict[str, ProbeAnswers]]:
    """Group all answers by probe and prompt format, then by model; the folder distinguishes two runs of one model."""
    names = [(a.part.model.name, a.part.probe.name, a.format) for _, answered in runs for a in answered]
    probes: dict[ProbeFormat, dict[str, ProbeAnswers]] = {}
    for folder, answered in runs:
        for run in answered:
            model, probe = run.part.model.name, ProbeFormat(run.part.probe.name, run.format)
            # The same model in two folders was run under two specs, and these are compared.
            label = model if names.count((model, *probe)) == 1 else f"{model} ({folder})"
            probes.setdefault(probe, {})[label] = run
    return probes


def side_by_side(probe: str, models: dict[str, ProbeAnswers], how: Normalisation | None = None) -> ProbeComparison:
    """Compare models on the common items of one probe in one prompt format; p is corrected for this probe alone."""
    _check_alike(probe, models)
    first = next(iter(models.values()))
    columns = first.columns
    indices = common_indices(models.values())
    if not len(indices):
        raise UserError(f"the runs on {probe} have no item in common", fix="compare runs on the same probe")
    ids: Sequence[str] = columns.ids
    if len(indices) < len(ids):
        ids = [ids[index] for index in indices.tolist()]
    earned = {label: credits_on(run, ids, how) for label, run in models.items()}
    # What one model did not answer is left out for all: the same items for everybody.
    lost = np.any([np.isnan(values) for values in earned.values()], axis=0)
    earned = {label: np.where(lost, np.nan, values) for label, values in earned.items()}
    if np.isnan(next(iter(earned.values()))).all():
        raise UserError(f"no common item of {probe} has a gold answer", fix="compare on a probe with gold answers")
    units, guess = columns.units[indices], guessing(columns, indices)
    comparisons = plain = compare_all(earned, units, chance=guess)
    powers = {pair: power(earned[pair[0]], earned[pair[1]], units) for pair in plain}
    averaged = _averaged(models, columns.families[indices], earned, units, guess)
    if averaged is not None:
        comparisons, powers = _with_counts(averaged[0], plain), averaged[1]
    differences = []
    for (one, other), test in comparisons.items():
        better = (earned[one] > earned[other], earned[other] > earned[one])
        first_ids, other_ids = (tuple(ids[index] for index in np.flatnonzero(each).tolist()) for each in better)
        outlook = powers[one, other]
        differences.append(
            Difference(
                one=one,
                other=other,
                difference=test.difference,
                p=test.p,
                p_holm=test.adjusted,
                mcnemar_p=test.mcnemar,
                only_one=len(first_ids),
                only_other=len(other_ids),
                units_missing=outlook.more_clusters,
                items_missing=outlook.more_items,
                plain=plain[one, other].difference if averaged else None,
                ids=(first_ids, other_ids),
                power=outlook,
            )
        )
    accuracies = {one: c.a for (one, _), c in comparisons.items()} | {
        other: c.b for (_, other), c in comparisons.items()
    }
    shares = {one: c.a for (one, _), c in plain.items()} | {other: c.b for (_, other), c in plain.items()}
    side = ProbeComparison(
        probe=probe,
        format=first.format,
        metric=CLUSTER_AVERAGE if averaged else ACCURACY,
        n=int((~np.isnan(next(iter(earned.values())))).sum()),
        excluded={label: len(run.items) - len(indices) for label, run in models.items()},
        unjudged=int((~columns.judged[indices]).sum()),
        notes=_notes(models, how),
        models=tuple(
            ModelAccuracy(label, accuracies[label], run.compared_by(how), shares[label] if averaged else None)
            for label, run in models.items()
        ),
        differences=tuple(differences),
        label_quality=first.probe.card.label_quality,
    )
    return corrected_together([side])[0]


_Comparisons = dict[tuple[str, str], PairedTest]


def _averaged(
    models: Mapping[str, ProbeAnswers],
    families: NDArray[np.int64],
    earned: Mapping[str, Floats],
    units: NDArray[np.int64],
    guess: float,
) -> tuple[_Comparisons, dict[tuple[str, str], Power]] | None:
    """Compare by the average over clusters, each counting once; None where a card or the clusters do not allow it."""
    if any(run.probe.card.metric != CLUSTER_AVERAGE for run in models.values()):
        return None
    by_model = {label: unit_shares(values, units, families) for label, values in earned.items()}
    shares = {label: each[0] for label, each in by_model.items() if each is not None}
    if len(shares) < len(models):
        return None
    n = next(each[1] for each in by_model.values() if each is not None)
    number = len(next(iter(shares.values())))
    one_each = [str(index) for index in range(number)]
    compared = {}
    for pair, each in compare_all(shares, one_each, chance=guess).items():
        a, b = (replace(rate, n=n, method=AVERAGED) for rate in (each.a, each.b))
        difference = replace(each.difference, n=n, method="average over clusters, paired bootstrap, t")
        compared[pair] = replace(each, a=a, b=b, difference=difference)
    powers = {}
    for pair in compared:
        outlook = power(shares[pair[0]], shares[pair[1]], one_each)
        more = outlook.more_clusters
        powers[pair] = replace(outlook, n=n, more_items=None if more is None else round(more * n / number))
    return compared, powers


def _with_counts(averaged: _Comparisons, plain: _Comparisons) -> _Comparisons:
    """Take the items that only one gets right, and McNemar's test, from the comparison by items."""
    return {
        pair: replace(
            each,
            only_a=plain[pair].only_a,
            only_b=plain[pair].only_b,
            mcnemar=plain[pair].mcnemar,
            left_out=plain[pair].left_out,
        )
        for pair, each in averaged.items()
    }


def _check_alike(probe: str, models: dict[str, ProbeAnswers]) -> None:
    """Refuse answers in different prompt formats: the difference would be that of the formats."""
    first = next(iter(models.values()))
    fields = _SHOTS if first.format in ("loglikelihood", "pmi") else PROMPT_FIELDS
    for label, run in models.items():
        unlike = [n for n in fields if getattr(run.spec, n) != getattr(first.spec, n)]
        if run.format != first.format or unlike:
            reason = ", ".join(unlike) or f"{first.format} and {run.format}"
            raise UserError(
                f"{label} was run on {probe} with another prompt than the first ({reason})",
                fix="use the same prompt for both",
            )


def _notes(models: dict[str, ProbeAnswers], how: Normalisation | None) -> tuple[str, ...]:
    notes = []
    compared_by = {label: name for label, run in models.items() if (name := run.compared_by(how)) != SCORE}
    if len(set(compared_by.values())) > 1:
        by_model = ", ".join(f"{label} by {name}" for label, name in compared_by.items())
        notes.append(f"the models have different normalisations: {by_model}")
    for label, run in models.items():
        if run.part.model.kind == LOG:
            notes.append(
                f"{label} is known from a log: which weights answered, in which precision, and which special "
                "tokens were used is not known"
            )
    specs = [run.spec.to_dict() for run in models.values() if run.part.model.kind != LOG]
    changed = sorted({name for spec in specs for name in spec if spec[name] != specs[0][name]})
    if changed:
        notes.append(f"the specs of the models differ: {', '.join(changed)}")
    if len({run.probe.card.group for run in models.values()}) > 1:
        notes.append("the cards name different cluster groups; that of the first is used")
    if len({run.part.model.weights for run in models.values()}) < len(models):
        notes.append("some of them have the same weights")
    return tuple(notes)


def sequential_differences(
    runs: Sequence[tuple[Path, Sequence[ProbeAnswers]]], until: str, how: Normalisation | None = None
) -> tuple[SequentialDifference, ...]:
    """Return the anytime-valid difference of each pair of models on each probe that both answered."""
    from horsesense.runs.stopping_rule import by_family
    from horsesense.stats.sequential import confidence_sequence, parse_until, stops_at

    rule, differences = parse_until(until), []
    for asked, models in by_probe(runs).items():
        for (a, first), (b, second) in combinations(models.items(), 2):
            if first.columns.ids == second.columns.ids and first.judged:
                earned = [np.nan_to_num(credits_on(each, first.columns.ids, how)) for each in (first, second)]
                counted = ~(first.unanswered | second.unanswered)
                if not (first.columns.judged & counted).any():
                    continue
                sums, sizes = by_family(first, earned[0] - earned[1], counted)
                difference = confidence_sequence(sums, sizes, rule.half_width, lowest=-1.0)
                settled = stops_at(sums, sizes, rule, lowest=-1.0)
                differences.append(SequentialDifference(str(asked), a, b, difference, settled))
    return tuple(differences)


@translate_errors()
def compare(*runs: AnyRun, normalise: Normalisation | None = None, until: str | None = None) -> Comparison:
    """Compare models on the items that all of them answered, with paired, clustered and Holm-corrected tests.

    Args:
        runs: Run folder; one is enough if it has two models. In Python, also a `Run`.
        normalise: Score of an option: the sum of its token log-probabilities, their mean per token, word or
            character, or pmi (log-probability after the question minus that of the option alone). By default, that of
            the run, or as set in the probe's card.
        until: Target: with "ci<0.03", also report after how many item families the (anytime-valid) interval of the
            difference was at most ±0.03.

    Returns:
        Each probe that two models answered, with the difference of each pair.
    """
    if not runs:
        raise UserError("no run is given", fix="name a run folder")
    how = parse_normalisation(normalise) if normalise else None
    by_place, unfinished = finished_by_place(runs)
    try:
        return Comparison(
            probes=tuple(compare_runs(by_place, how)),
            unfinished=tuple(unfinished) or None,
            too_few=tuple(too_few_in(by_place)) or None,
            alone=tuple(alone_in(by_place)) or None,
            until=None if until is None else sequential_differences(by_place, until, how),
        )
    except UserError as error:
        if not unfinished:
            raise
        raise UserError(f"{error.problem}; not finished: {', '.join(unfinished)}", fix="finish the run first") from None
