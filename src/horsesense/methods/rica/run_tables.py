"""What answers to RICA probes say, as tables for the page, Markdown and LaTeX: controls, views, the fact ladder."""

from __future__ import annotations

from collections.abc import Sequence

from horsesense.analysis import Estimate
from horsesense.methods.rica.controls import CONTROLS
from horsesense.methods.rica.ladder import BESIDE, RUNGS
from horsesense.methods.rica.ladder_analysis import LadderAnalysis, climb
from horsesense.methods.rica.views import ViewScore, view_scores
from horsesense.methods.suites.frame import PaperRow, PaperTable
from horsesense.runs.results import Answered

NEAR = 0.03
"""How far from chance a control may be, besides having chance in its interval."""
LADDER = "RICA: the fact ladder"


def rica_tables(runs: Sequence[Answered], controls: bool = True) -> tuple[PaperTable, ...]:
    """The tables that a run's RICA probes allow; none where it has none."""
    ours = [run for run in runs if run.probe.card.method == "rica" and run.judged]
    made = [_controls(ours) if controls else None, view_table(view_scores(ours).scores), _ladder(ours)]
    return tuple(table for table in made if table is not None)


def at_chance(estimate: Estimate) -> bool:
    """Whether a figure has chance in its interval, and is within 0.03 of it."""
    chance = 0.5 if estimate.chance is None else estimate.chance
    return estimate.low <= chance <= estimate.high and abs(estimate.value - chance) <= NEAR


def _controls(runs: Sequence[Answered]) -> PaperTable | None:
    """Each set beside itself without its premise, and without its content words."""
    by_name = {(run.part.model.name, run.part.probe.name): run for run in runs if run.way == "options"}
    rows: list[PaperRow] = []
    for (model, name), run in by_name.items():
        beside = [by_name.get((model, f"{name}-{kind}")) for kind in CONTROLS]
        if any(beside):
            cells = [None if each is None else each.estimate(each.credits(each.primary())) for each in (run, *beside)]
            rows.append(PaperRow(f"{model} on {name}", "ours", tuple(cells), "models"))
    if not rows:
        return None
    off = [
        f"{row.name}, {column}"
        for row in rows
        for column, cell in zip(CONTROLS, row.cells[1:], strict=True)
        if isinstance(cell, Estimate) and not at_chance(cell)
    ]
    verdict = f"not at chance: {'; '.join(off)}" if off else "every control is at chance"
    note = f"Chance is 0.5. At chance: chance is in the interval, and no more than {NEAR} away; {verdict}."
    return PaperTable("RICA: beside its controls", ("whole", "premise removed", "structure only"), tuple(rows), (note,))


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


def _ladder(runs: Sequence[Answered]) -> PaperTable | None:
    found = []
    for run in runs:
        credited = run.credits(run.primary()) if run.way == "options" and "rung" in run.items[0].facets else None
        ladder = climb(run.items, credited.values, credited.predicted) if credited else None
        found += [(run.part.model.name, ladder)] if ladder else []
    if not found:
        return None
    rungs = (*RUNGS, *(rung for rung in BESIDE if rung != "false"))
    rows = []
    for model, ladder in found:
        for title, rates in (("fact known", ladder.given_known), ("fact not known", ladder.given_unknown)):
            cells = tuple(rates.get(rung) for rung in rungs)
            rows.append(PaperRow(f"{model}, {title}", "ours", cells, model))
    notes = tuple(f"{model}: {_in_words(ladder)}" for model, ladder in found)
    return PaperTable(LADDER, rungs, tuple(rows), ("Chance is 0.5.", *notes))


def _in_words(ladder: LadderAnalysis) -> str:
    def told(e: Estimate) -> str:
        return f"{e.value:.3f} ({e.low:.3f} to {e.high:.3f}, n {e.n:,})"

    lost = "".join(f"; lost from {each.lower} to {each.upper} {told(each.loss)}" for each in ladder.losses)
    return (
        f"{ladder.verdict} Facts known {told(ladder.known)}{lost}; use of a told fact {told(ladder.use)}; follows a "
        f"false one {told(ladder.follows)}."
    )
