"""``horsesense build wordnetqa``: questions about meanings and kinds."""

from __future__ import annotations

from typing import Annotated

import typer

from horsesense.cli.build.writing import AsPaper, Limit, Out, Seed, Ways, write_built
from horsesense.cli.output import Json


def wordnetqa(
    out: Out,
    relation: Annotated[str, typer.Option(help="definitions, synonymy, hypernymy or hyponymy.")],
    source: Annotated[str, typer.Option(help="A knowledge source with isa, definitions and examples.")] = "wordnet",
    limit: Limit = None,
    seed: Seed = 0,
    ways: Ways = 5,
    as_paper: AsPaper = False,
    json: Json = False,
) -> None:
    """Questions about meanings and kinds, grown from WordNet or a source of one's own."""
    from horsesense.knowledge.sources import open_graph
    from horsesense.probes.wordnetqa import Plan, build_wordnetqa

    plan = Plan(relation, seed, limit, as_paper, ways)
    write_built(out, build_wordnetqa(open_graph(source), plan), json)
