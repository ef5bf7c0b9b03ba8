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
    pause,
    resume,
    revoke,
    withdraw,
)
from horsesense.cli.annotate_soundness import soundness
from horsesense.cli.output import Json, people, print_json
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
    from horsesense.api import people as by_files
    from horsesense.api import studies

    served = not out.suffix and form == "table"
    if served:
        if annotators or round != 1:
            raise UserError("people are invited to a study one by one", fix="leave --people and --round out")
        made = studies.new(
            probe,
            instrument,
            out,
            each=each,
            more=more,
            most=most,
            limit=limit,
            seed=seed,
            gold=gold,
            gold_each=gold_each,
            kappa=kappa,
            accuracy=accuracy,
            attention=attention,
            queue=queue,
            address=address,
        )
    else:
        if more or most or gold or attention or queue:
            raise UserError("these options are for a study", file=out, fix="give a name without an ending")
        names = [name.strip() for name in annotators.split(",") if name.strip()]
        made = by_files.new(
            probe, instrument, out, annotators=names, each=each, round=round, limit=limit, seed=seed, format=form
        )
    _print_new(made, "judgements wanted, of" if served else "tasks about", json)


def _print_new(made: NewTasks, counted: str, json: bool) -> None:
    if json:
        print_json(made)
        return
    files = "  ".join(map(str, made.files))
    people().print(f"{made.tasks:,} {counted} {made.items:,} items  {files}", markup=False, soft_wrap=True)


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
    from horsesense.api.studies import serve as serve_study
    from horsesense.cli.progress import Bars

    serve_study(
        study,
        host=host,
        port=port,
        processes=processes,
        behind_proxy=behind_proxy,
        started=print_json if json else None,
        progress=Bars(),
    )


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
annotate.add_typer(soundness, name="soundness")
