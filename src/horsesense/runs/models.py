"""Settings of a run, and the identity of its models, known before anything is stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from horsesense.core import ScoringSpec
from horsesense.errors import UserError
from horsesense.models.api.address import is_served
from horsesense.models.api.served_model import open_served
from horsesense.models.api.settings import ServedSettings
from horsesense.models.hf.in_memory import hash_of_weights
from horsesense.models.hf.language_model import LanguageModel
from horsesense.models.locate import identify, plugin_model
from horsesense.models.protocol import DEFAULT_BUDGET, Model
from horsesense.progress import Progress
from horsesense.runs.shards import SHARD_TOKENS


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of a run."""

    spec: ScoringSpec = field(default_factory=ScoringSpec)
    budget: int = DEFAULT_BUDGET
    shard: int = SHARD_TOKENS
    limit: int | None = None
    seed: int = 0
    device: str = "auto"
    family: str | None = None
    allow_pickle: bool = False
    cache: bool = True
    labels: Mapping[str, str] = field(default_factory=dict)
    """Label of a model → the name of its weights."""
    formats: tuple[str, ...] = ("auto",)
    """Prompt formats: loglikelihood, pmi, letters, generate; ``auto``: loglikelihood, or what a server supports."""
    served: ServedSettings = field(default_factory=ServedSettings)
    """Server settings."""


@dataclass(frozen=True, slots=True)
class Content:
    """Identity of a model, by content."""

    weights: str
    """Hash of the weights, or of what a server reports."""
    identity: str = ""
    """Hash over weights, config and tokenizer, where there are files."""


def opened(model: str | Model, settings: Settings, progress: Progress) -> str | Model:
    """Open a served or plug-in model at once: only it knows which model its name means."""
    if not isinstance(model, str):
        return model
    found_by = settings.labels.get(model, model)
    if is_served(found_by):
        served = replace(open_served(found_by, settings.served, progress), name=model)
        progress.log(f"{model}: {', '.join(served.notes)}")
        return served
    foreign = plugin_model(found_by)
    return model if foreign is None else replace(foreign, name=model)


def hash_in_memory(models: Sequence[str | Model]) -> list[str | Model]:
    """Hash the weights of a network in memory, since a folder stores answers of identified weights."""
    return [
        replace(model, weights=hash_of_weights(model.network))
        if isinstance(model, LanguageModel) and model.borrowed
        else model
        for model in models
    ]


def deduplicate(
    models: Sequence[str | Model], contents: Mapping[str, Content], progress: Progress
) -> list[str | Model]:
    """Keep one checkpoint under two paths once, under the first of its names."""
    kept: dict[Content, str | Model] = {}
    for model in models:
        name = name_of(model)
        first = kept.setdefault(contents[name], model)
        if first is not model:
            progress.log(f"{name} is the same checkpoint as {name_of(first)}, which is run once")
    return list(kept.values())


def name_of(model: str | Model) -> str:
    return model if isinstance(model, str) else model.name


def content_of_model(model: str | Model, settings: Settings, progress: Progress) -> Content:
    """Return the identity of a model, by content."""
    if isinstance(model, LanguageModel):
        return Content(model.who.content, model.identity)
    if not isinstance(model, str):
        return Content(model.who.content)
    name = settings.labels.get(model, model)
    found = identify(name, allow_pickle=settings.allow_pickle, progress=progress)
    return Content(found.weights, found.whole)


def check_repeatable(model: Model, spec: ScoringSpec) -> None:
    """Refuse exact scores of a server, which cannot guarantee the same bytes."""
    if spec.exact and model.who.kind == "server":
        raise UserError(f"{model.name} is served, and a server cannot guarantee exact scores", fix="leave exact out")
