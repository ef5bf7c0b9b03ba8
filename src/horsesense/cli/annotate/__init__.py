"""``horsesense annotate``: ask people, collect what they say, settle it, and put it back into a probe."""

from __future__ import annotations

import typer

from horsesense.cli.annotate.agreement import agreement
from horsesense.cli.annotate.apply import apply
from horsesense.cli.annotate.codes import codes
from horsesense.cli.annotate.collect import collect
from horsesense.cli.annotate.export import export
from horsesense.cli.annotate.invite import invite
from horsesense.cli.annotate.new import new
from horsesense.cli.annotate.performance import performance
from horsesense.cli.annotate.qualify import qualify
from horsesense.cli.annotate.serve import serve
from horsesense.cli.annotate.standing import pause, resume, revoke, withdraw
from horsesense.cli.annotate.status import status

annotate = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Ask people: by task files or on a server of your own; agreement, labels, and back into a probe.",
)
annotate.command("new")(new)
annotate.command("serve")(serve)
annotate.command("invite")(invite)
annotate.command("codes")(codes)
annotate.command("pause")(pause)
annotate.command("resume")(resume)
annotate.command("revoke")(revoke)
annotate.command("withdraw")(withdraw)
annotate.command("status")(status)
annotate.command("collect")(collect)
annotate.command("agreement")(agreement)
annotate.command("performance")(performance)
annotate.command("qualify")(qualify)
annotate.command("export")(export)
annotate.command("apply")(apply)
