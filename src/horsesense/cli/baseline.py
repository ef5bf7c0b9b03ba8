"""``horsesense baseline``: what a control earns that sees only a part of each item."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.output import Json, people, print_json, say

if TYPE_CHECKING:
    from horsesense.api.learnt import FittedControl

_NAMES = (
    "random, majority, majority-per, cue, vector-similarity, choice-only-linear, hypothesis-only, mlp, "
    "choice-only, choice-to-choice, question-to-choice, esim, choice-only-encoder"
)


def baseline(
    name: Annotated[str, typer.Argument(help=f"The control: {_NAMES}; or the folder of a fitted one.")],
    test: Annotated[Path, typer.Option(help="The probe to answer.")],
    train: Annotated[Path | None, typer.Option(help="The probe to learn from.")] = None,
    dev: Annotated[Path | None, typer.Option(help="The probe to choose on [a tenth of --train].")] = None,
    slot: Annotated[str, typer.Option(help="Facets or groups to look at, joined by +: part, part+adjective.")] = "",
    vectors: Annotated[
        str, typer.Option(help="Word vectors: glove, a file (GloVe, fastText, word2vec, .npy), or none.")
    ] = "glove",
    model: Annotated[str, typer.Option("-m", "--model", help="The encoder of choice-only-encoder.")] = "minilm",
    ordinal: Annotated[bool, typer.Option("--ordinal", help="mlp: learn the labels as a scale.")] = False,
    epochs: Annotated[int | None, typer.Option(min=1, help="At most so many rounds [by control].")] = None,
    seeds: Annotated[int, typer.Option(min=1, max=1000, help="How many seeds to average, from 0 on.")] = 3,
    out: Annotated[Path | None, typer.Option(help="Keep its answers as a run in this folder.")] = None,
    against: Annotated[
        list[Path] | None, typer.Option(help="A run: show its models where this control fails; repeatable.")
    ] = None,
    allow_overlap: Annotated[bool, typer.Option("--allow-overlap", help="Train in spite of leaks.")] = False,
    json: Json = False,
) -> None:
    """What a control earns that sees only a part of each item."""
    from horsesense.api.controls import fit_control
    from horsesense.cli.progress import Bars

    with Bars() as progress:
        fitted = fit_control(
            name,
            test,
            train=train,
            dev=dev,
            slots=[part.strip() for part in slot.split("+") if part.strip()],
            vectors=vectors,
            model=model,
            ordinal=ordinal,
            epochs=epochs,
            seeds=seeds,
            out=out,
            against=against or (),
            allow_overlap=allow_overlap,
            progress=progress,
        )
    if out is not None:
        say(f"its answers are kept in {out}; compare or report it beside a run on the same probe")
    leaks = fitted.leaks
    if leaks.cases:
        counts = ", ".join(f"{number:,} by {kind}" for kind, number in leaks.counts.items())
        say(f"{leaks.items:,} test items leak into training ({counts}); recorded as {leaks.allowed}")
    if json:
        print_json(fitted.document())
    else:
        _show(fitted)


def _show(fitted: FittedControl) -> None:
    console, e = people(), fitted.estimate
    console.print(fitted.verdict, style="bold", markup=False, soft_wrap=True)
    remarks = [fitted.method, f"{e.n:,} items, {e.clusters:,} units of {fitted.probe.card.group}"]
    if fitted.spread is not None:
        remarks.append(f"mean of {len(fitted.each)} seeds, standard deviation {fitted.spread:.3f}")
    if fitted.strict is not None and fitted.strict.chance is not None:
        s = fitted.strict
        remarks.append(f"whole families right {s.value:.3f} of {s.n:,} (guessing {s.chance:.3f})")
    remarks += [f"{note} {value:,.4g}" for note, value in fitted.notes.items()]
    console.print("; ".join(remarks), style="dim", markup=False, soft_wrap=True)
    if fitted.missed:
        with_others = f" and {', '.join(fitted.others)}" if fitted.others else ""
        console.print(f"where {fitted.name}{with_others} fail:", markup=False, soft_wrap=True)
    for each in fitted.missed:
        hard = each.missed
        left = (
            "nothing left" if hard is None else f"{hard.value:.3f} ({hard.low:.3f} to {hard.high:.3f}), n = {hard.n:,}"
        )
        console.print(f"  {each.model}: {left}; on all {each.all.value:.3f}", markup=False, soft_wrap=True)
