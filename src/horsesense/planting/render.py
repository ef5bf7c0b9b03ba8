"""Terminal output of the planted-cue experiment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from horsesense.formatting import p_value
from horsesense.terminal import console, line, table

if TYPE_CHECKING:
    from horsesense.planting.experiment import Planting


def planting(result: Planting) -> None:
    """Print one table per model and the differences between models."""
    for model in dict.fromkeys((each.model, each.format) for each in result.effects):
        line(f"{model[0]} on {result.probe} ({model[1]})", "bold")
        own = [each for each in result.effects if (each.model, each.format) == model]
        replies = any(each.mentioned is not None for each in own)
        titles = ["cue", "moved [95% interval]", "to right", "to wrong", "p", "verdict", "mentioned"]
        frame = table(*titles[: 7 if replies else 6])
        for each in own:
            sides = f"{each.to_right.value:.2f}", f"{each.to_wrong.value:.2f}"
            mentions = "–" if each.mentioned is None else f"{each.mentioned:.0%}"
            cells = each.cue, f"{each.moved:.3f}", *sides, p_value(each.adjusted), each.verdict, mentions
            frame.add_row(*cells[: 7 if replies else 6])
        console().print(frame)
        line(f"accuracy with the placebo {own[0].accuracy_placebo:.3f}, {own[0].n:,} items per cue", "dim")
    for row in result.overall:
        line(f"{row.model}, moved by planted cues: {row.moved:.3f} ({row.verdict})")
    for pair in result.differences:
        line(f"{pair.cue}: {pair.a} minus {pair.b} {pair.difference:.3f}, p {p_value(pair.adjusted)}")
    line(f"answers in {result.folder}", "dim")
