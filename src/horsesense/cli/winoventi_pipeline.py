"""``horsesense winoventi make, serve, status``: the procedure for one model, with people in it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.output import Json, people, print_json, say
from horsesense.terminal import line

if TYPE_CHECKING:
    from horsesense.annotate.server.staged_app import StagedServing
    from horsesense.methods.winoventi.context_shift import ContextShift
    from horsesense.methods.winoventi.measures import Subset
    from horsesense.methods.winoventi.people import Stage
    from horsesense.methods.winoventi.summaries import ModelEvaluation, PipelineSummary, StepCounts
    from horsesense.stats import Estimate

_SHOWN = 5


def print_summary(summary: PipelineSummary) -> None:
    """Print the yield of each step, the evaluations and the state of each stage."""
    _print_counts(summary.counts)
    for kind, evaluation in summary.evaluations.items():
        passed = "passed by people or a stated judge" if kind == "validated" else "passed by nobody: no headline"
        line(f"\n{passed}, in {summary.probes[kind]}")
        print_evaluations([evaluation])
    for schema in summary.sample:
        line(f"  proposed: {schema}")
    _print_stages(summary.stages)
    say(f"next: {summary.next}")


def status(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="What winoventi make made.")], json: Json = False
) -> None:
    """How far machine and people have come, and what is to be done next."""
    from horsesense.api.winoventi import status as status_of

    found = status_of(folder)
    if json:
        print_json(found)
        return
    if found.counts is not None:
        _print_counts(found.counts)
    _print_stages(found.stages)
    say(f"next: {found.next}")


def serve(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="What winoventi make made.")],
    invite: Annotated[
        list[str] | None, typer.Option(help="A person who is not invited yet; the link holds for all stages.")
    ] = None,
    host: Annotated[str, typer.Option(help="Where to listen; others than loopback are public.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port.")] = 8000,
    address: Annotated[str, typer.Option(help="Where people reach it [http://HOST:PORT].")] = "",
    json: Json = False,
) -> None:
    """Serve exceptions, premises and validation, each when the one before has enough. Ctrl-C stops; nothing is lost."""
    from horsesense.api.winoventi import serve as serve_stages
    from horsesense.cli.progress import Bars

    def started(serving: StagedServing) -> None:
        if json:
            print_json(serving)
            return
        for link in serving.links:
            people().print(f"{link.name}  {link.link}", markup=False, soft_wrap=True)

    with Bars(stay=True) as progress:
        serve_stages(
            folder, invite=invite or (), host=host, port=port, address=address, started=started, progress=progress
        )


def _print_counts(counts: StepCounts) -> None:
    from dataclasses import asdict

    for name, value in asdict(counts).items():
        numbers = (
            ", ".join(f"{key} {count:,}" for key, count in value.items()) if isinstance(value, dict) else f"{value:,}"
        )
        people().print(f"{name.replace('_', ' '):<14} {numbers}", markup=False, soft_wrap=True)


def _print_stages(stages: Iterable[Stage]) -> None:
    for each in stages:
        far = f"{each.answered:,} of {each.wanted:,} answers by {each.people:,} people" if each.studies else ""
        people().print(f"{each.stage:<14} {each.state:<10} {far}", markup=False, soft_wrap=True)


def print_evaluations(models: Iterable[ModelEvaluation]) -> None:
    """A table a model, the headline marked, then slices and what stands out."""
    console = people()
    for model in models:
        console.print(f"{model.model}", markup=False, style="bold")
        if model.proposed:
            told = f"{model.proposed:,} schemas were passed by nobody: no headline"
            console.print(f"  {told}", markup=False, soft_wrap=True)
        for shift in model.shifts:
            mark = "  ← headline" if shift == model.shift else ""
            console.print(f"  {_shift_in_words(shift)}{mark}", markup=False, soft_wrap=True)
        for title, subsets in (("", (*model.subsets, *model.tokens)), (", turned round", model.reverse)):
            for each in subsets:
                mark = "  ← headline" if each == model.headline and not title else ""
                console.print(f"  {_in_words(each, title)}{mark}", markup=False, soft_wrap=True)
        for name, slices in model.slices.items():
            cells = (f"{s.value} {s.test} {s.accuracy.value:.3f} (n {s.accuracy.n:,})" for s in slices)
            console.print(f"  by {name}: {'; '.join(cells)}", markup=False, soft_wrap=True)
        for what, extremes in (("failures", model.failures), ("successes", model.successes)):
            words = ", ".join(f"{word} {count}" for word, count in list(extremes.by_word.items())[:_SHOWN])
            depths = ", ".join(f"k={k} {count}" for k, count in extremes.by_k.items())
            console.print(f"  strongest {len(extremes.items)} {what}: {words}; {depths}", markup=False, soft_wrap=True)
        for note, count in model.notes.items():
            console.print(f"  {note}" + (f": {count:,}" if count else ""), markup=False, soft_wrap=True)


def _in_words(each: Subset, title: str) -> str:
    if each.generic is None or each.exception is None or each.both is None or each.drop is None:
        return f"{each.subset + title:<26} no schemas"
    numbers = (_range("generic", each.generic), _range("exception", each.exception), _range("both", each.both))
    mass = f"mass {each.mass:.3f}" if each.mass is not None else ""
    macro = (
        f"macro {each.macro_generic.value:.3f}/{each.macro_exception.value:.3f}"
        if each.macro_generic and each.macro_exception
        else ""
    )
    parts = ", ".join((*numbers, _range("drop", each.drop), macro, mass))
    return f"{each.subset + title:<26} {parts}, {each.schemas:,} schemas"


def _shift_in_words(each: ContextShift) -> str:
    if each.shift is None or each.generic is None or each.exception is None or each.moved is None:
        return f"{each.subset + ', shift':<26} no schemas"
    numbers = (
        f"towards the right word {each.shift.value:+z.3f} nats ({each.shift.low:+z.3f} to {each.shift.high:+z.3f})",
        f"generic {each.generic.value:+z.3f}, exception {each.exception.value:+z.3f} against a neutral premise",
        _range("moved", each.moved),
    )
    return f"{each.subset + ', shift':<26} {'; '.join(numbers)}"


def _range(name: str, estimate: Estimate) -> str:
    return f"{name} {estimate.value:.3f} ({estimate.low:.3f} to {estimate.high:.3f})"
