"""``horsesense cats steps``: accuracy by the number of inference steps."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horsesense.cli.output import Json, people, print_json
from horsesense.errors import UserError

if TYPE_CHECKING:
    from horsesense.analysis import Estimate
    from horsesense.analysis.two_choice import ByNumber, Counted
    from horsesense.studies.suites.steps_kept import ModelSteps


def steps(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Run folders.")],
    judgements: Annotated[
        list[Path] | None,
        typer.Option(help="Filled task files of the instrument steps; without them a rule counts. Repeatable."),
    ] = None,
    json: Json = False,
) -> None:
    """Accuracy by inference steps, as the share of wrong options that the right one beats (CATs, figure 2)."""
    from horsesense.runs.results import read_run
    from horsesense.studies.suites.steps_kept import steps_kept

    counts = _people(judgements) if judgements else None
    answered = [one for folder in folders for one in read_run(folder)[1] if one.judged]
    found = steps_kept(answered, counts.means if counts else None)
    if json:
        people_told = {"agreement": counts.agreement, "pairs": counts.pairs} if counts else None
        print_json(
            {
                "counted_by": "people" if counts else "rule",
                "people": people_told,
                "models": [_model(each) for each in found],
            }
        )
        return
    _print(found, counts)


def _people(files: list[Path]) -> Counted:
    """What people counted; "4 or more" counts as four, and who cannot tell gives no number."""
    from horsesense.analysis.two_choice import counted
    from horsesense.annotate.judgement_files import collect

    collected = collect(files)
    if collected.instrument.name != "steps":
        raise UserError(
            f"these are judgements of the instrument {collected.instrument.name}", file=files[0], fix="use steps"
        )
    votes = [(each.item, each.value.split()[0]) for each in collected.judgements]
    try:
        return counted([(item, float(number)) for item, number in votes if number.isdecimal()])
    except UserError as error:
        raise error.at(files[0]) from None


def _estimate(e: Estimate) -> dict[str, Any]:
    return {"value": e.value, "ci": [e.low, e.high], "n": e.n}


def _numbers(found: tuple[ByNumber, ...]) -> list[dict[str, Any]]:
    return [{"steps": each.number, **_estimate(each.accuracy)} for each in found]


def _model(found: ModelSteps) -> dict[str, Any]:
    sets = [
        {"probe": s.probe, "mean_steps": s.mean, "accuracy": _estimate(s.accuracy), "by_steps": _numbers(s.by_steps)}
        for s in found.sets
    ]
    return {"model": found.model, "sets": sets, "by_steps": _numbers(found.by_steps)}


def _print(found: list[ModelSteps], counts: Counted | None) -> None:
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    console = people()
    if counts is None:
        console.print("steps counted by rule", markup=False)
    else:
        told = f"steps counted by people: {len(counts.means):,} items, {counts.agreement:.0%} of {counts.pairs:,} pairs"
        console.print(f"{told} of people agree", markup=False)
    for each in found:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=escape(each.model), title_justify="left")
        table.add_column("probe, or steps")
        for name in ("mean steps", "two-choice accuracy", "95 % interval", "n"):
            table.add_column(name, justify="right")
        for one in each.sets:
            table.add_row(escape(one.probe), f"{one.mean:.2f}", *_cells(one.accuracy))
        table.add_section()
        for number in each.by_steps:
            table.add_row(f"{number.number:g} step{'' if number.number == 1 else 's'}", "", *_cells(number.accuracy))
        console.print(table)


def _cells(e: Estimate) -> tuple[str, str, str]:
    return f"{e.value:.3f}", f"{e.low:.3f} to {e.high:.3f}", f"{e.n:,}"
