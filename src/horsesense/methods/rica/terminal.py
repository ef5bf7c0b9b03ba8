"""Print the results of the RICA commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from horsesense.terminal import console, line, table

if TYPE_CHECKING:
    from horsesense.methods.rica.analysis import ProbeAnalysis, RunAnalysis
    from horsesense.methods.rica.clues import ClueSet
    from horsesense.methods.rica.controls import WrittenControls
    from horsesense.methods.rica.lexicon import LexiconCheck
    from horsesense.methods.rica.perturbations import Derivation, Proof
    from horsesense.methods.rica.published_axioms import FilterRecall, PublishedAxiomCheck
    from horsesense.methods.rica.study import RicaStudy
    from horsesense.methods.rica.trained_realiser import RealiserPairs, WordingComparison
    from horsesense.methods.rica.views import ViewRun
    from horsesense.methods.suites.frame import PaperTable
    from horsesense.stats import Estimate
    from horsesense.stats.rungs import LadderAnalysis


def derivation(derived: Derivation) -> None:
    """Print each kind with its form and its statement."""
    from horsesense.methods.rica.perturbations import KINDS

    for name, form in derived.forms.items():
        line(name, "bold")
        line(f"  {form}\n  {derived.statements[name]}")
    rest = len(KINDS) - len(derived.forms)
    if rest:
        line(f"{rest} of the {len(KINDS)} kinds do not apply or are not in the lexicon", "dim")


def proof(proof: Proof) -> None:
    """Print the decision and the steps."""
    line("equivalent" if proof.equivalent else "not equivalent", "bold")
    for step in proof.steps:
        line(f"  {step.form}    [{step.rule}]")


def lexicon(check: LexiconCheck) -> None:
    """Print each pair, then the counts."""
    for pair in check.pairs:
        wordnet = f", WordNet: {pair.wordnet}" if pair.wordnet else ""
        line(f"{pair.phrase}  →  {pair.other}    [{pair.operator}, {pair.status}{wordnet}]")
    for counts in (check.statuses, check.wordnet):
        line(", ".join(f"{count:,} {name}" for name, count in counts.items()), "bold")


def published_axioms(check: PublishedAxiomCheck) -> None:
    """Print the number of exact forms, then the differences."""
    line(f"{check.exact:,} of {check.derived:,} forms derived exactly, from {check.axioms:,} axioms")
    for each in check.differences:
        line(f"line {each.line}, {each.kind}: {each.reason}", "bold")
        line(f"  published  {each.published}\n  derived    {each.derived}")


def pairs(written: RealiserPairs) -> None:
    """Print the files."""
    line(
        f"{written.trained:,} pairs to train on, of {written.cells} kinds of premise and perturbation  {written.train}"
    )
    line(f"{written.tested:,} pairs to test on  {written.test}")


def wording(compared: WordingComparison) -> None:
    """Print a table of writers, and texts that do not fit."""
    frame = table("writer", "n", "as published [95% interval]", "fits its form [95% interval]")
    for each in compared.writers:
        frame.add_row(each.writer, f"{compared.forms:,}", f"{each.same:.3f}", f"{each.fits:.3f}")
    console().print(frame)
    if compared.damaged:
        line(f"{compared.damaged:,} forms cannot be parsed and are left out", "dim")
    for each in compared.writers:
        for misfit in each.misfits:
            line(f"{each.writer} does not fit: {misfit}")


def recall(found: FilterRecall) -> None:
    """Print a table of recall by kind of premise."""
    frame = table("axioms", "n", "premise kept", "conclusion kept", "both [95% interval]")
    rows = [(each.kind, each.premise, each.conclusion, each.kept) for each in found.kinds]
    for kind, premise, conclusion, kept in (*rows, ("all", found.premise, found.conclusion, found.kept)):
        frame.add_row(kind, f"{kept.n:,}", f"{premise.value:.3f}", f"{conclusion.value:.3f}", f"{kept:.3f}")
    console().print(frame)
    line(f"{found.unfiltered:,} of {found.axioms:,} axioms need no filter: grades, places and others")


def controls(written: WrittenControls) -> None:
    """Print the files."""
    for name, each in written.controls.items():
        line(f"{each.items:,} items, {name}  {each.out}")


def analysis(found: RunAnalysis) -> None:
    """Print the analysis of each model and probe, the controls and the entity ablation."""
    from horsesense.methods.rica.analysis import control_table

    for result in found.results:
        _print_analysis(result)
    _print_table(control_table(found.controls))
    if found.ablation:
        for name, estimate in found.ablation.items():
            _print_row(name, estimate)


def views(run: ViewRun) -> None:
    """Print the table of views."""
    from horsesense.methods.rica.analysis import view_table

    _print_table(view_table(run.scores))
    line(str(run.page))


def clues(found: ClueSet) -> None:
    """Print clues and arguments per statement, and the most frequent clues."""
    line(f"{found.model} on {found.probe}", "bold")
    rows = {"clues per statement": found.clues, "arguments": found.arguments, "stability": found.stability}
    for name, estimate in rows.items():
        chance = "" if estimate.chance is None else f", by chance {estimate.chance:.2f}"
        line(f"  {name:20} {estimate:.2f}, n {estimate.n:,}{chance}")
    words = ", ".join(f"{each.word} {each.statements:,} ({each.share:.0%})" for each in found.words)
    line(f"  most frequent        {words}")


def study(done: RicaStudy) -> None:
    """Print the analysis and the files."""
    analysis(done.analysis)
    line(f"{done.page}" + (f"  {done.picture}" if done.picture else ""))


def _print_table(paper_table: PaperTable | None) -> None:
    from horsesense.methods.suites.render import print_tables

    if paper_table is not None:
        print_tables([paper_table])


def _print_row(name: str, estimate: Estimate) -> None:
    line(f"  {name:24} {estimate:.3f}, n {estimate.n:,}")


def _print_analysis(result: ProbeAnalysis) -> None:
    line(f"{result.model} on {result.probe}", "bold")
    operators = result.operators or {}
    rows = {
        "average over properties": result.average,
        "accuracy": result.accuracy,
        "strict": result.strict,
        **{f"{name} {what}": each[what] for what in ("accuracy", "strict") for name, each in operators.items()},
        "retest": result.retest,
    }
    if result.bias:
        rows |= {name: getattr(result.bias, name) for name in ("positive", "negative", "sensitivity", "criterion")}
    for name, estimate in rows.items():
        if estimate:
            _print_row(name, estimate)
    for kind in result.kinds or ():
        line(f"  {' / '.join(map(str, kind.kind)):42} {kind.accuracy:.3f}, n {kind.accuracy.n:,}")
    for setting, sides in (result.background or {}).items():
        line(f"  {setting}: {', '.join(f'{name} {each:.3f}' for name, each in sides.items())}")
    if result.ladder:
        _print_ladder(result.ladder)


def _print_ladder(ladder: LadderAnalysis) -> None:
    _print_row("facts known", ladder.known)
    for title, by_rung in (("known", ladder.given_known), ("not known", ladder.given_unknown)):
        for rung, estimate in by_rung.items():
            _print_row(f"{rung}, {title}", estimate)
    for loss in ladder.losses:
        _print_row(f"loss, {loss.lower} to {loss.upper}", loss.loss)
    _print_row("use of a stated fact", ladder.use)
    _print_row("follows a false fact", ladder.follows)
    line(f"  {ladder.verdict}", "bold")
