"""``horsesense inoculate``: small doses of a probe, what they teach a model and what they cost it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.output import Json, people, print_json, say, table
from horsesense.cli.settings import OneModel

if TYPE_CHECKING:
    from horsesense.learning.inoculation_folder import InoculationDocument
    from horsesense.records import Probe


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
    objective: Annotated[str, typer.Option(help="What the model is trained to do.")] = "multiple-choice",
    as_paper: Annotated[bool, typer.Option("--as-paper", help="Fill up to five options with empty ones.")] = False,
    plot: Annotated[Path | None, typer.Option(help="Draw the curves: .svg, .png or .json (Vega-Lite).")] = None,
    allow_overlap: Annotated[bool, typer.Option("--allow-overlap", help="Train in spite of leaks.")] = False,
    json: Json = False,
) -> None:
    """Small doses of a probe, what they teach a model and what they cost it."""
    from horsesense.cli.progress import Bars
    from horsesense.learning.curves import inoculation_curve, read_chosen
    from horsesense.learning.inoculation import DOSES, RATES, STEPS, Grid, Sets, Study, concepts_seen
    from horsesense.learning.inoculation_folder import Folder, inoculation_document
    from horsesense.records import read_probe

    sets = Sets(
        read_probe(train),
        read_probe(dev),
        read_probe(test),
        _joined(original_dev),
        _joined(original_test),
        read_probe(natural) if natural else None,
    )
    grid = Grid(
        doses=tuple(sorted(dose or DOSES)),
        rates=tuple(lr or RATES),
        steps=tuple(sorted(steps or STEPS)),
        adds=tuple(add or (0,)),
        seeds=tuple(seed or (0, 1, 2)),
        batch=batch,
        fill_to=5 if as_paper else 0,
        lora=lora,
    )
    folder = Folder(out)
    done = frozenset((dose["setting"], dose["k"], dose["seed"]) for dose in read_chosen(out))
    seen = concepts_seen(sets.test.items, read_probe(original_train).items) if original_train else {}
    with Bars(stay=True) as progress:
        study = Study(model, sets, grid, objective, watcher=progress, done=done, kept=folder.tried)
        leaks = study.check(allow_overlap)
        for chosen in study.carry_out():
            folder.chosen(chosen, sets, seen)
    kept = read_chosen(out)
    if plot is not None:
        from horsesense.report.charts import draw_curve

        draw_curve(inoculation_curve(kept), plot)
    if leaks.cases:
        say(f"{leaks.items:,} items leak into training; recorded as {leaks.allowed}")
    document = inoculation_document(model, out, kept, leaks)
    if json:
        print_json(document)
    else:
        _show(document)


def _joined(paths: list[Path]) -> Probe:
    """Several original tasks as one; items keep their families, which is what intervals are over then."""
    from dataclasses import replace

    from horsesense.records import Probe, read_probe

    probes = [read_probe(path) for path in paths]
    if len(probes) == 1:
        return probes[0]
    card = replace(probes[0].card, name="+".join(probe.card.name for probe in probes), group="family")
    return Probe.of([item for probe in probes for item in probe.items], card)


def _show(document: InoculationDocument) -> None:
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
            f"{point.cost:+.3f}",
            str(point.seeds),
        )
    people().print(frame)
    new, original = document.chosen[0].test_new, document.chosen[0].test_original
    sizes = f"new: n = {new.n:,}, guessing {new.chance:.3f}; original: n = {original.n:,}, "
    people().print(f"{sizes}guessing {original.chance:.3f}", style="dim", markup=False, soft_wrap=True)
