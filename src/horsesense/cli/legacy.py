"""Commands that are not generated yet; each leaves this file when `horsesense.cli.commands` has it."""

from __future__ import annotations

import typer

from horsesense.cli.profile import profile

app = typer.Typer(
    name="horsesense",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Find out whether a language model has common sense or is a clever Hans.",
    epilog="Every command takes --json (one document on standard output) and --debug (tracebacks).",
)


app.command("profile")(profile)
