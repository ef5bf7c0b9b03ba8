"""``horsesense compare``: is the difference between models real?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.output import Json, people, print_json
from horsesense.cli.settings import Normalise

if TYPE_CHECKING:
    from horsesense.runs.comparison import Pairing, SideBySide


def compare(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Run folders; one with two models will do.")],
    normalise: Normalise = None,
    items: Annotated[int, typer.Option(min=0, help="Print this many items that only one of two models gets.")] = 0,
    json: Json = False,
) -> None:
    """Compare models on the items that all were asked: paired, clustered, corrected for several comparisons."""
    from horsesense.runs.comparison import compare_folders, to_json
    from horsesense.scoring.normalise import parse_normalisation

    sides = compare_folders(folders, parse_normalisation(normalise) if normalise else None)
    if json:
        print_json({"probes": [to_json(side) for side in sides]})
        return
    for side in sides:
        _print(side, items)


def _print(side: SideBySide, items: int) -> None:
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    console = people()
    console.print(f"[bold]{escape(side.probe)}[/bold]  {side.items:,} common items with a gold")
    for label, left_out in side.excluded.items():
        if left_out:
            console.print(f"[dim]{left_out:,} items of {escape(label)} left out: not all models were asked[/dim]")
    for note in side.notes:
        console.print(f"[dim]{escape(note)}[/dim]", soft_wrap=True)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("model")
    for name in ("accuracy", "95 % interval", "chance"):
        table.add_column(name, justify="right")
    for label, e in side.accuracies.items():
        guess = "" if e.chance is None else f"{e.chance:.3f}"
        table.add_row(escape(label), f"{e.value:.3f}", f"{e.low:.3f} to {e.high:.3f}", guess)
    console.print(table)
    for pairing in side.pairings:
        console.print(_sentence(pairing), soft_wrap=True, markup=False)
        for label, ids in ((pairing.one, pairing.only_one), (pairing.other, pairing.only_other)):
            for identity in ids[:items]:
                console.print(f"  only {label}: {identity}", markup=False, soft_wrap=True)


def _sentence(pairing: Pairing) -> str:
    c, d = pairing.comparison, pairing.comparison.difference
    told = (
        f"{pairing.one} − {pairing.other}: {d.value:+.3f} ({d.low:+.3f} to {d.high:+.3f}), p = {_p(c.p)}, "
        f"after Holm {_p(c.adjusted)}, McNemar {_p(c.mcnemar)}; only one right: {len(pairing.only_one):,} and "
        f"{len(pairing.only_other):,}"
    )
    if c.adjusted < 0.05:
        return f"{told}. The difference is real."
    missing = pairing.power.more_items
    return f"{told}. Not settled" + (f"; about {missing:,} more items would settle it." if missing else ".")


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"
