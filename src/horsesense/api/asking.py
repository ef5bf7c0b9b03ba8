"""Asking: probes to be answered, in memory or kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from horsesense.api.probes import PathLike, probes_named
from horsesense.api.run import Run
from horsesense.core import Probe, ScoringSpec
from horsesense.core.probe import apart, is_proposed
from horsesense.core.spec import parse_spec
from horsesense.errors import UserError, translate_errors
from horsesense.models.bundled import BUNDLED
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.scoring.normalise import parse_normalisation
from horsesense.scoring.prompt_formats import parse_prompt_formats
from horsesense.settings import labelled

if TYPE_CHECKING:
    from horsesense.models.api import ServedSettings
    from horsesense.models.protocol import Model
    from horsesense.runs.engine import Engine


@translate_errors()
def ask(
    model: str | Path | Model | Sequence[str | Path | Model],
    probe: Probe | PathLike | Sequence[Probe | PathLike] | Mapping[str, Probe] = "starter",
    *,
    out: PathLike | None = None,
    spec: str | ScoringSpec = "default",
    normalise: str | None = None,
    limit: int | None = None,
    seed: int = 0,
    device: str = "auto",
    family: str | None = None,
    budget: int | None = None,
    allow_pickle: bool = False,
    cache: bool = True,
    formats: str | Sequence[str] = "auto",
    served: ServedSettings | None = None,
    engine: str | Engine = "here",
    progress: Progress = NO_PROGRESS,
) -> Run:
    """Ask models probes.

    Args:
        model: One or several: names, folders, or what `load_model` gave. ``"label=NAME"`` calls a model otherwise in
            results and tables, and so does a label of ``horsesense.toml``.
        probe: One or several: names, files, what `load_probe` gave, or probes by the name that they are to have.
        out: A folder that keeps every answer and resumes where it was stopped; without one nothing is kept.
        spec: What a score means: a preset, ``"field=value"`` by commas, or a `ScoringSpec`.
        normalise: How options are compared: sum, mean, word, character or pmi; by default as the card says.
        limit: Ask about this many items, whole families drawn by ``seed``.
        seed: Of the draw.
        device: Where models by name are put.
        family: How models by name are asked, where their config does not tell.
        budget: Tokens a batch; by default what the device likes.
        allow_pickle: Take pickled weights too.
        cache: With ``out``, look up what another run has computed. A network in memory is never looked up.
        formats: Prompt formats, joined by commas or as a list: ``"loglikelihood"``, ``"pmi"``, ``"letters"``,
            ``"generate"``; ``"auto"`` takes log-likelihood, and of a server what it supports.
        served: How servers are asked: requests in flight, time limits, budget, the variable that has the key.
        engine: Where models are asked: ``"here"``, ``"ray"``, ``"ray:ADDRESS"``, or what `engine` gave. The answers are
            the same; servers are asked from here in any case.
        progress: Told how far it has come.

    Returns:
        The answers with their numbers.
    """
    from horsesense.api.models import named
    from horsesense.models.api import ServedSettings, is_served
    from horsesense.models.locate import look_at
    from horsesense.runs.ask import Settings, ask_in_memory, ask_models
    from horsesense.runs.results import read_run
    from horsesense.runs.shards import SERVED, sizes

    how = parse_normalisation(normalise) if normalise else None
    meaning = _spec(spec)
    labels, models = _labelled(_several(model))
    probes = {name: part for known, whole in probes_named(probe).items() for name, part in apart(known, whole).items()}
    for name, part in probes.items():
        if proposed := sum(is_proposed(item) for item in part.items):
            progress.log(f"{name}: nobody has judged its {proposed:,} proposed items, and no headline may rest on them")
    wholes = {} if limit is None else probes
    folder = None if out is None else Path(out)
    local = [each for each in models if not (isinstance(each, str) and is_served(labels.get(each, each)))]
    for each in local:
        if isinstance(each, str):
            look_at(labels.get(each, each), allow_pickle=allow_pickle)
    where = named(engine)
    batch, shard = sizes(folder, device if local else SERVED, budget, where.on_gpu if local else None)
    asked = parse_prompt_formats(formats if isinstance(formats, str) else ",".join(formats))
    settings = Settings(
        spec=replace(meaning, baseline=True) if how == "pmi" else meaning,
        budget=batch,
        shard=shard,
        limit=limit,
        seed=seed,
        device=device,
        family=family,
        allow_pickle=allow_pickle,
        cache=cache,
        labels=labels,
        formats=asked,
        served=served or ServedSettings(),
    )
    if folder is None:
        return Run(ask_in_memory(models, probes, settings, progress, where), None, how, wholes=wholes)
    ask_models(models, probes, folder, settings, progress, where)
    names = {each if isinstance(each, str) else each.name for each in models}
    manifest, parts = read_run(folder, unfinished=True)
    chosen = [each for each in parts if each.part.model.name in names and each.part.probe.name in probes]
    chosen = [each for each in chosen if asked == ("auto",) or each.format in asked]
    beside = [each for each in parts if not any(each is one for one in chosen)]
    return Run(chosen, folder, how, manifest, beside, wholes)


@translate_errors()
def open_run(folder: PathLike, *, normalise: str | None = None, unfinished: bool = False) -> Run:
    """A run that a folder keeps.

    Args:
        folder: What ``out`` named when it was asked.
        normalise: How options are compared; by default as each card says.
        unfinished: Leave out what is not done, instead of refusing it.

    Returns:
        The run, with all its models and probes.
    """
    from horsesense.runs.results import read_run

    how = parse_normalisation(normalise) if normalise else None
    manifest, answered = read_run(Path(folder), unfinished)
    return Run(answered, Path(folder), how, manifest)


def _spec(spec: str | ScoringSpec) -> ScoringSpec:
    return parse_spec(spec) if isinstance(spec, str) else spec


def _several(
    model: str | Path | Model | Sequence[str | Path | Model],
) -> Sequence[str | Path | Model]:
    return [model] if isinstance(model, str) or not isinstance(model, Sequence) else model


def _labelled(
    models: Sequence[str | Path | Model],
) -> tuple[dict[str, str], list[str | Model]]:
    """The labels among the names, with what they stand for, and the models by what they are called."""
    labels: dict[str, str] = {}
    called: list[str | Model] = []
    for each in models:
        if not isinstance(each, str | Path):
            called.append(each)
            continue
        label, name = labelled(each) if isinstance(each, str) else (str(each), str(each))
        if label != name and label in BUNDLED:
            raise UserError(f"the label {label!r} is the name of a bundled model", fix="choose another label")
        if labels.setdefault(label, name) != name:
            raise UserError(f"two models are called {label!r}", fix="give each a label of its own")
        called.append(label)
    return {label: name for label, name in labels.items() if label != name}, called
