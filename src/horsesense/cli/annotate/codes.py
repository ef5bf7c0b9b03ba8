"""``horsesense annotate codes``: who finished, and the completion code that they were shown."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from horsesense.cli.annotate.studies import StudyFolder, opened
from horsesense.cli.output import Json, people, print_json


def codes(
    study: StudyFolder,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Write them as .csv, .tsv or .jsonl.")] = None,
    json: Json = False,
) -> None:
    """Names, answers and completion codes, to hold against what people gave to a platform."""
    with opened(study) as served:
        from horsesense.annotate.server.people import ANNOTATOR, all_people
        from horsesense.files.tables import write_rows

        rows = [
            {
                "name": each.name,
                "code": each.code,
                "state": each.state,
                "answered": each.answered,
                "completion": served.completion(each.name),
            }
            for each in all_people(served)
            if each.role == ANNOTATOR
        ]
    if out is not None:
        write_rows(out, rows, ("name", "code", "state", "answered", "completion"))
    if json:
        print_json({"study": str(study), "people": rows, "out": str(out) if out else None})
        return
    from horsesense.cli.annotate.tables import print_table

    columns = ("name", "code", "state", "completion", "answered")
    print_table(columns, [tuple(str(row[name]) for name in columns) for row in rows], left=4)
    if not rows:
        people().print("nobody is invited yet", markup=False)
