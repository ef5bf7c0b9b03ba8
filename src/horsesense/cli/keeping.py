"""What is kept here: ``horsesense fetch``, ``cache``, ``verify``, ``knowledge`` and ``plugins``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from horsesense.cli.output import Json, people, print_json, say, table
from horsesense.errors import UserError

cache = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="What is kept on disk: list it with sizes, remove it."
)
knowledge = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Knowledge sources: add one's own, list what is there."
)


def fetch(
    names: Annotated[list[str] | None, typer.Argument(metavar="NAME…", help="What to fetch; --list names all.")] = None,
    source: Annotated[Path | None, typer.Option("--from", metavar="FOLDER", help="Take the files from here.")] = None,
    list_: Annotated[bool, typer.Option("--list", help="Show what can be fetched.")] = False,
    json: Json = False,
) -> None:
    """Get a published release, a bundled model or a knowledge source into the cache."""
    from horsesense.api.keeping import fetch as fetch_names
    from horsesense.api.keeping import list_fetchable
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
    with Bars() as progress:
        fetched = fetch_names(*names, folder=source, progress=progress)
    if json:
        print_json(fetched[0] if len(fetched) == 1 else fetched)
        return
    for each in fetched:
        people().print(f"{each.name}  {each.path}", markup=False, soft_wrap=True)


@cache.command("list")
def cache_list(json: Json = False) -> None:
    """Name what lies in the cache, with its kind, size and last use."""
    from horsesense.api.cache import list_cache

    contents = list_cache()
    if json:
        print_json(contents)
        return
    if contents.entries:
        rows = table("name", "kind", "size", "last use", left=2)
        for entry in contents.entries:
            rows.add_row(entry.name, entry.kind, _size(entry.bytes), entry.used[:10])
        people().print(rows)
    print(f"{_size(contents.bytes)} in {contents.folder}")


@cache.command("prune")
def cache_prune(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME...]", help="What to remove [kept scores and converted models]."),
    ] = None,
    everything: Annotated[
        bool,
        typer.Option("--all", help="Also what was fetched and what was made of it; not the knowledge store."),
    ] = False,
    json: Json = False,
) -> None:
    """Remove kept scores and converted models, which are made again by themselves; or what is named."""
    from horsesense.api.cache import prune_cache, was_fetched

    pruned = prune_cache(*(names or ()), everything=everything)
    if json:
        print_json(pruned)
        return
    for entry in pruned.removed:
        again = "; horsesense fetch gets it again" if was_fetched(entry) else ""
        print(f"removed {entry.name}: {entry.kind}, {_size(entry.bytes)}{again}")
    what = f"{_size(pruned.bytes)} removed" if pruned.removed else "there was nothing to remove"
    print(f"{what}; {_size(pruned.left)} left in {pruned.folder}")


def verify(
    path: Annotated[
        Path | None, typer.Argument(help="A run, a training, a model, a probe, or a folder of such [the cache].")
    ] = None,
    json: Json = False,
) -> None:
    """Look at every checksum of what is kept, and compute anew which models runs are of."""
    from horsesense.api.verify import verify as look

    found = look(path)
    if json:
        print_json(found)
    else:
        print(f"{found.path}: {found.sound:,} sound, {len(found.damaged):,} damaged, {len(found.missing):,} missing")
        for name in found.damaged:
            print(f"damaged: {name}")
        for name in found.missing:
            print(f"missing: {name}")
    if found.unknown:
        say(f"{found.unknown:,} files have no checksum: they are of an earlier version, or somebody else's")
    for name in found.changed:
        say(f"{name} is another model by now than the one that answered")
    if not found.well:
        broken = (*found.damaged, *found.missing)
        told = f"{len(broken):,} of what is kept there is not as it was written ({broken[0]})"
        raise UserError(told, file=found.path, fix="get a whole copy, or make it again")


@knowledge.command("add")
def knowledge_add(
    name: Annotated[str, typer.Argument(help="What to call the source.")],
    file: Annotated[
        Path,
        typer.Argument(
            help="Triples, with tabs between relation, concept and target; or a wordnet in LMF (.xml, .xml.gz)."
        ),
    ],
    replace: Annotated[
        bool, typer.Option("--replace", help="Put it in the place of another source of that name.")
    ] = False,
    json: Json = False,
) -> None:
    """Check a file of triples, or a wordnet in LMF, and keep it as a source."""
    from horsesense.api.keeping import add_source

    added = add_source(name, file, replace=replace)
    if json:
        print_json(added)
    else:
        print(f"{name}  {added.concepts:,} concepts  licence: {added.licence}")


@knowledge.command("list")
def knowledge_list(json: Json = False) -> None:
    """Name the sources that are kept, with version and licence."""
    from horsesense.api.keeping import list_sources

    sources = list_sources()
    if json:
        print_json(sources)
        return
    for source in sources:
        print(f"{source.name:12} {source.version or '–':10} {source.licence}")
    if not sources:
        print("nothing yet; horsesense build imports WordNet and GCIDE when they are asked for")


def plugins(json: Json = False) -> None:
    """Name what installed packages add, with their versions."""
    from rich.markup import escape

    from horsesense.api.keeping import list_plugins

    found = list_plugins()
    if json:
        print_json(found)
        return
    if not found.plugins:
        print("no package here adds anything; docs/guides/plugins.md says how one does")
        return
    rows = table("kind", "name", "package", "version", left=4)
    for each in found.plugins:
        rows.add_row(*map(escape, (each.kind, each.name, each.package, each.version)))
    people().print(rows)


def _size(count: int) -> str:
    """Bytes for people to read.

    >>> _size(12), _size(2_340_000), _size(1_500_000_000)
    ('12 B', '2.3 MB', '1.5 GB')
    """
    size, units = float(count), ["B", "kB", "MB", "GB"]
    while size >= 999.95 and len(units) > 1:
        size, units = size / 1000, units[1:]
    return f"{count} B" if units[0] == "B" else f"{size:.1f} {units[0]}"
