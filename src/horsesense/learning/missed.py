"""What models get right where every control fails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from horsesense.analysis import Estimate, accuracy, chance
from horsesense.errors import UserError
from horsesense.runs.results import Answered

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Missed:
    """One model on both sides of the controls."""

    model: str
    all: Estimate
    """On every item that the controls were asked too."""
    missed: Estimate | None
    """On those that all controls miss; None where there are none."""


def where_controls_fail(
    credit: Mapping[str, float], runs: Sequence[Answered], group: str
) -> tuple[list[str], list[Missed]]:
    """The names of the other controls that were met, and each model's accuracy where all controls fail.

    ``credit`` is what the control in hand earns by item id; runs of the family ``control`` join it. A control
    misses an item that it earns no more than half of: a tie between two is luck, not an answer.
    """
    models = [run for run in runs if run.part.model.family != "control"]
    others = [run for run in runs if run.part.model.family == "control"]
    if not models:
        raise UserError("no run of a model was given", fix="give --against the folder of a run")
    failing = {name for name, value in credit.items() if value <= 0.5}
    for other in others:
        earned = other.credits(other.primary()).values
        failing &= {item.id for item, value in zip(other.items, earned, strict=True) if value <= 0.5}
    found = []
    for run in models:
        earned = run.credits(run.primary()).values
        rows = [row for row, item in enumerate(run.items) if item.id in credit and item.answer is not None]
        if not rows:
            raise UserError(
                f"{run.part.model.name} was not asked any item of this test set", fix="run it on this probe"
            )
        hard = [row for row in rows if run.items[row].id in failing]
        found.append(
            Missed(
                run.part.model.name,
                _estimate(run, earned, rows, group),
                _estimate(run, earned, hard, group) if hard else None,
            )
        )
    return [run.part.model.name for run in others], found


def _estimate(run: Answered, earned: Floats, rows: Sequence[int], group: str) -> Estimate:
    units = [run.items[row].unit(group) for row in rows]
    return accuracy(earned[list(rows)], units, chance=chance([len(run.items[row].options) for row in rows]))
