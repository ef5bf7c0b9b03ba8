"""``horsesense build rica``, until it is generated."""

from __future__ import annotations

import typer

from horsesense.cli.build_rica import rica

build = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Build a probe from a knowledge source.")


@build.callback()
def _group() -> None:
    """Keep the name of the group with one command."""


build.command("rica")(rica)
