"""``horsesense annotate new``: a task file for people or a crowd platform."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from horsesense.cli.output import Json, people, print_json
from horsesense.errors import UserError


def new(
    probe: Annotated[Path, typer.Argument(help="The probe to be judged.")],
    instrument: Annotated[str, typer.Option("--instrument", help="choice, partwhole, statements, …, or a .toml file.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="The task file: .csv, .tsv or .jsonl.")],
    annotators: Annotated[
        str, typer.Option("--people", help="Codes of the people, by commas; else rows name nobody.")
    ] = "",
    each: Annotated[
        int | None, typer.Option("--each", min=1, help="People an item; else as the instrument says.")
    ] = None,
    round: Annotated[int, typer.Option("--round", min=1, help="Which round this is.")] = 1,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Only so many items, drawn by the seed.")] = None,
    seed: Annotated[int, typer.Option("--seed", help="For drawing, for who gets what, and for the order.")] = 0,
    form: Annotated[str, typer.Option("--format", help="table, label-studio (.json) or potato (.jsonl).")] = "table",
    json: Json = False,
) -> None:
    """Write a task file: one row a question, to be filled in. It holds no gold answers."""
    import random

    from horsesense.annotate.instrument import find_instrument
    from horsesense.annotate.task import assign, tasks_of
    from horsesense.annotate.task_files import write_tasks
    from horsesense.records import read_probe

    if out.resolve() == probe.resolve():
        raise UserError("the tasks would overwrite the probe", file=out, fix="choose another name")
    asked = find_instrument(instrument)
    tasks = tasks_of(read_probe(probe), asked)
    if limit is not None and limit < len(tasks):
        drawn = random.Random(seed).sample(range(len(tasks)), limit)
        tasks = [tasks[place] for place in sorted(drawn)]
    names = [name.strip() for name in annotators.split(",") if name.strip()]
    assignments = assign(tasks, names, min(asked.judgements, len(names)) if each is None else each, seed)
    written = write_tasks(out, asked, assignments, round, form)
    document = {
        "out": str(out),
        "files": [str(path) for path in written],
        "instrument": asked.name,
        "items": len(tasks),
        "tasks": len(assignments),
        "people": len(names),
    }
    if json:
        print_json(document)
        return
    told = f"{len(assignments):,} tasks about {len(tasks):,} items  " + "  ".join(map(str, written))
    people().print(told, markup=False, soft_wrap=True)
