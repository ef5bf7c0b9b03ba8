"""``horsesense annotate agreement``: how far people agree, who differs, what is in dispute."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

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
from horsesense.cli.output import Json, people, print_json

if TYPE_CHECKING:
    from horsesense.analysis.people.annotators import Annotator, Dispute
    from horsesense.annotate.judgement_files import Collected


def agreement(
    files: Files,
    probe: ProbeOption = None,
    instrument: InstrumentOption = "",
    annotator: AnnotatorOption = "",
    round: RoundOption = None,
    last: LastOption = False,
    disputed: Annotated[int, typer.Option("--disputed", min=0, help="How many items in dispute to list.")] = 5,
    json: Json = False,
) -> None:
    """Agreement by round with intervals over items, each person beside the others, and items in dispute."""
    from horsesense.annotate.study_figures import agreement_figures, check_overlap
    from horsesense.cli.annotate.tables import (
        annotator_json,
        figure_json,
        print_annotators,
        print_figures,
    )

    found = collected(files, probe, instrument, round, last, annotator)
    found.check_scales()
    check_overlap(found)
    figures = agreement_figures(found)
    persons, disputes = _closer(found)
    if json:
        print_json(
            {
                "instrument": found.instrument.name,
                "judgements": len(found.judgements),
                "items": len({each.item for each in found.judgements}),
                "people": len({each.annotator for each in found.judgements if not each.anonymous}),
                "figures": [figure_json(figure) for figure in figures],
                "annotators": [annotator_json(person) for person in persons],
                "disputed": [{"item": d.item, "votes": d.votes, "agree": d.agree} for d in disputes[:disputed]],
                "notes": dict(found.notes),
            }
        )
        return
    print_figures(figures)
    print_annotators(persons)
    for dispute in disputes[:disputed]:
        votes = "  ".join(f"{name} {count}" for name, count in dispute.votes.items())
        people().print(f"in dispute  {dispute.item}  {votes}", markup=False, soft_wrap=True)


def _closer(found: Collected) -> tuple[list[Annotator], list[Dispute]]:
    """Person by person and item by item; criteria have no one label to look at, rounds are told apart before."""
    from horsesense.analysis.people.annotators import by_annotator, by_item
    from horsesense.analysis.people.votes import votes_on_scale

    if found.instrument.kind == "criteria" or len({each.round for each in found.judgements}) > 1:
        return [], []
    votes = votes_on_scale(found.judgements, found.scale_of())
    ordered = all(scale.ordered for scale in found.scales.values())
    persons = by_annotator(votes, "quadratic" if ordered else "none") if votes.people else []
    return persons, [dispute for dispute in by_item(votes) if dispute.agree < 1]
