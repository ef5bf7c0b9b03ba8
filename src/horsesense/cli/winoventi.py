"""``horsesense winoventi``: a model's own associations turned against it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from horsesense.cli.output import Json, people, print_json, say
from horsesense.cli.settings import AllowPickle, Device, Dtype, Family, Gpus, On, Spec, Threads, Workers, spec_of
from horsesense.cli.winoventi_associations import (
    DEFAULT_MODEL,
    associations,
    jaccard,
)
from horsesense.cli.winoventi_calibrate import calibrate
from horsesense.cli.winoventi_pipeline import print_evaluations, serve, status


def evaluate(
    probe: Annotated[Path, typer.Option("-p", "--probe", help="What import or build winoventi wrote.")],
    out: Annotated[Path, typer.Option("--out", help="Folder of the run; a stopped one goes on.")],
    model: Annotated[
        list[str] | None,
        typer.Option("-m", "--model", help=f"A bundled name, a folder or a hub name; repeatable [{DEFAULT_MODEL}]."),
    ] = None,
    k_file: Annotated[
        Path | None, typer.Option("--k-file", help="Depths of associations: the release's outcome collection, or ours.")
    ] = None,
    registry: Annotated[
        Path | None, typer.Option(help="The release's registry: its models count for the intersection.")
    ] = None,
    own_associations: Annotated[
        bool, typer.Option("--own/--no-own", help="Ask for the model's own associations too.")
    ] = True,
    reverse: Annotated[
        bool, typer.Option("--reverse/--no-reverse", help="Also ask for the context word, its outcome given.")
    ] = True,
    limit: Annotated[int | None, typer.Option(min=1, help="Most items; whole schemas are drawn.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Which ones.")] = 0,
    spec: Spec = "default",
    dtype: Dtype = None,
    device: Device = "auto",
    family: Family = None,
    allow_pickle: AllowPickle = False,
    on: On = "here",
    workers: Workers = None,
    gpus: Gpus = None,
    threads: Threads = None,
    json: Json = False,
) -> None:
    """Generic and exception test, both right, the drop; All, Individual and Intersection; slices and margins."""
    from horsesense.api.models import engine
    from horsesense.api.winoventi import evaluate as evaluate_models
    from horsesense.cli.progress import Bars

    with Bars(stay=True) as progress:
        document = evaluate_models(
            probe,
            out=out,
            models=model or [DEFAULT_MODEL],
            depths=k_file,
            registry=registry,
            own_associations=own_associations,
            reverse=reverse,
            limit=limit,
            seed=seed,
            spec=spec_of(spec, dtype),
            device=device,
            family=family,
            allow_pickle=allow_pickle,
            engine=engine(on, workers=workers, gpus=gpus, threads=threads),
            progress=progress,
        )
    if json:
        print_json(document)
        return
    print_evaluations(document.models)
    say(f"answers in {out}")


def splits(
    probe: Annotated[Path, typer.Option("-p", "--probe", help="What import or build winoventi wrote.")],
    setting: Annotated[str, typer.Option(help="half-exception or full-exception.")],
    out: Annotated[Path, typer.Option("--out", help="Folder for train.jsonl, dev.jsonl and the tests.")],
    dev: Annotated[float, typer.Option(min=0, max=0.9, help="Share of training schemas held back.")] = 0.0,
    seed: Annotated[int, typer.Option(min=0, help="Which schemas.")] = 0,
    unseen_nouns: Annotated[
        bool, typer.Option("--unseen-nouns", help="Draw whole nouns, not schemas as the paper does.")
    ] = False,
    json: Json = False,
) -> None:
    """Half- and full-exception splits with the paper's shares; test items say whether their twin was seen."""
    from horsesense.api.winoventi import splits as write_splits

    written = write_splits(probe, setting, out, dev=dev, seed=seed, unseen_nouns=unseen_nouns)
    if json:
        print_json(written)
        return
    for part in written.parts:
        counts = f"{part.generic:,} generic, {part.exception:,} exception, {part.twins_seen:,} with a seen twin"
        people().print(f"{part.part:<18} {counts}  {part.out}", markup=False, soft_wrap=True)


winoventi = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Turn a model's own associations against it (docs/methods/winoventi.md).",
)
winoventi.command("associations")(associations)
winoventi.command("calibrate")(calibrate)
winoventi.command("evaluate")(evaluate)
winoventi.command("jaccard")(jaccard)
winoventi.command("serve")(serve)
winoventi.command("splits")(splits)
winoventi.command("status")(status)
