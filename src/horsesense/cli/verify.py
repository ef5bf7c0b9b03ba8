"""``horsesense verify``: is what was kept still what was written?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from horsesense.cli.output import Json, print_json, say
from horsesense.errors import UserError


def verify(
    path: Annotated[
        Path | None, typer.Argument(help="A run, a training, a model, a probe, or a folder of such [the cache].")
    ] = None,
    json: Json = False,
) -> None:
    """Look at every checksum of what is kept, and compute anew which models runs are of."""
    from horsesense.api.verify import verify as look

    found = look(path)
    if json:
        print_json(found)
    else:
        print(f"{found.path}: {found.sound:,} sound, {len(found.damaged):,} damaged, {len(found.missing):,} missing")
        for name in found.damaged:
            print(f"damaged: {name}")
        for name in found.missing:
            print(f"missing: {name}")
    if found.unknown:
        say(f"{found.unknown:,} files have no checksum: they are of an earlier version, or somebody else's")
    for name in found.changed:
        say(f"{name} is another model by now than the one that answered")
    if not found.well:
        broken = (*found.damaged, *found.missing)
        told = f"{len(broken):,} of what is kept there is not as it was written ({broken[0]})"
        raise UserError(told, file=found.path, fix="get a whole copy, or make it again")
