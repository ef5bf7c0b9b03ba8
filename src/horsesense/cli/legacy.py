"""Commands that are not generated yet; each leaves this file when `horsesense.cli.commands` has it."""

from __future__ import annotations

import typer

from horsesense.cli.annotate import annotate
from horsesense.cli.baseline import baseline
from horsesense.cli.inoculate import inoculate
from horsesense.cli.profile import profile
from horsesense.cli.replicate import replicate
from horsesense.cli.train import train

app = typer.Typer(
    name="horsesense",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Find out whether a language model has common sense or is a clever Hans.",
    epilog="Every command takes --json (one document on standard output) and --debug (tracebacks).",
)


app.command("profile")(profile)
app.command("baseline")(baseline)
app.command("train")(train)
app.command("inoculate")(inoculate)
app.add_typer(annotate, name="annotate")
app.command("replicate")(replicate)
