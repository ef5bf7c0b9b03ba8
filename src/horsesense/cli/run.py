"""``horsesense run``: ask models probes, and keep the answers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from horsesense.cli.output import Json, print_json, say
from horsesense.cli.settings import (
    AllowPickle,
    Concurrency,
    Device,
    Dtype,
    Family,
    Gpus,
    KeyFrom,
    MaxRequests,
    MaxTokens,
    Models,
    Normalise,
    On,
    Patience,
    Price,
    PromptFormats,
    Threads,
    Timeout,
    Workers,
    served_of,
    spec_of,
)
from horsesense.errors import UserError
from horsesense.registry import provided

Probes = Annotated[
    list[str] | None,
    typer.Option(
        "-p", "--probe", help="A probe file, starter (the default), winoventi-own or partwhole-own; repeatable."
    ),
]


def run(
    model: Models = None,
    probe: Probes = None,
    out: Annotated[Path | None, typer.Option(help="Folder to keep answers in [runs/MODEL-PROBE].")] = None,
    limit: Annotated[int | None, typer.Option(help="Ask about this many items, whole families drawn by seed.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of --limit.")] = 0,
    normalise: Normalise = None,
    spec: Annotated[
        str | None,
        typer.Option(help="What a score means: a preset (paper:cats) and/or field=value, by commas [default]."),
    ] = None,
    dtype: Dtype = None,
    exact: Annotated[bool, typer.Option("--exact", help="float32 and one input a batch.")] = False,
    device: Device = "auto",
    family: Family = None,
    budget: Annotated[int | None, typer.Option(min=1, help="Tokens a batch; otherwise as the device likes.")] = None,
    allow_pickle: AllowPickle = False,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Compute also what another run has computed.")] = False,
    formats: PromptFormats = "auto",
    concurrency: Concurrency = 16,
    timeout: Timeout = 120.0,
    patience: Patience = 300.0,
    max_requests: MaxRequests = None,
    max_tokens: MaxTokens = None,
    key_from: KeyFrom = "",
    price: Price = None,
    on: On = "here",
    workers: Workers = None,
    gpus: Gpus = None,
    threads: Threads = None,
    suite: Annotated[
        str | None,
        typer.Option(help=f"Ask what a paper asks and print its tables: {', '.join(sorted(provided('suites')))}."),
    ] = None,
    data: Annotated[Path | None, typer.Option(help="For a suite: the folder of its sets [what was fetched].")] = None,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="For a suite: skip and count bad lines.")] = False,
    json: Json = False,
) -> None:
    """Ask models probes, keep every token's log-probability, and sum up."""
    from horsesense.api.asking import ask
    from horsesense.api.cats import ask_suite
    from horsesense.api.models import engine as engine_named
    from horsesense.api.reporting import write_report
    from horsesense.cli.documents import RunDocument
    from horsesense.cli.progress import Bars
    from horsesense.cli.report import print_results
    from horsesense.cli.suites import print_suite, print_tables
    from horsesense.core import probe_name
    from horsesense.methods.rica.controls import missing_controls
    from horsesense.methods.suites import find_paper_suite
    from horsesense.runs.result import spreads
    from horsesense.runs.results import kin_of_reader
    from horsesense.scoring.normalise import parse_normalisation

    models = models_of(model)
    if normalise:
        parse_normalisation(normalise)  # told before hours of asking
    if suite is None and (data is not None or skip_bad):
        raise UserError("--data and --skip-bad are for a suite", fix="add --suite cats, or leave them out")
    if suite is not None and probe:
        raise UserError("--suite brings its own probes", fix="leave -p out")
    if suite is not None and formats not in ("auto", "loglikelihood"):
        raise UserError("--suite asks as its paper does, by loglikelihood", fix="leave --format out")
    usual = find_paper_suite(suite).spec if suite is not None else "default"
    named = probe or ["starter"]
    called = [suite] if suite else [probe_name(Path(name)) for name in named]
    folder = out or Path("runs") / "-".join([*(short_name(name) for name in models), *called])
    asking: dict[str, Any] = {
        "out": folder,
        "spec": spec_of(spec or usual, dtype, exact),
        "normalise": normalise,
        "limit": limit,
        "seed": seed,
        "device": device,
        "family": family,
        "budget": budget,
        "allow_pickle": allow_pickle,
        "cache": not no_cache,
        "engine": engine_named(on, workers=workers, gpus=gpus, threads=threads),
        "served": served_of(models, concurrency, timeout, patience, max_requests, max_tokens, key_from, price),
    }
    with Bars(stay=True) as progress:
        if suite is not None:
            asked_suite = ask_suite(models, suite, data=data, skip_bad=skip_bad, progress=progress, **asking)
            run, paper, tables = asked_suite.run, asked_suite.table, asked_suite.tables
        else:
            run, paper, tables = (
                ask(models, named, formats=formats, progress=progress, **asking),
                None,
                None,
            )
        written = write_report(run, out=folder / "report.html", normalise=normalise, pictures=False, progress=progress)
    page = folder / "report.html"
    asked = run.answered
    ours = {id(each) for each in asked}
    results = [summary.result for summary in written.collected.summaries if id(summary.answered) in ours]
    names = {each.part.probe.name for each in (*asked, *run.beside)}  # also what earlier calls asked there
    for each in asked:
        name = each.part.probe.name
        if kin := kin_of_reader(each):
            say(f"warning: {kin}")
        if not each.judged:
            say(f"{name}: no item has a gold, so there is no accuracy; the answers are kept")
        elif missing_controls(each.probe.card, name, names):
            say(f"{name}: its controls belong beside the score; make them by: horsesense rica controls")
    if json:
        print_json(RunDocument(folder, tuple(results), page, spreads(results) or None, paper, tables))
        return
    if paper is not None:
        print_suite(paper, tables or ())
    elif tables is not None:
        print_tables(tables)
    else:
        print_results(results)
    say(f"answers in {folder}; report: {page}")


def models_of(given: list[str] | None) -> list[str]:
    """The models of the call, or those that the user has set."""
    from horsesense.settings import FILE, MODELS_VARIABLE, models_setting

    chosen = given or list(models_setting())
    if not chosen:
        raise UserError("no model is named", fix=f"add -m NAME, or set {MODELS_VARIABLE}, or models in {FILE}")
    return chosen


def short_name(model: str) -> str:
    """What a folder is called after: the label, the name at a server, or the last part of a path."""
    from horsesense.models.api.address import is_served
    from horsesense.settings import labelled

    called, name = labelled(model)
    if called != name:
        return called
    # Of a server, the name that the model has there.
    return Path(model.partition("#")[2] or "served" if is_served(model) else model.partition("@")[0]).stem
