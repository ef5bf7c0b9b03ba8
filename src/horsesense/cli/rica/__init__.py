"""``horsesense rica``: one axiom, all the ways to say it, and whether two forms say the same."""

from __future__ import annotations

import typer

from horsesense.cli.rica.analyse import analyse
from horsesense.cli.rica.controls import controls
from horsesense.cli.rica.derive import derive
from horsesense.cli.rica.equivalent import equivalent
from horsesense.cli.rica.release import release

rica = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Axioms in logic: derive every way to say one, prove that two say the same.",
)
rica.command("derive")(derive)
rica.command("equivalent")(equivalent)
rica.command("release")(release)
rica.command("controls")(controls)
rica.command("analyse")(analyse)
