"""``horsesense build winoventi``: a probe from schemas, or from the folder of a pipeline."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from horsesense.cli.build.writing import AsPaper, Limit, Out, Seed, write_built
from horsesense.cli.output import Json, say_skipped
from horsesense.errors import UserError


def winoventi(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="SCHEMAS", help="A table with noun, generic, exception and premise, or a folder of winoventi run."
        ),
    ],
    out: Out,
    machine: Annotated[
        bool, typer.Option("--machine", help="Machine-made schemas, never mixed with people's.")
    ] = False,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Skip and count lines that cannot be read.")] = False,
    unchecked: Annotated[
        bool, typer.Option("--unchecked", help="Keep what the checks object to (for people to judge).")
    ] = False,
    limit: Limit = None,
    seed: Seed = 0,
    as_paper: AsPaper = False,
    json: Json = False,
) -> None:
    """Pairs of texts that differ in one word, each with its own outcome."""
    from dataclasses import replace

    from horsesense.probes.winoventi.checks import Checked, check_schema
    from horsesense.probes.winoventi.files import read_checked
    from horsesense.probes.winoventi.nouns import Noun, is_plural
    from horsesense.probes.winoventi.recipe import build_winoventi
    from horsesense.records import Probe

    path = source / "schemas.tsv" if source.is_dir() else source
    if source.is_dir() and not path.is_file():
        raise UserError("the folder has no schemas.tsv", file=source, fix="run: horsesense winoventi run … to its end")
    read, skipped = read_checked(path, skip_bad=skip_bad)

    def checked(one: Checked) -> Checked:
        noun = Noun(one.schema.triplet.noun, is_plural(one.schema.triplet.noun))
        found = check_schema(one.schema, noun).objections
        return replace(one, objections=tuple(dict.fromkeys((*one.objections, *found))))

    # A run's folder has its objections already; a table of one's own gets those that need no model.
    schemas = read if source.is_dir() else [checked(one) for one in read]
    probe = build_winoventi(
        schemas, machine=machine, literal=as_paper, keep_objections=unchecked, limit=limit, seed=seed
    )
    notes = {"bad lines skipped": len(skipped)} if skipped else {}
    write_built(out, Probe.of(probe.items, probe.card, notes), json)
    say_skipped(skipped)
