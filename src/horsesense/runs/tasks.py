"""Settings of a run, the identity of its models, and its tasks, which open a model, count tokens and score shards."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from horsesense.core import Item, ScoringSpec
from horsesense.core.answer_columns import table_of_answers, table_of_replies
from horsesense.errors import UserError
from horsesense.models.api.address import is_served
from horsesense.models.api.served_model import open_served
from horsesense.models.api.settings import ServedSettings
from horsesense.models.folders import weight_files
from horsesense.models.hf.device import threads_of, with_threads
from horsesense.models.hf.encoding import FramedPrompt
from horsesense.models.hf.language_model import LanguageModel
from horsesense.models.hf.load import load_model
from horsesense.models.hf.trainable import hash_of_weights
from horsesense.models.locate import identify, plugin_model
from horsesense.models.protocol import DEFAULT_BUDGET, Likelihood, Model
from horsesense.progress import Progress
from horsesense.runs.engine import EngineTask, TaskResult, WorkerContext
from horsesense.runs.score_cache import ScoreCache, ScoreKeys
from horsesense.runs.shards import SHARD_TOKENS
from horsesense.scoring.precision import load_by_margins
from horsesense.scoring.prompt_formats import Call, Memory, PromptFormat, choose_prompt_formats, get_prompt_format


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
    distinct: dict[Content, str | Model] = {}
    for model in models:
        name = name_of(model)
        first = distinct.setdefault(contents[name], model)
        if first is not model:
            progress.log(f"{name} is the same checkpoint as {name_of(first)}, which is run once")
    return list(distinct.values())


def name_of(model: str | Model) -> str:
    return model if isinstance(model, str) else model.name


def content_of_model(model: str | Model, settings: Settings, progress: Progress) -> Content:
    """Return the identity of a model, by content."""
    if isinstance(model, LanguageModel):
        return Content(model.who.content, model.identity)
    if not isinstance(model, str):
        return Content(model.who.content)
    name = settings.labels.get(model, model)
    identity = identify(name, allow_pickle=settings.allow_pickle, progress=progress)
    return Content(identity.weights, identity.whole)


def check_repeatable(model: Model, spec: ScoringSpec) -> None:
    """Refuse exact scores of a server, which cannot guarantee the same bytes."""
    if spec.exact and model.who.kind == "server":
        raise UserError(f"{model.name} is served, and a server cannot guarantee exact scores", fix="leave exact out")


_MODEL, _MEMORY, _PREPARED = "model", "memory", "prepared"


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """Everything it takes to open a model in any process."""

    name: str
    source: str
    """The name of its weights, where results use a label."""
    content: Content
    family: str | None
    device: str
    allow_pickle: bool
    dtype: str
    spec: ScoringSpec
    formats: tuple[str, ...]
    dtype_reason: str = ""
    threads: int | None = None
    folder: Path | None = None
    """Run folder, where a server's replies are stored."""

    @property
    def key(self) -> tuple[Any, ...]:
        """What identifies the loaded model, apart from its dtype."""
        return self.name, self.source, self.content, self.family, self.device


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

    describe: Mapping[str, Any]
    notes: tuple[str, ...]
    kind: str
    reported: Mapping[str, Any]
    frame: str
    formats: tuple[ChosenFormat, ...]
    local: bool
    chat_template: bool
    """Whether a local model has a chat template."""
    device: str
    threads: int | None


def open_model(context: WorkerContext, task: EngineTask) -> TaskResult:
    """Open the model and describe it."""
    request: ModelRequest = task.payload["model"]
    model, spec = _model(context, request, task.items), request.spec
    # First: this tries out what a server can do, which its description then includes.
    formats = tuple(
        ChosenFormat(each.name, note, each.in_words(model, each.spec(spec)))
        for each, note in choose_prompt_formats(model, request.formats, spec)
    )
    opened = OpenedModel(
        describe=model.describe(),
        chat_template=isinstance(model, LanguageModel) and model.can("chat"),
        notes=tuple(model.notes),
        kind=model.who.kind,
        reported=dict(model.who.reported),
        frame=model.describe_frame(spec),
        formats=formats,
        local=isinstance(model, LanguageModel),
        device=model.device.type if isinstance(model, LanguageModel) else "",
        threads=_threads(model),
    )
    return TaskResult({"opened": opened})


def count_tokens(context: WorkerContext, task: EngineTask) -> TaskResult:
    """Count the tokens of items; prompts are kept where they will be scored in a moment."""
    import pyarrow as pa

    prepared = _prepare(context, task)
    if task.payload["keep"]:
        cached = context.state.setdefault((_PREPARED, task.payload["probe"], task.payload["format"]), {})
        cached.update((item.id, each) for item, each in zip(task.items, prepared, strict=True))
    columns = {"longest": [each.longest for each in prepared], "costs": [each.cost for each in prepared]}
    table = pa.table({name: pa.array(values, pa.int64()) for name, values in columns.items()})
    return TaskResult(tables={"weights": table})


def measure_speed(context: WorkerContext, task: EngineTask) -> TaskResult:
    """Measure how long some items take."""
    prepared = _prepare(context, task)
    model, prompt_format, spec = _setup(context, task)
    call = Call(model, spec, task.payload["budget"], context.progress)
    prompt_format.answer(prepared[:1], call)  # the first call takes longer
    start = time.perf_counter()
    prompt_format.answer(prepared, call)
    return TaskResult({"seconds": time.perf_counter() - start})


def cache_keys(context: WorkerContext, task: EngineTask) -> TaskResult:
    """Compute the cache keys of a shard, so that the process with the cache can look them up."""
    import pyarrow as pa

    model, _, spec = _setup(context, task)
    assert isinstance(model, LanguageModel)
    with with_threads(task.payload["model"].threads if _threads(model) else None):
        prepared = _prepare(context, task)
        context.state[_PREPARED] = (task.payload["shard"], prepared)
        questions = [prompt.question for each in prepared for prompt in each.questions]
        keys = ScoreKeys.of_model(model, spec, task.payload["budget"]).keys(questions)
    return TaskResult(tables={"keys": pa.table({"key": pa.array(keys, pa.binary(32))})})


def score_shard(context: WorkerContext, task: EngineTask) -> TaskResult:
    """Score a shard: its answers and replies, and the scores where the cache is in another process."""
    request: ModelRequest = task.payload["model"]
    model, prompt_format, spec = _setup(context, task)
    with with_threads(request.threads if _threads(model) else None):
        memory = _memory(context, task, model, spec)
        call = Call(model, spec, task.payload["budget"], context.progress, memory)
        answers, replies = prompt_format.answer(_prepared(context, task), call)
    tables = {"answers": table_of_answers(request.name, task.payload["probe"], answers)}
    if replies:
        tables["replies"] = table_of_replies(replies)
    if isinstance(memory, TransferredScores) and memory.computed is not None:
        tables["scores"] = memory.computed
    return TaskResult({"served": memory.served} if memory else {}, tables)


def _setup(context: WorkerContext, task: EngineTask) -> tuple[Model, PromptFormat, ScoringSpec]:
    prompt_format, request = get_prompt_format(task.payload["format"]), task.payload["model"]
    return _model(context, request), prompt_format, prompt_format.spec(request.spec)


def _threads(model: Model) -> int | None:
    """Return the CPU threads of a model that runs in this process; None for any other."""
    return threads_of(model.device) if isinstance(model, LanguageModel) else None


def _prepare(context: WorkerContext, task: EngineTask) -> list[Any]:
    model, prompt_format, spec = _setup(context, task)
    return prompt_format.prepare(model, task.items, spec, task.shared.get("examples", ()))


def _prepared(context: WorkerContext, task: EngineTask) -> list[Any]:
    """Return the prompts of a shard, from an earlier task or built now."""
    shard, prepared = context.state.pop(_PREPARED, (None, []))
    if shard == task.payload["shard"]:
        return list(prepared)
    cached = context.state.get((_PREPARED, task.payload["probe"], task.payload["format"]))
    return [cached.pop(item.id) for item in task.items] if cached else _prepare(context, task)


def _model(context: WorkerContext, request: ModelRequest, items: Sequence[Item] = ()) -> Model:
    """Return the open model, or open it and keep it open."""
    model: Model
    if _MODEL in context.state:
        key, model = context.state[_MODEL]
        if key == request.key and (not isinstance(model, LanguageModel) or request.dtype == model.dtype):
            return model
        del model
        context.clear()
    local = context.local_models.get(request.name)
    model = local if local is not None else _load(request, items)
    check_repeatable(model, request.spec)
    context.exit_stack.enter_context(model.asking(request.folder))
    context.state[_MODEL] = request.key, model
    return model


def _load(request: ModelRequest, items: Sequence[Item]) -> LanguageModel:
    """Load a model by name; under the dtype ``auto``, in the precision that the items allow."""

    def load(dtype: str) -> LanguageModel:
        model = load_model(
            request.source,
            family=request.family,
            device=request.device,
            dtype=dtype,
            allow_pickle=request.allow_pickle,
        )
        return replace(model, name=request.name)

    if request.dtype != "auto":
        model = load(request.dtype)
        model = replace(model, dtype_reason=request.dtype_reason) if request.dtype_reason else model
    else:
        folder = identify(request.source, allow_pickle=request.allow_pickle).located.folder
        size = sum(path.stat().st_size for path in weight_files(folder, allow_pickle=request.allow_pickle))
        model = load_by_margins(load, items, request.spec, size)
    weights, identity = request.content.weights, request.content.identity
    if (weights and model.weights != weights) or (identity and model.identity and model.identity != identity):
        raise UserError(
            f"{request.name} has other weights, config or tokenizer there", fix="put the same model everywhere"
        )
    return model


class TransferredScores:
    """The scores of one shard on their way between a worker and the process that has the cache."""

    def __init__(self, cached: Any) -> None:
        self.cached, self.served = cached, cached is not None
        self.computed: Any = None

    def likelihoods(self, prompts: Sequence[FramedPrompt]) -> list[Likelihood] | None:
        if self.cached is None:
            return None
        values = self.cached.column("values").combine_chunks()
        scores = [np.asarray(each.values, dtype=np.float32) for each in values]
        return [prompt.likelihood(each) for prompt, each in zip(prompts, scores, strict=True)]

    def remember(self, prompts: Sequence[FramedPrompt], scored: Sequence[Likelihood]) -> None:
        import pyarrow as pa

        values = pa.array([each.logprobs for each in scored], pa.list_(pa.float32()))
        self.computed = pa.table({"values": values})


def _memory(context: WorkerContext, task: EngineTask, model: Model, spec: ScoringSpec) -> Memory | None:
    """Return the score cache of a local model; a server's replies are stored as they arrive."""
    payload = task.payload
    if not payload["cache"] or not isinstance(model, LanguageModel):
        return None
    if payload["remote"]:
        return TransferredScores(task.tables.get("scores"))
    key = _MEMORY, payload["format"]
    if key not in context.state:
        context.state[key] = context.exit_stack.enter_context(ScoreCache(model, spec, payload["budget"]))
    memory: Memory = context.state[key]
    return memory
