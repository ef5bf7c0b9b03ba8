"""``horsesense run``: ask models probes, and keep the answers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.output import Json, print_json, say
from horsesense.cli.settings import AllowPickle, Device, Dtype, Family, Models, Normalise, spec_of
from horsesense.errors import UserError

if TYPE_CHECKING:
    from horsesense.methods.cats.suite import OpenedSuite
    from horsesense.records import Probe

Probes = Annotated[
    list[str] | None, typer.Option("-p", "--probe", help="A probe file, or 'starter' (the default); repeatable.")
]


def run(
    model: Models,
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
    suite: Annotated[
        str | None, typer.Option(help="Ask a paper's sets and print its table's row: cats or cats-robust.")
    ] = None,
    data: Annotated[Path | None, typer.Option(help="For a suite: the folder of its sets [what was fetched].")] = None,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="For a suite: skip and count bad lines.")] = False,
    json: Json = False,
) -> None:
    """Ask models probes, keep every token's log-probability, and sum up."""
    from dataclasses import replace

    from horsesense.cli.documents import RunDocument
    from horsesense.cli.progress import Bars
    from horsesense.cli.report import print_results
    from horsesense.cli.suites import print_suite, suite_document
    from horsesense.methods.rica.controls import missing_controls
    from horsesense.report.page import write_page
    from horsesense.runs.ask import Settings, ask_models
    from horsesense.runs.results import read_run, result_of
    from horsesense.runs.shards import sizes
    from horsesense.scoring.normalise import parse_normalisation

    how = parse_normalisation(normalise) if normalise else None
    asked_suite = _suite(suite, data, skip_bad, probe)
    settings = Settings(
        spec=spec_of(
            spec or (asked_suite.suite.spec if asked_suite else "default"), dtype, exact, baseline=how == "pmi"
        ),
        limit=limit,
        seed=seed,
        device=device,
        family=family,
        allow_pickle=allow_pickle,
        cache=not no_cache,
    )
    probes = dict(asked_suite.probes) if asked_suite else _probes(probe or ["starter"])
    folder = out or Path("runs") / "-".join([*(_short(name) for name in model), *([suite] if suite else probes)])
    batch, shard = sizes(folder, device, budget)
    settings = replace(settings, budget=batch, shard=shard)
    with Bars(stay=True) as progress:
        ask_models(model, probes, folder, settings, progress)
    _, answered = read_run(folder, unfinished=True)  # another call's part may be half done
    asked = [a for a in answered if a.part.model.name in model and a.part.probe.name in probes]
    results = [result_of(a, how) for a in asked if a.judged]
    page = write_page(folder, unfinished=True, how=how)
    names = {each.part.probe.name for each in answered}
    for each in asked:
        name = each.part.probe.name
        if not each.judged:
            say(f"{name}: no item has a gold, so there is no accuracy; the answers are kept")
        elif missing_controls(each.probe.card, name, names):
            say(f"{name}: its controls belong beside the score; make them by: horsesense rica controls")
    paper = suite_document(asked_suite, asked, how) if asked_suite else None
    if json:
        print_json(RunDocument(folder, tuple(result.document() for result in results), page, paper))
        return
    if paper is not None:
        print_suite(paper)
    else:
        print_results(results)
    say(f"answers in {folder}; report: {page}")


def _suite(name: str | None, data: Path | None, skip_bad: bool, probe: list[str] | None) -> OpenedSuite | None:
    """The suite that was asked for, with the sets that are there; none where it is a plain run."""
    if name is None:
        if data is not None or skip_bad:
            raise UserError("--data and --skip-bad are for a suite", fix="add --suite cats, or leave them out")
        return None
    if probe:
        raise UserError("--suite brings its own probes", fix="leave -p out")
    from horsesense.cli.suites import say_missing
    from horsesense.methods.cats.suite import find_suite, open_suite

    opened = open_suite(find_suite(name), data, skip_bad)
    say_missing(opened)
    return opened


def _short(model: str) -> str:
    return Path(model.partition("@")[0]).stem


def _probes(names: list[str]) -> dict[str, Probe]:
    """Probes by the name they have in the run: that of their file."""
    from horsesense.methods.starter import starter_probe
    from horsesense.records import card_path, probe_name, read_probe
    from horsesense.scoring.normalise import parse_normalisation

    probes: dict[str, Probe] = {}
    for name in names:
        path = Path(name)
        short = probe_name(path)
        if short in probes:
            raise UserError(f"two probes are called {short!r}", file=name, fix="rename one of the files")
        probes[short] = starter_probe() if name == "starter" and not path.exists() else read_probe(path)
        if probes[short].card.normalise:
            try:
                parse_normalisation(probes[short].card.normalise)
            except UserError as error:  # told before hours of asking
                raise error.at(card_path(path)) from None
    return probes
