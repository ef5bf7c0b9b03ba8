"""``horsesense annotate invite``: a personal link for each person."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from horsesense.cli.annotate.studies import Names, StudyFolder, opened
from horsesense.cli.output import Json, people, print_json


def invite(
    study: StudyFolder,
    names: Names,
    researcher: Annotated[
        bool, typer.Option("--researcher", help="They see the progress of the study, and judge nothing.")
    ] = False,
    queue: Annotated[
        str, typer.Option("--queue", help="Only items of this queue (a value of the study's queue).")
    ] = "",
    renew: Annotated[
        bool, typer.Option("--renew", help="A new link for people who have one; the old one ends.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="Write name, code and link as .csv, .tsv or .jsonl.")
    ] = None,
    json: Json = False,
) -> None:
    """Make personal links. Each is shown once: only a hash of it is kept."""
    with opened(study) as served:
        from horsesense.annotate.server.people import ANNOTATOR, RESEARCHER
        from horsesense.annotate.server.people import invite as invited
        from horsesense.records.rows import write_rows

        tokens = invited(served, names, RESEARCHER if researcher else ANNOTATOR, queue, renew)
        address = served.study.address.rstrip("/")
        rows = [
            {"name": name, "code": served.code(name), "link": f"{address}/in/{token}"}
            for name, token in zip(names, tokens, strict=True)
        ]
    if out is not None:
        # Whoever reads the file can answer as these people.
        out.touch(mode=0o600)
        write_rows(out, rows, ("name", "code", "link"))
        out.chmod(0o600)
    if json:
        print_json({"study": str(study), "people": rows, "out": str(out) if out else None})
    elif out is None:
        for row in rows:
            people().print(f"{row['name']}  {row['link']}", markup=False, soft_wrap=True)
    else:
        people().print(f"{len(rows):,} links  {out}", markup=False, soft_wrap=True)
