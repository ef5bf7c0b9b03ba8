"""``horsesense fetch``: a published release, a bundled model, a knowledge source."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horsesense.cli.output import Json, people, print_json, say
from horsesense.errors import UserError, unknown

if TYPE_CHECKING:
    from horsesense.files.pinned import Fetched


def fetch(
    names: Annotated[list[str] | None, typer.Argument(metavar="NAME…", help="What to fetch; --list names all.")] = None,
    source: Annotated[Path | None, typer.Option("--from", metavar="FOLDER", help="Take the files from here.")] = None,
    list_: Annotated[bool, typer.Option("--list", help="Show what can be fetched.")] = False,
    json: Json = False,
) -> None:
    """Get a published release, a bundled model or a knowledge source into the cache."""
    known = _fetchable()
    if list_:
        _show(known, json)
        return
    if not names:
        raise UserError("there is nothing to fetch", fix="name something, or see: horsesense fetch --list")
    for name in names:
        if name not in known:
            raise unknown("thing to fetch", name, known)
    documents = []
    for name in names:
        say(f"fetching {name} ({known[name][0]})")
        fetched = known[name][1](source)
        documents.append({"name": fetched.name, "path": str(fetched.path), "sha256": fetched.sha256})
        if not json:
            people().print(f"{fetched.name}  {fetched.path}", markup=False, soft_wrap=True)
    if json:
        print_json(documents[0] if len(documents) == 1 else documents)


def _fetchable() -> dict[str, tuple[str, Callable[[Path | None], Fetched]]]:
    """Name → what it is, and how to get it."""
    from horsesense.knowledge.gcide import fetch_gcide
    from horsesense.knowledge.wordnet_source import fetch_wordnet
    from horsesense.language.vectors import fetch_glove
    from horsesense.models.bundled import BUNDLED, fetch_bundled
    from horsesense.probes.released.published import fetch_release, published_files

    known: dict[str, tuple[str, Callable[[Path | None], Fetched]]] = {}
    for name, files in published_files().items():
        size = sum(file.bytes for file in files) / 1e6
        known[name] = (f"release, {len(files)} files, {size:.1f} MB", partial(fetch_release, name))
    for name in BUNDLED:
        known[name] = ("bundled model", partial(fetch_bundled, name))
    known["wordnet"] = ("knowledge source, WordNet 3.0", fetch_wordnet)
    known["gcide"] = ("knowledge source, the dictionary GCIDE", fetch_gcide)
    known["glove"] = ("word vectors, GloVe in 50 dimensions", fetch_glove)
    return known


def _show(known: dict[str, tuple[str, Any]], json: bool) -> None:
    if json:
        print_json([{"name": name, "kind": kind} for name, (kind, _) in known.items()])
        return
    for name, (kind, _) in known.items():
        people().print(f"{name:12} {kind}", markup=False, soft_wrap=True)
