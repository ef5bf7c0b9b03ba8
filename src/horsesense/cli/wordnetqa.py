"""``horsesense wordnetqa``: what answers to WordNetQA say beyond accuracy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.output import Json, people, print_json, say, table

if TYPE_CHECKING:
    from horsesense.methods.wordnetqa.analysis import WordNetAnalysis
    from horsesense.stats import Estimate

wordnetqa = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="WordNetQA: hops, strictness, figure 3.")


@wordnetqa.callback()
def _group() -> None:
    """One command today; the group keeps its name."""


@wordnetqa.command("analyse")
def analyse(
    folder: Annotated[Path, typer.Argument(help="A run folder with answers to WordNetQA.")],
    chart: Annotated[
        Path | None, typer.Option(help="Draw figure 3 of the first model and probe into this file: .svg, .png, .html.")
    ] = None,
    json: Json = False,
) -> None:
    """Strict accuracy at fixed sizes, accuracy by hops and distractors, and what makes a question harder."""
    from horsesense.api.wordnetqa import analyse as analyse_run
    from horsesense.api.wordnetqa import plot_hops

    analysis = analyse_run(folder)
    if chart is not None:
        drawn = next((result for result in analysis.results if result.cells), None)
        if drawn is None:
            say("no item has hops, so there is nothing to draw")
        else:
            from horsesense.data import writing

            with writing(chart) as temporary:
                plot_hops(drawn).save(str(temporary), format=chart.suffix.lstrip("."))
            say(f"figure 3 of {drawn.model} on {drawn.probe} is in {chart}")
    if json:
        print_json(analysis)
        return
    for result in analysis.results:
        _print_analysis(result)


def _in_words(e: Estimate) -> str:
    return f"{e.value:z.3f} ({e.low:z.3f} to {e.high:z.3f})"


def _print_analysis(result: WordNetAnalysis) -> None:
    console = people()
    console.print(f"{result.model} on {result.probe}", style="bold", markup=False)
    console.print(f"  accuracy {_in_words(result.accuracy)}, n {result.accuracy.n:,}", highlight=False)
    for each in result.strict:
        guess = f"chance {each.strict.chance:.3f}, if independent {each.independent.value:z.3f}"
        what = "questions of a concept" if each.level == "concept" else "forms of the same question"
        told = f"  {each.size} {what}, all right: {_in_words(each.strict)}, {guess}, n {each.strict.n:,}"
        console.print(told, highlight=False, soft_wrap=True)
    if result.cells:
        frame = table("hops", "distractors", "k′", "near", "accuracy", "n", "kinship cues", left=2)
        for cell in result.cells:
            kinship = "–" if cell.kinship is None else f"{cell.kinship:.3f}"
            near = "–" if cell.near is None else str(cell.near)
            figures = _in_words(cell.accuracy), f"{cell.accuracy.n:,}", kinship
            frame.add_row(str(cell.hops), cell.kind, str(cell.distance), near, *figures)
        console.print(frame)
    for effect in result.effects:
        console.print(f"  {effect.name}: log odds {_in_words(effect.log_odds)}, p {effect.p:.3f}", highlight=False)
