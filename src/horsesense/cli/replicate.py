"""``horsesense replicate``: published figures computed again, or accounted for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.output import Json, people, print_json, say, table
from horsesense.cli.settings import AllowPickle, Device
from horsesense.errors import UserError

if TYPE_CHECKING:
    from horsesense.replication.replication import PaperReplication

_MOST = 12
"""Rows of a table that are told on the screen; the page has all."""


def replicate(
    paper: Annotated[
        str | None, typer.Argument(help="cats, rica, winoventi, partwhole or wordnetqa [all five].")
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "-m", "--model", help="Ask this model as the papers did: a hub name, or hub-name=FOLDER; repeatable."
        ),
    ] = None,
    trained: Annotated[
        list[str] | None,
        typer.Option(
            help="FIGURE=FOLDER: trainings of several seeds stand for a figure, 'place | row | column'; repeatable."
        ),
    ] = None,
    data: Annotated[Path | None, typer.Option(help="Folder of the releases [what was fetched].")] = None,
    out: Annotated[Path, typer.Option(help="Folder that keeps results, and resumes.")] = Path("runs/replicate"),
    limit: Annotated[int | None, typer.Option(help="Ask models about this many items of each set.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of --limit.")] = 0,
    device: Device = "auto",
    allow_pickle: AllowPickle = False,
    json: Json = False,
) -> None:
    """Compute the published figures again: same, within error, differs and why, or what is missing."""
    from horsesense.api.replicate import PAGE
    from horsesense.api.replicate import replicate as compute
    from horsesense.cli.progress import Bars

    with Bars() as progress:
        done = compute(
            paper,
            model=model or (),
            trained=_figures(trained or []),
            data=data,
            out=out,
            limit=limit,
            seed=seed,
            device=device,
            allow_pickle=allow_pickle,
            progress=progress,
        )
    if json:
        print_json(done)
        return
    _print_counts(done.papers)
    for each in done.papers:
        _print_paper(each)
    say(f"every figure, what is missing and what would do it: {out / PAGE}")


def _figures(given: list[str]) -> dict[str, Path]:
    """Figures and the folders that stand for them."""
    figures = {}
    for each in given:
        name, equals, folder = each.rpartition("=")
        if not (name and equals and folder):
            raise UserError(f"{each!r} does not say which trainings stand for which figure", fix="write FIGURE=FOLDER")
        figures[name.strip()] = Path(folder)
    return figures


def _print_counts(papers: tuple[PaperReplication, ...]) -> None:
    from horsesense.report.replication import COUNTED, totals

    rows = totals(papers)
    frame = table("", *(name for name, _ in rows))
    for place, name in enumerate(COUNTED):
        frame.add_row(name, *(f"{row[place]:,}" for _, row in rows))
    people().print(frame)


def _print_paper(paper: PaperReplication) -> None:
    from rich.markup import escape

    from horsesense.report.replication import shown_printed, shown_value

    console = people()
    differs = [each for each in paper.outcomes if each.verdict == "differs"]
    if differs:
        frame = table("differs", "why", "printed", "here", left=2, title=f"{paper.paper}: {paper.cited}")
        for each in differs[:_MOST]:
            figure = escape(f"{each.place}: {each.row}, {each.column}")
            frame.add_row(figure, escape(each.reason), shown_printed(each), shown_value(each))
        console.print(frame)
        if len(differs) > _MOST:
            console.print(f"and {len(differs) - _MOST} more", style="dim")
    for fault in paper.faults[:_MOST]:
        console.print(f"inside the paper, {fault.place}: {fault.told}", markup=False, soft_wrap=True)
    if len(paper.faults) > _MOST:
        console.print(f"and {len(paper.faults) - _MOST} more", style="dim")
    for cell in paper.models[:_MOST]:
        told = cell.why_no_verdict or ("" if cell.whole else "on a part")
        line = (
            f"{cell.model}, {cell.suite} {cell.column}: {cell.value:.3f} ({cell.low:.3f}–{cell.high:.3f}), n {cell.n:,}"
        )
        console.print(f"{line}{'; no verdict: ' if told else ''}{told}", markup=False, soft_wrap=True)
