"""``horsesense report``: what run folders say, as a page or as a table."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from horsesense.cli.output import Json, print_json, say
from horsesense.cli.settings import Normalise
from horsesense.errors import UserError


class Format(StrEnum):
    """How a report is written."""

    html = "html"
    md = "md"
    latex = "latex"


ENDINGS = {Format.html: ".html", Format.md: ".md", Format.latex: ".tex"}


def report(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Run folders.")],
    out: Annotated[
        Path | None,
        typer.Option(
            "-o", "--out", help="The file to write [DIR/report.html; report.html for several runs; tables are printed]."
        ),
    ] = None,
    format: Annotated[Format, typer.Option(help="A page, or a table for a README or a paper.")] = Format.html,
    charts: Annotated[Path | None, typer.Option(help="Write every chart into this folder too, as SVG and PNG.")] = None,
    normalise: Normalise = None,
    by: Annotated[list[str] | None, typer.Option(help="Print accuracy by this facet too; repeatable.")] = None,
    no_cues: Annotated[bool, typer.Option("--no-cues", help="Leave out the artefact control, which is slow.")] = False,
    json: Json = False,
) -> None:
    """Write one self-contained HTML page, or a table, and print the results."""
    from horsesense.cli.tables import print_results, print_slices, slice_document
    from horsesense.report.collecting import collect
    from horsesense.report.summary import sliced_by
    from horsesense.report.tables import latex, markdown
    from horsesense.scoring.normalise import parse_normalisation

    how = parse_normalisation(normalise) if normalise else None
    collected = collect(folders, cues=not no_cues, how=how)
    sliced, not_sliced = sliced_by(collected.summaries, by or ())
    results = [summary.result for summary in collected.summaries]
    path = out
    if path is None and (format is Format.html or json):
        name = f"report{ENDINGS[format]}"
        path = folders[0] / name if len(folders) == 1 else Path(name)
    if format is Format.html:
        from horsesense.report.page import write_report

        assert path is not None
        write_report(collected, path, drawn=True)
    else:
        from horsesense.files import writing

        if not results:
            raise UserError("no item has a gold, so there is nothing to tabulate", file=folders[0])
        table = (markdown if format is Format.md else latex)(collected.summaries)
        if path is not None:
            with writing(path) as temporary:
                temporary.write_text(table, encoding="utf-8")
        else:
            print(table, end="")
    if charts is not None:
        from horsesense.report.charts import write_charts

        say(f"charts: {len(write_charts(collected, charts))} files in {charts}")
    if json:
        slices = [slice_document(s.label, s.result.probe, row) for s, rows in sliced for row in rows]
        document = {"out": str(path), "results": [result.to_json() for result in results]}
        print_json(document | {"slices": slices} if by else document)
        _say_all(not_sliced)
        return
    if format is Format.html:
        print_results(results)
    for summary, rows in sliced:
        print_slices(f"{summary.label} on {summary.result.probe}", rows)
    _say_all(not_sliced)
    for label, probe in collected.unjudged:
        say(f"{label} on {probe}: no item has a gold, so there is no accuracy")
    if path is not None:
        say(f"report: {path}")


def _say_all(remarks: list[str]) -> None:
    for remark in remarks:
        say(remark)
