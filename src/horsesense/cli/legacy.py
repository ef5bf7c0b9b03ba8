"""Commands that are not generated yet; each leaves this file when `horsesense.cli.commands` has it."""

from __future__ import annotations

import typer

from horsesense.cli.annotate import annotate
from horsesense.cli.baseline import baseline
from horsesense.cli.build import build
from horsesense.cli.cats import cats
from horsesense.cli.check import check
from horsesense.cli.inoculate import inoculate
from horsesense.cli.partwhole import partwhole
from horsesense.cli.profile import profile
from horsesense.cli.replicate import replicate
from horsesense.cli.rica_asking import rica
from horsesense.cli.train import train
from horsesense.cli.winoventi import winoventi
from horsesense.cli.wordnetqa import wordnetqa

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
app.command("check")(check)
app.command("replicate")(replicate)
app.add_typer(build, name="build")
app.add_typer(winoventi, name="winoventi")
app.add_typer(rica, name="rica")
app.add_typer(cats, name="cats")
app.add_typer(partwhole, name="partwhole")
app.add_typer(wordnetqa, name="wordnetqa")
