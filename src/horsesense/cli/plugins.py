"""``horsesense plugins``: what packages of others add."""

from __future__ import annotations

from horsesense.cli.output import Json, people, print_json, table


def plugins(json: Json = False) -> None:
    """Name what installed packages add, with their versions."""
    from rich.markup import escape

    from horsesense.api.plugged import list_plugins

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
