"""``horsesense compare`` and ``horsesense gate``: models side by side; is a new run worse than an old one?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.output import Json, people, print_json, say
from horsesense.cli.settings import Normalise

if TYPE_CHECKING:
    pass


def gate(
    new: Annotated[Path, typer.Argument(metavar="NEW", help="The run folder to judge, asked here or from a log.")],
    against: Annotated[Path, typer.Option("--against", metavar="OLD", help="The run folder that it is held against.")],
    margin: Annotated[float, typer.Option(min=0.0, help="The loss of accuracy that is put up with.")] = 0.02,
    normalise: Normalise = None,
    summary: Annotated[Path | None, typer.Option(help="Write a summary in Markdown into this file.")] = None,
    junit: Annotated[Path | None, typer.Option(help="Write JUnit XML into this file.")] = None,
    json: Json = False,
) -> None:
    """Is a new run worse than an old one? Exit code 0: not worse; 3: worse; 4: inconclusive."""
    from horsesense.api.comparing import gate as judge

    found = judge(new, against, margin=margin, normalise=normalise, summary=summary, junit=junit)
    if json:
        print_json(found)
    else:
        for sentence in found.sentences():
            people().print(sentence, markup=False, soft_wrap=True)
        for note in dict.fromkeys(note for check in found.checks for note in check.notes):
            say(note)
        people().print(found.verdict)
    if found.exit_code:
        raise typer.Exit(found.exit_code)
