"""Profile models on ten commonsense abilities: scores, controls, verdicts and one page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from annotated_types import Ge

from horsesense.core import ScoringSpec
from horsesense.core.catalogue import PathLike
from horsesense.errors import UserError, argument, translate_errors
from horsesense.models.api.settings import ServedSettings
from horsesense.profiling.document import Profile
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.runs.engine import EngineSettings
from horsesense.signatures import extends

if TYPE_CHECKING:
    from horsesense.core.audit import LabelQuality
    from horsesense.models.protocol import Model
    from horsesense.profiling.abilities import Edition
    from horsesense.profiling.controls import PlantedModel
    from horsesense.profiling.document import ModelProfile
    from horsesense.profiling.finding import Contamination
    from horsesense.profiling.from_answers import Explained
    from horsesense.profiling.item_scores import ItemScores
    from horsesense.profiling.material import Material


@translate_errors()
def profile(
    model: str | Path | Model | PlantedModel | Sequence[str | Path | Model | PlantedModel] | None = None,
    *,
    full: bool = False,
    adaptive: bool = False,
    abilities: Sequence[str] = (),
    out: PathLike | None = None,
    limit: Annotated[int, Ge(1)] | None = None,
    twin_seed: int = 0,
    device: str = "auto",
    spec: str | ScoringSpec = "default",
    served: ServedSettings | None = None,
    engine: EngineSettings | None = None,
    progress: Progress = NO_PROGRESS,
) -> Profile:
    """Profile models on ten commonsense abilities, each with its controls and a verdict by stated rules.

    Args:
        model: Model: a bundled name, folder, GGUF file, Hugging Face name, API model as PROVIDER/NAME or
            openai:URL#name, or label=MODEL; guesser, cue-reader and relatedness-reader are built-in controls, and
            FILE.py:NAME is Python code of yours that answers the items. By default, the models in horsesense.toml.
            In Python, also a loaded model, or an object with a method ``generate``, ``loglikelihood`` or
            ``scores(item)``.
        full: Ask all items and all twins (unpublished items from the same recipes), not only the quick sample.
        adaptive: Ask in up to four steps, and stop asking about an ability once its verdict is decided; its scores
            then have wider intervals.
        abilities: Ability to profile. By default, all.
        out: Folder that stores the answers and gets the page, picture, Markdown and JSON. By default, nothing is
            stored.
        limit: Maximum number of item families per ability, for the public items and for the twins; the result is then
            not comparable with other profiles.
        twin_seed: Random seed of the twins.
        device: Device of the model: auto, cpu, cuda, cuda:1, mps.
        spec: Scoring spec: precision, and how a model that only replies is asked (samples, temperature, reason,
            system).
        served: Server settings.
        engine: Where models are asked. Workers give the same answers, without a forecast.
        progress: Progress callback.

    Returns:
        The profile; ``write(folder)``, ``to_markdown()``, ``to_json()``.
    """
    from horsesense import __version__
    from horsesense.cues.relatedness import NOT_CONTROLLED, encoders, related
    from horsesense.models.api.adapters import is_plugin, wrap_plugin
    from horsesense.models.api.settings import warn_unused
    from horsesense.models.locate import look_at
    from horsesense.profiling.abilities import chosen
    from horsesense.profiling.asking import ProfileCall, profile_model
    from horsesense.profiling.controls import PlantedModel
    from horsesense.profiling.document import described
    from horsesense.profiling.from_answers import asked_items, explained
    from horsesense.profiling.material import VERSION, material
    from horsesense.profiling.verdicts import differences
    from horsesense.runs.store import profiling
    from horsesense.settings import chosen_models, labelled

    if limit is not None and limit < 1:
        raise UserError(f"{argument('limit')} {limit} leaves nothing to ask", fix="use 1 or more")
    meant = _spec_of(spec)
    edition: Edition = "full" if full else "quick"
    served = served or ServedSettings()
    several: list[str | Path | Model | PlantedModel] = [
        wrap_plugin(each, settings=served) if is_plugin(each) else each for each in chosen_models(model)
    ]
    names, where = _distinct(several), (engine or EngineSettings()).chosen_engine()
    warn_unused(served, [labelled(each)[1] if isinstance(each, str) else each for each in several])
    several = [_planted(each) for each in several]
    for each in several:
        if isinstance(each, str | Path):  # before the questions are built, which takes a while
            look_at(labelled(str(each))[1])
    wanted = chosen(abilities)
    folder = None if out is None else Path(out)
    with nullcontext() if folder is None else profiling(folder):  # before anything is built or loaded
        taxonomy, known = _taxonomy(), encoders(progress)
        if not known:
            progress.log(NOT_CONTROLLED)
        materials, by, readings = [], {}, {}
        for number, ability in enumerate(wanted):
            progress.update("questions", number, len(wanted))
            asked = material(ability, edition, twin_seed, limit, progress)
            materials.append(asked)
            items = asked_items(asked)
            by[ability.name] = explained(asked, related(items, progress, known), items, taxonomy)
            readings[ability.name] = _audit(asked)
        found: list[ModelProfile] = []
        scores: dict[str, list[ItemScores]] = {}
        seen: dict[str, Contamination] = {}
        for name, each in zip(names, several, strict=True):
            control = _control(each, by)
            model_asked = name if isinstance(each, PlantedModel) else each
            call = ProfileCall(name, model_asked, edition, folder, device, meant, served, where, adaptive, progress)
            one, own = profile_model(call, control, materials, by, readings)
            found.append(one)
            scores[name], seen[name] = own, one.verdicts.contamination
        audits = {name: reading.in_words() if reading else "" for name, reading in readings.items()}
        document = Profile(
            version=VERSION,
            edition=edition,
            complete=limit is None and not abilities,
            adaptive=adaptive,
            twin_seed=twin_seed,
            horsesense=__version__,
            abilities=tuple(described(m, by[m.ability.name].cue.rule, audits[m.ability.name]) for m in materials),
            models=tuple(found),
            differences=differences(scores, seen) if len(scores) > 1 else (),
            relatedness=tuple(encoder.about for encoder in known),
            relatedness_note="" if known else NOT_CONTROLLED,
        )
        return document if folder is None else document.write(folder, progress=progress)


@translate_errors()
@extends(profile)
def store_profile(*, out: PathLike | None = None, **options: Any) -> Profile:
    """Profile models on ten commonsense abilities, and write the page.

    Args:
        out: Folder that stores the answers and gets the page, picture, Markdown and JSON; an interrupted profile
            resumes there. By default, runs/profile-MODEL.

    Returns:
        The profile, with its page.
    """
    from horsesense.runs.ask import default_folder
    from horsesense.settings import chosen_models

    options["model"] = models = chosen_models(options["model"])
    return profile(out=out if out is not None else default_folder(["profile", *models], []), **options)


def _planted(model: str | Path | Model | PlantedModel) -> str | Path | Model | PlantedModel:
    """A planted model where the name means one; anything else as it is."""
    from horsesense.models.locate import BUNDLED
    from horsesense.profiling.controls import CONTROLS, planted
    from horsesense.settings import labelled

    if not isinstance(model, str):
        return model
    target = labelled(model)[1]
    if target in CONTROLS or target in BUNDLED or Path(target).is_dir():
        return model
    return planted(target) or model


def _control(model: str | Path | Model | PlantedModel, by: Mapping[str, Explained]) -> PlantedModel | None:
    """The planted model or the built-in control; None for a model that is asked."""
    from horsesense.profiling.controls import PlantedModel, control_named
    from horsesense.settings import labelled

    if isinstance(model, PlantedModel):
        return model
    if not isinstance(model, str):
        return None
    return control_named(labelled(model)[1], by)


def _distinct(models: Sequence[str | Path | Model | PlantedModel]) -> list[str]:
    """What the models are called; each name once."""
    from horsesense.settings import labelled

    names = [
        labelled(each)[0] if isinstance(each, str) else str(each) if isinstance(each, Path) else each.name
        for each in models
    ]
    if not names:
        raise UserError("no model is named", fix=f"give {argument('model', 'NAME')}")
    for name in names:
        if names.count(name) > 1:
            raise UserError(f"two models are called {name!r}", fix="give each a label of its own: label=NAME")
    return names


_SET_IN_PROFILES = ("dtype", "system", "samples", "temperature", "reason", "room", "orders_seed")
"""Fields of the scoring spec that a profile leaves to the user; the others are fixed, so that profiles compare."""


def _spec_of(spec: str | ScoringSpec) -> ScoringSpec:
    from horsesense.core.spec import parse_spec

    meant = parse_spec(spec)
    usual = ScoringSpec().to_dict()
    fixed = [name for name, value in meant.to_dict().items() if name not in _SET_IN_PROFILES and value != usual[name]]
    if fixed:
        raise UserError(
            f"a profile fixes {', '.join(fixed)} of the scoring spec, so that profiles can be compared",
            fix=f"set only {', '.join(_SET_IN_PROFILES)}",
        )
    return meant


def _audit(material: Material) -> LabelQuality | None:
    """Return the audit of these items, or of another draw of the same recipe."""
    from horsesense.methods.audits import stored_audit

    return material.pool.card.label_quality or (
        stored_audit(material.ability.reading) if material.ability.reading else None
    )


def _taxonomy() -> Any:
    """Load WordNet, without which other cues would be the best ones."""
    from horsesense.lexicons.sources import find_wordnet_graph

    graph = find_wordnet_graph()
    if graph is None:
        raise UserError("a profile looks for cues in WordNet, which is not here", fix="run: horsesense fetch wordnet")
    return graph
