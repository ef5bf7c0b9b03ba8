"""``horsesense annotate``: ask people, collect what they say, settle it, and put it back into a probe.

Here is the group, and how a study begins: its tasks or folder made, its pages served.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.annotate_agreement import agreement, performance, qualify
from horsesense.cli.annotate_labels import apply, collect, export, status
from horsesense.cli.annotate_people import (
    StudyFolder,
    codes,
    invite,
    opened,
    pause,
    resume,
    revoke,
    withdraw,
)
from horsesense.cli.output import Json, people, print_json, say
from horsesense.errors import UserError

if TYPE_CHECKING:
    from horsesense.annotate.study import NewTasks


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
    from horsesense.annotate.study import NewTasks, Study, make_study
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
        files = tuple(sorted(out.iterdir()))
        _print_new(NewTasks(out, files, asked.name, number, number * study.judgements, 0), json)
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
    _print_new(NewTasks(out, tuple(written), asked.name, len(tasks), len(assignments), len(names)), json)


def _print_new(made: NewTasks, json: bool) -> None:
    if json:
        print_json(made)
        return
    files = "  ".join(map(str, made.files))
    people().print(f"{made.tasks:,} tasks about {made.items:,} items  {files}", markup=False, soft_wrap=True)


def serve(
    study: StudyFolder,
    host: Annotated[
        str, typer.Option("--host", help="The address to listen on; others than loopback are public.")
    ] = "127.0.0.1",
    port: Annotated[
        int | None, typer.Option("--port", min=1, max=65535, help="Else that of the study's address, or 8000.")
    ] = None,
    processes: Annotated[int, typer.Option("--processes", min=1, max=16, help="Server processes.")] = 1,
    behind_proxy: Annotated[
        bool, typer.Option("--behind-proxy", help="Believe a proxy on this machine who is asking.")
    ] = False,
    json: Json = False,
) -> None:
    """Serve a study until it is stopped (Ctrl-C). Stopping, or killing, loses no answer."""
    import os
    from urllib.parse import urlsplit

    from horsesense.annotate.study import DATABASE_VARIABLE, STUDY_VARIABLE

    with opened(study) as served:
        import uvicorn

        from horsesense.annotate.server.connections import connection_settings
        from horsesense.annotate.server.links import Serving

        address = urlsplit(served.study.address)
        loopback = address.hostname in ("127.0.0.1", "localhost", "::1")
        chosen = port or (address.port if loopback and address.port else 8000)
        _check_free(host, chosen)
        where = f"http://{host}:{chosen}"
        database = "PostgreSQL" if served.engine.dialect.name == "postgresql" else "SQLite"
        if json:
            print_json(Serving(study, where, database, processes))
        say(f"{served.study.instrument.title}  {where}  ({database}; invite people with: horsesense annotate invite)")
        if loopback and (address.port or 80) != chosen:
            say(f"links begin with {served.study.address}: set the address in study.toml, or choose its port")
        settings: dict[str, object] = {
            "host": host,
            "port": chosen,
            # A line for every request would write down the tokens that stand in links.
            "access_log": False,
            "log_level": "warning",
            "server_header": False,
            "proxy_headers": behind_proxy,
            **connection_settings(),
        }
        if processes == 1:
            from horsesense.annotate.server.app import create_app

            uvicorn.run(create_app(served), **settings)  # type: ignore[arg-type]  # the options above, by name
            return
        os.environ[STUDY_VARIABLE] = str(study.resolve())
        if served.study.database:
            os.environ.setdefault(DATABASE_VARIABLE, served.study.database)
        served.engine.dispose()
        factory = "horsesense.annotate.server.app:from_environment"
        uvicorn.run(factory, factory=True, workers=processes, **settings)  # type: ignore[arg-type]  # as above


def _check_free(host: str, port: int) -> None:
    import socket

    kind = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(kind, socket.SOCK_STREAM) as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((host, port))
        except OSError as error:
            raise UserError(
                f"the server cannot listen on {host}:{port} ({error.strerror})", fix="choose another --port or --host"
            ) from None


annotate = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Ask people: by task files or on a server of your own; agreement, labels, and back into a probe.",
)
annotate.command("new")(new)
annotate.command("serve")(serve)
annotate.command("invite")(invite)
annotate.command("codes")(codes)
annotate.command("pause")(pause)
annotate.command("resume")(resume)
annotate.command("revoke")(revoke)
annotate.command("withdraw")(withdraw)
annotate.command("status")(status)
annotate.command("collect")(collect)
annotate.command("agreement")(agreement)
annotate.command("performance")(performance)
annotate.command("qualify")(qualify)
annotate.command("export")(export)
annotate.command("apply")(apply)
