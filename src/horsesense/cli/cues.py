"""``horsesense cues`` and ``harden``: what answers a probe without understanding it; a subset where nothing does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.output import Json, people, print_json, say, table
from horsesense.cli.settings import Device, Dtype
from horsesense.errors import UserError

if TYPE_CHECKING:
    from horsesense.core import Probe
    from horsesense.cues import Findings
    from horsesense.cues.harden import Hardened

MOST_SHOWN = 12
"""Cues that the table has unless all are asked for."""
MOST_REASONS = 8
"""Cues that are named with what they cost."""

Group = Annotated[
    str | None, typer.Option(help="Unit of dependence: a group of the items, family, or item [the card's].")
]


def cues(
    file: Annotated[Path, typer.Argument(help="A probe: .jsonl, .jsonl.gz or .parquet.")],
    group: Group = None,
    splits: Annotated[
        int, typer.Option(min=1, max=1000, help="How often to choose on one half and measure on the other.")
    ] = 10,
    rounds: Annotated[int, typer.Option(min=19, max=100_000, help="How often to shuffle the answer key.")] = 199,
    seed: Annotated[int, typer.Option(min=0, help="Which halves, which shuffles.")] = 0,
    model: Annotated[
        str | None,
        typer.Option("-m", "--model", help="Try this model's score of each option without its question too."),
    ] = None,
    dtype: Dtype = None,
    device: Device = "auto",
    also: Annotated[list[str] | None, typer.Option(help="Try this cue of a plug-in too; repeatable.")] = None,
    baseline: Annotated[
        Path | None, typer.Option(help="Write the best cue's answers as a run into this folder.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Show every cue, not only the best.")] = False,
    json: Json = False,
) -> None:
    """What answers a probe without understanding it."""
    from horsesense.api.cues import find_cues
    from horsesense.cli.progress import Bars
    from horsesense.lexicons.wordnet_source import find_wordnet

    with Bars() as progress:
        findings = find_cues(
            file,
            group=group,
            model=model,
            dtype=dtype or "float32",
            device=device,
            also=also or (),
            splits=splits,
            rounds=rounds,
            seed=seed,
            out=baseline,
            progress=progress,
        )
    if baseline is not None:
        say(f"the answers of the best cue are kept in {baseline}; compare it with a run on the same probe")
    if find_wordnet() is None:
        say("WordNet is not here, so cues of generality were left out; run: horsesense fetch wordnet")
    if json:
        print_json(findings.document())
    else:
        _print_findings(findings, None if everything else MOST_SHOWN)


def _print_findings(findings: Findings, most: int | None = None) -> None:
    """A table of the best cues, and the verdict."""
    console = people()
    frame = table("picking the option …", "accuracy", "95 % interval", "coverage", "p")
    for cue in findings.cues[:most]:
        e = cue.accuracy
        values = f"{e.value:.3f}", f"{e.low:.3f} to {e.high:.3f}", f"{cue.coverage:.2f}", f"{cue.p:.3f}"
        frame.add_row(cue.pick.removeprefix("the option "), *values)
    console.print(frame)
    rest = len(findings.cues) - (most or len(findings.cues))
    remarks = [f"{rest} more cues with --all"] if rest > 0 else []
    remarks.append(f"the best cue of the other half {findings.searched.value:.3f}; the headline takes the lesser")
    tree = findings.tree
    remarks.append(f"a shallow tree {tree.value:.3f} ({tree.low:.3f} to {tree.high:.3f})")
    remarks.append(f"{findings.n:,} items, {findings.units:,} units")
    if findings.left_out:
        remarks.append(f"{findings.left_out:,} without a gold or a choice left out")
    if findings.tested < findings.n:
        remarks.append(f"p and tree on {findings.tested:,} of them")
    if findings.mark:
        share = f"{findings.mark.share:.0%}"
        remarks.append(f"an option's {findings.mark.name} gives away its position in {share} of items")
    console.print(f"[dim]{'; '.join(remarks)}[/dim]", soft_wrap=True)
    for near in findings.relatedness:
        e = near.accuracy
        console.print(
            f"relatedness: the option nearest to the question by {near.encoder} is right in {e.value:.3f} "
            f"({e.low:.3f} to {e.high:.3f})",
            markup=False,
            soft_wrap=True,
        )
    if not findings.relatedness:
        console.print("relatedness was not measured; run: horsesense fetch glove minilm", soft_wrap=True)
    console.print(findings.verdict, style="bold", markup=False, soft_wrap=True)


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
