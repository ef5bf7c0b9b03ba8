"""``horsesense cats who``: items that one model gets and another misses, and where their key word stands."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horsesense.cli.output import Json, people, print_json

if TYPE_CHECKING:
    from horsesense.studies.suites.who import OneSided, Who


def who(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Run folders; one with two models will do.")],
    items: Annotated[int, typer.Option(min=0, help="Show so many items of each side.")] = 3,
    json: Json = False,
) -> None:
    """Which items one model gets and another misses, with the place of the key word (CATs, table 4)."""
    from horsesense.errors import UserError
    from horsesense.runs.comparison import by_probe
    from horsesense.runs.results import read_run
    from horsesense.studies.suites.who import who_gets_what

    probes = by_probe([(folder, read_run(folder)[1]) for folder in folders])
    found = [
        who_gets_what(one, other)
        for models in probes.values()
        for one, other in combinations(models.values(), 2)
        if one.part.model.name != other.part.model.name
    ]
    if not found:
        raise UserError(
            "no probe was asked of two models", file=folders[0], fix="give folders whose probes have the same name"
        )
    if json:
        print_json({"pairs": [_told(each) for each in found]})
        return
    for each in found:
        _print(each, items)


def _told(found: Who) -> dict[str, Any]:
    sides = [_side(side) for side in (found.one, found.other)]
    return {"probe": found.probe, "n": found.common, "key_word_thirds": dict(found.thirds), "only": sides}


def _side(side: OneSided) -> dict[str, Any]:
    middle = side.middle
    return {
        "model": side.model,
        "direction": side.direction,
        "n": len(side.items),
        "key_word_thirds": dict(side.thirds),
        "in_the_middle": None if middle is None else {"value": middle.value, "ci": [middle.low, middle.high]},
        "items": [
            {"item": each.item, "right": each.right, "wrong": each.wrong, "key": each.key, "position": each.position}
            for each in side.items
        ],
    }


def _print(found: Who, items: int) -> None:
    console = people()
    console.print(f"{found.probe}: {found.common:,} common items", markup=False, style="bold")
    console.print(f"  key words, all items: {_thirds(found.thirds)}", markup=False)
    for side in (found.one, found.other):
        middle = side.middle
        share = f"; in the middle {middle.value:.2f} ({middle.low:.2f} to {middle.high:.2f})" if middle else ""
        told = f"  only {side.model} ({side.direction}): {len(side.items):,} items; {_thirds(side.thirds)}{share}"
        console.print(told, markup=False, soft_wrap=True)
        for each in side.items[:items]:
            console.print(f"    right: {each.right}", markup=False, soft_wrap=True)
            console.print(f"    wrong: {each.wrong}  [{each.key}]", markup=False, soft_wrap=True)


def _thirds(counts: Any) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items())
