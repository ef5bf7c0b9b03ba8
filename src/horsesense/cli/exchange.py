"""``horsesense import`` and ``horsesense export``: releases, tables and logs of others in, probes out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.output import Json, people, print_json, say, say_skipped
from horsesense.errors import UserError

if TYPE_CHECKING:
    from horsesense.exchange.logged_run import ImportedLog


def import_(
    release: Annotated[
        str,
        typer.Argument(
            help="A release (cats, rica, winoventi, partwhole, mcqa, …), table, or a log: lm-eval, inspect, answers."
        ),
    ],
    paths: Annotated[list[Path], typer.Argument(metavar="PATH…", help="Its files, plain or gzipped; logs or folders.")],
    out: Annotated[
        Path,
        typer.Option(
            "-o", "--out", help="The probe to write (.jsonl, .jsonl.gz or .parquet); of a log, the run folder."
        ),
    ],
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Skip and count lines that cannot be read.")] = False,
    columns: Annotated[
        str,
        typer.Option(
            "--map", help="For a table: question=…,options=…,answer=… (columns); for answers: item=…,choice=…."
        ),
    ] = "",
    name: Annotated[str, typer.Option("--name", help="For a table: the name of the probe.")] = "",
    model: Annotated[str, typer.Option("--model", help="For a log: what the model is called.")] = "",
    cluster: Annotated[str, typer.Option(help="For a log: the column that says which items belong together.")] = "",
    filter: Annotated[str, typer.Option(help="For lm-eval: the filter that counts [the first].")] = "",
    scorer: Annotated[str, typer.Option(help="For inspect: the scorer that counts [the first].")] = "",
    json: Json = False,
) -> None:
    """Read a published release or a table into a probe, or another tool's log into a run folder."""
    from horsesense.exchange.formats import is_log_format
    from horsesense.methods.published import readers

    if any(path.resolve() == out.resolve() for path in paths):
        raise UserError("the probe would overwrite a file that it is read from", file=out, fix="choose another name")
    if is_log_format(release, [*readers(), "table"]):
        from horsesense.api.exchange import import_log
        from horsesense.cli.progress import Bars

        with Bars() as progress:
            log = import_log(
                release,
                *paths,
                out=out,
                columns=columns,
                model=model,
                cluster=cluster,
                filter=filter,
                scorer=scorer,
                skip_bad=skip_bad,
                progress=progress,
            )
        _print_log(log, json)
        return
    from horsesense.api.probes import read_release

    probe = read_release(release, *paths, skip_bad=skip_bad, columns=columns, probe_name=name)
    document = probe.save(out)
    say_skipped(probe.skipped)
    if json:
        print_json(document)
        return
    console = people()
    counts = f"{document.items:,} items in {document.families:,} families, by {document.group}"
    console.print(f"{counts}  {out}", markup=False, soft_wrap=True)
    for note, count in document.notes.items():
        console.print(f"  {note}: {count:,}", markup=False, soft_wrap=True)


def _print_log(log: ImportedLog, json: bool) -> None:
    if json:
        print_json(log)
        return
    console = people()
    console.print(f"{log.samples:,} samples of {', '.join(log.models)}  {log.out}", markup=False, soft_wrap=True)
    for probe, items in log.probes.items():
        console.print(f"  {probe}: {items:,} items", markup=False, soft_wrap=True)
    for note, count in log.notes.items():
        console.print(f"  {note}: {count:,}", markup=False, soft_wrap=True)
    for remark in log.remarks:
        say(remark)


def export(
    probe: Annotated[str, typer.Argument(metavar="PROBE", help="A probe: a name or a file.")],
    to: Annotated[str, typer.Option("--to", help="lm-eval, inspect or hf.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="The folder to write.")],
    name: Annotated[str, typer.Option("--name", help="What the task or data set is called [as the probe].")] = "",
    spec: Annotated[
        str, typer.Option("--spec", help="How items become prompts; --spec lm-eval asks alike here.")
    ] = "default",
    by: Annotated[str, typer.Option(help="For lm-eval: the facet whose values become tasks of a group.")] = "",
    seed: Annotated[int, typer.Option(min=0, help="For inspect: of the order in which options are shown.")] = 0,
    no_cues: Annotated[
        bool, typer.Option("--no-cues", help="For hf: leave cues off the card, which takes seconds.")
    ] = False,
    json: Json = False,
) -> None:
    """Write a probe as a task of lm-evaluation-harness or Inspect, or as a data set for the hub."""
    from horsesense.api.exchange import export as export_probe

    done = export_probe(probe, to, out, name=name, spec=spec, by=by, seed=seed, cues=not no_cues)
    if json:
        print_json(done)
        return
    people().print(f"{done.items:,} items  {done.out}", markup=False, soft_wrap=True)
    for note in done.notes:
        say(note)
    people().print(done.run, markup=False, soft_wrap=True)
