"""Print thresholds on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from horsesense.formatting import p_equals
from horsesense.terminal import console, line, table

if TYPE_CHECKING:
    from horsesense.methods.ladders.thresholds import LadderResults


def print_ladders(results: LadderResults) -> None:
    """Print accuracy by level and the threshold of each model, ladder by ladder."""
    from horsesense.methods.ladders.thresholds import interval_text

    for ladder in dict.fromkeys(each.ladder for each in results.thresholds):
        own = [each for each in results.thresholds if each.ladder == ladder]
        levels = {level.level: level.name for each in own for level in each.levels}
        frame = table("level", *(each.model for each in own), title=f"{ladder}: families correct [95% interval]")
        for level, name in sorted(levels.items()):
            cells = [next((f"{at.correct:.2f}" for at in each.levels if at.level == level), "–") for each in own]
            frame.add_row(str(level) if name == str(level) else f"{level} {name}", *cells)
        frame.add_section()
        frame.add_row("threshold L50", *(interval_text(each.fit) for each in own))
        frame.add_row("chance", *(f"{each.levels[0].correct.chance:.2f}" for each in own))
        frame.add_row("questions", *(f"{each.questions:,} of {each.all_questions:,}" for each in own))
        console().print(frame)
        for each in own:
            line(each.verdict, "bold")
        for gap in results.differences:
            if gap.ladder == ladder:
                line(gap.verdict + (f" {p_equals(gap.p)} (Holm)." if gap.p is not None else ""))
    if results.page:
        line(f"page  {results.page}")
