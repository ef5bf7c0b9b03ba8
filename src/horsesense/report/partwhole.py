"""Part-whole runs beside one another, like table 3 of the paper."""

from __future__ import annotations

from collections.abc import Sequence

from horsesense.errors import UserError
from horsesense.probes.partwhole.measures import ROLES, Row, model_row
from horsesense.records import Item
from horsesense.runs.results import Answered


def table_rows(runs: Sequence[Answered], train: Sequence[Item] = ()) -> list[Row]:
    """A row a model, in the order of the runs; runs of one name on the same items (seeds) are put together."""
    seeds: dict[str, list[Answered]] = {}
    for run in runs:
        seeds.setdefault(_name(run), []).append(run)
    first = [item.id for item in runs[0].items] if runs else []
    for run in runs:
        if {item.id for item in run.items} != set(first):
            raise UserError(
                f"{run.part.model.name} answered other items than {runs[0].part.model.name}",
                fix="put runs on the same probe beside one another",
            )
        if not all(role in item.groups for item in run.items for role in ROLES):
            raise UserError("the items have no whole, part and adjective", fix="give runs on part-whole triples")
    return [_row(name, each, train) for name, each in seeds.items()]


def _name(run: Answered) -> str:
    """A model's name; a control's with how it answers, since it may be fitted in several ways."""
    model = run.part.model
    return f"{model.name}: {model.frame}" if model.family == "control" else model.name


def _row(name: str, seeds: Sequence[Answered], train: Sequence[Item]) -> Row:
    judged = [item for item in seeds[0].items if item.answer is not None]
    if not judged:
        raise UserError(f"no item that {name} answered has a gold", fix="have the triples judged first")
    earned, chosen = [], []
    for run in seeds:
        credits = run.credits(run.primary())
        places = {item.id: place for place, item in enumerate(run.items)}
        order = [places[item.id] for item in judged]
        earned.append(credits.values[order])
        chosen.append([credits.predicted[place] for place in order])
    return model_row(name, judged, earned, chosen, train)
