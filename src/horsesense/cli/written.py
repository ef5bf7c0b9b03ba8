"""What every command that writes a probe takes, and how it ends."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.output import print_json

if TYPE_CHECKING:
    from horsesense.records import Probe

Out = Annotated[Path, typer.Option("-o", "--out", help="The probe to write: .jsonl, .jsonl.gz or .parquet.")]
Limit = Annotated[int | None, typer.Option(min=1, help="Most items; whole families are drawn.")]
Seed = Annotated[int, typer.Option(min=0, help="Which ones: the same seed gives the same file.")]
Ways = Annotated[int, typer.Option("--options", min=2, max=20, help="Options of a question.")]
AsPaper = Annotated[bool, typer.Option("--as-paper", help="The paper's own rules, giveaways and all.")]


def write_built(out: Path, probe: Probe, json: bool) -> None:
    """Write the probe, and say how many items it has and what was left out."""
    from horsesense.records.written import written

    document = written(out, probe)
    if json:
        print_json(document)
        return
    print(f"{document.items:,} items in {document.families:,} families  {out}")
    if probe.card.soundness is not None:
        print(f"sound: {probe.card.soundness.in_words()}")
    for note, count in document.notes.items():
        print(f"  {note}: {count:,}")
