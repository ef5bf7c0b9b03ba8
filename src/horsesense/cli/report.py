"""``horsesense report``: a page of what is kept in a run folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from horsesense.cli.output import Json, print_json, say


def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A run folder.")],
    out: Annotated[Path | None, typer.Option("-o", "--out", help="The page to write [DIR/report.html].")] = None,
    json: Json = False,
) -> None:
    """Write one self-contained HTML page and print the results."""
    from horsesense.cli.tables import print_results
    from horsesense.report.page import write_page
    from horsesense.runs.results import read_run, result_of

    _, answered = read_run(folder)
    results = [result_of(one) for one in answered if one.judged]
    page = write_page(folder, out)
    if json:
        print_json({"out": str(page), "results": [result.to_json() for result in results]})
    else:
        print_results(results)
        say(f"report: {page}")
