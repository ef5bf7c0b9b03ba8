"""``horsesense partwhole check``: what is odd in a file of triples, row by row."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from horsesense.cli.output import Json, people, print_json


def check(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Judged triples: whole,part,jj,label,bin_label.")
    ],
    most: Annotated[int, typer.Option(min=1, help="Rows of a kind that are shown; --json has all.")] = 20,
    json: Json = False,
) -> None:
    """Missing words, phrases, upper case, unknown adjectives, contradictions, labels that disagree: row by row."""
    from horsesense.probes.partwhole.checking import KINDS, check_triples

    found, rows = check_triples(files)
    counts = Counter(one.kind for one in found)
    if json:
        listed = [
            {"kind": one.kind, "file": one.file, "line": one.line, "triple": list(one.triple), "about": one.about}
            for one in found
        ]
        print_json({"rows": rows, "counts": {kind: counts[kind] for kind in KINDS}, "odd": listed})
        return
    console = people()
    console.print(f"{rows:,} rows, {len({(one.file, one.line) for one in found}):,} of them odd")
    for kind, told in KINDS.items():
        own = [one for one in found if one.kind == kind]
        if not own:
            continue
        console.print(f"{kind}: {len(own):,} ({told})", style="bold", markup=False)
        for one in own[:most]:
            about = f"  {one.about}" if one.about else ""
            console.print(f"  {one.file}:{one.line}  {', '.join(one.triple)}{about}", markup=False, soft_wrap=True)
        if len(own) > most:
            console.print(f"  … and {len(own) - most:,} more", markup=False)
