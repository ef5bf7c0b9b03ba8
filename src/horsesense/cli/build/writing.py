"""What every ``horsesense build`` command takes, and how it ends."""

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
    from horsesense.records import write_probe

    write_probe(out, probe)
    card = probe.card
    if json:
        print_json({"out": str(out), "items": card.items, "families": card.families, "notes": dict(card.notes)})
        return
    print(f"{card.items:,} items in {card.families:,} families  {out}")
    for note, count in card.notes.items():
        print(f"  {note}: {count:,}")
