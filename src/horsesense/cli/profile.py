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
    """Ask models the material of all methods, hold each score against what could explain it away, and judge it.

    Models may also be 'guesser' and 'cue-reader', which are none. The same command goes on where it was stopped.
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
    say(f"the page: {found.page}; the picture: {(found.pictures or ())[-1]}; for a model card: {found.markdown}")


def _print(found: Profile) -> None:
    from horsesense.cli.output import people, table
    from horsesense.profiling.document import ranged
    from horsesense.report.profile_grid import rows_of
    from horsesense.report.profile_wording import is_doubted, only_a_part, percent, surer

    if part := only_a_part(found):
        people().print(part, soft_wrap=True)
    for model in found.models:
        shown = table(
            "ability", "verdict", "right", "95 % interval", "guessing", "best cue", "n", left=2, title=model.model
        )
        for row in rows_of(found):
            cell = next((each for each in row.cells if each is not None and each.model is model), None)
            if cell is None:
                continue
            e = cell.finding.accuracy
            shown.add_row(
                row.ability.title + ("" if row.ability.counts else " ¹"),
                cell.finding.verdict,
                percent(e.value),
                f"{percent(e.low)} to {percent(e.high)}",
                "" if e.chance is None else percent(e.chance),
                "" if cell.cue is None else percent(cell.cue),
                f"{cell.finding.n:,}",
            )
        people().print(shown)
        if model.verdicts.number is not None:
            parts = ", ".join(f"{part.method} {ranged(part.beyond)}" for part in model.verdicts.number.parts)
            people().print(f"the one number: {ranged(model.verdicts.number.value)} of 1 ({parts})")
        for sentence in model.summary:
            people().print(sentence, soft_wrap=True)
        people().print()
    if any(not ability.counts for ability in found.abilities):
        people().print("¹ no person has judged these items, so they stay outside the one number")
    if any(is_doubted(each) for model in found.models for each in model.verdicts.findings):
        people().print(surer(found), soft_wrap=True)
