"""``horsesense winoventi splits``: the paper's data for fine-tuning, twins told apart."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from horsesense.cli.output import Json, people, print_json


def splits(
    probe: Annotated[Path, typer.Option("-p", "--probe", help="What import or build winoventi wrote.")],
    setting: Annotated[str, typer.Option(help="half-exception or full-exception.")],
    out: Annotated[Path, typer.Option("--out", help="Folder for train.jsonl, dev.jsonl and the tests.")],
    dev: Annotated[float, typer.Option(min=0, max=0.9, help="Share of training schemas held back.")] = 0.0,
    seed: Annotated[int, typer.Option(min=0, help="Which schemas.")] = 0,
    json: Json = False,
) -> None:
    """Half- and full-exception splits with the paper's shares; test items say whether their twin was seen."""
    from horsesense.probes.winoventi.splits import make_splits
    from horsesense.records import read_probe, write_probe

    made = make_splits(read_probe(probe), setting, seed, dev)
    parts = {"train": made.train, "dev": made.dev, **made.tests}
    written = []
    for name, part in parts.items():
        if not part.items:
            continue
        path = out / f"{name}.jsonl"
        write_probe(path, part)
        tests = [item.member for item in part.items]
        seen = sum(item.facets.get("twin") == "seen" for item in part.items)
        counts = {"items": len(tests), "generic": tests.count("generic"), "exception": tests.count("exception")}
        written.append({"part": name, "out": str(path), **counts, "twins_seen": seen})
    if json:
        print_json({"setting": setting, "seed": seed, "parts": written})
        return
    for one in written:
        told = f"{one['generic']:,} generic, {one['exception']:,} exception, {one['twins_seen']:,} with a seen twin"
        people().print(f"{one['part']:<18} {told}  {one['out']}", markup=False, soft_wrap=True)
