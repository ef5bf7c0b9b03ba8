"""``horsesense saliency``: which words a prediction rests on."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Annotated

import typer

from horsesense.cli.output import Json, people, print_json, say
from horsesense.cli.settings import AllowPickle, Device, Family, OneModel, Spec, spec_of
from horsesense.errors import UserError

_WIDTH = 20


class Method(StrEnum):
    """How gradients become values."""

    gradient = "gradient"
    smoothgrad = "smoothgrad"
    integrated = "integrated"


def saliency(
    text: Annotated[str, typer.Argument(help="A text with the stretch to explain in brackets: 'Ice is [cold].'")],
    model: OneModel,
    method: Annotated[Method, typer.Option(help="How gradients become values.")] = Method.integrated,
    steps: Annotated[int, typer.Option(min=1, help="Steps of integration, or draws of noise.")] = 50,
    seed: Annotated[int, typer.Option(help="Seed of the noise.")] = 0,
    spec: Spec = "default",
    device: Device = "auto",
    family: Family = None,
    allow_pickle: AllowPickle = False,
    json: Json = False,
) -> None:
    """Which words a prediction rests on."""
    bracketed = re.fullmatch(r"([^\[\]]*)\[([^\[\]]+)\]([^\[\]]*)", text, re.DOTALL)
    if bracketed is None:
        raise UserError("the text needs one stretch in brackets", fix="write for example 'Ice is [cold].'")
    from dataclasses import asdict

    from horsesense.models.load import load_model
    from horsesense.scoring.saliency import saliency as find

    before, target, after = bracketed.groups()
    meaning = spec_of(spec, None, exact=True)
    loaded = load_model(model, family=family, device=device, allow_pickle=allow_pickle)
    end = len(before) + len(target)
    found = find(loaded, before + target + after, len(before), end, meaning, method.value, steps, seed)
    if json:
        print_json({"model": model, "spec": meaning.to_dict(), **asdict(found), "residual": found.residual})
        return
    say(f"{model}: {loaded.family}, {', '.join(loaded.notes)}")
    most = max((abs(word.value) for word in found.words), default=0.0) or 1.0
    for word in found.words:
        bar = ("█" if word.value >= 0 else "░") * round(abs(word.value) / most * _WIDTH)
        people().print(f"{word.value:+8.3f}  {bar:<{_WIDTH}}  {word.word}", markup=False)
    told = f"{found.target!r} has the log-probability {found.logprob:.3f}, and {found.baseline:.3f} with all else blank"
    if method is Method.integrated:
        told += f"; {found.residual:+.3f} of the difference is not accounted for (more --steps, less of it)"
    people().print(told, style="dim", markup=False, soft_wrap=True)
