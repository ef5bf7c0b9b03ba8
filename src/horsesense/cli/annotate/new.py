"""``horsesense annotate new``: a task file for people or a crowd platform, or a study to be served."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from horsesense.cli.output import Json, people, print_json
from horsesense.errors import UserError


def new(
    probe: Annotated[Path, typer.Argument(help="The probe to be judged.")],
    instrument: Annotated[str, typer.Option("--instrument", help="choice, partwhole, statements, …, or a .toml file.")],
    out: Annotated[
        Path,
        typer.Option(
            "-o",
            "--out",
            help="The task file: .csv, .tsv or .jsonl; a name without an ending is the folder of a study.",
        ),
    ],
    annotators: Annotated[
        str, typer.Option("--people", help="Codes of the people, by commas; else rows name nobody.")
    ] = "",
    each: Annotated[
        int | None, typer.Option("--each", min=1, help="People an item; else as the instrument says.")
    ] = None,
    round: Annotated[int, typer.Option("--round", min=1, help="Which round this is.")] = 1,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Only so many items, drawn by the seed.")] = None,
    seed: Annotated[int, typer.Option("--seed", help="For drawing, for who gets what, and for the order.")] = 0,
    form: Annotated[
        str, typer.Option("--format", help="table, label-studio (.json), potato (.jsonl) or mturk (.csv).")
    ] = "table",
    more: Annotated[
        int, typer.Option("--more", min=0, help="Study: so many more people where the first do not all agree.")
    ] = 0,
    most: Annotated[int, typer.Option("--most", min=0, help="Study: most items a person judges; 0: no limit.")] = 0,
    gold: Annotated[
        Path | None, typer.Option("--gold", help="Study: a probe with answers, for the qualification.")
    ] = None,
    gold_each: Annotated[
        int, typer.Option("--gold-each", min=0, help="Study: gold items of each label; 0: all there are.")
    ] = 2,
    kappa: Annotated[
        float | None, typer.Option("--kappa", min=-1, max=1, help="Study: least kappa with the gold; 0.7 on a scale.")
    ] = None,
    accuracy: Annotated[
        float, typer.Option("--accuracy", min=0, max=1, help="Study: least share answered as the gold.")
    ] = 0.0,
    attention: Annotated[
        Path | None, typer.Option("--attention", help="Study: a probe with answers, to be mixed in.")
    ] = None,
    queue: Annotated[str, typer.Option("--queue", help="Study: the facet by which people can be given items.")] = "",
    address: Annotated[str, typer.Option("--address", help="Study: where people reach it.")] = "http://127.0.0.1:8000",
    json: Json = False,
) -> None:
    """Write a task file, one row a question, to be filled in; or the folder of a study, to be served."""
    import random

    from horsesense.analysis.people.qualification import Threshold
    from horsesense.annotate.instrument import find_instrument
    from horsesense.annotate.study import Study, make_study
    from horsesense.annotate.task import assign, tasks_of
    from horsesense.annotate.task_files import write_tasks
    from horsesense.records import read_probe

    if out.resolve() == probe.resolve():
        raise UserError("the tasks would overwrite the probe", file=out, fix="choose another name")
    asked = find_instrument(instrument)
    if not out.suffix and form == "table":
        if annotators or round != 1:
            raise UserError("people are invited to a study one by one", fix="leave --people and --round out")
        if gold is None and (kappa is not None or accuracy):
            raise UserError("a qualification needs gold items", fix="give them with --gold")
        least = kappa if kappa is not None or not asked.ordered else 0.7
        study = Study(
            folder=out,
            instrument=asked,
            judgements=asked.judgements if each is None else each,
            more=more,
            limit=most,
            queue=queue,
            seed=seed,
            address=address,
            qualification=Threshold(kappa=least, accuracy=accuracy) if gold else None,
        )
        known = read_probe(gold) if gold else None
        number = make_study(
            out,
            read_probe(probe),
            instrument,
            study,
            limit,
            (known, gold_each) if known else None,
            read_probe(attention) if attention else None,
        )
        _tell(json, out, sorted(out.iterdir()), asked.name, number, number * study.judgements, 0)
        return
    if more or most or gold or attention or queue:
        raise UserError("these options are for a study", file=out, fix="give a name without an ending")
    tasks = tasks_of(read_probe(probe), asked)
    if limit is not None and limit < len(tasks):
        drawn = random.Random(seed).sample(range(len(tasks)), limit)
        tasks = [tasks[place] for place in sorted(drawn)]
    names = [name.strip() for name in annotators.split(",") if name.strip()]
    assignments = assign(tasks, names, min(asked.judgements, len(names)) if each is None else each, seed)
    written = write_tasks(out, asked, assignments, round, form)
    _tell(json, out, written, asked.name, len(tasks), len(assignments), len(names))


def _tell(json: bool, out: Path, written: list[Path], instrument: str, items: int, tasks: int, named: int) -> None:
    if json:
        document: dict[str, Any] = {"out": str(out), "files": [str(path) for path in written], "instrument": instrument}
        print_json(document | {"items": items, "tasks": tasks, "people": named})
        return
    told = f"{tasks:,} tasks about {items:,} items  " + "  ".join(map(str, written))
    people().print(told, markup=False, soft_wrap=True)
