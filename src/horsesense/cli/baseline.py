"""``horsesense baseline``: what a control earns that sees only a part of each item."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horsesense.cli.output import Json, people, print_json, say

if TYPE_CHECKING:
    from horsesense.learning.baseline import Baseline, Missed

_NAMES = (
    "random, majority, majority-per, cue, vector-similarity, choice-only-linear, hypothesis-only, mlp, "
    "choice-only, choice-to-choice, question-to-choice, esim, choice-only-encoder"
)


def baseline(
    name: Annotated[str, typer.Argument(help=f"The control: {_NAMES}.")],
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
    from horsesense.cli.stages import stages
    from horsesense.learning.baseline import fit_baseline
    from horsesense.learning.controls import Task, control
    from horsesense.records import read_probe

    control(name)
    probe = read_probe(test)
    slots = tuple(part.strip() for part in slot.split("+") if part.strip())
    options = {"ordinal": float(ordinal)} | ({"epochs": float(epochs)} if epochs else {})
    with stages() as watcher:
        like = Task((), (), (), slots=slots, vectors=vectors, model=model, options=options, watcher=watcher)
        found = fit_baseline(
            name,
            read_probe(train) if train else None,
            probe,
            dev=read_probe(dev) if dev else None,
            seeds=range(seeds),
            allow_overlap=allow_overlap,
            like=like,
        )
    if out is not None:
        _keep(out, test, found)
    others, missed = _missed(found, against or [])
    if found.leaks.found:
        counts = ", ".join(f"{number:,} by {kind}" for kind, number in found.leaks.counts.items())
        say(f"{found.leaks.items:,} test items leak into training ({counts}); recorded as {found.leaks.allowed}")
    if json:
        print_json(_document(found, others, missed))
    else:
        _show(found, others, missed)


def _keep(out: Path, test: Path, found: Baseline) -> None:
    from horsesense.records import probe_name
    from horsesense.runs.controls import keep_control

    for seed, answers in enumerate(found.answers):
        folder = out if len(found.answers) == 1 else out / f"seed-{seed}"
        keep_control(folder, found.name, found.told, probe_name(test), found.probe, answers, seed)
    say(f"its answers are kept in {out}; compare or report it beside a run on the same probe")


def _missed(found: Baseline, folders: list[Path]) -> tuple[list[str], list[Missed]]:
    if not folders:
        return [], []
    from horsesense.learning.baseline import where_controls_fail
    from horsesense.runs.results import read_run

    credit = {item.id: float(value) for item, value in zip(found.probe.items, found.credit, strict=True)}
    runs = [answered for folder in folders for answered in read_run(folder)[1]]
    return where_controls_fail(credit, runs, found.probe.card.group)


def _document(found: Baseline, others: list[str], missed: list[Missed]) -> dict[str, Any]:
    e, s = found.estimate, found.strict
    return {
        "name": found.name,
        "told": found.told,
        "n": e.n,
        "accuracy": e.value,
        "ci": [e.low, e.high],
        "chance": e.chance,
        "clusters": e.clusters,
        "group": found.probe.card.group,
        "train": found.train,
        "seeds": list(found.each),
        "spread": found.spread,
        "strict": None
        if s is None
        else {"accuracy": s.value, "ci": [s.low, s.high], "chance": s.chance, "families": s.n},
        "notes": found.notes,
        "leaks": {"items": found.leaks.items, "by": found.leaks.counts, "allowed": found.leaks.allowed},
        "other_controls": others,
        "missed_by_controls": [
            {"model": one.model, "all": _estimate(one.all), "missed": _estimate(one.missed) if one.missed else None}
            for one in missed
        ],
        "verdict": found.verdict,
    }


def _estimate(e: Any) -> dict[str, Any]:
    return {"n": e.n, "accuracy": e.value, "ci": [e.low, e.high], "chance": e.chance}


def _show(found: Baseline, others: list[str], missed: list[Missed]) -> None:
    console, e = people(), found.estimate
    console.print(found.verdict, style="bold", markup=False, soft_wrap=True)
    remarks = [found.told, f"{e.n:,} items, {e.clusters:,} units of {found.probe.card.group}"]
    if found.spread is not None:
        remarks.append(f"mean of {len(found.each)} seeds, standard deviation {found.spread:.3f}")
    if found.strict is not None and found.strict.chance is not None:
        s = found.strict
        remarks.append(f"whole families right {s.value:.3f} of {s.n:,} (guessing {s.chance:.3f})")
    remarks += [f"{note} {value:,.4g}" for note, value in found.notes.items()]
    console.print("; ".join(remarks), style="dim", markup=False, soft_wrap=True)
    if missed:
        with_others = f" and {', '.join(others)}" if others else ""
        console.print(f"where {found.name}{with_others} fail:", markup=False, soft_wrap=True)
    for one in missed:
        hard = one.missed
        told = (
            "nothing left" if hard is None else f"{hard.value:.3f} ({hard.low:.3f} to {hard.high:.3f}), n = {hard.n:,}"
        )
        console.print(f"  {one.model}: {told}; on all {one.all.value:.3f}", markup=False, soft_wrap=True)
