"""``horsesense compare`` and ``horsesense gate``: models side by side; is a new run worse than an old one?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.output import Json, people, print_json, say, table
from horsesense.cli.report import say_unfinished
from horsesense.cli.settings import Normalise

if TYPE_CHECKING:
    from collections.abc import Mapping

    from horsesense.api.results import Comparison
    from horsesense.runs.comparison import Pairing, SideBySide


def compare(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Run folders; one with two models will do.")],
    normalise: Normalise = None,
    items: Annotated[int, typer.Option(min=0, help="Print this many items that only one of two models gets.")] = 0,
    json: Json = False,
) -> None:
    """Compare models on the items that all were asked: paired, clustered, corrected for several comparisons."""
    from horsesense.api.comparing import compare as compare_runs
    from horsesense.runs.result import shown_names

    compared = compare_runs(*folders, normalise=normalise)
    if json:
        print_json(compared.document())
        _say_left_out(compared)
        return
    shown = shown_names(label for side in compared.sides for label in side.accuracies)
    for side in compared.sides:
        _print_side(side, items, shown)
    _say_left_out(compared)


def _say_left_out(compared: Comparison) -> None:
    say_unfinished(compared.unfinished)
    if compared.alone:
        say(f"asked of one model only, and left out: {', '.join(compared.alone)}")


def _print_side(side: SideBySide, items: int, shown: Mapping[str, str]) -> None:
    from rich.markup import escape

    console = people()
    by_format = "" if side.format == "loglikelihood" else f" by {side.format}"
    console.print(f"[bold]{escape(side.probe)}[/bold]{by_format}  {side.items:,} common items with a gold")
    for label, left_out in side.excluded.items():
        if left_out:
            told = f"{left_out:,} items of {escape(shown[label])} left out: not all models were asked"
            console.print(f"[dim]{told}[/dim]")
    for note in side.notes:
        console.print(f"[dim]{escape(note)}[/dim]", soft_wrap=True)
    if side.soundness is not None:
        console.print(side.soundness.in_words(), soft_wrap=True, markup=False)
    frame = table("model", side.metric, "95 % interval", "chance", *(("share of items",) if side.plain else ()))
    for label, e in side.accuracies.items():
        guess = "" if e.chance is None else f"{e.chance:.3f}"
        plain = (f"{side.plain[label].value:.3f}",) if side.plain else ()
        frame.add_row(escape(shown[label]), f"{e.value:.3f}", f"{e.low:.3f} to {e.high:.3f}", guess, *plain)
    console.print(frame)
    for pairing in side.pairings:
        named = replace(pairing, one=shown[pairing.one], other=shown[pairing.other])
        console.print(_sentence(named), soft_wrap=True, markup=False)
        for label, ids in ((named.one, named.only_one), (named.other, named.only_other)):
            for identity in ids[:items]:
                console.print(f"  only {label}: {identity}", markup=False, soft_wrap=True)


def _sentence(pairing: Pairing) -> str:
    c, d = pairing.comparison, pairing.comparison.difference
    figures = (
        f"{pairing.one} − {pairing.other}: {d.value:+z.3f} ({d.low:+z.3f} to {d.high:+z.3f}), p = {_p(c.p)}, "
        f"after Holm {_p(c.adjusted)}, McNemar {_p(c.mcnemar)}; only one right: {len(pairing.only_one):,} and "
        f"{len(pairing.only_other):,}"
    )
    if (p := pairing.plain) is not None:
        figures += f"; by the share of items {p.value:+z.3f} ({p.low:+z.3f} to {p.high:+z.3f})"
    if pairing.settled:
        return f"{figures}. The difference is real."
    outlook = pairing.outlook()
    return f"{figures}. Not settled" + (f"; {outlook}." if outlook else ".")


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def gate(
    new: Annotated[Path, typer.Argument(metavar="NEW", help="The run folder to judge, asked here or from a log.")],
    against: Annotated[Path, typer.Option("--against", metavar="OLD", help="The run folder that it is held against.")],
    margin: Annotated[float, typer.Option(min=0.0, help="The loss of accuracy that is put up with.")] = 0.02,
    normalise: Normalise = None,
    summary: Annotated[Path | None, typer.Option(help="Write a summary in Markdown into this file.")] = None,
    junit: Annotated[Path | None, typer.Option(help="Write JUnit XML into this file.")] = None,
    json: Json = False,
) -> None:
    """Is a new run worse than an old one? Exit code 0: not worse; 3: worse; 4: undecided."""
    from horsesense.api.comparing import gate as judge

    found = judge(new, against, margin=margin, normalise=normalise, summary=summary, junit=junit)
    if json:
        print_json(found)
    else:
        for sentence in found.sentences():
            people().print(sentence, markup=False, soft_wrap=True)
        for note in dict.fromkeys(note for check in found.checks for note in check.notes):
            say(note)
        people().print(found.verdict)
    if found.exit_code:
        raise typer.Exit(found.exit_code)
