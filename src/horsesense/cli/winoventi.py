"""``horsesense winoventi``: a model's own associations turned against it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.output import Json, people, print_json, say
from horsesense.cli.settings import AllowPickle, Device, Dtype, Family, OneModel, Spec, spec_of
from horsesense.cli.winoventi_associations import (
    DEFAULT_MODEL,
    AsPaper,
    NounLimit,
    Nouns,
    Ranker,
    Seed,
    associations,
    jaccard,
)

if TYPE_CHECKING:
    from horsesense.analysis import Estimate
    from horsesense.methods.winoventi.measures import Subset
    from horsesense.methods.winoventi.summaries import ModelEvaluation, PipelineSummary

_SHOWN = 5


def run(
    nouns: Nouns,
    out: Annotated[Path, typer.Option("--out", help="Folder of the pipeline.")],
    model: OneModel = DEFAULT_MODEL,
    limit: NounLimit = None,
    seed: Seed = 0,
    exceptions: Annotated[
        list[Path] | None,
        typer.Option(help="Exceptions by people: what annotate collect wrote, or the release's outcome collection."),
    ] = None,
    conceptnet: Annotated[
        Path | None, typer.Option(help="ConceptNet triples (relation, head, tail): its Not-relations are used.")
    ] = None,
    premises: Annotated[
        list[Path] | None,
        typer.Option(help="Premises by people: noun, generic, exception, premise with [ this / that ]."),
    ] = None,
    ranker: Ranker = "smollm2",
    writer: Annotated[str, typer.Option(help="The causal model that writes premises; none: frames only.")] = "smollm2",
    write: Annotated[int, typer.Option(min=0, help="Triplets that premises are written for by machine.")] = 60,
    samples: Annotated[int, typer.Option(min=1, max=64, help="Premises that the writer tries for each.")] = 4,
    most: Annotated[int, typer.Option(min=1, help="Exceptions an association.")] = 3,
    least: Annotated[
        float, typer.Option(help="Mean log-probability of a token that a machine's sentence needs, by the ranker.")
    ] = -7.2,
    entailment: Annotated[str, typer.Option(help="An entailment model for the check of ambiguity.")] = "",
    vectors: Annotated[str, typer.Option(help="A model of word vectors for the check of meaning; none.")] = "minilm",
    as_paper: AsPaper = False,
    spec: Spec = "default",
    dtype: Dtype = None,
    device: Device = "auto",
    json: Json = False,
) -> None:
    """Associations, exceptions, adversarial filter, premises, checks, probe and evaluation, in one folder."""
    from horsesense.api.winoventi import run as run_pipeline
    from horsesense.cli.progress import Bars

    with Bars(stay=True) as watcher:
        summary = run_pipeline(
            nouns,
            out=out,
            model=model,
            limit=limit,
            seed=seed,
            exceptions=exceptions or (),
            conceptnet=conceptnet,
            premises=premises or (),
            ranker=ranker,
            writer=writer,
            write=write,
            samples=samples,
            most=most,
            least=least,
            entailment=entailment,
            vectors=vectors,
            as_paper=as_paper,
            spec=spec_of(spec, dtype),
            device=device,
            watcher=watcher,
        )
    if json:
        print_json(summary)
        return
    _print_pipeline(summary)
    say(f"all in {out}; tasks for people in {out / 'tasks'}")


def _print_pipeline(summary: PipelineSummary) -> None:
    from dataclasses import asdict

    console = people()
    for name, value in asdict(summary.counts).items():
        numbers = (
            ", ".join(f"{key} {count:,}" for key, count in value.items()) if isinstance(value, dict) else f"{value:,}"
        )
        console.print(f"{name.replace('_', ' '):<14} {numbers}", markup=False, soft_wrap=True)
    for kind, evaluation in summary.evaluations.items():
        console.print(f"\nwritten by {kind}, in {summary.probes[kind]}", markup=False, soft_wrap=True)
        _print_evaluations([evaluation])


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
    own_associations: Annotated[
        bool, typer.Option("--own/--no-own", help="Ask for the model's own associations too.")
    ] = True,
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
    from horsesense.api.winoventi import evaluate as evaluate_models
    from horsesense.cli.progress import Bars

    with Bars(stay=True) as watcher:
        document = evaluate_models(
            probe,
            out=out,
            models=model or [DEFAULT_MODEL],
            depths=k_file,
            registry=registry,
            own_associations=own_associations,
            reverse=reverse,
            limit=limit,
            seed=seed,
            spec=spec_of(spec, dtype),
            device=device,
            family=family,
            allow_pickle=allow_pickle,
            watcher=watcher,
        )
    if json:
        print_json(document)
        return
    _print_evaluations(document.models)
    say(f"answers in {out}")


def _print_evaluations(models: Iterable[ModelEvaluation]) -> None:
    """A table a model, the headline marked, then slices and what stands out."""
    console = people()
    for model in models:
        console.print(f"{model.model}", markup=False, style="bold")
        for title, subsets in (("", model.subsets), (", turned round", model.reverse)):
            for each in subsets:
                mark = "  ← headline" if each.subset == "individual" and not title else ""
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


def _range(name: str, estimate: Estimate) -> str:
    return f"{name} {estimate.value:.3f} ({estimate.low:.3f} to {estimate.high:.3f})"


def splits(
    probe: Annotated[Path, typer.Option("-p", "--probe", help="What import or build winoventi wrote.")],
    setting: Annotated[str, typer.Option(help="half-exception or full-exception.")],
    out: Annotated[Path, typer.Option("--out", help="Folder for train.jsonl, dev.jsonl and the tests.")],
    dev: Annotated[float, typer.Option(min=0, max=0.9, help="Share of training schemas held back.")] = 0.0,
    seed: Annotated[int, typer.Option(min=0, help="Which schemas.")] = 0,
    json: Json = False,
) -> None:
    """Half- and full-exception splits with the paper's shares; test items say whether their twin was seen."""
    from horsesense.api.winoventi import splits as write_splits

    written = write_splits(probe, setting, out, dev=dev, seed=seed)
    if json:
        print_json(written)
        return
    for part in written.parts:
        counts = f"{part.generic:,} generic, {part.exception:,} exception, {part.twins_seen:,} with a seen twin"
        people().print(f"{part.part:<18} {counts}  {part.out}", markup=False, soft_wrap=True)


winoventi = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Turn a model's own associations against it (docs/winoventi.md)."
)
winoventi.command("associations")(associations)
winoventi.command("evaluate")(evaluate)
winoventi.command("jaccard")(jaccard)
winoventi.command("run")(run)
winoventi.command("splits")(splits)
