"""``horsesense rica views``, ``clues`` and ``study``: commands that ask models."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from horsesense.cli.output import Json, people, print_json
from horsesense.cli.rica import print_analysis, print_controls, rica
from horsesense.cli.settings import Device, Dtype, Limit, Models, Seed, spec_of
from horsesense.errors import UserError

__all__ = ["rica"]


@rica.command("views")
def views(
    probe: Annotated[Path, typer.Argument(help="A RICA probe of masked words, built or imported.")],
    out: Annotated[Path, typer.Option(help="Folder of the run; the same command goes on where it was stopped.")],
    model: Models = None,
    limit: Limit = None,
    seed: Seed = 0,
    spec: Annotated[str, typer.Option(help="What a score means: a preset or field=value,….")] = "default",
    dtype: Dtype = None,
    device: Device = "auto",
    json: Json = False,
) -> None:
    """A set as masked words, as sentences and as entailment, each model in the views that it can be asked in."""
    from horsesense.api.rica import views as ask_views
    from horsesense.cli.progress import Bars
    from horsesense.cli.render import print_tables
    from horsesense.methods.rica.run_tables import view_table

    with Bars() as progress:
        asked = ask_views(
            _models(model),
            probe,
            out,
            limit=limit,
            seed=seed,
            spec=spec_of(spec, dtype),
            device=device,
            progress=progress,
        )
    if json:
        print_json(asked)
        return
    print_tables(filter(None, [view_table(asked.scores)]))
    people().print(f"{asked.page}", markup=False)


@rica.command("clues")
def clues(
    probe: Annotated[Path, typer.Argument(help="A RICA probe of masked words, built or imported.")],
    model: Annotated[str, typer.Option("-m", "--model", help="A local model: its gradients are asked.")],
    limit: Annotated[int | None, typer.Option(min=1, help="Explain so many, axiom by axiom in turn.")] = None,
    entities: Annotated[str, typer.Option(help="novel, or names: first names, as in the paper.")] = "novel",
    method: Annotated[str, typer.Option(help="gradient, smoothgrad or integrated.")] = "smoothgrad",
    steps: Annotated[int, typer.Option(min=1, help="Draws of noise, or steps of integration.")] = 10,
    draws: Annotated[int, typer.Option(min=2, help="Draws of names for each statement.")] = 5,
    seed: Seed = 0,
    spec: Annotated[str, typer.Option(help="What a score means: a preset or field=value,….")] = "default",
    dtype: Dtype = None,
    device: Device = "auto",
    json: Json = False,
) -> None:
    """Which words predictions rest on, over a whole set: clues a statement, and how many of them are arguments."""
    from horsesense.api.rica import clues as find_clues
    from horsesense.cli.progress import Bars
    from horsesense.errors import unknown
    from horsesense.scoring.saliency import METHODS

    if method not in METHODS:
        raise unknown("method", method, METHODS)
    with Bars() as progress:
        found = find_clues(
            model,
            probe,
            limit=limit,
            entities=entities,
            method=method,
            steps=steps,
            draws=draws,
            seed=seed,
            spec=spec_of(spec, dtype),
            device=device,
            progress=progress,
        )
    if json:
        print_json(found)
        return
    console = people()
    console.print(f"{found.model} on {found.probe}", style="bold", markup=False)
    for name, e in (
        ("clues a statement", found.clues),
        ("arguments of them", found.arguments),
        ("stability", found.stability),
    ):
        luck = "" if e.chance is None else f", by luck {e.chance:.2f}"
        console.print(f"  {name:18} {e.value:.2f} ({e.low:.2f} to {e.high:.2f}), n {e.n:,}{luck}")
    listed = ", ".join(f"{each.word} {each.statements:,} ({each.share:.0%})" for each in found.words)
    console.print(f"  most often         {listed}", markup=False, soft_wrap=True)


def _models(given: list[str] | None) -> list[str]:
    """The models of the call, or those that the user has set."""
    from horsesense.settings import models_setting

    chosen = given or list(models_setting())
    if not chosen:
        raise UserError("no model is named", fix="add -m NAME")
    return chosen


@rica.command("study")
def study(
    out: Annotated[Path, typer.Option(help="Folder of the study; the same command goes on where it was stopped.")],
    model: Models = None,
    statements: Annotated[
        Path | None, typer.Option("-p", "--probe", help="A RICA probe to ask instead of a built one.")
    ] = None,
    entities: Annotated[str, typer.Option(help="novel, or fresh: drawn for this study.")] = "novel",
    limit: Limit = None,
    seed: Seed = 0,
    spec: Annotated[str, typer.Option(help="What a score means: a preset or field=value,….")] = "default",
    dtype: Dtype = None,
    device: Device = "auto",
    json: Json = False,
) -> None:
    """Statements, their controls and the fact ladder: built or taken, asked, analysed, with a page and a picture."""
    from horsesense.api.rica import study as study_models
    from horsesense.cli.progress import Bars

    with Bars() as progress:
        done = study_models(
            _models(model),
            out,
            statements=statements,
            limit=limit,
            entities=entities,
            seed=seed,
            spec=spec_of(spec, dtype),
            device=device,
            progress=progress,
        )
    if json:
        print_json(done)
        return
    for result in done.analysis.results:
        print_analysis(result)
    print_controls(done.analysis)
    people().print(f"{done.page}" + (f"  {done.picture}" if done.picture else ""), markup=False)
