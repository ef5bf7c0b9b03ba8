"""``horsesense partwhole recast``: the same triples in three labels or two."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from horsesense.cli.build.writing import Out, write_built
from horsesense.cli.output import Json


def recast(
    probe: Annotated[Path, typer.Argument(help="Triples on the scale of five.")],
    out: Out,
    labels: Annotated[str, typer.Option(help="five, three, binary, or entailment (three under inference names).")],
    json: Json = False,
) -> None:
    """The task in fewer labels: {guaranteed, probably}, unrelated, {unlikely, impossible}; or yes and no."""
    from horsesense.probes.partwhole.labels import find_form, probe_in_labels
    from horsesense.records import read_probe

    find_form(labels)
    write_built(out, probe_in_labels(read_probe(probe), labels), json)
