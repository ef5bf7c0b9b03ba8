"""``horsesense rica``: one axiom, all the ways to say it, and what answers to RICA probes say."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.output import Json, people, print_json, table

if TYPE_CHECKING:
    from horsesense.methods.rica.analysis import Analysis, RunAnalysis
    from horsesense.methods.rica.ladder_analysis import LadderAnalysis
    from horsesense.stats import Estimate

LexiconFile = Annotated[
    Path | None, typer.Option("--lexicon", help="A table of phrases, antonyms and paraphrases of one's own.")
]

rica = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Axioms in logic: derive every way to say one, prove that two say the same.",
)


@rica.command("derive")
def derive(
    form: Annotated[
        str, typer.Argument(help="A logical form, or a statement about A and B in plain words.", show_default=False)
    ],
    lexicon: LexiconFile = None,
    json: Json = False,
) -> None:
    """Every way to say an axiom: the release's six, and those of the 24 kinds that apply."""
    from horsesense.api.rica import derive as derive_forms
    from horsesense.methods.rica.perturbations import KINDS

    derived = derive_forms(form, lexicon=lexicon)
    if json:
        print_json(derived)
        return
    for name, logical in derived.forms.items():
        people().print(name, style="bold", markup=False)
        people().print(f"  {logical}\n  {derived.statements[name]}", markup=False, soft_wrap=True)
    rest = len(KINDS) - len(derived.forms)
    if rest:
        people().print(f"{rest} of the {len(KINDS)} kinds do not apply or are not in the lexicon", style="dim")


@rica.command("equivalent")
def equivalent(
    form: Annotated[str, typer.Argument(help="A logical form, or a statement in plain words.", show_default=False)],
    other: Annotated[str, typer.Argument(help="Another one.", show_default=False)],
    lexicon: LexiconFile = None,
    json: Json = False,
) -> None:
    """Whether two forms say the same: both are rewritten by equations, and the way from one to the other is shown."""
    from horsesense.api.rica import equivalent as prove

    proof = prove(form, other, lexicon=lexicon)
    if json:
        print_json(proof)
        return
    people().print("equivalent" if proof.equivalent else "not equivalent", style="bold")
    for step in proof.proof:
        people().print(f"  {step.form}    [{step.rule}]", markup=False, soft_wrap=True)


@rica.command("lexicon")
def lexicon(file: LexiconFile = None, json: Json = False) -> None:
    """The pairs behind antonyms and paraphrases: who certified each, and whether WordNet confirms it."""
    from horsesense.api.rica import lexicon as check

    checked = check(file)
    if json:
        print_json(checked)
        return
    for pair in checked.pairs:
        people().print(
            f"{pair.phrase}  →  {pair.other}    [{pair.operator}, {pair.status}{', ' if pair.wordnet else ''}"
            f"{f'WordNet: {pair.wordnet}' if pair.wordnet else ''}]",
            markup=False,
            soft_wrap=True,
        )
    for counts in (checked.statuses, checked.wordnet):
        people().print(", ".join(f"{count:,} {name}" for name, count in counts.items()), style="bold", markup=False)


@rica.command("release")
def release(
    file: Annotated[Path, typer.Argument(help="The released axioms (RICA_10k_axiom2set.jsonl, plain or gzipped).")],
    json: Json = False,
) -> None:
    """Derive the other forms of each released axiom from its original, and show those that differ."""
    from horsesense.api.rica import released

    checked = released(file)
    if json:
        print_json(checked)
        return
    people().print(f"{checked.exact:,} of {checked.derived:,} forms derived exactly, from {checked.axioms:,} axioms")
    for d in checked.differences:
        people().print(f"line {d.line}, {d.kind}: {d.reason}", style="bold", markup=False, soft_wrap=True)
        people().print(f"  released  {d.released}\n  derived   {d.derived}", markup=False, soft_wrap=True)


@rica.command("recall")
def recall(
    file: Annotated[Path, typer.Argument(help="The released axioms (RICA_10k_axiom2set.jsonl, plain or gzipped).")],
    json: Json = False,
) -> None:
    """What the filters on knowledge bases would keep of the released axioms, all of which people accepted."""
    from horsesense.api.rica import recall as filter_recall

    found = filter_recall(file)
    if json:
        print_json(found)
        return
    frame = table("axioms", "n", "premise kept", "conclusion kept", "both", "95 % interval")
    rows = [(each.kind, (each.premise, each.conclusion, each.kept)) for each in found.kinds]
    for kind, shares in (*rows, ("all", (found.premise, found.conclusion, found.kept))):
        kept = shares[-1]
        values = (f"{share.value:.3f}" for share in shares)
        frame.add_row(kind, f"{kept.n:,}", *values, f"{kept.low:.3f} to {kept.high:.3f}")
    people().print(frame)
    people().print(f"{found.unfiltered:,} of {found.axioms:,} axioms pass no filter: grades, places and others")


@rica.command("controls")
def controls(
    file: Annotated[Path, typer.Argument(help="A RICA probe, built or imported.")],
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Folder to write to [beside the probe].")] = None,
    json: Json = False,
) -> None:
    """Write the probe with its premise removed, and with its content words replaced by nonsense."""
    from horsesense.api.rica import controls as write_controls

    written = write_controls(file, out)
    if json:
        print_json(written)
        return
    for name, each in written.controls.items():
        print(f"{each.items:,} items, {name}  {each.out}")


@rica.command("analyse")
def analyse(
    folder: Annotated[Path, typer.Argument(help="A run folder with answers to RICA probes.")],
    against: Annotated[
        Path | None, typer.Option(help="A run of the same model on the same axioms with names: the entity ablation.")
    ] = None,
    picture: Annotated[Path | None, typer.Option(help="Draw the fact ladder: .svg or .png.")] = None,
    json: Json = False,
) -> None:
    """Accuracy by kind, positivity bias (d′ and criterion), test-retest, the effect of the fact, the fact ladder."""
    from horsesense.api.rica import analyse as analyse_run
    from horsesense.api.rica import plot_ladder

    analysis = analyse_run(folder, against)
    if picture is not None:
        plot_ladder(analysis, picture)
    if json:
        print_json(analysis)
        return
    for result in analysis.results:
        print_analysis(result)
    print_controls(analysis)
    if analysis.ablation:
        for name in ("novel", "named", "difference"):
            people().print(f"  {name:12} {_in_words(getattr(analysis.ablation, name))}")


def _in_words(e: Estimate) -> str:
    return f"{e.value:.3f} ({e.low:.3f} to {e.high:.3f}), n {e.n:,}"


def print_controls(analysis: RunAnalysis) -> None:
    """Each set beside its controls, and whether they are at chance."""
    from horsesense.cli.render import print_tables
    from horsesense.methods.rica.run_tables import control_table

    print_tables(filter(None, [control_table(analysis.controls)]))


def print_analysis(result: Analysis) -> None:
    """One model on one probe, for people."""
    console = people()
    console.print(f"{result.model} on {result.probe}", style="bold", markup=False)
    operators = result.operators or {}
    certified = [(f"{name} accuracy", each.accuracy) for name, each in operators.items()]
    certified += [(f"{name} strict", each.strict) for name, each in operators.items()]
    rows = [("average over properties", result.average), ("accuracy", result.accuracy), ("strict", result.strict)]
    for name, estimate in (*rows, *certified, ("retest", result.retest)):
        if estimate:
            console.print(f"  {name:12} {_in_words(estimate)}")
    if result.bias:
        for name in ("positive", "negative", "sensitivity", "criterion"):
            console.print(f"  {name:12} {_in_words(getattr(result.bias, name))}")
    for each in result.kinds or ():
        console.print(f"  {' / '.join(map(str, each.kind)):42} {_in_words(each.accuracy)}", markup=False)
    for setting, sides in (result.background or {}).items():
        console.print(
            f"  {setting}: {', '.join(f'{name} {_in_words(each)}' for name, each in sides.items())}", markup=False
        )
    if result.ladder:
        _print_ladder(result.ladder)


def _print_ladder(ladder: LadderAnalysis) -> None:
    console = people()
    console.print(f"  facts known  {_in_words(ladder.known)}")
    for title, by_rung in (("known", ladder.given_known), ("not known", ladder.given_unknown)):
        for rung, estimate in by_rung.items():
            console.print(f"  {rung + ', ' + title:24} {_in_words(estimate)}")
    for loss in ladder.losses:
        console.print(f"  {'lost: ' + loss.lower + ' to ' + loss.upper:30} {_in_words(loss.loss)}")
    console.print(f"  use of a told fact       {_in_words(ladder.use)}")
    console.print(f"  follows a false fact     {_in_words(ladder.follows)}")
    console.print(f"  {ladder.verdict}", style="bold", markup=False, soft_wrap=True)
