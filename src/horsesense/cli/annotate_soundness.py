"""``horsesense annotate soundness new, ask, second, apply``: how sound a probe is, by a reading that is measured."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.output import Json, people, print_json, say, table
from horsesense.cli.settings import Device, Dtype, spec_of

if TYPE_CHECKING:
    from horsesense.core.audit import Share, Soundness

Folder = Annotated[Path, typer.Argument(metavar="READING", help="The folder that soundness new made.")]
Judgements = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE…",
        help="What the reader wrote: lines (.txt), filled task files, a platform's export, or a served study.",
    ),
]
Chunk = Annotated[int, typer.Option("--chunk", min=1, help="Items a file of text.")]


def new(
    probe: Annotated[Path, typer.Argument(help="The probe to be read.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="The folder to make.")],
    limit: Annotated[int, typer.Option("--limit", min=1, help="Items of the sample.")] = 300,
    planted: Annotated[int, typer.Option("--planted", min=1, help="Faults to plant among them.")] = 100,
    seed: Annotated[int, typer.Option("--seed", help="Of the sample, the faults and the order.")] = 0,
    known: Annotated[
        Path | None, typer.Option("--known", help="A probe that people have answered: its clear items are good ones.")
    ] = None,
    votes: Annotated[Path | None, typer.Option("--votes", help="With --known: their judgements.")] = None,
    chunk: Chunk = 130,
    json: Json = False,
) -> None:
    """Draw a sample, plant faults among it, and write blind files for a reader."""
    from horsesense.api.soundness import new_reading

    made = new_reading(probe, out, limit=limit, planted=planted, seed=seed, known=known, votes=votes, chunk=chunk)
    if json:
        print_json(made)
        return
    faults = ", ".join(f"{number} {kind}" for kind, number in made.planted.items())
    people().print(
        f"{made.sample:,} items to be read, {sum(made.planted.values()):,} planted faults ({faults}), "
        f"{made.known:,} known to be good  {out}",
        markup=False,
        soft_wrap=True,
    )
    for remark in made.remarks:
        say(remark)
    say(f"the reader gets what lies in {made.files[0].parent}, and nothing else of {out}")


def ask(
    reading: Folder,
    model: Annotated[str, typer.Option("-m", "--model", help="The model that reads.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="The lines to write (.txt).")],
    margin: Annotated[
        float, typer.Option("--margin", min=0, help="Unclear where yes and no lie so near one another.")
    ] = 0.0,
    device: Device = "auto",
    dtype: Dtype = None,
    json: Json = False,
) -> None:
    """Let a model read: each option by itself, true or not."""
    from horsesense.api.soundness import read_by_model
    from horsesense.cli.progress import Bars

    with Bars() as progress:
        meaning = spec_of("default", dtype)
        judged = read_by_model(reading, model, out, margin=margin, device=device, spec=meaning, progress=progress)
    if json:
        print_json(judged)
        return
    people().print(
        f"{judged.items:,} items judged by {judged.model}, {judged.nonsense:,} called nonsense  {out}",
        markup=False,
        soft_wrap=True,
    )


def second(reading: Folder, files: Judgements, chunk: Chunk = 130, json: Json = False) -> None:
    """Write the second stage: the key is shown to those who differ, and to as many who agree."""
    from horsesense.api.soundness import second_stage

    made = second_stage(reading, files, chunk=chunk)
    if json:
        print_json(made)
        return
    people().print(
        f"{made.differed:,} items that were called bad and {made.agreed:,} others  {made.out}",
        markup=False,
        soft_wrap=True,
    )


def apply(
    reading: Folder,
    files: Judgements,
    reader: Annotated[
        str, typer.Option("--reader", help="Who read, NAME:LINEAGE; the lineage is people, program or a model's.")
    ],
    probe: Annotated[
        Path | None, typer.Option("-p", "--probe", help="The probe that was read: its card gets the result.")
    ] = None,
    after: Annotated[
        list[Path] | None, typer.Option("--second", help="What the reader wrote in the second stage; repeatable.")
    ] = None,
    writer: Annotated[
        str, typer.Option("--writer", help="Who wrote the tables that the items were made from, NAME:LINEAGE.")
    ] = "horsesense:program",
    judge: Annotated[
        str, typer.Option("--judge", help="Who decided what a judgement means, NAME:LINEAGE.")
    ] = "horsesense:program",
    json: Json = False,
) -> None:
    """Work a reading out: the share of bad items, the reader's errors, the corrected share; onto the card."""
    from horsesense.api.soundness import apply_reading

    found = apply_reading(reading, files, reader=reader, probe=probe, second=after or (), writer=writer, judge=judge)
    if json:
        print_json(found)
        return
    _print(found)
    if probe is None:
        say("no card was written; name the probe with -p")


def _print(found: Soundness) -> None:
    stages = {"before": found.before} | ({"after the key was shown": found.after} if found.after else {})
    frame = table("", *stages, "n")
    rows: dict[str, list[Share | None]] = {
        "called bad": [stage.bad for stage in stages.values()],
        "planted faults found": [stage.sensitivity for stage in stages.values()],
    }
    for kind in found.planted:
        rows[f"  {kind}"] = [stage.by_fault.get(kind) for stage in stages.values()]
    rows["false alarms"] = [stage.false_alarms for stage in stages.values()]
    rows["bad, corrected"] = [stage.corrected for stage in stages.values()]
    rows["best that can be reached"] = [stage.best for stage in stages.values()]
    for name, shares in rows.items():
        n = next((f"{share.n:,}" for share in shares if share), "0")
        frame.add_row(name, *map(_told, shares), n)
    console = people()
    console.print(frame)
    about = (("reader", found.reader), ("writer of tables", found.writer), ("judge", found.judge))
    for role, party in about:
        console.print(f"{role}: {party.in_words()}", markup=False, soft_wrap=True)
    for remark in found.remarks:
        say(remark)


def _told(share: Share | None) -> str:
    return "not known" if share is None else f"{share.value:.3f} ({share.ci[0]:.3f} to {share.ci[1]:.3f})"


soundness = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="How sound a probe is: read blind, by a reader who is measured with planted faults.",
)
soundness.command("new")(new)
soundness.command("ask")(ask)
soundness.command("second")(second)
soundness.command("apply")(apply)
