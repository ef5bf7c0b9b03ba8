"""``horsesense build dictionaryqa``: questions about the sense of a word in an example."""

from __future__ import annotations

from typing import Annotated

import typer

from horsesense.cli.build.writing import AsPaper, Limit, Out, Seed, Ways, write_built
from horsesense.cli.output import Json


def dictionaryqa(
    out: Out,
    source: Annotated[str, typer.Option(help="A knowledge source with words, definitions and examples.")] = "gcide",
    limit: Limit = None,
    seed: Seed = 0,
    ways: Ways = 5,
    as_paper: AsPaper = False,
    json: Json = False,
) -> None:
    """Questions about the sense that a word has in an example, grown from a dictionary."""
    from horsesense.knowledge.sources import open_graph
    from horsesense.probes.dictionaryqa import Plan, build_dictionaryqa

    write_built(out, build_dictionaryqa(open_graph(source), Plan(seed, limit, as_paper, ways)), json)
