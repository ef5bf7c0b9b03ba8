"""``horsesense annotate agreement, performance, qualify``: how far people agree, how well they do, who may judge."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.annotate_labels import (
    AnnotatorOption,
    Files,
    InstrumentOption,
    LastOption,
    ProbeOption,
    RoundOption,
)
from horsesense.cli.annotate_people import print_rows
from horsesense.cli.output import Json, people, print_json

if TYPE_CHECKING:
    from horsesense.annotate.performance import PeopleRight
    from horsesense.annotate.study_figures import Figure
    from horsesense.stats.intervals import Estimate
    from horsesense.stats.raters.annotators import Annotator


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
    from horsesense.api.people import agreement as agreement_of

    shared = agreement_of(
        *files, probe=probe, instrument=instrument, annotator=annotator, round=round, last=last, disputed=disputed
    )
    if json:
        print_json(shared)
        return
    print_figures(shared.figures)
    _print_annotators(shared.annotators)
    for dispute in shared.disputed:
        votes = "  ".join(f"{name} {count}" for name, count in dispute.votes.items())
        people().print(f"in dispute  {dispute.item}  {votes}", markup=False, soft_wrap=True)


def performance(
    files: Files,
    probe: ProbeOption = None,
    labels: Annotated[
        Path | None, typer.Option("--labels", help="Hold votes against labels that they are part of.")
    ] = None,
    by: Annotated[str, typer.Option("--by", help="A facet of the probe: one figure a value.")] = "",
    instrument: InstrumentOption = "",
    annotator: AnnotatorOption = "",
    round: RoundOption = None,
    last: LastOption = False,
    to_card: Annotated[
        bool, typer.Option("--to-card", help="Keep the figures in the probe's card: reports show them.")
    ] = False,
    json: Json = False,
) -> None:
    """Human performance: one person and the majority, against the probe's answers; or against one another."""
    from horsesense.api.people import performance as performance_of

    figures = performance_of(
        *files,
        probe=probe,
        labels=labels,
        by=by,
        instrument=instrument,
        annotator=annotator,
        round=round,
        last=last,
        to_card=to_card,
    )
    if json:
        print_json(figures)
        return
    _print_human(figures.human)


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
    from horsesense.api.people import qualify as hold_to_gold

    results = hold_to_gold(
        *files,
        gold=gold,
        instrument=instrument,
        annotator=annotator,
        last=last,
        kappa=kappa,
        accuracy=accuracy,
        items=items,
    )
    if json:
        print_json(results)
        return
    rows = [
        (
            result.annotator,
            "qualified" if result.passed else result.reason,
            "–" if result.kappa is None else f"{result.kappa:z.3f}",
            f"{result.accuracy:.3f}",
            f"{result.items:,}",
        )
        for result in results.people
    ]
    print_rows(("annotator", "", "kappa", "accuracy", "items"), rows, left=2)


def _in_words(estimate: Estimate) -> tuple[str, str]:
    """Value and interval in words."""
    if math.isnan(estimate.value):
        return "–", "–"
    interval = "too few" if math.isnan(estimate.low) else f"{estimate.low:z.3f} to {estimate.high:z.3f}"
    return f"{estimate.value:z.3f}", interval


def print_figures(figures: Sequence[Figure]) -> None:
    """One table a round, with what it rests on in the first line."""
    for round in sorted({figure.round for figure in figures}):
        of_round = [figure for figure in figures if figure.round == round]
        votes, persons = max(f.votes for f in of_round), max(f.people for f in of_round)
        who = f"{persons:,} people" if persons else "people not named"
        people().print(f"agreement in round {round}: {votes:,} votes by {who}", markup=False, soft_wrap=True)
        rows = [
            (f.name if f.about == "labels" else f"{f.about}: {f.name}", *_in_words(f.estimate), f"{f.estimate.n:,}")
            for f in of_round
        ]
        print_rows(("", "value", "95 % interval", "items"), rows)
    for note in dict.fromkeys(figure.estimate.note for figure in figures if figure.estimate.note):
        people().print(note, markup=False, soft_wrap=True)


def _print_human(scores: Sequence[PeopleRight]) -> None:
    rows = []
    for score in scores:
        persons = f"{score.people:,}" if score.people else "?"
        kind = f"{score.slice}: {score.name}" if score.slice else score.name
        rows.append((kind, *_in_words(score.estimate), f"{score.votes:,}", persons))
    print_rows(("people are right", "value", "95 % interval", "votes", "people"), rows)


def _print_annotators(persons: Sequence[Annotator]) -> None:
    rows = []
    for person in persons:
        value, interval = ("–", "–") if person.kappa is None else _in_words(person.kappa)
        agrees = "–" if person.agrees is None else f"{person.agrees:.3f}"
        favourite = f"{person.favourite} {person.favourite_share:.0%}"
        rows.append((person.annotator, favourite, f"{person.votes:,}", f"{person.shared:,}", agrees, value, interval))
    columns = ("annotator", "favourite", "votes", "shared", "agrees", "kappa", "95 % interval")
    print_rows(columns, rows, left=2)
