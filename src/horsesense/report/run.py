"""The commands ``run`` and ``suite``: score models, store the answers, and write the report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from horsesense.core import ScoringSpec
from horsesense.core.spec import Normalisation
from horsesense.errors import translate_errors
from horsesense.registry import ONE_OPTION, NamesOf
from horsesense.runs.ask import DesignSettings, ask, asked_probes, default_folder, probes_named
from horsesense.settings import chosen_models, labelled, models_setting
from horsesense.signatures import extends

if TYPE_CHECKING:
    from horsesense.report.stored_run import StoredRun
    from horsesense.scoring.prompt_formats import DryRun


@translate_errors()
@extends(ask)
def run(*, out: str | Path | None = None, dry_run: bool = False, **options: Any) -> StoredRun | DryRun:
    """Run models on probes, store every answer, and write a report.

    Args:
        out: Folder that stores the answers; an interrupted run resumes there. By default, runs/MODEL-PROBE.
        dry_run: Print the prompts of the first items in each prompt format of the run, and send nothing.

    Returns:
        The run with its results, and the report; of a dry run, the prompts.
    """
    from horsesense.report.stored_run import with_report

    if dry_run:
        return _dry_run(**options)
    options["model"] = models = chosen_models(options["model"])
    options["out"] = out if out is not None else default_folder(models, list(probes_named(options["probe"])))
    return with_report(ask(**options), options["progress"])


def _dry_run(
    model: Any,
    probe: Any,
    formats: Any,
    limit: int | None,
    seed: int,
    spec: str | ScoringSpec,
    normalise: Normalisation | None,
    design: DesignSettings | None,
    **_: Any,
) -> DryRun:
    from horsesense.core.spec import parse_spec
    from horsesense.runs.shards import draw
    from horsesense.scoring.prompt_formats import AUTO, parse_prompt_formats, preview_prompts

    names = parse_prompt_formats(formats if isinstance(formats, str) else ",".join(formats))
    probes, limit = asked_probes(probe, design or DesignSettings(), names, limit, seed)
    drawn = {name: draw(each.items, limit, seed) for name, each in probes.items()}
    meaning = parse_spec(spec)
    meaning = replace(meaning, baseline=True) if normalise == "pmi" else meaning
    if names != (AUTO,):
        return preview_prompts(probes, drawn, names, meaning)
    chosen = [_formats_of(each, meaning) for each in (chosen_models(model) if model or models_setting() else [None])]
    note = "" if all(len(each) == 1 for each in chosen) else FIRST_SUPPORTED
    dry = preview_prompts(probes, drawn, list(dict.fromkeys(name for each in chosen for name in each)), meaning)
    return replace(dry, note=note)


FIRST_SUPPORTED = "the run uses the first of these prompt formats that the server supports, as a trial shows"


def _formats_of(model: Any, spec: ScoringSpec) -> Sequence[str]:
    """Return the prompt format that ``auto`` chooses for a model; all that it tries where a request would decide."""
    from horsesense.models.api.adapters import is_plugin, wrap_plugin
    from horsesense.models.api.address import is_served
    from horsesense.models.locate import plugin_of
    from horsesense.scoring.prompt_formats import FALLBACKS, first_supported

    if isinstance(model, str | Path):
        name = labelled(str(model))[1]
        return FALLBACKS if is_served(name) or plugin_of(name) is not None else FALLBACKS[:1]
    if model is None:
        return FALLBACKS
    return [first_supported(wrap_plugin(model) if is_plugin(model) else model, spec)[0].name]


@translate_errors()
@extends(ask, without=("probe", "formats", "design"))
def run_suite(
    suite: Annotated[str, NamesOf("suites")],
    /,
    *,
    data: str | Path | None = None,
    skip_bad: bool = False,
    out: str | Path | None = None,
    spec: Annotated[str | ScoringSpec | None, ONE_OPTION] = None,
    **options: Any,
) -> StoredRun:
    """Run models on all datasets of a paper, and print the paper's tables with these models in them.

    Args:
        suite: Suite.
        data: Folder of the paper's datasets. By default, what was fetched.
        skip_bad: Skip and count lines that cannot be read.
        out: Folder that stores the answers; an interrupted run resumes there. By default, runs/MODEL-SUITE.
        spec: Scoring spec: a preset and fields, separated by commas. By default, the paper's.

    Returns:
        The run with its results and tables, and the report.
    """
    from horsesense.methods.suites import find_paper_suite
    from horsesense.methods.suites.ask import ask_suite
    from horsesense.report.stored_run import with_report

    models = options["model"] = chosen_models(options["model"])
    find_paper_suite(suite)
    folder = out if out is not None else default_folder(models, [suite])
    asked = ask_suite(suite=suite, data=data, skip_bad=skip_bad, out=folder, spec=spec, **options)
    return with_report(asked.run, options["progress"], asked.results)
