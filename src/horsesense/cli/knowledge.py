"""``horsesense knowledge``: the sources that probes are built from, and one's own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from horsesense.cli.output import Json, print_json

knowledge = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Knowledge sources: add one's own, list what is there."
)


@knowledge.command("add")
def add(
    name: Annotated[str, typer.Argument(help="What to call the source.")],
    file: Annotated[
        Path,
        typer.Argument(
            help="Triples, with tabs between relation, concept and target; or a wordnet in LMF (.xml, .xml.gz)."
        ),
    ],
    json: Json = False,
) -> None:
    """Check a file of triples, or a wordnet in LMF, and keep it as a source."""
    from horsesense.api.sources import add_source

    added = add_source(name, file)
    if json:
        print_json(added)
    else:
        print(f"{name}  {added.concepts:,} concepts  licence: {added.licence}")


@knowledge.command("list")
def list_(json: Json = False) -> None:
    """Name the sources that are kept, with version and licence."""
    from horsesense.api.sources import list_sources

    sources = list_sources()
    if json:
        print_json(sources)
        return
    for source in sources:
        print(f"{source.name:12} {source.version or '–':10} {source.licence}")
    if not sources:
        print("nothing yet; horsesense build imports WordNet and GCIDE when they are asked for")
