"""``horsesense annotate invite``: a personal link for each person."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from horsesense.cli.annotate.studies import SomeNames, StudyFolder, opened
from horsesense.cli.output import Json, people, print_json
from horsesense.errors import UserError


def invite(
    study: StudyFolder,
    names: SomeNames = None,
    researcher: Annotated[
        bool, typer.Option("--researcher", help="They see the progress of the study, and judge nothing.")
    ] = False,
    queue: Annotated[
        str, typer.Option("--queue", help="Only items of this queue (a value of the study's queue).")
    ] = "",
    renew: Annotated[
        bool, typer.Option("--renew", help="A new link for people who have one; the old one ends.")
    ] = False,
    crowd: Annotated[
        str, typer.Option("--crowd", help="One link for many: prolific, mturk or open (whoever has the link).")
    ] = "",
    most: Annotated[int, typer.Option("--most", min=1, help="So many people may come in by the link of a crowd.")] = 20,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="Write name, code and link as .csv, .tsv or .jsonl.")
    ] = None,
    json: Json = False,
) -> None:
    """Make personal links. Each is shown once: only a hash of it is kept."""
    if bool(names) == bool(crowd):
        raise UserError("people are invited by name, or as a crowd", fix="give names, or --crowd")
    with opened(study) as served:
        from horsesense.annotate.server.joining import CROWDS, new_join
        from horsesense.annotate.server.people import ANNOTATOR, RESEARCHER
        from horsesense.annotate.server.people import invite as invited
        from horsesense.files.tables import write_rows

        address = served.study.address.rstrip("/")
        if crowd:
            link = f"{address}/join/{new_join(served, crowd, most)}"
            if crowd == "prolific":
                link += "?" + "&".join(f"{name}={{{{%{name}%}}}}" for name in (CROWDS[crowd], "STUDY_ID", "SESSION_ID"))
            rows = [{"name": crowd, "code": "", "link": link}]
        else:
            chosen = names or []
            tokens = invited(served, chosen, RESEARCHER if researcher else ANNOTATOR, queue, renew)
            rows = [
                {"name": name, "code": served.code(name), "link": f"{address}/in/{token}"}
                for name, token in zip(chosen, tokens, strict=True)
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
