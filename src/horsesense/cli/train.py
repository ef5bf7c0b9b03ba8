"""``horsesense train``: fine-tune a model under a setting, and measure it before and after."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.output import Json, people, print_json, say, table
from horsesense.cli.settings import Device, Gpus, On, OneModel, Threads, UnderAdapter, Workers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from horsesense.training.training_results import Change, Point


def train(
    model: OneModel,
    train: Annotated[Path, typer.Option("--train", help="The probe to learn from.")],
    out: Annotated[Path, typer.Option(help="Folder for the trained models and their answers.")],
    test: Annotated[
        list[Path] | None, typer.Option(help="A probe to test on; repeatable, with a joint column.")
    ] = None,
    dev: Annotated[Path | None, typer.Option(help="The probe to choose on [a tenth of --train].")] = None,
    setting: Annotated[
        str,
        typer.Option(
            help="full, low-resource, high-resource, noisy, half-exception or full-exception (also with -unseen-nouns)."
        ),
    ] = "full",
    number: Annotated[
        list[int] | None, typer.Option(help="The setting's number: per cent, times, or statements; repeatable.")
    ] = None,
    objective: Annotated[
        str,
        typer.Option(
            help="masked-word, random-mask, causal, options, letters, classification[-lm], multiple-choice [by model]."
        ),
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
    dtype: UnderAdapter = "float32",
    on: On = "here",
    workers: Workers = None,
    gpus: Gpus = None,
    threads: Threads = None,
    json: Json = False,
) -> None:
    """Fine-tune a model under a setting."""
    from horsesense.api.learning import train as fine_tune
    from horsesense.api.models import engine
    from horsesense.cli.progress import Bars

    with Bars(stay=True) as progress:
        results = fine_tune(
            model,
            train,
            out=out,
            tests=test or (),
            dev=dev,
            setting=setting,
            numbers=number or (),
            objective=objective,
            lora=lora,
            lr=lr,
            epochs=epochs,
            batch=batch,
            every=every,
            patience=patience,
            seeds=seeds,
            by=by or (),
            along=along,
            allow_overlap=allow_overlap,
            device=device,
            dtype=dtype,
            engine=engine(on, workers=workers, gpus=gpus, threads=threads),
            progress=progress,
        )
    if results is None:
        raise typer.Exit
    for point in results.points:
        if point.leaks.cases:
            counts = ", ".join(f"{count:,} by {kind}" for kind, count in point.leaks.counts.items())
            say(f"{point.plan}: {point.leaks.items:,} test items leak ({counts}); recorded as: {point.leaks.allowed}")
    if json:
        print_json(results.document())
    else:
        _show(results.points)


def _show(points: Sequence[Point]) -> None:
    frame = table("test", "before", "after (95 % interval)", "± seeds", "chance", "n")
    for point in points:
        frame.add_row(f"{point.plan}, trained on {point.items:,}", end_section=False, style="bold")
        for test in point.tests:
            frame.add_row(*_cells(test.test, test.whole, "" if test.spread is None else f"{test.spread:.3f}"))
            for facet, values in test.slices.items():
                for value, change in values.items():
                    frame.add_row(*_cells(f"  {facet} {value}", change))
    people().print(frame)


def _cells(name: str, change: Change, spread: str = "") -> tuple[str, ...]:
    before, e = change.before, change.after
    after = f"{e.value:.3f} ({e.low:.3f} to {e.high:.3f})"
    return name, "" if before is None else f"{before.value:.3f}", after, spread, f"{e.chance:.3f}", f"{e.n:,}"
