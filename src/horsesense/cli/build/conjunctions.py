"""``horsesense build conjunctions``: conjunction acceptability from Winograd schemas."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from horsesense.cli.build.writing import Out, write_built
from horsesense.cli.output import Json
from horsesense.errors import UserError


def conjunctions(
    file: Annotated[Path, typer.Argument(help="A probe of Winograd schemas as sentences.")],
    out: Out,
    json: Json = False,
) -> None:
    """Pairs of a right sentence and the same with another conjunction (CATs), from Winograd schemas."""
    from horsesense.probes.cats.conjunctions import conjunction_probe
    from horsesense.records import read_probe

    if out.resolve() == file.resolve():
        raise UserError("the pairs would overwrite the schemas", file=out, fix="choose another name")
    try:
        probe = conjunction_probe(read_probe(file))
    except UserError as error:
        raise error.at(file) from None
    write_built(out, probe, json)
