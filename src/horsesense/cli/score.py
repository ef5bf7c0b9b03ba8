"""``horsesense score``, ``fill`` and ``saliency``: what a model makes of a text in hand."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.output import Json, people, print_json, say, table
from horsesense.cli.settings import AllowPickle, Device, Dtype, Family, OneModel, Pll, Spec, alone, spec_of
from horsesense.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from horsesense.core import ScoringSpec
    from horsesense.models.protocol import Model
    from horsesense.scoring.clue_words import ExplanationOverNames
    from horsesense.scoring.saliency import ModelSaliency
    from horsesense.scoring.texts import ScoredText

_WIDTH = 20
"""Characters of the longest bar of a saliency."""


def score(
    model: OneModel,
    texts: Annotated[
        list[str] | None,
        typer.Argument(metavar="TEXT...", help="Texts to score; none: standard input, one a line."),
    ] = None,
    file: Annotated[Path | None, typer.Option(help="Score the texts of this file, one a line.")] = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="Write one row a text: .csv, .jsonl or .parquet.")
    ] = None,
    tokens: Annotated[bool, typer.Option("--tokens", help="With --out: one row a token.")] = False,
    against: Annotated[str | None, typer.Option(help="Show what speaks for each TEXT against this one.")] = None,
    spec: Spec = "default",
    pll: Pll = None,
    dtype: Dtype = None,
    device: Device = "auto",
    family: Family = None,
    allow_pickle: AllowPickle = False,
    json: Json = False,
) -> None:
    """Every token of a text with its place and log-probability (natural logarithm), always exact."""
    from horsesense.api.models import load_model
    from horsesense.api.texts import check_texts
    from horsesense.api.texts import score as score_by

    meaning = alone(spec_of(spec, dtype, pll=pll))
    given = _given(texts, file)
    if tokens and out is None:
        raise UserError("--tokens is for --out", fix="add --out FILE, or leave it out")
    check_texts([*given, *([against] if against is not None else [])])  # before a model is loaded, which takes seconds
    loaded = load_model(model, family=family, device=device, dtype=meaning.dtype, allow_pickle=allow_pickle)
    _say_model(loaded, meaning)
    scored = score_by(loaded, given, against=against, spec=meaning)
    if out is not None:
        written = (scored.tokens() if tokens else scored.frame()).write(out)
        say(f"scores in {written}")
    if json:
        print_json(scored.document())
    elif out is not None:
        return
    elif scored.against is not None:
        print_evidence(scored.texts, scored.against)
    else:
        _print_scores(scored.texts)


def _given(texts: list[str] | None, file: Path | None) -> list[str]:
    """The texts of the call, of a file, or of what is piped in."""
    from horsesense.api.texts import texts_in

    if texts and file is not None:
        raise UserError("there are texts in the call and a file", fix="choose one of the two")
    if texts:
        return texts
    if file is None and sys.stdin.isatty():
        raise UserError("there is no text to score", fix="name one, add --file FILE, or pipe texts in, one a line")
    return texts_in(file if file is not None else sys.stdin.buffer)


def _say_model(model: Model, spec: ScoringSpec) -> None:
    from horsesense.api.texts import describe_frame

    notes = ", ".join(model.notes)
    say(f"{model.name}: {model.describe()['family']}, {notes}, begins with {describe_frame(model, spec)}")


def print_evidence(texts: Sequence[ScoredText], other: ScoredText) -> None:
    """A table of what each place says for a text against the other."""
    from rich.markup import escape
    from rich.text import Text

    from horsesense.scoring.evidence import evidence, share_of_edit

    for text in texts:
        places = evidence(text, other)
        title = Text.assemble(text.text, "\n", ("against", "dim"), f" {other.text}")
        frame = table("token", "against", "q", left=2, title=title)
        for place in places:
            row = [repr(token) if token is not None else "" for token in (place.token, place.against)]
            frame.add_row(*map(escape, row), f"{place.q:+z.4f}", style="bold" if place.edited else "")
        frame.add_section()
        frame.add_row("sum", "", f"{sum(place.q for place in places):+z.4f}")
        people().print(frame)
        people().print(f"{share_of_edit(places):.0%} of the evidence lies where the texts differ (bold)")


def _print_scores(texts: Sequence[ScoredText]) -> None:
    from rich.markup import escape

    for text in texts:
        frame = table("token", "start", "end", "log-probability", title=text.text)
        for token in text.tokens:
            frame.add_row(escape(repr(token.token)), str(token.start), str(token.end), f"{token.logprob:z.4f}")
        frame.add_section()
        frame.add_row("sum", "", "", f"{text.sum:z.4f}")
        frame.add_row("mean", "", "", f"{text.mean:z.4f}")
        people().print(frame)


def fill(
    prompts: Annotated[list[str], typer.Argument(metavar="PROMPT...", help="Texts with one blank ___ each.")],
    model: OneModel,
    top: Annotated[int, typer.Option(help="How many words a blank.")] = 10,
    spec: Spec = "default",
    dtype: Dtype = None,
    device: Device = "auto",
    family: Family = None,
    allow_pickle: AllowPickle = False,
    json: Json = False,
) -> None:
    """The most probable single tokens for the blank of each prompt, sub-word pieces included."""
    from horsesense.api.models import load_model
    from horsesense.api.texts import fill as fill_blanks

    meaning = alone(spec_of(spec, dtype))
    loaded = load_model(model, family=family, device=device, dtype=meaning.dtype, allow_pickle=allow_pickle)
    _say_model(loaded, meaning)
    filled = fill_blanks(loaded, prompts, top=top, spec=meaning)
    if json:
        print_json(filled.document())
        return
    for prompt, words in zip(prompts, filled.words, strict=True):
        people().print(prompt, markup=False, soft_wrap=True)
        for word in words:
            people().print(f"  {word.rank:>3}  {word.logprob:8.4f}  {word.word!r}", markup=False)


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
    dtype: Dtype = None,
    device: Device = "auto",
    family: Family = None,
    allow_pickle: AllowPickle = False,
    json: Json = False,
) -> None:
    """Which words a prediction rests on; with slots, which do under most draws of names."""
    from horsesense.api.models import load_model
    from horsesense.api.texts import saliency as explain
    from horsesense.scoring.clue_words import ExplanationOverNames, parse_marked

    parse_marked(text)  # before a model is loaded, which takes seconds
    meaning = alone(spec_of(spec, dtype))
    loaded = load_model(model, family=family, device=device, dtype=meaning.dtype, allow_pickle=allow_pickle)
    explained = explain(
        loaded, text, method=method.value, steps=steps, draws=draws, arguments=arguments, seed=seed, spec=meaning
    )
    if json:
        print_json(explained)
        return
    say(f"{model}: {loaded.describe()['family']}, {', '.join(loaded.notes)}")
    if isinstance(explained, ExplanationOverNames):
        _print_clues(explained, bool(arguments))
    else:
        _print_saliency(explained)


def _print_saliency(explained: ModelSaliency) -> None:
    most = max((abs(word.value) for word in explained.words), default=0.0) or 1.0
    for word in explained.words:
        _print_bar(word.value, most, word.word)
    remark = f"{explained.target!r} has the log-probability {explained.logprob:z.3f}, and {explained.baseline:z.3f}"
    remark += " with all else blank"
    if explained.method == "integrated":
        remark += f"; {explained.residual:+z.3f} of the difference is not accounted for (more --steps, less of it)"
    people().print(remark, style="dim", markup=False, soft_wrap=True)


def _print_clues(voted: ExplanationOverNames, arguments: bool) -> None:
    most = max((abs(clue.value) for clue in voted.clues), default=0.0) or 1.0
    for clue in voted.clues:
        label = f"{clue.word}  {clue.votes} of {voted.draws}{' argument' if clue.argument else ''}"
        _print_bar(clue.value, most, label)
    remark = f"{len(voted.clues)} clue words by vote over {voted.draws} draws of names"
    if arguments and voted.arguments is not None:
        remark += f", {sum(clue.argument for clue in voted.clues)} of them arguments"
    remark += f"; two draws have {voted.stability:.2f} of their strongest words in common"
    people().print(remark, style="dim", markup=False, soft_wrap=True)


def _print_bar(value: float, most: float, label: str) -> None:
    bar = ("█" if value >= 0 else "░") * round(abs(value) / most * _WIDTH)
    people().print(f"{value:+z8.3f}  {bar:<{_WIDTH}}  {label}", markup=False)
