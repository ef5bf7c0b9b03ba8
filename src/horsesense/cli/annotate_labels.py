"""``horsesense annotate status, collect, export, apply``: from filled files to judgements, labels and a probe."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.annotate_people import print_rows
from horsesense.cli.output import Json, people, print_json, say, table
from horsesense.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from horsesense.annotate.judgement_files import Collected
    from horsesense.annotate.settling import SettledLabels
    from horsesense.annotate.study_figures import Figure
    from horsesense.records import Label

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


def collected_from_files(
    files: list[Path],
    probe: Path | None = None,
    instrument: str = "",
    round: int | None = None,
    last: bool = False,
    annotator: str = "",
) -> Collected:
    """The judgements of the files, or of a served study, checked."""
    from horsesense.annotate.judgement_files import collect
    from horsesense.annotate.study import is_study
    from horsesense.records import read_probe

    if any(is_study(path) for path in files):
        if len(files) > 1:
            raise UserError("a served study is read alone", file=files[0], fix="collect it into a file first")
        if probe or instrument or annotator or last:
            raise UserError("a served study has its items, instrument and people", fix="leave other options out")
        from horsesense.annotate.server.judgement_log import collected_from

        return collected_from(files[0]).only(round)

    judged = read_probe(probe) if probe is not None else None
    return collect(files, instrument, judged, annotator, last).only(round)


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

    from horsesense.annotate.status import status_of

    state = status_of(collected_from_files(files, probe, instrument, None, last, annotator))
    if json:
        print_json(state)
        return
    console = people()
    console.print(
        f"{state.instrument}: {state.done:,} of {state.items:,} items have {state.wanted} judgements; "
        f"{state.judgements:,} judgements, {state.open:,} tasks open",
        markup=False,
        soft_wrap=True,
    )
    console.print("items by judgements  " + "  ".join(f"{votes}: {n:,}" for votes, n in state.by_votes.items()))
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
    from horsesense.annotate.judgement_files import write_collected
    from horsesense.records import write_probe

    if any(path.resolve() == out.resolve() for path in files):
        raise UserError(
            "the judgements would overwrite a file that they are read from", file=out, fix="choose another name"
        )
    if release:
        from horsesense.methods.releases.votes import read_votes

        if probe or instrument or annotator or last:
            raise UserError(
                "released votes bring their own items, instrument and people", fix="leave other options out"
            )
        votes = read_votes(release, files)
        judgements, unanswered, notes = votes.judgements, 0, dict(votes.probe.card.notes)
        if items is not None:
            write_probe(items, votes.probe)
    else:
        if items is not None:
            raise UserError("--items is for released votes", fix="use the probe that the tasks were made from")
        collected = collected_from_files(files, probe, instrument, None, last, annotator)
        judgements, unanswered, notes = collected.judgements, len(collected.open), dict(collected.notes)
    if not judgements:
        raise UserError("no task is filled in yet", file=files[0])
    written = write_collected(out, judgements, unanswered, notes)
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
    for note, count in notes.items():
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
    from horsesense.annotate.settling import settled_labels
    from horsesense.annotate.study_figures import agreement_figures, kept_figures
    from horsesense.records import write_labels

    if any(path.resolve() == out.resolve() for path in files):
        raise UserError(
            "the labels would overwrite a file that they are made from", file=out, fix="choose another name"
        )
    collected = collected_from_files(files, probe, instrument, round, last, annotator)
    chosen = rule or collected.instrument.rule
    labels = _adjudicated(collected, chosen, fewest, files[0])
    kept = [label.item for label in labels if label.value is not None]
    figures: list[Figure] = agreement_figures(collected)
    if not figures:
        say("no item was judged twice in a round, so there is no agreement to report")
    if len(kept) < len(labels):
        figures += kept_figures(collected, kept)
    write_labels(out, labels)
    settled = settled_labels(collected, chosen, labels, figures, out)
    if json:
        print_json(settled)
        return
    _print_settled(settled)


def _adjudicated(collected: Collected, rule: str, fewest: int | None, file: Path) -> Sequence[Label]:
    """The labels by a rule; where no item gets one, that is an error."""
    from horsesense.analysis.people.adjudication import adjudicate, reasons
    from horsesense.annotate.instrument import WRITTEN

    if collected.instrument.kind == "each":
        raise UserError(
            "options that are judged one by one are not settled by a rule", fix="use annotate soundness apply"
        )
    if collected.instrument.kind in WRITTEN:
        raise UserError("words that people write are not settled by a rule", fix="use annotate collect")
    if not collected.judgements:
        raise UserError("no task is filled in yet", file=file)
    collected.check_scales()
    try:
        labels = adjudicate(collected.judgements, rule, collected.scale_of(), fewest, collected.targets)
    except UserError as error:
        raise error.at(file) from None
    if all(label.value is None for label in labels):
        most = next(iter(reasons(labels)))
        fix = "let fewer votes do with --fewest 1" if most.startswith("fewer than") else "look at annotate agreement"
        raise UserError(f"no item gets a label: {most}", file=file, fix=fix)
    return labels


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
    from horsesense.annotate.apply_labels import apply_labels, write_applied
    from horsesense.annotate.instrument import find_instrument
    from horsesense.records import read_labels, read_probe

    if out.resolve() in (probe.resolve(), labels.resolve()):
        raise UserError("the probe would overwrite what it is made from", file=out, fix="choose another name")
    given = read_labels(labels)
    asked = find_instrument(instrument or given[0][1].instrument)
    applied = apply_labels(read_probe(probe), given, asked, labels, gold_filter, keep_unjudged)
    written = write_applied(out, applied)
    if json:
        print_json(written)
        return
    people().print(f"{written.items:,} items in {written.families:,} families  {out}", markup=False, soft_wrap=True)
    print_rows(("dropped because", "items"), [(reason, f"{n:,}") for reason, n in written.dropped.items()])
    if written.changed:
        people().print(f"{written.changed:,} answers changed by people", markup=False)
