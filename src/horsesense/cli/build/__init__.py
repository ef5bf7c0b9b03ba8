"""``horsesense build``: make a probe from knowledge; one sub-command a method, one file each."""

from __future__ import annotations

import typer

from horsesense.cli.build.conjunctions import conjunctions
from horsesense.cli.build.dictionaryqa import dictionaryqa
from horsesense.cli.build.duals import duals
from horsesense.cli.build.partwhole import partwhole
from horsesense.cli.build.rica import rica
from horsesense.cli.build.winoventi import winoventi
from horsesense.cli.build.wordnetqa import wordnetqa

build = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Make a probe from knowledge.")
build.command("wordnetqa")(wordnetqa)
build.command("dictionaryqa")(dictionaryqa)
build.command("winoventi")(winoventi)
build.command("conjunctions")(conjunctions)
build.command("duals")(duals)
build.command("rica")(rica)
build.command("partwhole")(partwhole)
