"""``horsesense harden``: a subset of a probe on which cues fail."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horsesense.cli.cues import Group, findings_document, unit_of, wordnet
from horsesense.cli.output import Json, people, print_json
from horsesense.errors import UserError

if TYPE_CHECKING:
    from horsesense.analysis.cues.harden import Hardened
    from horsesense.records import Item, Probe

MOST_REASONS = 8


def harden(
    file: Annotated[Path, typer.Argument(help="A probe: .jsonl, .jsonl.gz or .parquet.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="The probe to write: .jsonl, .jsonl.gz or .parquet.")],
    group: Group = None,
    vectors: Annotated[
        Path | None,
        typer.Option("--aflite", metavar="VECTORS.npy", help="Filter by embeddings first: a row an option."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Which halves, which shuffles.")] = 0,
    json: Json = False,
) -> None:
    """The largest subset we can find on which every cue is at chance."""
    from horsesense.analysis.cues.harden import harden as hardened_of
    from horsesense.cli.stages import stages
    from horsesense.records import read_probe, write_probe

    if file.resolve() == out.resolve():
        raise UserError("the subset would overwrite the probe it is taken from", file=out, fix="choose another name")
    probe = read_probe(file)
    unit = unit_of(probe, group, file)
    with stages() as tick:
        items = list(probe.items)
        if vectors is not None:
            items = _filtered(items, vectors, seed, tick)
        found = hardened_of(items, unit, wordnet(tick), seed=seed, tick=tick)
    foreseen = len(probe.items) - len(items)
    kept = _probe(probe, found, foreseen)
    write_probe(out, kept)
    if json:
        print_json(_document(out, kept, found, foreseen))
    else:
        _print(out, kept, found, foreseen)


def _filtered(items: list[Item], path: Path, seed: int, tick: Any) -> list[Item]:
    import numpy as np

    from horsesense.analysis.cues.aflite import aflite, check_vectors
    from horsesense.files import disk_errors

    try:
        with disk_errors(path):
            vectors = np.load(path, allow_pickle=False)
    except ValueError as error:
        raise UserError("this is not a NumPy array", file=path, fix="write it with numpy.save") from error
    try:
        check_vectors(items, vectors)
    except UserError as error:
        raise error.at(path) from None
    return aflite(items, vectors, seed, tick)


def _probe(probe: Probe, found: Hardened, foreseen: int) -> Probe:
    from dataclasses import replace

    from horsesense.records import Probe

    made = f"{probe.card.made} Hardened: a subset on which every cue is at chance.".strip()
    notes = {**probe.card.notes} | {f"dropped for the cue '{cue}'": n for cue, n in found.reasons.items()}
    if foreseen:
        notes["dropped by AFLite"] = foreseen
    return Probe.of(found.items, replace(probe.card, made=made), notes)


def _document(out: Path, kept: Probe, found: Hardened, foreseen: int) -> dict[str, Any]:
    return {
        "out": str(out),
        "items": kept.card.items,
        "families": kept.card.families,
        "dropped": sum(found.reasons.values()) + foreseen,
        "aflite": foreseen,
        "reasons": dict(found.reasons),
        "rules": [
            {"cue": r.cue, "pick": r.pick, "accuracy": r.accuracy.value, "ci": [r.accuracy.low, r.accuracy.high]}
            for r in found.rules
        ],
        "families_dropped": [{"family": d.family, "items": d.items, "cue": d.cue} for d in found.dropped],
        "before": findings_document(found.before),
        "after": findings_document(found.after),
    }


def _print(out: Path, kept: Probe, found: Hardened, foreseen: int) -> None:
    console = people()
    gone = sum(found.reasons.values())
    console.print(f"before: {found.before.verdict}", markup=False, soft_wrap=True)
    console.print(
        f"kept {kept.card.items:,} items in {kept.card.families:,} families, dropped {gone + foreseen:,}  {out}",
        markup=False,
        soft_wrap=True,
    )
    for cue, count in list(found.reasons.items())[:MOST_REASONS]:
        console.print(f"  {count:6,}  {cue}", markup=False, highlight=False)
    if foreseen:
        console.print(f"  {foreseen:6,}  AFLite", markup=False)
    console.print(f"after: {found.after.verdict}", markup=False, soft_wrap=True)
    worst = min(found.rules, key=lambda rule: rule.accuracy.value, default=None)
    if worst is not None:
        told = f"lowest of {len(found.rules)} ways to pick by a cue: {worst.pick}"
        e = worst.accuracy
        console.print(f"[dim]{told}, {e.value:.3f} ({e.low:.3f} to {e.high:.3f})[/dim]", soft_wrap=True)
