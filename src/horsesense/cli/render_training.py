"""Terminal output of trainings, inoculation and baselines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from horsesense.terminal import console, line, table

if TYPE_CHECKING:
    from horsesense.training.baselines import FittedControl
    from horsesense.training.inoculation import Inoculation
    from horsesense.training.training_results import BeforeAfter, Training


def training(result: Training | None) -> None:
    """Print each test before and after training, overall and by facet."""
    if result is None:
        return
    frame = table("test", "before", "after [95% interval]", "± seeds", "chance", "n")
    for point in result.points:
        frame.add_row(f"{point.plan}, {point.train:,} training items", end_section=False, style="bold")
        for test in point.tests:
            frame.add_row(*_cells(test.test, test, "" if test.spread is None else f"{test.spread:.3f}"))
            for facet, values in test.slices.items():
                for value, each in values.items():
                    frame.add_row(*_cells(f"  {facet} {value}", each))
    console().print(frame)


def _cells(name: str, result: BeforeAfter, spread: str = "") -> tuple[str, ...]:
    before = "" if result.before is None else f"{result.before.value:.3f}"
    return name, before, f"{result.after:.3f}", spread, f"{result.chance:.3f}", f"{result.n:,}"


def inoculation(result: Inoculation, *, plot: Path | None = None) -> None:
    """Print the curves by training-set size.

    Args:
        plot: File for a chart of the curves: .svg, .png or .json (Vega-Lite).
    """
    if plot is not None:
        from horsesense.drawing import check_drawing, write_chart

        check_drawing(plot)
        write_chart(result.plot(), plot)
    frame = table("setting", "k", "new", "± seeds", "original", "± seeds", "cost", "seeds")
    for point in result.curves:
        spreads = ["" if spread is None else f"{spread:.3f}" for spread in (point.new_spread, point.original_spread)]
        frame.add_row(
            point.setting,
            f"{point.k:,}",
            f"{point.new:.3f}",
            spreads[0],
            f"{point.original:.3f}",
            spreads[1],
            f"{point.cost:+z.3f}",
            str(point.seeds),
        )
    console().print(frame)
    line("accuracy on the test sets, with weights selected on the development sets", "dim")
    for name, test in (("new", result.selected[0].test_new), ("original", result.selected[0].test_original)):
        line(f"{name}: n = {test.n:,}, chance {test.chance:.3f}", "dim")


def control(result: FittedControl) -> None:
    """Print the accuracy of a control, and of models where it fails."""
    e = result.estimate
    line(result.verdict, "bold")
    notes = [result.method, f"{e.n:,} items, {e.clusters:,} clusters ({result.group})"]
    if result.spread is not None:
        notes.append(f"mean of {len(result.by_seed)} seeds, standard deviation {result.spread:.3f}")
    if result.strict is not None and result.strict.chance is not None:
        s = result.strict
        notes.append(f"whole families right {s.value:.3f} of {s.n:,} (chance {s.chance:.3f})")
    notes += [f"{note} {value:,.4g}" for note, value in result.notes.items()]
    for note in notes:
        line(note, "dim")
    if result.missed_by_controls:
        others = f" and {', '.join(result.other_controls)}" if result.other_controls else ""
        line(f"where {result.name}{others} fail:")
    for each in result.missed_by_controls:
        hard = "no items" if each.missed is None else f"{each.missed:.3f}, n = {each.missed.n:,}"
        line(f"  {each.model}: {hard}; on all items {each.all.value:.3f}")
