"""``horsesense report``: what run folders say, as a page and as tables."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from horsesense.cli.output import Json, people, print_fitting, print_json, say
from horsesense.cli.settings import Normalise

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from horsesense.runs.result import Result
    from horsesense.stats.slices import FacetRow

_WIDTH = 20
"""Characters of the scale beside an accuracy."""
_SCALE = "0 ├●┤ 1"


class Format(StrEnum):
    """How a report is written."""

    html = "html"
    md = "md"
    latex = "latex"
    csv = "csv"
    parquet = "parquet"
    json = "json"


class Rows(StrEnum):
    """What a row of a table for machines is."""

    items = "items"
    tokens = "tokens"


def report(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Run folders.")],
    out: Annotated[
        Path | None,
        typer.Option(
            "-o", "--out", help="The file to write [DIR/report.html; report.html for several runs; tables are printed]."
        ),
    ] = None,
    format: Annotated[
        Format, typer.Option(help="A page; a table for a README or a paper; rows for machines (csv, parquet, json).")
    ] = Format.html,
    rows: Annotated[Rows, typer.Option(help="Of csv, parquet and json: one row an item, or one a token.")] = Rows.items,
    charts: Annotated[Path | None, typer.Option(help="Write every chart into this folder too, as SVG and PNG.")] = None,
    normalise: Normalise = None,
    by: Annotated[list[str] | None, typer.Option(help="Print accuracy by this facet too; repeatable.")] = None,
    no_cues: Annotated[bool, typer.Option("--no-cues", help="Leave out the artefact control, which is slow.")] = False,
    probe: Annotated[
        list[str] | None,
        typer.Option("-p", "--probe", help="The probe that a part was asked of: cues are judged on all of it."),
    ] = None,
    json: Json = False,
) -> None:
    """Write one self-contained HTML page, or a table, and print the results."""
    from horsesense.api.reporting import Format as ReportFormat
    from horsesense.api.reporting import default_report, write_report
    from horsesense.cli.progress import Bars

    if format in (Format.csv, Format.parquet, Format.json):
        _write_rows(folders, out, format.value, rows.value, normalise, json)
        return
    chosen = cast(ReportFormat, format.value)
    path = out or (default_report(folders, chosen) if json else None)
    with Bars() as progress:
        written = write_report(
            *folders,
            out=path,
            format=chosen,
            charts=charts,
            normalise=normalise,
            by=by or (),
            cues=not no_cues,
            probes=probe or (),
            progress=progress,
        )
    if written.out is None:
        print(written.text, end="")
    if charts is not None:
        say(f"charts: {len(written.charts)} files in {charts}")
    if json:
        print_json(written.document())
        _say_all(written.not_sliced)
        say_unfinished(written.unfinished)
        return
    if format is Format.html:
        print_results([summary.result for summary in written.collected.summaries])
    for summary, slices in written.slices:
        _print_slices(f"{summary.label} on {summary.result.probe}", slices)
    _say_all(written.not_sliced)
    for label, named in written.collected.unjudged:
        say(f"{label} on {named}: no item has a gold answer, so there is no score")
    say_unfinished(written.unfinished)
    if written.out is not None:
        say(f"report: {written.out}")


def _write_rows(
    folders: list[Path], out: Path | None, format: str, rows: str, normalise: str | None, json: bool
) -> None:
    from horsesense.api.reporting import write_rows

    written = write_rows(*folders, out=out, format=cast(Any, format), rows=cast(Any, rows), normalise=normalise)
    if json:
        print_json(written)
        return
    people().print(f"{written.rows:,} {written.what}  {written.out}", markup=False, soft_wrap=True)


def _say_all(remarks: Sequence[str]) -> None:
    for remark in remarks:
        say(remark)


def say_unfinished(parts: Sequence[str]) -> None:
    """Name the parts of runs that were left out because their answers are incomplete."""
    if parts:
        say(f"incomplete, left out: {', '.join(parts)}; run the same command again to resume")


def print_results(results: Sequence[Result]) -> None:
    """Print one row per model, probe and prompt format, then one fact per line."""
    from horsesense.report.run_text import format_name, verdict_label
    from horsesense.runs.result import shown_names, spreads

    shown = shown_names(result.model for result in results)
    several = len({result.way for result in results} | {"options"}) > 1
    columns = [
        "model",
        "probe",
        *(["format"] if several else []),
        "accuracy",
        "95% CI",
        "chance",
        "n",
        "verdict",
        _SCALE,
    ]
    rows = []
    for result in results:
        e = result.estimate
        score = ("–", "", "") if result.unparsed else (f"{e:v.3f}", f"{e:i.3f}", bar(e.value, e.chance, e.ci))
        rows.append(
            [
                shown[result.model],
                result.probe,
                *([format_name(result.way)] if several else []),
                *score[:2],
                "" if e.chance is None else f"{e.chance:.3f}",
                f"{e.n:,}",
                verdict_label(result),
                score[2],
            ]
        )
    print_fitting(columns, rows, left=len(columns) - 6, optional=(_SCALE,), drawn=2)
    for result in results:
        people().print(f"{shown[result.model]} on {_asked(result)}", style="dim", markup=False, soft_wrap=True)
        for name, fact in _facts(result):
            people().print(f"  {name}: {fact}", style="dim", markup=False, soft_wrap=True)
    for probe, quality in {result.probe: result.soundness for result in results if result.soundness}.items():
        people().print(f"{probe}: {quality.in_words()}", soft_wrap=True, markup=False)
    for result in results:
        if warning := result.beyond():
            people().print(f"{shown[result.model]} on {_asked(result)}: {warning}", soft_wrap=True, markup=False)
    for each in spreads(results):
        people().print(f"{shown[each.model]} on {each.probe}, by prompt format", markup=False, soft_wrap=True)
        for way, value in each.ways.items():
            people().print(f"  {format_name(way)}: {value:.3f}", markup=False)
        people().print(f"  range: {each.spread:.3f}", markup=False)


def _facts(result: Result) -> Iterator[tuple[str, str]]:
    """State the metric, sample and prompt behind a score, one fact each."""
    from horsesense.report.run_text import normalisation
    from horsesense.runs.replies import in_words

    yield "metric", f"{result.metric}, {normalisation(result.normalise)}"
    yield "clusters", f"{result.estimate.clusters:,}"
    if result.plain is not None and not result.unparsed:
        yield "plain accuracy", f"{result.plain:.3f}, n = {result.plain.n:,}"
        yield "effective number of clusters", f"{result.effective_units:.0f}"
    if result.strict is not None and result.strict.chance is not None and not result.unparsed:
        s = result.strict
        yield "whole families right", f"{s:.3f}, chance {s.chance:.3f}, n = {s.n:,}"
    if result.ties:
        yield "ties", f"{result.ties:,}"
    if result.unjudged:
        yield "items without a gold answer, left out", f"{result.unjudged:,}"
    if result.sensitivity and not result.unparsed:
        yield "other normalisations", ", ".join(f"{name} {value:.3f}" for name, value in result.sensitivity.items())
    if result.asked:
        yield "prompt", result.asked
    if result.replies is not None:
        yield "replies", in_words(result.replies)


def _asked(result: Result) -> str:
    from horsesense.report.run_text import format_name

    return result.probe if result.way == "options" else f"{result.probe} ({format_name(result.way)})"


def bar(value: float, chance: float | None, ci: tuple[float, float]) -> str:
    """Draw a scale from 0 to 1 with the interval, the value and a mark at chance.

    >>> bar(0.75, 0.5, (0.62, 0.85))
    '··········┃·├──●─┤··'
    """

    def at(share: float) -> int:
        return min(_WIDTH - 1, int(share * _WIDTH))

    cells = ["·"] * _WIDTH
    low, high = map(at, ci)
    cells[low : high + 1] = ["─"] * (high + 1 - low)
    cells[low], cells[high] = "├", "┤"
    if chance is not None:
        cells[at(chance)] = "┃"
    cells[at(value)] = "●"
    return "".join(cells)


def _print_slices(title: str, rows: Sequence[FacetRow]) -> None:
    """Print one row per value of a facet: items right, and clusters right as a whole."""
    from horsesense.report.run_text import value_text

    columns = ["slice", "accuracy", "n", "whole families", "n families", "chance"]
    cells = [
        [
            f"{row.facet} = {value_text(row.value)}",
            f"{row.items}",
            f"{row.items.n:,}",
            f"{row.clusters}",
            f"{row.clusters.n:,}",
            "" if row.clusters.chance is None else f"{row.clusters.chance:.2f}",
        ]
        for row in rows
    ]
    print_fitting(columns, cells, optional=("chance",), title=title)
