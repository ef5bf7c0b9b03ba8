"""Figures of agreement and human scores, as JSON and as tables in the terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from horsesense.cli.output import people

if TYPE_CHECKING:
    from horsesense.analysis.intervals import Estimate
    from horsesense.analysis.people.annotators import Annotator
    from horsesense.analysis.people.human_performance import HumanScore
    from horsesense.annotate.study_figures import Figure


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def estimate_json(estimate: Estimate) -> dict[str, Any]:
    """A figure with n and its interval; null where it has no value, and the note says why."""
    return {
        "value": _number(estimate.value),
        "ci": [_number(estimate.low), _number(estimate.high)],
        "level": estimate.level,
        "n": estimate.n,
        "units": estimate.clusters,
        "note": estimate.note,
    }


def figure_json(figure: Figure) -> dict[str, Any]:
    about = {"name": figure.name, "about": figure.about, "round": figure.round}
    return about | estimate_json(figure.estimate) | {"votes": figure.votes, "people": figure.people}


def human_json(score: HumanScore) -> dict[str, Any]:
    fewest, most = score.votes_per_item
    return {
        "name": score.name,
        "kind": score.kind,
        "against": score.against,
        "filtered": score.filtered,
        "people": score.people,
        "votes": score.votes,
        "votes_per_item": [fewest, most],
        "ties": score.ties,
        "chance": score.estimate.chance,
    } | estimate_json(score.estimate)


def annotator_json(person: Annotator) -> dict[str, Any]:
    return {
        "annotator": person.annotator,
        "votes": person.votes,
        "shared": person.shared,
        "agrees": person.agrees,
        "kappa": None if person.kappa is None else estimate_json(person.kappa),
        "favourite": person.favourite,
        "favourite_share": person.favourite_share,
    }


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> None:
    """A small table; the first ``left`` columns are text, the others numbers."""
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    if not rows:
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for place, name in enumerate(columns):
        table.add_column(name, justify="left" if place < left else "right", overflow="fold")
    for row in rows:
        table.add_row(*(escape(cell) for cell in row))
    people().print(table)


def told(estimate: Estimate) -> tuple[str, str]:
    """Value and interval in words."""
    if math.isnan(estimate.value):
        return "–", "–"
    return f"{estimate.value:.3f}", f"{estimate.low:.3f} to {estimate.high:.3f}"


def print_figures(figures: Sequence[Figure]) -> None:
    """One table a round, with what it rests on in the first line."""
    for round in sorted({figure.round for figure in figures}):
        own = [figure for figure in figures if figure.round == round]
        votes, persons = max(f.votes for f in own), max(f.people for f in own)
        who = f"{persons:,} people" if persons else "people not named"
        people().print(f"agreement in round {round}: {votes:,} votes by {who}", markup=False, soft_wrap=True)
        rows = [
            (f.name if f.about == "labels" else f"{f.about}: {f.name}", *told(f.estimate), f"{f.estimate.n:,}")
            for f in own
        ]
        print_table(("", "value", "95 % interval", "items"), rows)
    for note in dict.fromkeys(figure.estimate.note for figure in figures if figure.estimate.note):
        people().print(note, markup=False, soft_wrap=True)


def print_human(scores: Sequence[tuple[str, HumanScore]]) -> None:
    rows = []
    for name, score in scores:
        persons = f"{score.people:,}" if score.people else "?"
        kind = f"{name}: {score.name}" if name else score.name
        rows.append((kind, *told(score.estimate), f"{score.votes:,}", persons))
    print_table(("people are right", "value", "95 % interval", "votes", "people"), rows)


def print_annotators(persons: Sequence[Annotator]) -> None:
    rows = []
    for person in persons:
        value, interval = ("–", "–") if person.kappa is None else told(person.kappa)
        agrees = "–" if person.agrees is None else f"{person.agrees:.3f}"
        favourite = f"{person.favourite} {person.favourite_share:.0%}"
        rows.append((person.annotator, favourite, f"{person.votes:,}", f"{person.shared:,}", agrees, value, interval))
    columns = ("annotator", "favourite", "votes", "shared", "agrees", "kappa", "95 % interval")
    print_table(columns, rows, left=2)
