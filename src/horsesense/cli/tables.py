"""Results as a small table in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from horsesense.cli.output import people

if TYPE_CHECKING:
    from horsesense.analysis.slices import FacetRow
    from horsesense.runs.results import Result

_WIDTH = 12


def bar(value: float, chance: float | None) -> str:
    """A bar of fixed width with a mark at chance.

    >>> bar(0.75, 0.5)
    '██████┃██   '
    """
    filled = round(value * _WIDTH)
    cells = ["█" if place < filled else " " for place in range(_WIDTH)]
    if chance is not None:
        cells[min(_WIDTH - 1, round(chance * _WIDTH))] = "┃"
    return "".join(cells)


def print_results(results: Sequence[Result]) -> None:
    """One line a model and probe: accuracy, interval, chance, n."""
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for name in ("model", "probe"):
        table.add_column(name)
    for name in ("accuracy", "95 % interval", "chance", "n"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("┃ chance", no_wrap=True)
    for result in results:
        e = result.estimate
        chance = e.chance
        table.add_row(
            escape(result.model),
            escape(result.probe),
            f"{e.value:.3f}",
            f"{e.low:.3f} to {e.high:.3f}",
            "" if chance is None else f"{chance:.3f}",
            f"{e.n:,}",
            bar(e.value, chance),
        )
    people().print(table)
    for result in results:
        how = "the score of each form" if result.normalise == "by form" else result.normalise
        remarks = [f"{result.metric} by {how}", f"{result.estimate.clusters:,} units"]
        if result.strict is not None and result.strict.chance is not None:
            s = result.strict
            told = f"{s.value:.3f} ({s.low:.3f} to {s.high:.3f}; guessing {s.chance:.3f})"
            remarks.append(f"whole families right {told} of {s.n:,}")
        remarks += [f"{result.ties:,} ties"] if result.ties else []
        remarks += [f"{result.unjudged:,} without a gold left out"] if result.unjudged else []
        others = ", ".join(f"{name} {value:.3f}" for name, value in result.sensitivity.items())
        remarks += [f"by {others}"] if others else []
        people().print(f"[dim]{escape(result.probe)}: {escape('; '.join(remarks))}[/dim]", soft_wrap=True)


def print_slices(title: str, rows: Sequence[FacetRow]) -> None:
    """One line a value of a facet: items right, and clusters right as a whole."""
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), title=escape(title), title_justify="left")
    table.add_column("by")
    for name in ("items right (95 %)", "n", "whole clusters (95 %)", "n", "guessing"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        i, c = row.items, row.clusters
        sides = [f"{e.value:.2f} ({e.low:.2f} to {e.high:.2f})" for e in (i, c)]
        told = f"{row.facet} {escape(str(row.value))}"
        table.add_row(told, sides[0], f"{i.n:,}", sides[1], f"{c.n:,}", f"{c.chance or 0:.2f}")
    people().print(table)


def slice_document(model: str, probe: str, row: FacetRow) -> dict[str, Any]:
    """One value of a facet as ``--json`` prints it."""
    sides = {"items": row.items, "clusters": row.clusters}
    return {"model": model, "probe": probe, "facet": row.facet, "value": row.value} | {
        name: {"n": e.n, "accuracy": e.value, "ci": [e.low, e.high], "chance": e.chance} for name, e in sides.items()
    }
