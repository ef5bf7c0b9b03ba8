"""``horsesense annotate status, collect, export, apply``: from filled files to judgements, labels and a probe."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.annotate_people import print_rows
from horsesense.cli.output import Json, people, print_json, table

if TYPE_CHECKING:
    from horsesense.annotate.adjudicate import SettledLabels

Files = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE…",
        help="Filled task files or judgements: .csv, .tsv, .jsonl; Label Studio's .json; or a served study.",
    ),
]
ProbeOption = Annotated[Path | None, typer.Option("-p", "--probe", help="The probe that was judged; checks each item.")]
InstrumentOption = Annotated[
    str, typer.Option("--instrument", help="Its name, or a .toml file; else as the files say.")
]
RoundOption = Annotated[int | None, typer.Option("--round", min=1, help="Only the judgements of this round.")]
LastOption = Annotated[bool, typer.Option("--last", help="A person's later answer to the same item counts.")]
AnnotatorOption = Annotated[str, typer.Option("--annotator", help="Who filled in rows that do not say so.")]


def status(
    files: Files,
    probe: ProbeOption = None,
    instrument: InstrumentOption = "",
    annotator: AnnotatorOption = "",
    last: LastOption = False,
    json: Json = False,
) -> None:
    """Judgements and open tasks, by person, and how many items have how many judgements."""
    from rich.markup import escape

    from horsesense.api.people import status as status_of

    state = status_of(*files, probe=probe, instrument=instrument, annotator=annotator, last=last)
    if json:
        print_json(state)
        return
    console = people()
    more = f", more for {state.disputed:,} in dispute" if state.disputed else ""
    console.print(
        f"{state.instrument}: {state.done:,} of {state.items:,} items have all the judgements they want "
        f"({state.wanted} each{more}); {state.judgements:,} judgements given, {state.missing:,} still wanted, "
        f"{state.open:,} tasks with people",
        markup=False,
        soft_wrap=True,
    )
    counts = ", ".join(f"{n:,} with {votes}" for votes, n in state.by_votes.items())
    console.print(f"items by how many judgements they have so far: {counts}")
    frame = table("annotator", "judgements", "open")
    for each in state.people:
        frame.add_row(escape(each.annotator) or "(nobody named)", f"{each.judgements:,}", f"{each.open:,}")
    console.print(frame)


def collect(
    files: Files,
    out: Annotated[Path, typer.Option("-o", "--out", help="The judgements: .jsonl, .csv or .tsv.")],
    probe: ProbeOption = None,
    instrument: InstrumentOption = "",
    annotator: AnnotatorOption = "",
    last: LastOption = False,
    release: Annotated[
        str, typer.Option("--from", help="Released votes: partwhole, winoventi-schemas or winoventi-answers.")
    ] = "",
    items: Annotated[
        Path | None, typer.Option("--items", help="With --from: also write the judged items, a probe.")
    ] = None,
    json: Json = False,
) -> None:
    """Put filled task files, exports of platforms or released votes into one file of judgements."""
    from horsesense.api.people import collect as collect_files

    written = collect_files(
        *files,
        out=out,
        probe=probe,
        instrument=instrument,
        annotator=annotator,
        last=last,
        release=release,
        items=items,
    )
    if json:
        print_json(written)
        return
    who = f"by {written.people:,} people" if written.people else "by people not named"
    console = people()
    console.print(
        f"{written.judgements:,} judgements of {written.items:,} items {who}, {written.open:,} tasks open  {out}",
        markup=False,
        soft_wrap=True,
    )
    for note, count in written.notes.items():
        console.print(f"  {note}: {count:,}", markup=False, soft_wrap=True)


def export(
    files: Files,
    out: Annotated[Path, typer.Option("-o", "--out", help="The labels: .jsonl (or .csv to look at).")],
    rule: Annotated[
        str,
        typer.Option(
            "--rule", help="majority, median, partwhole, winoventi, rica or dawid-skene; else the instrument's."
        ),
    ] = "",
    probe: ProbeOption = None,
    instrument: InstrumentOption = "",
    annotator: AnnotatorOption = "",
    round: RoundOption = None,
    fewest: Annotated[
        int | None,
        typer.Option("--fewest", min=1, help="Votes an item needs; else the rule's, or a study's own where less."),
    ] = None,
    last: LastOption = False,
    json: Json = False,
) -> None:
    """Settle each item's judgements: one label, or the reason why it is dropped."""
    from horsesense.api.people import export as settle
    from horsesense.cli.progress import Bars

    with Bars() as progress:
        settled = settle(
            *files,
            out=out,
            rule=rule,
            probe=probe,
            instrument=instrument,
            annotator=annotator,
            round=round,
            fewest=fewest,
            last=last,
            progress=progress,
        )
    if json:
        print_json(settled)
        return
    _print_settled(settled)


def _print_settled(settled: SettledLabels) -> None:
    from horsesense.cli.annotate_agreement import print_figures

    people().print(
        f"{settled.labels:,} of {settled.items:,} items get a label by the rule {settled.rule}, "
        f"{settled.unanimous:,} of them unanimously; {settled.ties:,} ties  {settled.out}",
        markup=False,
        soft_wrap=True,
    )
    print_rows(("dropped because", "items"), [(reason, f"{n:,}") for reason, n in settled.dropped.items()])
    print_rows(("label", "items"), [(name, f"{n:,}") for name, n in settled.counts.items()])
    print_figures(settled.figures)


def apply(
    probe: Annotated[Path, typer.Argument(help="The probe that was judged.")],
    labels: Annotated[Path, typer.Argument(help="The labels that annotate export wrote (.jsonl).")],
    out: Annotated[Path, typer.Option("-o", "--out", help="The probe to write: .jsonl, .jsonl.gz or .parquet.")],
    instrument: InstrumentOption = "",
    gold_filter: Annotated[
        bool, typer.Option("--gold-filter", help="Keep the answers, drop items whose label is another one.")
    ] = False,
    keep_unjudged: Annotated[bool, typer.Option("--keep-unjudged", help="Keep items that nobody judged.")] = False,
    json: Json = False,
) -> None:
    """Set labels in a probe and drop what failed, each for a reason that is counted (in items)."""
    from horsesense.api.people import apply as apply_labels

    written = apply_labels(
        probe, labels, out, instrument=instrument, gold_filter=gold_filter, keep_unjudged=keep_unjudged
    )
    if json:
        print_json(written)
        return
    people().print(f"{written.items:,} items in {written.families:,} families  {out}", markup=False, soft_wrap=True)
    print_rows(("dropped because", "items"), [(reason, f"{n:,}") for reason, n in written.dropped.items()])
    if written.changed:
        people().print(f"{written.changed:,} answers changed by people", markup=False)
