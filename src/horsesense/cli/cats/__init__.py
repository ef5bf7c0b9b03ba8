"""``horsesense cats``: what CATs asks beyond accuracy, read from kept runs; one sub-command a file."""

from __future__ import annotations

import typer

from horsesense.cli.cats.evidence import evidence
from horsesense.cli.cats.steps import steps
from horsesense.cli.cats.who import who

cats = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="CATs: evidence, who gets what, inference steps.")
cats.command("evidence")(evidence)
cats.command("who")(who)
cats.command("steps")(steps)
