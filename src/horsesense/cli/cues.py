"""``horsesense cues`` and ``harden``: what answers a probe without understanding it; a subset where nothing does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.output import Json, people, print_json
from horsesense.errors import UserError

if TYPE_CHECKING:
    from horsesense.core import Probe
    from horsesense.cues.harden import Hardened

MOST_SHOWN = 12
"""Cues that the table has unless all are asked for."""
MOST_REASONS = 8
"""Cues that are named with what they cost."""

Group = Annotated[
    str | None, typer.Option(help="Unit of dependence: a group of the items, family, or item [the card's].")
]


def harden(
    file: Annotated[Path, typer.Argument(help="A probe: .jsonl, .jsonl.gz or .parquet.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="The probe to write: .jsonl, .jsonl.gz or .parquet.")],
    group: Group = None,
    vectors: Annotated[
        Path | None,
        typer.Option("--aflite", metavar="VECTORS.npy", help="Filter by embeddings first: a row an option."),
    ] = None,
    also: Annotated[
        list[str] | None, typer.Option(help="Bring this cue of a plug-in to chance too; repeatable.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Which halves, which shuffles.")] = 0,
    json: Json = False,
) -> None:
    """The largest subset we can find on which every cue is at chance."""
    from horsesense.api.cues import harden as harden_probe
    from horsesense.cli.progress import Bars
    from horsesense.core import write_probe

    if file.resolve() == out.resolve():
        raise UserError("the subset would overwrite the probe it is taken from", file=out, fix="choose another name")
    with Bars() as progress:
        left = harden_probe(file, group=group, vectors=vectors, also=also or (), seed=seed, progress=progress)
    write_probe(out, left.probe)
    if json:
        print_json(left.document(out))
    else:
        _print_hardened(out, left.probe, left.hardened, left.by_vectors)


def _print_hardened(out: Path, kept: Probe, hardened: Hardened, foreseen: int) -> None:
    console = people()
    gone = sum(hardened.reasons.values())
    console.print(f"before: {hardened.before.verdict}", markup=False, soft_wrap=True)
    console.print(
        f"kept {kept.card.items:,} items in {kept.card.families:,} families, dropped {gone + foreseen:,}  {out}",
        markup=False,
        soft_wrap=True,
    )
    for cue, count in list(hardened.reasons.items())[:MOST_REASONS]:
        console.print(f"  {count:6,}  {cue}", markup=False, highlight=False)
    if foreseen:
        console.print(f"  {foreseen:6,}  AFLite", markup=False)
    console.print(f"after: {hardened.after.verdict}", markup=False, soft_wrap=True)
    worst = min(hardened.rules, key=lambda rule: rule.accuracy.value, default=None)
    if worst is not None:
        lowest = f"lowest of {len(hardened.rules)} ways to pick by a cue: {worst.pick}"
        e = worst.accuracy
        console.print(f"[dim]{lowest}, {e.value:.3f} ({e.low:.3f} to {e.high:.3f})[/dim]", soft_wrap=True)
