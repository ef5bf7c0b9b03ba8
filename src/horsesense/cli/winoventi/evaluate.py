"""``horsesense winoventi evaluate``: generic and exception tests, on all schemas and on a model's own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.output import Json, print_json, say
from horsesense.cli.settings import AllowPickle, Device, Dtype, Family, Spec, spec_of
from horsesense.cli.winoventi.associations import DEFAULT_MODEL
from horsesense.errors import UserError

if TYPE_CHECKING:
    from horsesense.probes.winoventi.depths import Depths


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
    own: Annotated[bool, typer.Option("--own/--no-own", help="Ask for the model's own associations too.")] = True,
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
    json: Json = False,
) -> None:
    """Generic and exception test, both right, the drop; All, Individual and Intersection; slices and margins."""
    from horsesense.cli.progress import RunProgress
    from horsesense.cli.winoventi.tables import evaluation_json, print_evaluations
    from horsesense.probes.winoventi.depths import read_depths, read_registry
    from horsesense.records import read_probe
    from horsesense.runs.ask import Settings
    from horsesense.studies.winoventi.associating import lexicon_at_hand
    from horsesense.studies.winoventi.evaluation import MAIN, Beside, ask_all
    from horsesense.studies.winoventi.evaluation import evaluate as evaluated
    from horsesense.studies.winoventi.own import own_depths

    models = model or [DEFAULT_MODEL]
    if len(set(models)) < len(models):
        raise UserError("a model is named twice", fix="name each once")
    depths: Depths = read_depths(k_file) if k_file is not None else {}
    others = read_registry(registry) if registry is not None else {}
    settings = Settings(
        spec=spec_of(spec, dtype), limit=limit, seed=seed, device=device, family=family, allow_pickle=allow_pickle
    )
    with RunProgress() as progress:
        asked = ask_all(models, read_probe(probe), out, settings, progress, reverse)
    drawn = asked[0][MAIN].probe
    associations = {one: own_depths(one, drawn, out, settings) for one in models} if own else {}
    found = evaluated(asked, Beside(depths, associations, others, lexicon_at_hand()))
    if json:
        print_json({"out": str(out), "probe": str(probe), "models": [evaluation_json(one) for one in found]})
        return
    print_evaluations(found)
    say(f"answers in {out}")
