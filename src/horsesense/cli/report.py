"""``horsesense report``: what run folders say, as a page and as tables."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from horsesense.cli.output import Json, people, print_json, say, table
from horsesense.cli.settings import Normalise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from horsesense.runs.result import Result
    from horsesense.stats.slices import FacetRow

_WIDTH = 20
"""Characters of the line beside an accuracy."""


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
        say(f"{label} on {named}: no item has a gold, so there is no accuracy")
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
    """Which parts of runs were left out, since their answers are not all there."""
    if parts:
        say(f"not finished, and left out: {', '.join(parts)}; run the same command again to finish")


def print_results(results: Sequence[Result]) -> None:
    """One line a model, probe and way: accuracy, interval, chance, n; and what ways of asking are apart."""
    from rich.markup import escape

    from horsesense.runs.replies import in_words
    from horsesense.runs.result import shown_names, spreads

    shown = shown_names(result.model for result in results)
    several = len({result.format for result in results} | {"loglikelihood"}) > 1
    named = ["model", "probe", *(["asked by"] if several else [])]
    frame = table(*named, "accuracy", "95 % interval", "chance", "n", "0 ├●┤ 1", left=len(named), drawn=1)
    for result in results:
        e = result.estimate
        frame.add_row(
            escape(shown[result.model]),
            escape(result.probe),
            *([result.format] if several else []),
            f"{e.value:.3f}",
            f"{e.low:.3f} to {e.high:.3f}",
            "" if e.chance is None else f"{e.chance:.3f}",
            f"{e.n:,}",
            bar(e.value, e.chance, e.ci),
        )
    people().print(frame)
    for result in results:
        remarks = [f"{result.metric} by {result.compared_by}", f"{result.estimate.clusters:,} units"]
        if result.plain is not None:
            p = result.plain
            remarks.append(f"of all {p.n:,} items {p.value:.3f} ({p.low:.3f} to {p.high:.3f})")
            remarks.append(f"as good as {result.effective_units:.0f} units of one size")
        if result.strict is not None and result.strict.chance is not None:
            s = result.strict
            share = f"{s.value:.3f} ({s.low:.3f} to {s.high:.3f}; guessing {s.chance:.3f})"
            remarks.append(f"whole families right {share} of {s.n:,}")
        remarks += [f"{result.ties:,} ties"] if result.ties else []
        remarks += [f"{result.unjudged:,} without a gold left out"] if result.unjudged else []
        others = ", ".join(f"{name} {value:.3f}" for name, value in result.sensitivity.items())
        remarks += [f"by {others}"] if others else []
        remarks += [result.asked] if result.asked else []
        remarks += [in_words(result.replies)] if result.replies is not None else []
        about = f"{shown[result.model]} on {_asked(result)}: {'; '.join(remarks)}"
        people().print(f"[dim]{escape(about)}[/dim]", soft_wrap=True)
    for probe, sound in {result.probe: result.soundness for result in results if result.soundness}.items():
        people().print(f"{probe}: {sound.in_words()}", soft_wrap=True, markup=False)
    for result in results:
        if told := result.beyond():
            people().print(escape(f"{shown[result.model]} on {_asked(result)}: {told}"), soft_wrap=True)
    for each in spreads(results):
        by_format = ", ".join(f"{name} {value:.3f}" for name, value in each.formats.items())
        told = f"{shown[each.model]} on {each.probe}: the prompt formats differ by {each.spread:.3f} ({by_format})"
        people().print(escape(told), soft_wrap=True)


def _asked(result: Result) -> str:
    return result.probe if result.format == "loglikelihood" else f"{result.probe} by {result.format}"


def bar(value: float, chance: float | None, ci: tuple[float, float]) -> str:
    """A line from 0 to 1 with the interval, the value and a mark at chance.

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
    """One line a value of a facet: items right, and clusters right as a whole."""
    from rich.markup import escape

    frame = table("by", "items right (95 %)", "n", "whole clusters (95 %)", "n", "guessing", title=title)
    for row in rows:
        i, c = row.items, row.clusters
        sides = [f"{e.value:.2f} ({e.low:.2f} to {e.high:.2f})" for e in (i, c)]
        label = f"{row.facet} {escape(str(row.value))}"
        frame.add_row(label, sides[0], f"{i.n:,}", sides[1], f"{c.n:,}", f"{c.chance or 0:.2f}")
    people().print(frame)
