"""``horsesense annotate apply``: labels back into a probe."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from horsesense.cli.annotate.inputs import InstrumentOption
from horsesense.cli.output import Json, people, print_json
from horsesense.errors import UserError


def apply(
    probe: Annotated[Path, typer.Argument(help="The probe that was judged.")],
    labels: Annotated[Path, typer.Argument(help="The labels that annotate export wrote (.jsonl).")],
    out: Annotated[Path, typer.Option("-o", "--out", help="The probe to write: .jsonl, .jsonl.gz or .parquet.")],
    instrument: InstrumentOption = "",
    gold_filter: Annotated[
        bool, typer.Option("--gold-filter", help="Keep the answers, drop items whose label is another one.")
    ] = False,
    keep_unjudged: Annotated[bool, typer.Option("--keep-unjudged", help="Keep items that nobody judged.")] = False,
    json: Json = False,
) -> None:
    """Set labels in a probe and drop what failed, each for a reason that is counted (in items)."""
    from horsesense.annotate.apply_labels import apply_labels
    from horsesense.annotate.instrument import find_instrument
    from horsesense.cli.annotate.tables import print_table
    from horsesense.records import read_labels, read_probe, write_probe

    if out.resolve() in (probe.resolve(), labels.resolve()):
        raise UserError("the probe would overwrite what it is made from", file=out, fix="choose another name")
    given = read_labels(labels)
    asked = find_instrument(instrument or given[0][1].instrument)
    applied = apply_labels(read_probe(probe), given, asked, labels, gold_filter, keep_unjudged)
    write_probe(out, applied.probe)
    card = applied.probe.card
    if json:
        print_json(
            {
                "out": str(out),
                "items": card.items,
                "families": card.families,
                "dropped": dict(applied.dropped),
                "changed": applied.changed,
                "notes": dict(card.notes),
            }
        )
        return
    people().print(f"{card.items:,} items in {card.families:,} families  {out}", markup=False, soft_wrap=True)
    print_table(("dropped because", "items"), [(reason, f"{n:,}") for reason, n in applied.dropped.items()])
    if applied.changed:
        people().print(f"{applied.changed:,} answers changed by people", markup=False)
