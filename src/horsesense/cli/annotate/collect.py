"""``horsesense annotate collect``: filled files of any kind into one file of judgements."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from horsesense.cli.annotate.inputs import (
    AnnotatorOption,
    Files,
    InstrumentOption,
    LastOption,
    ProbeOption,
    collected,
)
from horsesense.cli.output import Json, people, print_json
from horsesense.errors import UserError


def collect(
    files: Files,
    out: Annotated[Path, typer.Option("-o", "--out", help="The judgements: .jsonl, .csv or .tsv.")],
    probe: ProbeOption = None,
    instrument: InstrumentOption = "",
    annotator: AnnotatorOption = "",
    last: LastOption = False,
    release: Annotated[
        str, typer.Option("--from", help="Released votes: partwhole, winoventi-schemas or winoventi-answers.")
    ] = "",
    items: Annotated[
        Path | None, typer.Option("--items", help="With --from: also write the judged items, a probe.")
    ] = None,
    json: Json = False,
) -> None:
    """Put filled task files, exports of platforms or released votes into one file of judgements."""
    from horsesense.records import write_judgements, write_probe

    if any(path.resolve() == out.resolve() for path in files):
        raise UserError(
            "the judgements would overwrite a file that they are read from", file=out, fix="choose another name"
        )
    if release:
        from horsesense.probes.released.votes import read_votes

        if probe or instrument or annotator or last:
            raise UserError(
                "released votes bring their own items, instrument and people", fix="leave other options out"
            )
        votes = read_votes(release, files)
        judgements, unanswered, notes = votes.judgements, 0, dict(votes.probe.card.notes)
        if items is not None:
            write_probe(items, votes.probe)
    else:
        if items is not None:
            raise UserError("--items is for released votes", fix="use the probe that the tasks were made from")
        found = collected(files, probe, instrument, None, last, annotator)
        judgements, unanswered, notes = found.judgements, len(found.open), dict(found.notes)
    if not judgements:
        raise UserError("no task is filled in yet", file=files[0])
    write_judgements(out, judgements)
    named = {each.annotator for each in judgements if not each.anonymous}
    document = {
        "out": str(out),
        "judgements": len(judgements),
        "items": len({each.item for each in judgements}),
        "people": len(named),
        "open": unanswered,
        "notes": notes,
    }
    if json:
        print_json(document)
        return
    who = f"by {len(named):,} people" if named else "by people not named"
    console = people()
    console.print(
        f"{len(judgements):,} judgements of {document['items']:,} items {who}, {unanswered:,} tasks open  {out}",
        markup=False,
        soft_wrap=True,
    )
    for note, count in notes.items():
        console.print(f"  {note}: {count:,}", markup=False, soft_wrap=True)
