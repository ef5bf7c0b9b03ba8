"""``horsesense inoculate``: small doses of a probe, what they teach a model and what they cost it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.output import Json, people, print_json, say, table
from horsesense.cli.settings import Device, Gpus, On, OneModel, Threads, UnderAdapter, Workers

if TYPE_CHECKING:
    from horsesense.api.learnt import Inoculation


def inoculate(
    model: OneModel,
    train: Annotated[Path, typer.Option("--train", help="The probe that doses are drawn from.")],
    dev: Annotated[Path, typer.Option(help="The probe's development set: chooses.")],
    test: Annotated[Path, typer.Option(help="The probe's test set: read once.")],
    original_dev: Annotated[list[Path], typer.Option(help="Development set of the original task; repeatable: joined.")],
    original_test: Annotated[list[Path], typer.Option(help="Test set of the original task, read once; repeatable.")],
    out: Annotated[Path, typer.Option(help="Folder for doses, answers and curves.")],
    natural: Annotated[Path | None, typer.Option(help="Reserved natural set, for --add.")] = None,
    original_train: Annotated[
        Path | None, typer.Option(help="What the model was trained on: which concepts did it meet there?")
    ] = None,
    add: Annotated[list[int] | None, typer.Option(min=0, max=2, help="add-some: 0, 1 or 2; repeatable [0].")] = None,
    dose: Annotated[list[int] | None, typer.Option(min=1, help="A dose k; repeatable [10 to 3,000].")] = None,
    lr: Annotated[list[float] | None, typer.Option(help="A learning rate; repeatable [1e-5, 3e-5, 1e-4].")] = None,
    steps: Annotated[list[int] | None, typer.Option(min=1, help="Steps to look at; repeatable [10 to 600].")] = None,
    seed: Annotated[list[int] | None, typer.Option(min=0, help="A seed; repeatable [0, 1, 2].")] = None,
    batch: Annotated[int, typer.Option(min=1)] = 16,
    lora: Annotated[bool, typer.Option("--lora", help="Train an adapter and not the weights themselves.")] = False,
    objective: Annotated[
        str, typer.Option(help="What it is trained to do [multiple-choice; a decoder: options], such as letters.")
    ] = "",
    as_paper: Annotated[bool, typer.Option("--as-paper", help="Fill up to five options with empty ones.")] = False,
    plot: Annotated[Path | None, typer.Option(help="Draw the curves: .svg, .png or .json (Vega-Lite).")] = None,
    allow_overlap: Annotated[bool, typer.Option("--allow-overlap", help="Train in spite of leaks.")] = False,
    device: Device = "auto",
    dtype: UnderAdapter = "float32",
    on: On = "here",
    workers: Workers = None,
    gpus: Gpus = None,
    threads: Threads = None,
    json: Json = False,
) -> None:
    """Small doses of a probe, what they teach a model and what they cost it."""
    from horsesense.api.learning import inoculate as study_doses
    from horsesense.api.models import engine
    from horsesense.cli.progress import Bars

    if plot is not None:
        from horsesense.report.drawing import check_drawing

        check_drawing(plot)
    with Bars(stay=True) as progress:
        document = study_doses(
            model,
            train=train,
            dev=dev,
            test=test,
            original_dev=original_dev,
            original_test=original_test,
            out=out,
            natural=natural,
            original_train=original_train,
            adds=add or (0,),
            doses=dose or (),
            rates=lr or (),
            steps=steps or (),
            seeds=seed or (0, 1, 2),
            batch=batch,
            lora=lora,
            objective=objective,
            as_paper=as_paper,
            allow_overlap=allow_overlap,
            device=device,
            dtype=dtype,
            engine=engine(on, workers=workers, gpus=gpus, threads=threads),
            progress=progress,
        )
    if plot is not None:
        from horsesense.report.drawing import write_chart

        write_chart(document.plot(), plot)
    if document.leaks.items:
        say(f"{document.leaks.items:,} items leak into training; recorded as {document.leaks.allowed}")
    if json:
        print_json(document)
    else:
        _show(document)


def _show(document: Inoculation) -> None:
    frame = table("setting", "k", "new", "± seeds", "original", "± seeds", "cost", "seeds")
    for point in document.curves:
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
    people().print(frame)
    new, original = document.chosen[0].test_new, document.chosen[0].test_original
    read = "on the test sets, read once, by weights that the development sets chose"
    sizes = f"{read}; new: n = {new.n:,}, guessing {new.chance:.3f}; original: n = {original.n:,}, "
    people().print(f"{sizes}guessing {original.chance:.3f}", style="dim", markup=False, soft_wrap=True)
