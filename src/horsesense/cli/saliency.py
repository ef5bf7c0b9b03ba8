"""``horsesense saliency``: which words a prediction rests on."""

from __future__ import annotations

from dataclasses import asdict
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horsesense.cli.output import Json, people, print_json, say
from horsesense.cli.settings import AllowPickle, Device, Family, OneModel, Spec, spec_of

if TYPE_CHECKING:
    from horsesense.scoring.clue_words import Clues
    from horsesense.scoring.saliency import Saliency

_WIDTH = 20


class Method(StrEnum):
    """How gradients become values."""

    gradient = "gradient"
    smoothgrad = "smoothgrad"
    integrated = "integrated"


def saliency(
    text: Annotated[
        str,
        typer.Argument(help="A text with the stretch to explain in brackets: 'Ice is [cold].'; {A} is a drawn name."),
    ],
    model: OneModel,
    method: Annotated[Method, typer.Option(help="How gradients become values.")] = Method.integrated,
    steps: Annotated[int, typer.Option(min=1, max=2000, help="Steps of integration, or draws of noise.")] = 50,
    draws: Annotated[
        int, typer.Option(min=2, max=1000, help="Draws of names, where the text has slots such as {A}.")
    ] = 5,
    arguments: Annotated[str, typer.Option(help="The words that carry the knowledge: 'glass, stone'.")] = "",
    seed: Annotated[int, typer.Option(help="Seed of the noise and of the names.")] = 0,
    spec: Spec = "default",
    device: Device = "auto",
    family: Family = None,
    allow_pickle: AllowPickle = False,
    json: Json = False,
) -> None:
    """Which words a prediction rests on; with slots, which do under most draws of names."""
    from horsesense.models.local.load import load_model
    from horsesense.scoring.clue_words import clues_of, draw_names, parse_marked

    marked = parse_marked(text)
    meaning = spec_of(spec, None, exact=True)
    loaded = load_model(model, family=family, device=device, allow_pickle=allow_pickle)
    told = {"model": model, "spec": meaning.to_dict()}
    if not marked.slots:
        found = marked.explained(loaded, meaning, method.value, steps, seed)
        if json:
            print_json(told | _document(found))
        else:
            say(f"{model}: {loaded.family}, {', '.join(loaded.notes)}")
            _print_saliency(found)
        return
    names = draw_names(marked.slots, draws, seed)
    drawn = [marked.named(each).explained(loaded, meaning, method.value, steps, seed) for each in names]
    voted = clues_of(drawn, names, arguments)
    if json:
        agreed = asdict(voted) | {"arguments": voted.arguments}
        print_json(told | {"seed": seed, "drawn": [_document(each) for each in drawn]} | agreed)
    else:
        say(f"{model}: {loaded.family}, {', '.join(loaded.notes)}")
        _print_clues(voted, bool(arguments))


def _document(found: Saliency) -> dict[str, Any]:
    return asdict(found) | {"residual": found.residual}


def _print_saliency(found: Saliency) -> None:
    most = max((abs(word.value) for word in found.words), default=0.0) or 1.0
    for word in found.words:
        _print_bar(word.value, most, word.word)
    told = f"{found.target!r} has the log-probability {found.logprob:.3f}, and {found.baseline:.3f} with all else blank"
    if found.method == "integrated":
        told += f"; {found.residual:+.3f} of the difference is not accounted for (more --steps, less of it)"
    people().print(told, style="dim", markup=False, soft_wrap=True)


def _print_clues(voted: Clues, arguments: bool) -> None:
    most = max((abs(clue.value) for clue in voted.clues), default=0.0) or 1.0
    for clue in voted.clues:
        _print_bar(
            clue.value, most, f"{clue.word}  {clue.votes} of {voted.draws}{' argument' if clue.argument else ''}"
        )
    told = f"{len(voted.clues)} clue words by vote over {voted.draws} draws of names"
    if arguments and voted.arguments is not None:
        told += f", {sum(clue.argument for clue in voted.clues)} of them arguments"
    told += f"; two draws have {voted.stability:.2f} of their strongest words in common"
    people().print(told, style="dim", markup=False, soft_wrap=True)


def _print_bar(value: float, most: float, told: str) -> None:
    bar = ("█" if value >= 0 else "░") * round(abs(value) / most * _WIDTH)
    people().print(f"{value:+8.3f}  {bar:<{_WIDTH}}  {told}", markup=False)
