"""``horsesense partwhole split``: train, dev and test, by lot or with nouns held out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from horsesense.cli.output import Json, people, print_json


def split(
    probe: Annotated[Path, typer.Argument(help="Judged triples.")],
    out: Annotated[Path, typer.Option("--out", help="Folder for train.jsonl, dev.jsonl and test.jsonl.")],
    by: Annotated[
        str, typer.Option(help="random, whole, part, adjective, or nouns (no noun in two parts).")
    ] = "random",
    seed: Annotated[int, typer.Option(min=0, help="Which ones.")] = 0,
    json: Json = False,
) -> None:
    """70, 10 and 20 per cent of the triples."""
    from horsesense.probes.partwhole.splits import split_probe
    from horsesense.records import read_probe, write_probe

    parts, dropped = split_probe(read_probe(probe), by, seed)
    written = []
    for name, part in parts.items():
        path = out / f"{name}.jsonl"
        write_probe(path, part)
        counts = {role: len({item.groups[role] for item in part.items}) for role in ("whole", "part", "adjective")}
        written.append(
            {"part": name, "out": str(path), "items": len(part.items), **{f"{k}s": v for k, v in counts.items()}}
        )
    if json:
        print_json({"by": by, "seed": seed, "dropped": dropped, "parts": written})
        return
    for one in written:
        told = ", ".join(f"{one[name]:,} {name}" for name in ("items", "wholes", "parts", "adjectives"))
        people().print(f"{one['part']:<6} {told}  {one['out']}", markup=False, soft_wrap=True)
    if dropped:
        people().print(f"dropped {dropped:,} triples whose nouns fall to different parts")
