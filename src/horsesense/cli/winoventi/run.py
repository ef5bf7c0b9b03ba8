"""``horsesense winoventi run``: the whole procedure for a model; a stopped one goes on at its step."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horsesense.cli.output import Json, people, print_json, say
from horsesense.cli.settings import Device, OneModel, Spec, spec_of
from horsesense.cli.winoventi.associations import DEFAULT_MODEL, AsPaper, NounLimit, Nouns, Ranker, Seed

if TYPE_CHECKING:
    from horsesense.probes.winoventi.associations import Association
    from horsesense.probes.winoventi.checks import Checked
    from horsesense.studies.winoventi.pipeline import Done


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
    device: Device = "auto",
    json: Json = False,
) -> None:
    """Associations, exceptions, adversarial filter, premises, checks, probe and evaluation, in one folder."""
    from horsesense.cli.progress import RunProgress
    from horsesense.cli.stages import stages
    from horsesense.cli.winoventi.associations import read_nouns_option
    from horsesense.studies.winoventi.asking import Asking
    from horsesense.studies.winoventi.pipeline import run_pipeline
    from horsesense.studies.winoventi.plan import Plan

    listed = read_nouns_option(nouns, as_paper, limit, seed)
    plan = Plan(
        model=model,
        nouns=listed.nouns,
        ranker=ranker,
        writer=writer,
        asking=Asking(literal=as_paper, spec=spec_of(spec, None)),
        judged=tuple(exceptions or ()),
        conceptnet=conceptnet,
        written=tuple(premises or ()),
        most=most,
        write=write,
        samples=samples,
        least=least,
        entailment=entailment,
        vectors=vectors,
        seed=seed,
        device=device,
    )
    with RunProgress() as progress, stages() as tick:
        done = run_pipeline(plan, out, progress, tick, _hand_out)
    if json:
        print_json(_document(done, out, listed.notes))
        return
    _print(done)
    say(f"all in {out}; tasks for people in {out / 'tasks'}")


def _hand_out(folder: Path, associations: list[Association], checked: list[Checked]) -> None:
    """Task files for people: exceptions to find, premises to write, schemas to validate (three judgements each)."""
    from horsesense.annotate.instrument import find_instrument
    from horsesense.annotate.task import assign, tasks_of
    from horsesense.annotate.task_files import write_tasks
    from horsesense.files.tables import write_rows
    from horsesense.probes.winoventi.exceptions import association_item
    from horsesense.probes.winoventi.files import TRIPLET_COLUMNS
    from horsesense.probes.winoventi.nouns import Noun, is_plural
    from horsesense.probes.winoventi.recipe import build_winoventi
    from horsesense.records import Card, Probe, write_probe

    items = [association_item(each, Noun(each.noun, is_plural(each.noun))) for each in associations]
    card = Card(
        name="winoventi-associations", method="winoventi", made="Associations of a model, to find exceptions to."
    )
    parts = [("exceptions", Probe.of(items, card))]
    for machine in (True, False):
        if any(one.passes and (one.schema.origin == "machine") == machine for one in checked):
            parts.append(("schema", build_winoventi(checked, machine=machine)))
    for name, probe in parts:
        instrument = find_instrument(name)
        path = folder / f"{probe.card.name}.csv"
        if path.exists():  # somebody may be filling it in
            continue
        write_probe(path.with_suffix(".jsonl"), probe)
        write_tasks(path, instrument, assign(tasks_of(probe, instrument), (), instrument.judgements))
    if (folder / "premises.csv").exists():
        return
    triplets = {one.schema.triplet.name: one.schema.triplet for one in checked}
    rows = ({"noun": t.noun, "generic": t.generic, "exception": t.exception, "k": t.k} for t in triplets.values())
    write_rows(folder / "premises.csv", rows, (*TRIPLET_COLUMNS, "premise", "annotator"))


def _document(done: Done, out: Path, notes: dict[str, int]) -> dict[str, Any]:
    from horsesense.cli.winoventi.tables import evaluation_json

    return {
        "out": str(out),
        "counts": done.counts,
        "probes": {kind: str(path) for kind, path in done.probes.items()},
        "evaluations": {kind: evaluation_json(one) for kind, one in done.evaluations.items()},
        "notes": notes,
    }


def _print(done: Done) -> None:
    from horsesense.cli.winoventi.tables import print_evaluations

    console = people()
    for name, value in done.counts.items():
        told = (
            ", ".join(f"{key} {count:,}" for key, count in value.items()) if isinstance(value, dict) else f"{value:,}"
        )
        console.print(f"{name.replace('_', ' '):<14} {told}", markup=False, soft_wrap=True)
    for kind, one in done.evaluations.items():
        console.print(f"\nwritten by {kind}, in {done.probes[kind]}", markup=False, soft_wrap=True)
        print_evaluations([one])
