"""``horsesense annotate qualify``: who may judge, by gold items."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from horsesense.cli.annotate.inputs import AnnotatorOption, Files, InstrumentOption, LastOption, collected
from horsesense.cli.output import Json, print_json
from horsesense.errors import UserError


def qualify(
    files: Files,
    gold: Annotated[Path, typer.Option("--gold", help="A probe of the gold items, with their answers.")],
    instrument: InstrumentOption = "",
    annotator: AnnotatorOption = "",
    last: LastOption = False,
    kappa: Annotated[float, typer.Option("--kappa", help="Least quadratic-weighted kappa with the gold.")] = 0.7,
    accuracy: Annotated[
        float, typer.Option("--accuracy", min=0, max=1, help="Least share answered as the gold.")
    ] = 0.0,
    items: Annotated[int, typer.Option("--items", min=0, help="Least gold items answered; 0: all.")] = 0,
    json: Json = False,
) -> None:
    """Hold each person's answers to gold items against thresholds."""
    from dataclasses import asdict

    from horsesense.analysis.people.qualification import Threshold
    from horsesense.analysis.people.qualification import qualify as hold_against
    from horsesense.annotate.study_figures import gold_of
    from horsesense.cli.annotate.tables import print_table

    found = collected(files, gold, instrument, None, last, annotator)
    if found.instrument.kind != "labels" or not found.instrument.ordered:
        raise UserError(
            f"the instrument {found.instrument.name} has no scale, so that no weighted kappa can be told",
            fix="qualify people with an instrument whose labels are a scale",
        )
    answers = gold_of(found)
    if not answers:
        raise UserError("the gold items have no answers", file=gold, fix="give a probe with answers")
    threshold = Threshold(kappa=kappa, accuracy=accuracy, items=items)
    results = hold_against(found.judgements, answers, found.instrument.labels, threshold)
    if json:
        print_json(
            {
                "gold": len(answers),
                "threshold": {"kappa": kappa, "accuracy": accuracy, "items": items or len(answers)},
                "passed": sum(result.passed for result in results),
                "people": [asdict(result) for result in results],
            }
        )
        return
    rows = [
        (
            result.annotator,
            "qualified" if result.passed else result.reason,
            "–" if result.kappa is None else f"{result.kappa:.3f}",
            f"{result.accuracy:.3f}",
            f"{result.items:,}",
        )
        for result in results
    ]
    print_table(("annotator", "", "kappa", "accuracy", "items"), rows, left=2)
