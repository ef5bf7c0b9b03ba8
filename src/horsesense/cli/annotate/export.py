"""``horsesense annotate export``: from judgements to labels, by a stated rule, with agreement beside."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from horsesense.cli.annotate.inputs import (
    AnnotatorOption,
    Files,
    InstrumentOption,
    LastOption,
    ProbeOption,
    RoundOption,
    collected,
)
from horsesense.cli.output import Json, people, print_json, say
from horsesense.errors import UserError


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
    from horsesense.analysis.people.adjudication import adjudicate, reasons
    from horsesense.annotate.instrument import WRITTEN
    from horsesense.annotate.study_figures import agreement_figures, kept_figures
    from horsesense.cli.annotate.tables import figure_json, print_figures, print_table
    from horsesense.records import write_labels

    if any(path.resolve() == out.resolve() for path in files):
        raise UserError(
            "the labels would overwrite a file that they are made from", file=out, fix="choose another name"
        )
    found = collected(files, probe, instrument, round, last, annotator)
    if found.instrument.kind in WRITTEN:
        raise UserError("words that people write are not settled by a rule", fix="use annotate collect")
    if not found.judgements:
        raise UserError("no task is filled in yet", file=files[0])
    found.check_scales()
    chosen = rule or found.instrument.rule
    try:
        labels = adjudicate(found.judgements, chosen, found.scale_of(), fewest, found.targets)
    except UserError as error:
        raise error.at(files[0]) from None
    kept = [label for label in labels if label.value is not None]
    if not kept:
        most = next(iter(reasons(labels)))
        fix = "let fewer votes do with --fewest 1" if most.startswith("fewer than") else "look at annotate agreement"
        raise UserError(f"no item gets a label: {most}", file=files[0], fix=fix)
    figures = agreement_figures(found)
    if not figures:
        say("no item was judged twice in a round, so there is no agreement to report")
    if len(kept) < len(labels):
        figures += kept_figures(found, (label.item for label in kept))
    write_labels(out, labels)
    counts = Counter(str(label.value) for label in kept)
    document = {
        "out": str(out),
        "instrument": found.instrument.name,
        "rule": chosen,
        "judgements": len(found.judgements),
        "people": len({each.annotator for each in found.judgements if not each.anonymous}),
        "items": len(labels),
        "labels": len(kept),
        "ties": sum(label.tie for label in labels),
        "unanimous": sum(len(label.votes) == 1 for label in kept),
        "dropped": reasons(labels),
        "counts": dict(counts.most_common()) if len(counts) <= 20 else {},
        "figures": [figure_json(figure) for figure in figures],
        "notes": dict(found.notes),
    }
    if json:
        print_json(document)
        return
    people().print(
        f"{len(kept):,} of {len(labels):,} items get a label by the rule {chosen}, "
        f"{document['unanimous']:,} of them unanimously; {document['ties']:,} ties  {out}",
        markup=False,
        soft_wrap=True,
    )
    print_table(("dropped because", "items"), [(reason, f"{n:,}") for reason, n in reasons(labels).items()])
    if document["counts"]:
        print_table(("label", "items"), [(name, f"{n:,}") for name, n in counts.most_common()])
    print_figures(figures)
