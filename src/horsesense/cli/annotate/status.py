"""``horsesense annotate status``: how far people have come."""

from __future__ import annotations

from collections import Counter

from horsesense.cli.annotate.inputs import AnnotatorOption, Files, InstrumentOption, LastOption, ProbeOption, collected
from horsesense.cli.output import Json, people, print_json


def status(
    files: Files,
    probe: ProbeOption = None,
    instrument: InstrumentOption = "",
    annotator: AnnotatorOption = "",
    last: LastOption = False,
    json: Json = False,
) -> None:
    """Judgements and open tasks, by person, and how many items have how many judgements."""
    found = collected(files, probe, instrument, None, last, annotator)
    given = Counter(each.annotator for each in found.judgements)
    waiting = Counter(who for _, who in found.open)
    asked = set(found.scales) | {item for item, _ in found.open} | {each.item for each in found.judgements}
    votes = Counter(each.item for each in found.judgements)
    depth = Counter(votes[item] for item in asked)
    wanted = min(found.targets.values(), default=found.instrument.judgements)
    document = {
        "instrument": found.instrument.name,
        "wanted": wanted,
        "items": len(asked),
        "done": sum(votes[item] >= found.targets.get(item, wanted) for item in asked),
        "judgements": len(found.judgements),
        "open": len(found.open),
        "by_votes": {str(number): depth[number] for number in sorted(depth)},
        "people": [
            {"annotator": who, "judgements": given[who], "open": waiting[who]} for who in sorted(given | waiting)
        ],
        "notes": dict(found.notes),
    }
    if json:
        print_json(document)
        return
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    console = people()
    console.print(
        f"{found.instrument.name}: {document['done']:,} of {len(asked):,} items have {wanted} judgements; "
        f"{len(found.judgements):,} judgements, {len(found.open):,} tasks open",
        markup=False,
        soft_wrap=True,
    )
    console.print("items by judgements  " + "  ".join(f"{number}: {depth[number]:,}" for number in sorted(depth)))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("annotator")
    for name in ("judgements", "open"):
        table.add_column(name, justify="right")
    for who in sorted(given | waiting):
        table.add_row(escape(who) or "(nobody named)", f"{given[who]:,}", f"{waiting[who]:,}")
    console.print(table)
