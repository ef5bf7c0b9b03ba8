"""What answers to RICA probes say, as tables for the page, Markdown and LaTeX: controls, views, the fact ladder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from horsesense.methods.rica.controls import CONTROLS, NEAR, ControlScore, control_scores
from horsesense.methods.rica.ladder import BESIDE, RUNGS
from horsesense.methods.rica.ladder_analysis import LadderAnalysis, climb
from horsesense.methods.rica.views import ViewScore, view_scores
from horsesense.methods.suites.frame import PaperRow, PaperTable
from horsesense.runs.results import Answered
from horsesense.stats import Estimate

LADDER = "RICA: the fact ladder"


def rica_tables(runs: Sequence[Answered], controls: bool = True) -> tuple[PaperTable, ...]:
    """The tables that a run's RICA probes allow; none where it has none."""
    ours = [run for run in runs if run.probe.card.method == "rica" and run.judged]
    made = [
        control_table(control_scores(ours)) if controls else None,
        view_table(view_scores(ours).scores),
        *_ladders(ours),
    ]
    return tuple(table for table in made if table is not None)


def control_table(scores: Sequence[ControlScore]) -> PaperTable | None:
    """Each set beside itself without its premise, and without its content words; None where no control was asked."""
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
    verdict = f"not so for {'; '.join(off)}" if off else "so for every control"
    note = f"Chance is 0.5. At chance: it is in the interval, and no more than {NEAR} away; {verdict}."
    columns = ("whole", *(kind.replace("-", " ") for kind in CONTROLS))
    return PaperTable("RICA: beside its controls", columns, rows, (note,))


def view_table(scores: Sequence[ViewScore]) -> PaperTable | None:
    """The views beside one another; None where there is none."""
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
        "Right: the right word, sentence or conclusion before the flipped one; chance is 0.5. Labels: entailment, "
        "contradiction and neutral, chance one third. Of a causal model the first two views are one: what stands "
        "before the word is the same in both statements. Only a model with an entailment head was taught what the "
        "labels mean; others are asked by a prompt."
    )
    columns = ("right", "whole axioms", "labels right", "as the masked word")
    return PaperTable("RICA: masked word, sentences, entailment", columns, rows, (note,))


def _ladders(runs: Sequence[Answered]) -> Iterator[PaperTable]:
    """What is right on each rung, and what gets lost between them."""
    found = []
    for run in runs:
        credited = (
            run.credits(run.primary()) if run.format == "loglikelihood" and "rung" in run.items[0].facets else None
        )
        ladder = climb(run.items, credited.values, credited.predicted) if credited else None
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
    columns = ("facts known", *between, "use of a told fact", "follows a false one")
    lost = tuple(PaperRow(model, "ours", _lost(ladder, steps), "models") for model, ladder in found)
    notes = (
        "Facts known: right in both orders, affirmed and denied. From rung to rung: what is lost of what is known. "
        "Use: right with the fact told less right with one of no use. A false fact has no key: the share that "
        "follows it.",
        *(f"{model}: {ladder.verdict}" for model, ladder in found),
    )
    yield PaperTable("RICA: what is lost on the fact ladder", columns, lost, notes)


def _lost(ladder: LadderAnalysis, steps: Sequence[tuple[str, str]]) -> tuple[Estimate | None, ...]:
    by_step = {(loss.lower, loss.upper): loss.loss for loss in ladder.losses}
    return (ladder.known, *(by_step.get(step) for step in steps), ladder.use, ladder.follows)
