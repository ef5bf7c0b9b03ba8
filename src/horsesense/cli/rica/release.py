"""``horsesense rica release``: what our operators make of the released axioms, and where the release slips."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from horsesense.cli.output import Json, people, print_json


def release(
    file: Annotated[Path, typer.Argument(help="The released axioms (RICA_10k_axiom2set.jsonl, plain or gzipped).")],
    json: Json = False,
) -> None:
    """Derive the other forms of each released axiom from its original, and show those that differ."""
    from horsesense.probes.rica.checking import check_release

    found = check_release(file)
    differ = [
        {"line": d.line, "kind": d.kind, "released": d.released, "derived": d.derived, "reason": d.reason}
        for d in found.differences
    ]
    if json:
        print_json({"axioms": found.axioms, "derived": found.derived, "exact": found.exact, "differences": differ})
        return
    people().print(f"{found.exact:,} of {found.derived:,} forms derived exactly, from {found.axioms:,} axioms")
    for d in found.differences:
        people().print(f"line {d.line}, {d.kind}: {d.reason}", style="bold", markup=False, soft_wrap=True)
        people().print(f"  released  {d.released}\n  derived   {d.derived}", markup=False, soft_wrap=True)
