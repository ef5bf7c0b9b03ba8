"""``horsesense import``: read a published release, or any table of questions, into a probe."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.output import Json, people, print_json, say_skipped
from horsesense.errors import UserError

if TYPE_CHECKING:
    from horsesense.records import Probe


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
    from horsesense.records import write_probe

    if any(path.resolve() == out.resolve() for path in paths):
        raise UserError("the probe would overwrite a file that it is read from", file=out, fix="choose another name")
    probe = _read(release, paths, skip_bad, columns, name)
    write_probe(out, probe)
    say_skipped(probe.skipped)
    if json:
        document = {"out": str(out), "items": probe.card.items, "families": probe.card.families}
        print_json(document | {"notes": dict(probe.card.notes)})
        return
    console = people()
    console.print(
        f"{probe.card.items:,} items in {probe.card.families:,} families  {out}", markup=False, soft_wrap=True
    )
    for note, count in probe.card.notes.items():
        console.print(f"  {note}: {count:,}", markup=False, soft_wrap=True)


def _read(release: str, paths: list[Path], skip_bad: bool, columns: str, name: str) -> Probe:
    if release == "table":
        from horsesense.probes.released.table import parse_map, read_table

        return read_table(paths, skip_bad, parse_map(columns), name)
    if columns or name:
        raise UserError("--map and --name are for a table", fix="leave them out, or use: horsesense import table")
    from horsesense.probes.released import read_release

    return read_release(release, paths, skip_bad=skip_bad)
