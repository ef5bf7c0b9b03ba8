"""Settings of a run, and its tasks, which open a model, count tokens, measure its speed and score shards."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from horsesense.core import Item, ScoringSpec
from horsesense.core.answer_columns import table_of_answers, table_of_replies
from horsesense.core.spec import Normalisation
from horsesense.errors import UserError
from horsesense.models.api.settings import ServedSettings
from horsesense.models.folders import weight_files
from horsesense.models.hf.device import threads_of, with_threads
from horsesense.models.hf.language_model import LanguageModel
from horsesense.models.hf.load import load_model
from horsesense.models.locate import identify
from horsesense.models.protocol import DEFAULT_BUDGET, Model
from horsesense.runs.engine import WorkerContext
from horsesense.runs.manifest import ModelRecord
from horsesense.runs.score_cache import ScoreCache, ScoreStore
from horsesense.runs.shards import SHARD_TOKENS, Integers
from horsesense.scoring.precision import load_by_margins
from horsesense.scoring.prompt_formats import Call, PromptFormat, choose_prompt_formats, get_prompt_format


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of a run."""

    spec: ScoringSpec = field(default_factory=ScoringSpec)
    budget: int = DEFAULT_BUDGET
    shard: int = SHARD_TOKENS
    limit: int | None = None
    seed: int = 0
    device: str = "auto"
    model_type: str | None = None
    allow_pickle: bool = False
    cache: bool = True
    labels: Mapping[str, str] = field(default_factory=dict)
    """Label of a model → the name of its weights."""
    formats: tuple[str, ...] = ("auto",)
    """Prompt formats: loglikelihood, pmi, letters, generate; ``auto``: loglikelihood, or what a server supports."""
    served: ServedSettings = field(default_factory=ServedSettings)
    """Server settings."""
    normalise: Normalisation | None = None
    """Score normalisation that was requested; it changes no answer."""

    def source(self, name: str) -> str:
        """Return the name of a model's weights, where results use a label."""
        return self.labels.get(name, name)


@dataclass(frozen=True, slots=True)
class Content:
    """Identity of a model, by content."""

    weights: str
    """Hash of the weights, or of what a server reports."""
    identity: str = ""
    """Hash over weights, config and tokenizer, where there are files."""


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """Everything it takes to open a model in any process."""

    name: str
    content: Content
    settings: Settings
    dtype: str
    dtype_reason: str = ""
    threads: int | None = None
    folder: Path | None = None
    """Run folder, where a server's replies are stored."""
    score_cache: Path | None = None
    """File of the score cache, on the driver's disk; None: scores are not cached."""

    @property
    def source(self) -> str:
        """The name of its weights."""
        return self.settings.source(self.name)

    @property
    def key(self) -> tuple[Any, ...]:
        """What identifies the loaded model, apart from its dtype."""
        return self.name, self.source, self.content, self.settings.model_type, self.settings.device


@dataclass(frozen=True, slots=True)
class PartRequest:
    """A model to ask, on one probe in one prompt format."""

    model: ModelRequest
    probe: str
    format: str

    @property
    def key(self) -> tuple[str, str]:
        return self.probe, self.format


@dataclass(frozen=True, slots=True)
class ChosenFormat:
    """A prompt format that a model is asked in."""

    name: str
    note: str
    """What ``auto`` had to skip."""
    description: str
    """Template, examples and orders, in words."""


@dataclass(frozen=True, slots=True)
class OpenedModel:
    """What a manifest records about a model, and how it runs."""

    record: ModelRecord
    notes: tuple[str, ...]
    formats: tuple[ChosenFormat, ...]
    local: bool
    device: str
    threads: int | None


@dataclass(frozen=True, slots=True)
class ScoredShard:
    """Arrow tables of a shard."""

    answers: Any
    replies: Any = None
    """None where the prompt format has no replies."""
    cached: bool = False
    """Whether its scores were in the cache."""


def open_model(context: WorkerContext, request: ModelRequest, items: Sequence[Item]) -> OpenedModel:
    """Open the model and describe it; under the dtype ``auto``, the items decide its precision."""
    model, spec = _model(context, request, items), request.settings.spec
    # First: this tries out what a server can do, which its description then includes.
    formats = tuple(
        ChosenFormat(each.name, note, each.in_words(model, each.spec(spec)))
        for each, note in choose_prompt_formats(model, request.settings.formats, spec)
    )
    record = ModelRecord(
        **model.describe(),
        frame=model.describe_frame(spec),
        kind=model.who.kind,
        reported=dict(model.who.reported),
        chat_template=isinstance(model, LanguageModel) and model.can("chat"),
    )
    return OpenedModel(
        record=record,
        notes=tuple(model.notes),
        formats=formats,
        local=isinstance(model, LanguageModel),
        device=model.device.type if isinstance(model, LanguageModel) else "",
        threads=_threads(model),
    )


def count_tokens(
    context: WorkerContext, part: PartRequest, items: Sequence[Item], keep: bool, examples: Sequence[Item] = ()
) -> tuple[Integers, Integers]:
    """Return the tokens of each item's longest prompt, and those to compute; ``keep`` prompts that are scored here."""
    prepared = _prepare(context, part, items, examples)
    if keep:
        cached = context.state.setdefault(part.key, {})
        cached.update((item.id, each) for item, each in zip(items, prepared, strict=True))
    return np.array([each.longest for each in prepared], np.int64), np.array([each.cost for each in prepared], np.int64)


def measure_speed(
    context: WorkerContext, part: PartRequest, items: Sequence[Item], examples: Sequence[Item] = ()
) -> float:
    """Return the seconds that some items take."""
    prepared = _prepare(context, part, items, examples)
    model, prompt_format, spec = _setup(context, part)
    call = Call(model, spec, part.model.settings.budget, context.progress)
    prompt_format.answer(prepared[:1], call)  # the first call takes longer
    start = time.perf_counter()
    prompt_format.answer(prepared, call)
    return time.perf_counter() - start


def score_shard(
    context: WorkerContext, part: PartRequest, items: Sequence[Item], examples: Sequence[Item] = ()
) -> ScoredShard:
    """Score the items of a shard."""
    model, prompt_format, spec = _setup(context, part)
    with with_threads(part.model.threads if _threads(model) else None):
        cache = _score_cache(context, part, model, spec)
        call = Call(model, spec, part.model.settings.budget, context.progress, cache)
        state = context.state.get(part.key)
        prepared = [state.pop(item.id) for item in items] if state else _prepare(context, part, items, examples)
        answers, replies = prompt_format.answer(prepared, call)
    return ScoredShard(
        table_of_answers(part.model.name, part.probe, answers),
        table_of_replies(replies) if replies else None,
        cached=cache is not None and cache.served,
    )


def _setup(context: WorkerContext, part: PartRequest) -> tuple[Model, PromptFormat, ScoringSpec]:
    prompt_format = get_prompt_format(part.format)
    return _model(context, part.model), prompt_format, prompt_format.spec(part.model.settings.spec)


def _threads(model: Model) -> int | None:
    """Return the CPU threads of a model that runs in this process; None for any other."""
    return threads_of(model.device) if isinstance(model, LanguageModel) else None


def _prepare(context: WorkerContext, part: PartRequest, items: Sequence[Item], examples: Sequence[Item]) -> list[Any]:
    model, prompt_format, spec = _setup(context, part)
    return prompt_format.prepare(model, items, spec, examples)


def _model(context: WorkerContext, request: ModelRequest, items: Sequence[Item] = ()) -> Model:
    """Return the open model, or open it and keep it open."""
    model: Model
    if "model" in context.state:
        key, model = context.state["model"]
        if key == request.key and (not isinstance(model, LanguageModel) or request.dtype == model.dtype):
            return model
        del model
        context.clear()
    local = context.local_models.get(request.name)
    model = local if local is not None else _load(request, items)
    if request.settings.spec.exact and model.who.kind == "server":
        raise UserError(f"{model.name} is served, and a server cannot guarantee exact scores", fix="leave exact out")
    context.exit_stack.enter_context(model.asking(request.folder))
    context.state["model"] = request.key, model
    return model


def _load(request: ModelRequest, items: Sequence[Item]) -> LanguageModel:
    """Load a model by name; under the dtype ``auto``, in the precision that the items allow."""
    settings = request.settings

    def load(dtype: str) -> LanguageModel:
        model = load_model(
            request.source,
            model_type=settings.model_type,
            device=settings.device,
            dtype=dtype,
            allow_pickle=settings.allow_pickle,
        )
        return replace(model, name=request.name)

    if request.dtype != "auto":
        model = load(request.dtype)
        model = replace(model, dtype_reason=request.dtype_reason) if request.dtype_reason else model
    else:
        folder = identify(request.source, allow_pickle=settings.allow_pickle).located.folder
        size = sum(path.stat().st_size for path in weight_files(folder, allow_pickle=settings.allow_pickle))
        model = load_by_margins(load, items, settings.spec, size)
    weights, identity = request.content.weights, request.content.identity
    if (weights and model.weights != weights) or (identity and model.identity and model.identity != identity):
        raise UserError(
            f"{request.name} has other weights, config or tokenizer there", fix="put the same model everywhere"
        )
    return model


def _score_cache(context: WorkerContext, part: PartRequest, model: Model, spec: ScoringSpec) -> ScoreCache | None:
    """Return the score cache of a local model; a server's replies are stored as they arrive."""
    path = part.model.score_cache
    if path is None or not isinstance(model, LanguageModel):
        return None
    key = "score cache", part.format
    if key not in context.state:
        store = context.score_store(path) if context.score_store else ScoreStore(path)
        context.state[key] = ScoreCache(
            model, spec, part.model.settings.budget, context.exit_stack.enter_context(store)
        )
    cache: ScoreCache = context.state[key]
    return cache
