"""``horsesense rica analyse``: bias, perturbations, noise floor and background fact, from kept answers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from horsesense.cli.output import Json, people, print_json


def analyse(
    folder: Annotated[Path, typer.Argument(help="A run folder with answers to RICA probes.")],
    against: Annotated[
        Path | None, typer.Option(help="A run of the same model on the same axioms with names: the entity ablation.")
    ] = None,
    json: Json = False,
) -> None:
    """Accuracy by kind, positivity bias (d′ and criterion), test-retest, and the effect of the background fact."""
    from horsesense.runs.results import read_run
    from horsesense.studies.rica import analyse as analyse_answers
    from horsesense.studies.rica import entity_ablation

    _, answered = read_run(folder)
    found = [analyse_answers(one) for one in answered if one.judged]
    document: dict[str, Any] = {"run": str(folder), "results": found, "ablation": None}
    if against is not None:
        document["ablation"] = entity_ablation(answered[0], read_run(against)[1][0])
    if json:
        print_json(document)
        return
    for one in found:
        _print(one)
    if document["ablation"]:
        for name, each in document["ablation"].items():
            people().print(f"  {name:12} {_told(each)}")


def _told(e: dict[str, Any]) -> str:
    return f"{e['value']:.3f} ({e['ci'][0]:.3f} to {e['ci'][1]:.3f}), n {e['n']:,}"


def _print(one: dict[str, Any]) -> None:
    console = people()
    console.print(f"{one['model']} on {one['probe']}", style="bold", markup=False)
    for name in ("accuracy", "strict", "retest"):
        if one[name]:
            console.print(f"  {name:12} {_told(one[name])}")
    for name, each in (one["bias"] or {}).items():
        console.print(f"  {name:12} {_told(each)}")
    for each in one["kinds"] or []:
        console.print(f"  {' / '.join(each['kind']):42} {_told(each)}", markup=False)
    for setting, sides in (one["background"] or {}).items():
        console.print(
            f"  {setting}: {', '.join(f'{name} {_told(each)}' for name, each in sides.items())}", markup=False
        )
