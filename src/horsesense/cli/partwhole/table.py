"""``horsesense partwhole table``: models, controls and people beside one another, as in the paper's table 3."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horsesense.cli.output import Json, people, print_json

if TYPE_CHECKING:
    from horsesense.analysis import Estimate
    from horsesense.probes.partwhole.measures import Row


def table(
    folders: Annotated[
        list[Path], typer.Argument(metavar="DIR...", help="Runs on the same triples; also of controls.")
    ],
    train: Annotated[Path | None, typer.Option(help="The training set: slice by what it has seen.")] = None,
    votes: Annotated[list[Path] | None, typer.Option(help="The released votes: people as rows; repeatable.")] = None,
    details: Annotated[
        bool, typer.Option("--details", help="Print each row's confusion matrix and slices too.")
    ] = False,
    json: Json = False,
) -> None:
    """Accuracy, mean absolute error and quadratic-weighted kappa, with two-way intervals over wholes and parts."""
    from horsesense.probes.partwhole.measures import human_rows
    from horsesense.probes.released.partwhole_votes import read_partwhole_votes
    from horsesense.records import read_probe
    from horsesense.report.partwhole import table_rows
    from horsesense.runs.results import read_run

    answered = [one for folder in folders for each in _runs(folder) for one in read_run(each)[1]]
    rows = table_rows(answered, read_probe(train).items if train else ())
    if votes:
        found = read_partwhole_votes(votes)
        rows += human_rows(answered[0].items, found.probe.items, found.judgements)
    if json:
        print_json({"rows": [_document(row) for row in rows]})
        return
    _show(rows)
    if details:
        _show_details(rows)


def _runs(folder: Path) -> list[Path]:
    """The folder itself, or the seeds of a control that lie in it."""
    return sorted(folder.glob("seed-*")) or [folder]


def _estimate(e: Estimate | None) -> dict[str, Any] | None:
    from math import isnan

    if e is None or isnan(e.value):
        return None
    return {"value": e.value, "ci": [e.low, e.high], "n": e.n, "clusters": e.clusters}


def _document(row: Row) -> dict[str, Any]:
    return {
        "name": row.name,
        "kind": "model" if row.seeds else "people",
        "seeds": row.seeds,
        "n": row.accuracy.n,
        "chance": row.accuracy.chance,
        "accuracy": _estimate(row.accuracy),
        "mean_absolute_error": _estimate(row.error),
        "quadratic_kappa": _estimate(row.kappa),
        "confusion": None
        if row.confusion is None
        else {"labels": list(row.confusion.labels), "counts": [list(each) for each in row.confusion.counts]},
        "slices": {
            name: [{"where": str(each.where[0]), **(_estimate(each.accuracy) or {})} for each in slices]
            for name, slices in row.slices.items()
        },
    }


def _show(rows: list[Row]) -> None:
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    shown.add_column("", min_width=12)
    for name in ("accuracy", "steps off", "kappa", "n"):
        shown.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        seeds = f" (mean of {row.seeds} seeds)" if row.seeds > 1 else ""
        cells = [_told(each) for each in (row.accuracy, row.error, row.kappa)]
        shown.add_row(escape(row.name + seeds), *cells, f"{row.accuracy.n:,}")
    people().print(shown)
    people().print("In brackets 95 %, two-way over wholes and parts; kappa is quadratic-weighted.", style="dim")


def _show_details(rows: list[Row]) -> None:
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    for row in rows:
        if row.confusion is not None:
            grid = Table(
                box=box.SIMPLE_HEAD, pad_edge=False, title=f"{escape(row.name)}: right (down), chosen (across)"
            )
            grid.add_column("")
            for label in row.confusion.labels:
                grid.add_column(label, justify="right")
            for label, counts in zip(row.confusion.labels, row.confusion.counts, strict=True):
                grid.add_row(label, *(f"{count:,.0f}" for count in counts))
            people().print(grid)
        for name, slices in row.slices.items():
            told = "; ".join(f"{each.where[0]} {_told(each.accuracy)}, n = {each.accuracy.n:,}" for each in slices)
            people().print(f"{row.name} by {name}: {told}", style="dim", markup=False, soft_wrap=True)


def _told(e: Estimate | None) -> str:
    from math import isnan

    return "" if e is None or isnan(e.value) else f"{e.value:.3f} ({e.low:.2f}–{e.high:.2f})"
