"""``horsesense fetch``: what others have published, into the cache."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from horsesense.cli.output import Json, people, print_json
from horsesense.errors import UserError


def fetch(
    names: Annotated[list[str] | None, typer.Argument(metavar="NAME…", help="What to fetch; --list names all.")] = None,
    source: Annotated[Path | None, typer.Option("--from", metavar="FOLDER", help="Take the files from here.")] = None,
    list_: Annotated[bool, typer.Option("--list", help="Show what can be fetched.")] = False,
    json: Json = False,
) -> None:
    """Get a published release, a bundled model or a knowledge source into the cache."""
    from horsesense.api.fetching import fetch as fetch_names
    from horsesense.api.fetching import list_fetchable
    from horsesense.cli.progress import Bars

    if list_:
        known = list_fetchable()
        if json:
            print_json(known)
            return
        for thing in known:
            people().print(f"{thing.name:12} {thing.kind}", markup=False, soft_wrap=True)
        return
    if not names:
        raise UserError("there is nothing to fetch", fix="name something, or see: horsesense fetch --list")
    with Bars() as watcher:
        fetched = fetch_names(*names, folder=source, watcher=watcher)
    if json:
        print_json(fetched[0] if len(fetched) == 1 else fetched)
        return
    for each in fetched:
        people().print(f"{each.name}  {each.path}", markup=False, soft_wrap=True)
