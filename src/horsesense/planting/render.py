"""Terminal output of the planted-cue experiment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from horsesense.formatting import number, p_value
from horsesense.terminal import line, print_fitting

if TYPE_CHECKING:
    from horsesense.planting.experiment import Planting


def _between(values: list[str]) -> str:
    """Write the least and the largest of sorted values.

    >>> _between(["3", "6"]), _between(["3", "3"])
    ('3 to 6', '3')
    """
    return values[0] if values[0] == values[-1] else f"{values[0]} to {values[-1]}"


def planting(result: Planting) -> None:
    """Print one table per model and the differences between models."""
    for model in dict.fromkeys((each.model, each.format) for each in result.effects):
        line(f"{model[0]} on {result.probe} ({model[1]})", "bold")
        own = [each for each in result.effects if (each.model, each.format) == model]
        columns = ["cue", "moved [95% interval]", "to right, wrong", "p", "verdict"]
        if any(each.mentioned is not None for each in own):
            columns.append("mentioned")
        rows = []
        for each in own:
            sides = ", ".join(number(side.value) for side in (each.to_right, each.to_wrong))
            mentions = "–" if each.mentioned is None else f"{each.mentioned:.0%}"
            cells = each.cue, f"{each.moved:.3f}", sides, p_value(each.adjusted), each.verdict, mentions
            rows.append(cells[: len(columns)])
        print_fitting(columns, rows, optional=("p", "to right, wrong"))
        accuracy = _between([f"{each:.3f}" for each in sorted(each.accuracy_placebo for each in own)])
        sizes = _between([f"{n:,}" for n in sorted(each.n for each in own)])
        line(f"accuracy with the placebo {accuracy}, {sizes} items per cue", "dim")
    for row in result.overall:
        line(f"{row.model}, moved by planted cues: {row.moved:.3f} ({row.verdict})")
    for pair in result.differences:
        line(f"{pair.cue}: {pair.a} minus {pair.b} {pair.difference:.3f}, p {p_value(pair.adjusted)}")
    line(f"answers in {result.folder}", "dim")
