"""Run models on probes, in memory or stored in a folder; open a stored run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from annotated_types import Ge

from horsesense.core import Probe, ScoringSpec, card_path
from horsesense.core.catalogue import PathLike, as_probe, name_in_run
from horsesense.core.probe import apart, is_proposed
from horsesense.core.spec import Normalisation, parse_spec
from horsesense.errors import UserError, argument, translate_errors
from horsesense.models.api.address import is_served, parse_address
from horsesense.models.api.settings import ServedSettings, warn_unused
from horsesense.models.locate import BUNDLED, look_at
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.runs.engine import ComputeSettings
from horsesense.settings import chosen_models, labelled

if TYPE_CHECKING:
    from horsesense.models.protocol import Model
    from horsesense.runs.run import Run

Withheld = Literal["options", "question"]


@dataclass(frozen=True)
class DesignSettings:
    """Design of the run."""

    withhold: Sequence[Withheld] = ()
    """Ask again without this. options: the model replies freely (generate), or the key is ranked among 200 concepts of
    its kind (loglikelihood). question: only the options are shown."""
    wordings: Annotated[int, Ge(2)] | None = None
    """Ask each item in this many predefined wordings; with --format letters, each wording in two option orders."""
    until: str | None = None
    """Stop early: with "ci<0.03", once the (anytime-valid) interval of accuracy is at most ±0.03."""


@translate_errors()
def ask(
    model: str | Path | Model | Sequence[str | Path | Model] | None = None,
    probe: Probe | PathLike | Sequence[Probe | PathLike] | Mapping[str, Probe] = "starter",
    *,
    out: PathLike | None = None,
    limit: Annotated[int, Ge(1)] | None = None,
    seed: int = 0,
    spec: str | ScoringSpec = "default",
    normalise: Normalisation | None = None,
    formats: str | Sequence[str] = "auto",
    design: DesignSettings | None = None,
    compute: ComputeSettings | None = None,
    served: ServedSettings | None = None,
    progress: Progress = NO_PROGRESS,
) -> Run:
    """Score the items of probes with models.

    Args:
        model: Model: smollm2 or smollm2-masked (after fetch), a folder, a GGUF file, a Hugging Face id (org/name), an
            API model (openai/gpt-5; open models such as openai/gpt-oss-20b come from Hugging Face) or a server
            (openai:URL#name); NAME=MODEL sets its label. By default, the models in horsesense.toml. In Python, also a
            loaded model.
        probe: Name or file of a probe. In Python, also a `Probe`, or probes by name.
        out: Folder that stores the answers; an interrupted run resumes there. By default, nothing is stored.
        limit: Maximum number of items; whole families are drawn.
        seed: Random seed for sampling items.
        spec: Scoring spec.
        normalise: Score of an option: the sum of its token log-probabilities, their mean per token, word or
            character, or pmi (log-probability after the question minus that of the option alone). By default, as set in
            the probe's card.
        formats: Prompt format: loglikelihood (score each option), letters (compare the probabilities of A, B, …),
            generate (parse a reply), structured (parse a reply that the server restricts to the letters), or auto (the
            first that the model supports).
        design: What is asked beside the items, and when to stop.
        compute: Where it is computed, and how much at a time.
        served: Server settings.
        progress: Progress callback.

    Returns:
        The answers with their results.
    """
    from horsesense.runs.ask_models import ask_in_memory, ask_models
    from horsesense.runs.probe_answers import read_run
    from horsesense.runs.run import Run
    from horsesense.runs.shards import SERVED, sizes
    from horsesense.runs.tasks import Settings
    from horsesense.scoring.normalise import parse_normalisation
    from horsesense.scoring.prompt_formats import parse_prompt_formats

    design, compute, served = design or DesignSettings(), compute or ComputeSettings(), served or ServedSettings()
    how = parse_normalisation(normalise) if normalise else None
    meaning = parse_spec(spec)
    asked = parse_prompt_formats(formats if isinstance(formats, str) else ",".join(formats))
    if design.until is not None:
        from horsesense.runs.stopping_rule import ask_until

        if design.withhold or design.wordings:
            problem = f"{argument('until')} cannot be combined with {argument('withhold')} or {argument('wordings')}"
            raise UserError(problem, fix="leave one of them out")
        more = {"normalise": normalise, "formats": formats, "compute": compute, "served": served, "progress": progress}
        return ask_until(model, probes_named(probe), design.until, out=out, limit=limit, seed=seed, spec=spec, **more)
    labels, models = _labelled(chosen_models(model))
    warn_unused(served, [labels.get(each, each) if isinstance(each, str) else each for each in models])
    probes, limit = asked_probes(probe, design, asked, limit, seed)
    for name, part in probes.items():
        if proposed := sum(is_proposed(item) for item in part.items):
            progress.log(f"{name}: nobody has judged its {proposed:,} proposed items, and no headline may rest on them")
    wholes = {} if limit is None else probes
    folder = None if out is None else Path(out)
    local = [
        each
        for each in models
        if not (is_served(labels.get(each, each)) if isinstance(each, str) else each.who.kind == "server")
    ]
    for each in local:
        if isinstance(each, str):
            look_at(labels.get(each, each), allow_pickle=compute.allow_pickle)
    where = compute.chosen_engine()
    batch, shard = sizes(
        folder, compute.device if local else SERVED, compute.batch_tokens, where.on_gpu if local else None
    )
    settings = Settings(
        spec=replace(meaning, baseline=True) if how == "pmi" else meaning,
        budget=batch,
        shard=shard,
        limit=limit,
        seed=seed,
        device=compute.device,
        model_type=compute.model_type,
        allow_pickle=compute.allow_pickle,
        cache=compute.cache,
        labels=labels,
        formats=asked,
        served=served,
        normalise=how,
    )
    if folder is None:
        return Run(ask_in_memory(models, probes, settings, progress, where), wholes=wholes)
    ask_models(models, probes, folder, settings, progress, where)
    names = {each if isinstance(each, str) else each.name for each in models}
    manifest, parts = read_run(folder, unfinished=True, merge=False)
    chosen = [each for each in parts if each.part.model.name in names and each.part.probe.name in probes]
    chosen = [each for each in chosen if asked == ("auto",) or each.format in asked]
    beside = [each for each in parts if not any(each is one for one in chosen)]
    return Run(chosen, folder, None, manifest, beside, wholes)


def asked_probes(
    probe: Probe | PathLike | Sequence[Probe | PathLike] | Mapping[str, Probe],
    design: DesignSettings,
    formats: Sequence[str],
    limit: int | None,
    seed: int,
) -> tuple[dict[str, Probe], int | None]:
    """Return the probes of a run by name, those with something withheld or reworded too, and the limit on their items.

    Items are drawn first, and then asked again with something withheld or reworded.
    """
    from horsesense.runs.shards import draw
    from horsesense.runs.withheld import with_withheld
    from horsesense.runs.wordings import worded_probe

    probes = {name: part for known, whole in probes_named(probe).items() for name, part in apart(known, whole).items()}
    if not design.withhold and not design.wordings:
        return probes, limit
    drawn = {name: replace(part, items=draw(part.items, limit, seed)) for name, part in probes.items()}
    probes = with_withheld(drawn, design.withhold, formats)
    if not design.wordings:
        return probes, limit
    lettered = bool({"letters", "generate"} & {*formats})
    for name, part in drawn.items():
        probes[f"{name}.worded"] = worded_probe(name, part, design.wordings, seed, lettered)
    return probes, None  # each item is asked several times


def default_folder(models: Sequence[str | Path | Model], names: Sequence[str]) -> Path:
    """Return the default folder of a run: ``runs/MODEL-PROBE``."""
    return Path("runs") / "-".join([*(short_name(each) for each in models), *names])


def short_name(model: str | Path | Model) -> str:
    """Return the label of a model, its name at a server, or the last part of its path.

    >>> short_name("openai/gpt-4.5"), short_name("org/name-0.5B@main"), short_name("models/small.gguf")
    ('gpt-4.5', 'name-0.5B', 'small')
    """
    if not isinstance(model, str | Path):
        return Path(model.name).stem
    text = str(model)
    label, name = labelled(text)
    if label != name:
        return label
    path = Path((parse_address(text).model or "served") if is_served(text) else text.partition("@")[0])
    return path.stem if path.suffix == ".gguf" or path.suffix.startswith(".py:") else path.name


@translate_errors()
def open_run(folder: PathLike, *, normalise: str | None = None, unfinished: bool = False) -> Run:
    """Open a stored run.

    Args:
        folder: Run folder.
        normalise: Score of an option: the sum of its token log-probabilities, their mean per token, word or
            character, or pmi (log-probability after the question minus that of the option alone). By default, that of
            the run, or as set in the probe's card.
        unfinished: Leave out incomplete answers, which are an error otherwise.

    Returns:
        The run, with all its models and probes.
    """
    from horsesense.runs.probe_answers import read_run
    from horsesense.runs.run import Run
    from horsesense.scoring.normalise import parse_normalisation

    how = parse_normalisation(normalise) if normalise else None
    manifest, answered = read_run(Path(folder), unfinished)
    return Run(answered, Path(folder), how, manifest)


def probes_named(
    source: Probe | PathLike | Sequence[Probe | PathLike] | Mapping[str, Probe],
) -> dict[str, Probe]:
    """Return probes by their names in a run."""
    from horsesense.scoring.normalise import parse_normalisation

    if isinstance(source, Mapping):
        return dict(source)
    probes: dict[str, Probe] = {}
    for each in [source] if isinstance(source, Probe | str | Path) else source:
        probe, name = as_probe(each), name_in_run(each)
        if name in probes:
            if isinstance(each, Probe):
                raise UserError(f"two probes are called {name!r}", fix="give them by name: {name: probe}")
            raise UserError(f"two probes are called {name!r}", file=each, fix="rename one of the files")
        if probe.card.normalise:
            try:
                parse_normalisation(probe.card.normalise)
            except UserError as error:  # told before hours of asking
                raise (error if isinstance(each, Probe) else error.at(card_path(Path(each)))) from None
        probes[name] = probe
    return probes


def _labelled(
    models: Sequence[str | Path | Model],
) -> tuple[dict[str, str], list[str | Model]]:
    """Return the labels with the names they stand for, and the models by label."""
    labels: dict[str, str] = {}
    called: list[str | Model] = []
    for each in models:
        if not isinstance(each, str | Path):
            from horsesense.models.api.adapters import is_plugin, wrap_plugin

            called.append(wrap_plugin(each) if is_plugin(each) else each)
            continue
        label, name = labelled(each) if isinstance(each, str) else (str(each), str(each))
        if label != name and label in BUNDLED:
            raise UserError(f"the label {label!r} is the name of a bundled model", fix="choose another label")
        if labels.setdefault(label, name) != name:
            raise UserError(f"two models are called {label!r}", fix="give each a label of its own")
        called.append(label)
    return {label: name for label, name in labels.items() if label != name}, called
