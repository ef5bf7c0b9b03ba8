"""``horsesense cache``: what is kept on disk between calls, and removing it."""

from __future__ import annotations

from typing import Annotated

import typer

from horsesense.cli.output import Json, people, print_json, table

cache = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="What is kept on disk: list it with sizes, remove it."
)


@cache.command("list")
def list_(json: Json = False) -> None:
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
def prune(
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


def _size(count: int) -> str:
    """Bytes for people to read.

    >>> _size(12), _size(2_340_000), _size(1_500_000_000)
    ('12 B', '2.3 MB', '1.5 GB')
    """
    size, units = float(count), ["B", "kB", "MB", "GB"]
    while size >= 999.95 and len(units) > 1:
        size, units = size / 1000, units[1:]
    return f"{count} B" if units[0] == "B" else f"{size:.1f} {units[0]}"
