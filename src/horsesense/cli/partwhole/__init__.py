"""``horsesense partwhole``: triples of whole, part and adjective; one sub-command a file."""

from __future__ import annotations

import typer

from horsesense.cli.partwhole.check import check
from horsesense.cli.partwhole.premises import premises
from horsesense.cli.partwhole.recast import recast
from horsesense.cli.partwhole.split import split
from horsesense.cli.partwhole.table import table

partwhole = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Does the adjective carry over to the part? (docs/partwhole.md)"
)
partwhole.command("check")(check)
partwhole.command("recast")(recast)
partwhole.command("split")(split)
partwhole.command("premises")(premises)
partwhole.command("table")(table)
