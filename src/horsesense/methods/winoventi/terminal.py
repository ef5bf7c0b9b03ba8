"""Print the results of the WinoVenti commands."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from horsesense.terminal import line, say

if TYPE_CHECKING:
    from collections.abc import Iterable

    from horsesense.methods.winoventi.associations import Similarity
    from horsesense.methods.winoventi.calibration import FilterCalibration
    from horsesense.methods.winoventi.elicitation import Associations
    from horsesense.methods.winoventi.evaluation import Evaluation, Evaluations
    from horsesense.methods.winoventi.measures import ContextShift, SubsetResult
    from horsesense.methods.winoventi.people import PeopleStage
    from horsesense.methods.winoventi.pipeline import StepCounts
    from horsesense.methods.winoventi.procedure import PipelineStatus, PipelineSummary
    from horsesense.methods.winoventi.training_settings import WrittenSplits

_SHOWN = 5


def associations(found: Associations) -> None:
    """Print the number of associations by depth, and the most frequent words."""
    line(f"{found.associations:,} associations of {found.nouns:,} nouns, {found.kept:,} kept")
    for k, count in found.by_k.items():
        knee = found.knees.get(k)
        line(f"  k = {k:>2}  {count:>6,}" + (f"  knee at perplexity {knee:,.0f}" if knee else ""))
    if found.last_knee is not None:
        line(f"  over all  knee at perplexity {found.last_knee:,.0f}")
    for reason, count in found.dropped.items():
        line(f"  left out, {reason}: {count:,}")
    line(f"most frequent: {', '.join(f'{each.word} {each.share:.1%}' for each in found.frequent)}")
    for what, count in found.notes.items():
        if what not in found.noun_list.odd:
            line(f"  {what}: {count:,}")
    if found.out is not None:
        say(f"written to {found.out}")


def similarity(found: Similarity) -> None:
    """Print the matrix of the paper, and that without nouns for which neither model has an association."""
    width, last = max(map(len, found.models)), len(found.models)
    values = [[None if each is None else each.value for each in row] for row in found.informative]
    titles = "as in the paper: two models without an association agree", "over nouns for which one of the two has any"
    for title, matrix in zip(titles, (found.matrix, values), strict=True):
        line(title, "bold")
        line(f"{'':{width + 3}} {' '.join(f'{i:>4}' for i in range(1, last + 1))}")
        for i, (name, row) in enumerate(zip(found.models, matrix, strict=True), start=1):
            cells = ("   –" if value is None else f"{value:.2f}" for value in row)
            line(f"{i:>2} {name:{width}} {' '.join(cells)}")
    if (first := found.informative[0][-1]) is not None:
        share = f"{found.both_empty[0][-1]:.0%} of nouns have no association of either"
        line(f"{found.models[0]} and {found.models[-1]}: {first:.3f}, n {first.n:,}; {share}")


def calibration(found: FilterCalibration) -> None:
    """Print both tables as Markdown."""
    line(f"{found.triplets:,} exceptions that people gave, and as many words reassigned to other associations:\n")
    line("| evidence | people's kept | reassigned words kept | precision | Zipf, kept and dropped |")
    line("|---|---|---|---|---|")
    for row in found.filters:
        frequencies = (row.frequency_kept, row.frequency_dropped)
        zipf = " and ".join("-" if each is None else f"{each:.1f}" for each in frequencies)
        precision = "-" if row.precision is None else f"{row.precision:.3f}"
        line(f"| {row.evidence} | {row.recall:.3f} | {row.reassigned:.3f} | {precision} | {zipf} |")
    grounds = ", ".join(f"{name} {count:,}" for name, count in found.filters[-1].grounds.items())
    line(f"\ngrounds in the last row: {grounds}")
    if found.checks is not None:
        checks = found.checks
        line(f"\n{checks.schemas:,} schemas that people judged, of which they rejected {checks.failed:,}:\n")
        line("| checks by rule | share |\n|---|---|")
        line(f"| precision: people pass what the checks pass | {checks.precision:.3f} |")
        line(f"| recall: the checks pass what people pass | {checks.recall:.3f} |")
        line(f"| objected to, among what people rejected | {checks.caught:.3f} |")


def splits(written: WrittenSplits) -> None:
    """Print the parts with their counts."""
    for part in written.parts:
        counts = f"{part.generic:,} generic, {part.exception:,} exception, {part.twins_seen:,} with a trained twin"
        line(f"{part.part:<18} {counts}  {part.out}")


def pipeline(summary: PipelineSummary) -> None:
    """Print the yield of each step, the evaluations and the state of each stage."""
    if summary.counts is not None:
        _print_counts(summary.counts)
    for kind, evaluation in summary.evaluations.items():
        passed = "validated by people or a stated judge" if kind == "validated" else "not validated: no headline"
        line(f"\n{passed}, in {summary.probes[kind]}")
        _print_evaluation(evaluation)
    for schema in summary.sample:
        line(f"  proposed: {schema}")
    _print_stages(summary.stages)
    say(f"next: {summary.next}")


def pipeline_status(found: PipelineStatus) -> None:
    """Print the yield of each step and the state of each stage."""
    if found.counts is not None:
        _print_counts(found.counts)
    _print_stages(found.stages)
    say(f"next: {found.next}")


def evaluations(found: Evaluations) -> None:
    """Print the results of each model."""
    for model in found.models:
        _print_evaluation(model)
    say(f"answers in {found.out}")


def _print_counts(counts: StepCounts) -> None:
    for name, value in asdict(counts).items():
        several = isinstance(value, dict)
        numbers = ", ".join(f"{key} {count:,}" for key, count in value.items()) if several else f"{value:,}"
        line(f"{name.replace('_', ' '):<14} {numbers}")


def _print_stages(stages: Iterable[PeopleStage]) -> None:
    for each in stages:
        answers = f"{each.answered:,} of {each.wanted:,} answers by {each.people:,} people" if each.studies else ""
        line(f"{each.stage:<14} {each.state:<10} {answers}")


def _print_evaluation(model: Evaluation) -> None:
    """Print one model: the headline marked, then slices and the strongest margins."""
    line(model.model, "bold")
    if model.proposed:
        line(f"  {model.proposed:,} schemas are not validated: no headline")
    for shift in model.shifts:
        line(f"  {_shift_text(shift)}{'  ← headline' if shift == model.shift else ''}")
    for title, subsets in (("", (*model.subsets, *model.tokens)), (", reversed", model.reverse)):
        for each in subsets:
            line(f"  {_subset_text(each, title)}{'  ← headline' if each == model.headline and not title else ''}")
    for name, slices in model.slices.items():
        cells = (f"{each.value} {each.test} {each.accuracy.value:.3f} (n {each.accuracy.n:,})" for each in slices)
        line(f"  by {name}: {'; '.join(cells)}")
    for what, extremes in (("failures", model.failures), ("successes", model.successes)):
        words = ", ".join(f"{word} {count}" for word, count in list(extremes.by_word.items())[:_SHOWN])
        depths = ", ".join(f"k={k} {count}" for k, count in extremes.by_k.items())
        line(f"  strongest {len(extremes.items)} {what}: {words}; {depths}")
    for note, count in model.notes.items():
        line(f"  {note}" + (f": {count:,}" if count else ""))


def _subset_text(each: SubsetResult, title: str) -> str:
    if each.generic is None or each.exception is None or each.both is None or each.drop is None:
        return f"{each.subset + title:<26} no schemas"
    numbers = [f"generic {each.generic:.3f}", f"exception {each.exception:.3f}", f"both {each.both:.3f}"]
    numbers.append(f"drop {each.drop:+.3f}")
    if each.macro_generic and each.macro_exception:
        numbers.append(f"macro {each.macro_generic.value:.3f}/{each.macro_exception.value:.3f}")
    if each.mass is not None:
        numbers.append(f"mass {each.mass:.3f}")
    return f"{each.subset + title:<26} {', '.join(numbers)}, {each.schemas:,} schemas"


def _shift_text(each: ContextShift) -> str:
    if each.shift is None or each.generic is None or each.exception is None or each.moved is None:
        return f"{each.subset + ', shift':<26} no schemas"
    sides = f"generic {each.generic.value:+z.3f}, exception {each.exception.value:+z.3f} against a neutral premise"
    numbers = f"{each.shift:+.3f} nats towards the right word; {sides}; moved {each.moved:.3f}"
    return f"{each.subset + ', shift':<26} {numbers}"
