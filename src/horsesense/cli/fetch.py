"""``horsesense fetch`` and ``horsesense import``: what others have published, into the cache and into a probe."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.output import Json, people, print_json, say, say_skipped
from horsesense.errors import UserError, unknown

if TYPE_CHECKING:
    from horsesense.files.pinned import Fetched


@dataclass(frozen=True, slots=True)
class Fetchable:
    """Something that can be fetched."""

    name: str
    """What to ask for."""
    kind: str
    """What it is."""


def fetch(
    names: Annotated[list[str] | None, typer.Argument(metavar="NAME…", help="What to fetch; --list names all.")] = None,
    source: Annotated[Path | None, typer.Option("--from", metavar="FOLDER", help="Take the files from here.")] = None,
    list_: Annotated[bool, typer.Option("--list", help="Show what can be fetched.")] = False,
    json: Json = False,
) -> None:
    """Get a published release, a bundled model or a knowledge source into the cache."""
    known = _fetchable()
    if list_:
        _show([Fetchable(name, kind) for name, (kind, _) in known.items()], json)
        return
    if not names:
        raise UserError("there is nothing to fetch", fix="name something, or see: horsesense fetch --list")
    for name in names:
        if name not in known:
            raise unknown("thing to fetch", name, known)
    fetched = []
    for name in names:
        say(f"fetching {name} ({known[name][0]})")
        fetched.append(known[name][1](source))
        if not json:
            people().print(f"{fetched[-1].name}  {fetched[-1].path}", markup=False, soft_wrap=True)
    if json:
        print_json(fetched[0] if len(fetched) == 1 else fetched)


def _fetchable() -> dict[str, tuple[str, Callable[[Path | None], Fetched]]]:
    """Name → what it is, and how to get it."""
    from horsesense.knowledge.gcide import fetch_gcide
    from horsesense.knowledge.wordnet_source import fetch_wordnet
    from horsesense.language.vectors import fetch_glove
    from horsesense.methods.releases.published import fetch_release, published_files
    from horsesense.models.bundled import BUNDLED, fetch_bundled

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


def _show(known: list[Fetchable], json: bool) -> None:
    if json:
        print_json(known)
        return
    for thing in known:
        people().print(f"{thing.name:12} {thing.kind}", markup=False, soft_wrap=True)


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
