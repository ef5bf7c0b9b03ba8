"""``horsesense fetch`` and ``horsesense import``: what others have published, into the cache and into a probe."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from horsesense.cli.output import Json, people, print_json, say_skipped
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


def import_(
    release: Annotated[
        str, typer.Argument(help="cats, cats-robust, rica, rica-axioms, winoventi, partwhole, …, or table.")
    ],
    paths: Annotated[list[Path], typer.Argument(metavar="PATH…", help="Files of the release, plain or gzipped.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="The probe to write: .jsonl, .jsonl.gz or .parquet.")],
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Skip and count lines that cannot be read.")] = False,
    columns: Annotated[str, typer.Option("--map", help="For a table: question=…,options=…,answer=… (columns).")] = "",
    name: Annotated[str, typer.Option("--name", help="For a table: the name of the probe.")] = "",
    json: Json = False,
) -> None:
    """Read a published release into a probe."""
    from horsesense.api.probes import read_release
    from horsesense.records.written import written

    if any(path.resolve() == out.resolve() for path in paths):
        raise UserError("the probe would overwrite a file that it is read from", file=out, fix="choose another name")
    probe = read_release(release, *paths, skip_bad=skip_bad, columns=columns, probe_name=name)
    document = written(out, probe)
    say_skipped(probe.skipped)
    if json:
        print_json(document)
        return
    console = people()
    console.print(f"{document.items:,} items in {document.families:,} families  {out}", markup=False, soft_wrap=True)
    for note, count in document.notes.items():
        console.print(f"  {note}: {count:,}", markup=False, soft_wrap=True)
