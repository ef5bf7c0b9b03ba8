"""``horsesense build duals``: the same questions after one edit, for people to accept."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from horsesense.cli.build.writing import Out, write_built
from horsesense.cli.output import Json
from horsesense.errors import UserError


def duals(
    file: Annotated[Path, typer.Argument(help="A probe of pairs: two sentences, one of them right.")],
    out: Out,
    rule: Annotated[
        list[str] | None,
        typer.Option("--rule", help="insert-negation, remove-negation, antonym, swap-arguments; repeatable [all]."),
    ] = None,
    json: Json = False,
) -> None:
    """Propose dual instances by rule (CATs): negation, antonyms, swapped arguments, with the gold turned where due."""
    from horsesense.probes.cats.duals import make_duals
    from horsesense.records import read_probe

    if out.resolve() == file.resolve():
        raise UserError("the duals would overwrite the probe", file=out, fix="choose another name")
    probe = read_probe(file)
    try:
        made = make_duals(probe, rule or ())
    except UserError as error:
        raise error.at(file) from None
    write_built(out, made, json)
