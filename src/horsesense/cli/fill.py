"""``horsesense fill``: the words that a model puts into a blank."""

from __future__ import annotations

from typing import Annotated

import typer

from horsesense.cli.output import Json, people, print_json, say
from horsesense.cli.settings import AllowPickle, Device, Family, OneModel, Spec, spec_of


def fill(
    prompts: Annotated[list[str], typer.Argument(metavar="PROMPT...", help="Texts with one blank ___ each.")],
    model: OneModel,
    top: Annotated[int, typer.Option(help="How many words a blank.")] = 10,
    spec: Spec = "default",
    device: Device = "auto",
    family: Family = None,
    allow_pickle: AllowPickle = False,
    json: Json = False,
) -> None:
    """The most probable single tokens for the blank of each prompt, sub-word pieces included."""
    from dataclasses import asdict

    from horsesense.models.local.load import load_model
    from horsesense.scoring.fill import fill as fill_blanks
    from horsesense.scoring.questions import framer_of

    meaning = spec_of(spec, None, exact=True)
    loaded = load_model(model, family=family, device=device, allow_pickle=allow_pickle)
    frame = framer_of(loaded, meaning).frame.in_words
    say(f"{model}: {loaded.family}, {', '.join(loaded.notes)}, begins with {frame}")
    found = fill_blanks(loaded, prompts, top, meaning)
    if json:
        fills = [asdict(one) for fills in found for one in fills]
        print_json({"model": model, "spec": {**meaning.to_dict(), "frame": frame}, "fills": fills})
        return
    for prompt, words in zip(prompts, found, strict=True):
        people().print(prompt, markup=False, soft_wrap=True)
        for one in words:
            people().print(f"  {one.rank:>3}  {one.logprob:8.4f}  {one.word!r}", markup=False)
