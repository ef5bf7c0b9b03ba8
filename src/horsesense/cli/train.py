"""``horsesense train``: fine-tune a model under a setting, and measure it before and after."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horsesense.cli.output import Json, people, print_json, say
from horsesense.cli.settings import Device, OneModel

if TYPE_CHECKING:
    from horsesense.learning.fine_tuning import Point
    from horsesense.learning.recipe import Recipe
    from horsesense.learning.scored import Change


def train(
    model: OneModel,
    train: Annotated[Path, typer.Option("--train", help="The probe to learn from.")],
    out: Annotated[Path, typer.Option(help="Folder for the trained models and their answers.")],
    test: Annotated[
        list[Path] | None, typer.Option(help="A probe to test on; repeatable, with a joint column.")
    ] = None,
    dev: Annotated[Path | None, typer.Option(help="The probe to choose on [a tenth of --train].")] = None,
    setting: Annotated[
        str, typer.Option(help="full, low-resource, high-resource, noisy, half-exception or full-exception.")
    ] = "full",
    number: Annotated[
        list[int] | None, typer.Option(help="The setting's number: per cent, times, or statements; repeatable.")
    ] = None,
    objective: Annotated[
        str, typer.Option(help="masked-word, random-mask, causal, classification[-lm], multiple-choice [by model].")
    ] = "",
    lora: Annotated[bool, typer.Option("--lora", help="Train an adapter and not the weights themselves.")] = False,
    lr: Annotated[float | None, typer.Option(min=0.0, help="Learning rate [2e-5; 3e-4 for an adapter].")] = None,
    epochs: Annotated[float, typer.Option(min=0.01)] = 3.0,
    batch: Annotated[int, typer.Option(min=1, help="Items a step; halved where memory runs out.")] = 16,
    every: Annotated[int, typer.Option(min=0, help="Steps between looks at --dev; 0: once an epoch.")] = 0,
    patience: Annotated[int, typer.Option(min=0, help="Looks without a gain before stopping; 0: never.")] = 3,
    seeds: Annotated[int, typer.Option(min=1, max=1000, help="How many trainings, from seed 0 on.")] = 3,
    by: Annotated[list[str] | None, typer.Option(help="A facet to slice the tests by; repeatable.")] = None,
    along: Annotated[bool, typer.Option("--along", help="Measure the tests along training too.")] = False,
    allow_overlap: Annotated[bool, typer.Option("--allow-overlap", help="Train in spite of leaks.")] = False,
    device: Device = "auto",
    json: Json = False,
) -> None:
    """Fine-tune a model under a setting."""
    import orjson

    from horsesense.cli.learning_progress import learning
    from horsesense.files import writing
    from horsesense.learning.curves import RESULTS
    from horsesense.learning.fine_tuning import carry_out, checked, train_all
    from horsesense.learning.recipe import Recipe
    from horsesense.learning.settings import Given, plans
    from horsesense.records import probe_name, read_probe

    probe = read_probe(train)
    tests = {probe_name(path): read_probe(path) for path in test or []}
    chosen = read_probe(dev) if dev else None
    drawn = [plans(setting, Given(probe, chosen, tests, seed), number or ()) for seed in range(seeds)]
    recipe = Recipe(
        objective=objective or _objective(model, setting, probe.items),
        lora=lora,
        lr=lr,
        epochs=epochs,
        batch=batch,
        every=every,
        patience=patience,
        device=device,
    )
    for each in drawn:
        for plan in each:
            checked(plan, allow_overlap)
    lender = next(iter(tests.values()), probe)
    points = []
    together = list(zip(*drawn, strict=True))
    places = [out / _slug(same[0].name) if len(together) > 1 else out for same in together]
    with learning() as progress:
        if os.environ.get("RANK", "0") != "0":
            # One of several processes of torchrun: all of them train, the first one measures.
            for same, place in zip(together, places, strict=True):
                train_all(model, same, recipe, place, along=along)
            raise typer.Exit
        for same, place in zip(together, places, strict=True):
            points.append(
                carry_out(
                    model,
                    same,
                    recipe,
                    place,
                    lender,
                    slices=by or (),
                    along=along,
                    allow_overlap=allow_overlap,
                    say=progress.say,
                    tick=progress.tick,
                    watcher=progress,
                )
            )
    for point in points:
        if point.leaks.found:
            counts = ", ".join(f"{count:,} by {kind}" for kind, count in point.leaks.counts.items())
            say(f"{point.plan}: {point.leaks.items:,} test items leak ({counts}); recorded as: {point.leaks.allowed}")
    document = _document(model, setting, recipe, out, points)
    with writing(out / RESULTS) as temporary:
        temporary.write_bytes(orjson.dumps(document))
    if json:
        print_json(document)
    else:
        _show(points)


def _slug(name: str) -> str:
    return name.replace(" %", "-percent").replace(" ", "-")


def _objective(model: str, setting: str, items: Any) -> str:
    """What fits by itself: WinoVenti's settings mask at random, RICA's mask the word."""
    from horsesense.learning.objectives import objective_for
    from horsesense.models.local.load import architecture_of

    found = objective_for(architecture_of(model), items, model).name
    return "random-mask" if found == "masked-word" and setting.endswith("-exception") else found


def _document(model: str, setting: str, recipe: Recipe, out: Path, points: list[Point]) -> dict[str, Any]:
    return {
        "model": model,
        "setting": setting,
        "objective": recipe.objective,
        "lora": recipe.lora,
        "lr": recipe.rate,
        "out": str(out),
        "points": [
            {
                "plan": point.plan,
                "train": point.items,
                "counts": dict(point.counts),
                "leaks": {"items": point.leaks.items, "by": point.leaks.counts, "allowed": point.leaks.allowed},
                "seeds": [
                    {
                        "folder": str(one.folder),
                        "best_step": one.best.step,
                        "dev": one.best.accuracy,
                        "stopped": one.stopped,
                        "remarks": list(one.remarks),
                        "looks": [
                            {"step": look.step, "epoch": look.epoch, "dev": look.accuracy, "tests": dict(look.others)}
                            for look in one.looks
                        ],
                    }
                    for one in point.trained
                ],
                "tests": [
                    {
                        "test": one.test,
                        **_change(one.whole),
                        "each": list(one.each),
                        "spread": one.spread,
                        "slices": {
                            facet: {value: _change(change) for value, change in values.items()}
                            for facet, values in one.slices.items()
                        },
                    }
                    for one in point.tests
                ],
            }
            for point in points
        ],
    }


def _change(change: Change) -> dict[str, Any]:
    return {
        "n": change.after.n,
        "chance": change.after.chance,
        "before": None if change.before is None else _estimate(change.before),
        "after": _estimate(change.after),
    }


def _estimate(e: Any) -> dict[str, Any]:
    return {"accuracy": e.value, "ci": [e.low, e.high]}


def _show(points: list[Point]) -> None:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("test", "before", "after (95 % interval)", "± seeds", "chance", "n"):
        table.add_column(name, justify="left" if name == "test" else "right", overflow="fold")
    for point in points:
        table.add_row(f"{point.plan}, trained on {point.items:,}", end_section=False, style="bold")
        for one in point.tests:
            table.add_row(*_cells(one.test, one.whole, "" if one.spread is None else f"{one.spread:.3f}"))
            for facet, cut in one.slices.items():
                for value, change in cut.items():
                    table.add_row(*_cells(f"  {facet} {value}", change))
    people().print(table)


def _cells(name: str, change: Change, spread: str = "") -> tuple[str, ...]:
    before, e = change.before, change.after
    told = f"{e.value:.3f} ({e.low:.3f} to {e.high:.3f})"
    return name, "" if before is None else f"{before.value:.3f}", told, spread, f"{e.chance:.3f}", f"{e.n:,}"
