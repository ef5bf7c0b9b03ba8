"""``horsesense annotate``: ask people, collect what they say, settle it, and put it back into a probe."""

from __future__ import annotations

import typer

from horsesense.cli.annotate.agreement import agreement
from horsesense.cli.annotate.apply import apply
from horsesense.cli.annotate.collect import collect
from horsesense.cli.annotate.export import export
from horsesense.cli.annotate.new import new
from horsesense.cli.annotate.performance import performance
from horsesense.cli.annotate.qualify import qualify
from horsesense.cli.annotate.status import status

annotate = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Ask people: task files out, judgements in, agreement, labels, and back into a probe.",
)
annotate.command("new")(new)
annotate.command("status")(status)
annotate.command("collect")(collect)
annotate.command("agreement")(agreement)
annotate.command("performance")(performance)
annotate.command("qualify")(qualify)
annotate.command("export")(export)
annotate.command("apply")(apply)
