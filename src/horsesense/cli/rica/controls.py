"""``horsesense rica controls``: the probes that stand beside a RICA score."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from horsesense.cli.output import Json, print_json


def controls(
    file: Annotated[Path, typer.Argument(help="A RICA probe, built or imported.")],
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Folder to write to [beside the probe].")] = None,
    json: Json = False,
) -> None:
    """Write the probe with its premise removed, and with its content words replaced by nonsense."""
    from horsesense.probes.rica.controls import CONTROLS, control
    from horsesense.records import probe_name, read_probe, write_probe

    probe = read_probe(file)
    written = {}
    for name in CONTROLS:
        path = (out or file.parent) / f"{probe_name(file)}-{name}.jsonl"
        made = control(probe, name)
        write_probe(path, made)
        written[name] = {"out": str(path), "items": len(made.items)}
    if json:
        print_json({"probe": str(file), "controls": written})
        return
    for name, one in written.items():
        print(f"{one['items']:,} items, {name}  {one['out']}")
