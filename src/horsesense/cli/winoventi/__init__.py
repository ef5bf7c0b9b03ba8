"""``horsesense winoventi``: a model's own associations turned against it; one sub-command a file."""

from __future__ import annotations

import typer

from horsesense.cli.winoventi.associations import associations
from horsesense.cli.winoventi.evaluate import evaluate
from horsesense.cli.winoventi.jaccard import jaccard
from horsesense.cli.winoventi.run import run
from horsesense.cli.winoventi.splits import splits

winoventi = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Turn a model's own associations against it (docs/winoventi.md)."
)
winoventi.command("associations")(associations)
winoventi.command("evaluate")(evaluate)
winoventi.command("jaccard")(jaccard)
winoventi.command("run")(run)
winoventi.command("splits")(splits)
