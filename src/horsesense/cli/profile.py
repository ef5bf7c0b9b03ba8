"""``horsesense profile``: all methods at once, one page: common sense or clever Hans?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.output import Json, print_json, say
from horsesense.cli.settings import (
    Concurrency,
    Device,
    Gpus,
    KeyFrom,
    MaxRequests,
    MaxTokens,
    Models,
    On,
    Patience,
    Price,
    Threads,
    Timeout,
    Workers,
    served_of,
)

if TYPE_CHECKING:
    from horsesense.api.profile import Profile


def profile(
    model: Models = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for answers, page and pictures [runs/profile-MODEL].")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A few dozen questions an ability (the default).")] = False,
    full: Annotated[bool, typer.Option("--full", help="All frozen questions and their twins.")] = False,
    ability: Annotated[list[str] | None, typer.Option(help="Look at this ability alone; repeatable.")] = None,
    limit: Annotated[int | None, typer.Option(help="At most so many families of each half of an ability.")] = None,
    twin_seed: Annotated[int, typer.Option(help="Seed that draws the twins.")] = 0,
    dtype: Annotated[
        str, typer.Option(help="What layers compute in: float32, bfloat16, float16, int8, int4.")
    ] = "float32",
    device: Device = "auto",
    concurrency: Concurrency = 16,
    timeout: Timeout = 120.0,
    patience: Patience = 300.0,
    max_requests: MaxRequests = None,
    max_tokens: MaxTokens = None,
    key_from: KeyFrom = "",
    price: Price = None,
    on: On = "here",
    workers: Workers = None,
    gpus: Gpus = None,
    threads: Threads = None,
    no_pictures: Annotated[bool, typer.Option("--no-pictures", help="Write no PNG.")] = False,
    json: Json = False,
) -> None:
    """Profile models on ten commonsense abilities.

    'guesser' and 'cue-reader' are built-in controls; a planted model of your own is FILE.py:NAME. The same command
    resumes where it was stopped.
    """
    from horsesense.api.asking import chosen_models, short_name
    from horsesense.api.models import engine
    from horsesense.api.profile import profile as profile_of
    from horsesense.cli.progress import Bars
    from horsesense.errors import UserError

    if quick and full:
        raise UserError("a profile is quick or full", fix="leave --quick or --full out")
    models = [str(name) for name in chosen_models(model)]
    folder = out or Path("runs") / "-".join(["profile", *(short_name(name) for name in models)])
    served = served_of(models, concurrency, timeout, patience, max_requests, max_tokens, key_from, price)
    with Bars(stay=True) as progress:
        found = profile_of(
            models,
            edition="full" if full else "quick",
            out=folder,
            abilities=ability or (),
            limit=limit,
            twin_seed=twin_seed,
            dtype=dtype,
            device=device,
            served=served,
            engine=engine(on, workers=workers, gpus=gpus, threads=threads),
            pictures=not no_pictures,
            progress=progress,
        )
    if json:
        print_json(found)
        return
    _print(found)
    say(f"page: {found.page}")
    say(f"picture: {(found.pictures or ())[-1]}")
    say(f"Markdown for a model card: {found.markdown}")


def _print(found: Profile) -> None:
    from horsesense.cli.output import people
    from horsesense.formatting import percent
    from horsesense.report import profile_view as view
    from horsesense.terminal import print_fitting

    def line(text: str) -> None:
        people().print(text, soft_wrap=True, markup=False)

    for warning in filter(
        None, (view.partial_warning(found), view.edition_warning(found), view.relatedness_warning(found))
    ):
        line(warning)
    columns = ["ability", "verdict", "accuracy", "95% CI", "chance", "adjusted", "n", "best cue"]
    for column, model in enumerate(found.models):
        rows = []
        for row in view.rows_of(found):
            cell = row.cells[column]
            if cell is None:
                continue
            e = cell.finding.accuracy
            rows.append(
                [
                    row.ability.title + ("" if row.ability.counts else " ¹"),
                    cell.verdict,
                    percent(e.value, 0) + (" ≠" if cell.disagreeing else ""),
                    f"{e:i.0%}",
                    "" if e.chance is None else percent(e.chance, 0),
                    view.adjusted_text(cell.adjusted).partition(" ")[0],
                    f"{cell.finding.n:,}",
                    "" if cell.cue is None else percent(cell.cue, 0),
                ]
            )
        print_fitting(columns, rows, left=2, optional=("best cue", "chance"), title=model.model)
        head = view.headline(model, found)
        line(f"overall score: {head.overall}")
        line(f"  {head.scope}")
        for name, score, judged in view.groups_of(model):
            line(f"  {name}: {view.adjusted_text(score)}{'' if judged else ' (not in the overall score)'}")
        line(f"verdicts: {', '.join(f'{name} {n}' for name, _, n in head.counts)}")
        line(f"contamination: {head.contamination}")
        line(f"controls: {head.controls}")
        line("")
    if any(not ability.counts for ability in found.abilities):
        line(f"¹ not in the overall score: {view.UNJUDGED}")
    if any(cell.disagreeing for row in view.rows_of(found) for cell in row.cells if cell is not None):
        line("≠ prompt formats disagree")
