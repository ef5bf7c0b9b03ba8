"""Print analyses of WordNetQA and checks of its items on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from horsesense.formatting import p_equals
from horsesense.terminal import console, line, table

if TYPE_CHECKING:
    from horsesense.methods.wordnetqa.analysis import WordNetAnalyses, WordNetAnalysis
    from horsesense.methods.wordnetqa.checking import CheckedItems

_MOST_ITEMS = 10


def print_analyses(analyses: WordNetAnalyses) -> None:
    """Print each model and probe."""
    for analysis in analyses.results:
        _print_analysis(analysis)


def _print_analysis(analysis: WordNetAnalysis) -> None:
    line(f"{analysis.model} on {analysis.probe}", "bold")
    line(f"  accuracy {analysis.accuracy:.3f}, n = {analysis.accuracy.n:,}")
    for each in analysis.strict:
        what = "questions per concept" if each.level == "concept" else "forms of the same question"
        line(f"  {each.size} {what}, all right: {each.strict:.3f}, n = {each.strict.n:,}")
        line(f"    chance {each.strict.chance:.3f}, if independent {each.independent.value:z.3f}")
    if analysis.cells:
        frame = table("hops", "distractors", "k′", "accuracy [95% interval]", "n", "related cues", left=2)
        for cell in analysis.cells:
            related = "–" if cell.kinship is None else f"{cell.kinship:.3f}"
            values = f"{cell.accuracy:.3f}", f"{cell.accuracy.n:,}", related
            frame.add_row(str(cell.hops), cell.kind, str(cell.distance), *values)
        console().print(frame)
    for cell in analysis.same_words:
        line(f"  the same words at {cell.hops} hops, {cell.kind}: {cell.accuracy:.3f}, n = {cell.accuracy.n:,}")
    for effect in analysis.effects:
        line(f"  {effect.name}: log odds {effect.log_odds:.3f}, {p_equals(effect.p)}")


def print_checked(checked: CheckedItems, *, all: bool = False) -> None:
    """Print the rules, the items that break them, and their share.

    Args:
        all: Print every item that breaks a rule, not only the first.
    """
    most = None if all else _MOST_ITEMS
    if checked.rules:
        frame = table("broken rule", "items", "share", left=1)
        for rule, count in checked.rules.items():
            frame.add_row(rule, f"{count:,}", f"{count / checked.n:.1%}")
        console().print(frame)
    for item in checked.items[:most]:
        line(f"{item.id}  {item.text}")
        line(f"  {'; '.join(item.rules)}", "dim")
        for option in item.options:
            line(f"    {option}", "dim")
    if most is not None and len(checked.items) > most:
        line(f"{len(checked.items) - most:,} more with --all", "dim")
    for reason, count in checked.unchecked.items():
        line(f"{count:,} not checked: {reason}", "dim")
    line(f"{len(checked.items):,} of {checked.n:,} items break a rule: {checked.broken:.3f}", "bold")
    line(f"{checked.second_answers:,} of these have a second true option; the others break a rule of form", "bold")
