"""Print analyses of CATs and its suite on the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

from annotated_types import Ge

from horsesense.terminal import console, line, table

if TYPE_CHECKING:
    from horsesense.methods.cats.evidence import EvidenceOfRuns
    from horsesense.methods.cats.step_accuracy import InferenceSteps
    from horsesense.methods.cats.suite import BlindCues
    from horsesense.methods.cats.who_gets_what import WhoGetsWhat, WhoOfRuns
    from horsesense.methods.suites.frame import PaperTable
    from horsesense.stats import Estimate


def print_evidence(result: EvidenceOfRuns) -> None:
    """Print how often the edited tokens decide, for all, right and wrong pairs."""
    columns = ("n", "decided by the edit", "carried by others", "begin/middle/end")
    frame = table("model", "probe", "pairs", *columns, left=3, padding=0)
    for each in result.evidence:
        for kind, part in (("all", each.all), ("right", each.right), ("wrong", each.wrong)):
            if part is not None:
                names = (each.model, each.probe) if kind == "all" else ("", "")
                rates = f"{part.by_edit:.2f}", f"{part.carried_by_others:.2f}"
                frame.add_row(*names, kind, f"{part.n:,}", *rates, "/".join(map(str, part.position_thirds)))
    console().print(frame)
    for each in result.evidence:
        line(f"{each.probe}: {each.same_length:,} pairs have equally many tokens; the others are aligned", "dim")


def print_who(result: WhoOfRuns, *, items: Annotated[int, Ge(0)] = 3) -> None:
    """Print the items that only one of two models gets right.

    Args:
        items: Number of items to list per model.
    """
    for pair in result.pairs:
        _print_pair(pair, items)


def _print_pair(pair: WhoGetsWhat, items: int) -> None:
    line(f"{pair.probe}: {pair.n:,} common items", "bold")
    line(f"  key words, all items: {_thirds(pair.key_word_thirds)}")
    for side in pair.only:
        share = f"; in the middle {side.in_the_middle:.2f}" if side.in_the_middle else ""
        line(f"  only {side.model} ({side.direction}): {side.n:,} items; {_thirds(side.key_word_thirds)}{share}")
        for each in side.items[:items]:
            line(f"    right: {each.right}")
            line(f"    wrong: {each.wrong}  [{each.key}]")


def _thirds(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items())


def print_steps(result: InferenceSteps) -> None:
    """Print accuracy by probe and by number of steps."""
    if result.people is None:
        line("steps counted by rule: logical operations")
    else:
        agreement = f"{result.people.agreement:.0%} of {result.people.pairs:,} pairs of annotators agree"
        line(f"steps counted by people: {result.people.items:,} items, {agreement}")
    if result.rule is not None:
        by_probe = ", ".join(f"{probe} {share:.0%}" for probe, share in result.rule.by_probe.items())
        line(f"the rule agrees with {result.rule.agreement:.0%} of {result.rule.counts:,} counts ({by_probe})")
        line(f"it counts {result.rule.more:+z.2f} steps relative to people")
    for model in result.models:
        columns = ("mean steps", "two-choice accuracy", "95% interval", "n")
        frame = table("probe, or steps", *columns, title=model.model)
        for each in model.sets:
            frame.add_row(each.probe, f"{each.mean_steps:.2f}", *_accuracy_cells(each.accuracy))
        frame.add_section()
        for row in model.by_steps:
            frame.add_row(f"{row.steps:g} step{'' if row.steps == 1 else 's'}", "", *_accuracy_cells(row.accuracy))
        console().print(frame)


def _accuracy_cells(e: Estimate) -> tuple[str, str, str]:
    return f"{e:v.3f}", f"{e:i.3f}", f"{e.n:,}"


def print_suite(blind: BlindCues, tables: Sequence[PaperTable]) -> None:
    """Print the paper's tables, and what cues achieve on each set without its question."""
    from horsesense.methods.suites.render import print_tables

    print_tables(tables)
    for name, cues in blind.cues.items():
        picks = [f"{cue.accuracy.value:.3f} by picking {cue.pick}" for cue in (cues.rule, cues.learnt) if cue]
        picks = picks[:1] if cues.rule == cues.learnt else picks
        none = "no cue" if cues.searched else "not searched with fewer than two clusters"
        line(f"{name}, without the question: {'; '.join(picks) or none} (chance {cues.chance:.3f})")
