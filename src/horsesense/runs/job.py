"""The job of one model in a run: which tasks it takes to score all its probes, and what becomes of their results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from horsesense.core import Item, Probe
from horsesense.core.item_file import Subset, ids_of
from horsesense.models.api.served_model import ServedModel
from horsesense.models.protocol import Model
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.runs.engine import EngineTask, Job, TaskResult
from horsesense.runs.manifest import ModelRecord, Part, ProbeRecord
from horsesense.runs.score_cache import ScoreStore
from horsesense.runs.shards import (
    SAMPLE,
    SERVED_SHARD,
    TokenCounts,
    benchmark_sample,
    calibrate_shard_size,
    cut,
    ranks_of,
)
from horsesense.runs.store import PartProgress, RunStore, ShardProgress, stage_of
from horsesense.runs.tasks import (
    ChosenFormat,
    Content,
    ModelRequest,
    OpenedModel,
    Settings,
    cache_keys,
    count_tokens,
    measure_speed,
    open_model,
    score_shard,
)
from horsesense.scoring.precision import SAMPLE as PRECISION_SAMPLE
from horsesense.settings import device_setting

_ITEMS_PER_COUNT = 2_000
"""Items per token-counting task: the prompts of one take about 50 kB."""
_KEPT = 20_000
"""Items of a part up to which prompts are kept from counting to scoring; beyond it they are built again."""
_NAMED = 5
"""Items of a lost shard that are named; the others are counted."""


@dataclass(slots=True)
class _Plan:
    """One probe in one prompt format, from planning to the last shard."""

    probe: str
    prompt_format: ChosenFormat
    weights: list[TokenCounts | None]
    """Of each stretch of the probe, where it is known."""
    begun: bool = False
    left: int = 0
    """Missing shards."""
    done: int = 0
    """Items of the finished shards."""
    served: int = 0
    """Tokens whose scores were in the cache."""
    progress: PartProgress | None = None
    keys: dict[int, list[bytes]] = field(default_factory=dict)
    """Cache keys of the shards in progress."""


class RunJob(Job):
    """Scores one model on all its probes."""

    def __init__(
        self,
        model: str | Model,
        content: Content,
        probes: Mapping[str, Probe],
        whole: Mapping[str, Probe],
        store: RunStore,
        settings: Settings,
        progress: Progress,
        *,
        remote: bool = False,
    ) -> None:
        self.name = model if isinstance(model, str) else model.name
        self.local_models = {} if isinstance(model, str) else {self.name: model}
        self.served = model if isinstance(model, ServedModel) else None
        self.local_only = self.served is not None
        self.at_once = self.served.at_once if self.served else 1
        self.probes, self.whole, self.store = probes, whole, store
        self.settings, self.progress = settings, progress
        self.remote = remote and not self.local_only
        self.lost: list[str] = []
        """What was given up, in words."""
        self._opened: OpenedModel | None = None
        self._plans: dict[tuple[str, str], _Plan] = {}
        self._sizes: dict[str, int] = {}
        """Tokens per shard, by prompt format."""
        self._measuring: set[str] = set()
        self._cache: ScoreStore | None = None
        self._request = self._first_request(content)

    def _first_request(self, content: Content) -> ModelRequest:
        settings = self.settings
        dtype, dtype_reason = self.store.dtype(self.name, settings.spec.dtype)
        request = ModelRequest(
            name=self.name,
            source=settings.labels.get(self.name, self.name),
            content=content,
            family=settings.family,
            device=settings.device,
            allow_pickle=settings.allow_pickle,
            dtype=dtype,
            dtype_reason=dtype_reason,
            spec=settings.spec,
            formats=settings.formats,
            folder=self.store.folder,
        )
        return _for_another_process(request) if self.remote else request

    # What an engine calls.

    def begin(self) -> Sequence[EngineTask]:
        formats = self.settings.formats
        self._pending = [probe for probe in self.probes if not self.store.has_all(self.name, probe, formats)]
        if not self._pending:
            return []
        sample: list[Item] = []
        if self._request.dtype == "auto":
            several = (item for item in self.probes[self._pending[0]].items if len(item.options) > 1)
            sample = sorted(several, key=lambda item: item.id)[:PRECISION_SAMPLE]
        return [EngineTask(open_model, {"model": self._request}, sample, label=f"{self.name}, opened")]

    def take(self, task: EngineTask, result: TaskResult) -> Sequence[EngineTask]:
        if task.function is open_model:
            return self._take_model(result.payload["opened"])
        plan = self._plans[task.payload["probe"], task.payload["format"]]
        if task.function is count_tokens:
            return self._take_weights(plan, task, result)
        if task.function is measure_speed:
            size = calibrate_shard_size(self.settings.shard, result.payload["seconds"], task.payload["tokens"])
            return self._begin_parts(task.payload["format"], size)
        if task.function is cache_keys:
            return [self._look_up(plan, task, result)]
        self._take_answers(plan, task, result)
        return []

    def progress_of(self, task: EngineTask) -> Progress:
        plan = self._plans.get((task.payload.get("probe", ""), task.payload.get("format", "")))
        if plan is None or plan.progress is None:
            return NO_PROGRESS
        return ShardProgress(plan.progress, task.payload.get("shard", -1))

    def interrupted(self) -> None:
        for plan in self._plans.values():
            if plan.progress is not None and plan.left:
                total = len(self.probes[plan.probe].items)
                self.progress.log(
                    f"{plan.progress.stage}: {plan.done:,} of {total:,} items are stored; the same command resumes"
                )

    def stop(self, error: BaseException) -> None:
        if self.served is not None:
            self.served.client.stop(error)

    def failed(self, task: EngineTask, reason: str) -> None:
        if task.function not in (score_shard, cache_keys):
            self.lost.append(f"{self.name}, which was stopped ({reason})")
            return
        items = ", ".join(item.id for item in task.items[:_NAMED])
        more = f" and {len(task.items) - _NAMED:,} more" if len(task.items) > _NAMED else ""
        self.lost.append(f"{task.label} ({reason}), with the items {items}{more}")

    # Planning: the model is open, tokens are counted, shards are cut.

    @property
    def opened(self) -> OpenedModel:
        assert self._opened is not None
        return self._opened

    def _take_model(self, opened: OpenedModel) -> list[EngineTask]:
        self._opened = opened
        describe = opened.describe
        if not self.local_models:
            notes = [str(describe["family"]), *opened.notes]
            self.progress.log(f"{self.name}: {', '.join(notes)}, special tokens {opened.frame}")
        self._request = replace(
            self._request,
            dtype=describe["dtype"],
            dtype_reason=describe["dtype_reason"],
            threads=self.store.threads(opened.threads),
        )
        return [
            task
            for probe in self._pending
            for prompt_format in opened.formats
            for task in self._counting(probe, prompt_format)
        ]

    def _counting(self, probe: str, prompt_format: ChosenFormat) -> list[EngineTask]:
        name = prompt_format.name
        if prompt_format.note:
            self.progress.log(f"{self.name}: prompt format {name} ({prompt_format.note})")
        if self.store.is_whole(self.name, probe, name):
            self.progress.log(f"{stage_of(self.name, probe, name)}: all answers are stored already")
            return []
        items = self.probes[probe].items
        starts = range(0, len(items), _ITEMS_PER_COUNT)
        self._plans[probe, name] = _Plan(probe, prompt_format, [None] * len(starts))
        if (size := self.store.size(self.name, probe, name)) is not None:
            self._sizes.setdefault(name, size or self._usual_size)
        keep = not self.remote and len(items) <= _KEPT
        stretches = [Subset(items, range(start, min(start + _ITEMS_PER_COUNT, len(items)))) for start in starts]
        return [
            self._task(count_tokens, probe, name, stretch, keep=keep, stretch=i) for i, stretch in enumerate(stretches)
        ]

    def _take_weights(self, plan: _Plan, task: EngineTask, result: TaskResult) -> list[EngineTask]:
        table = result.tables["weights"]
        columns = [table.column(name).to_numpy() for name in ("longest", "costs")]
        plan.weights[task.payload["stretch"]] = TokenCounts(ids_of(task.items), *columns)
        return [] if None in plan.weights else self._measure(plan.prompt_format.name)

    def _measure(self, prompt_format: str) -> list[EngineTask]:
        """Measure the model's speed on the first probe; the shards of the others have the same size."""
        if prompt_format in self._sizes:
            return self._begin_parts(prompt_format, self._sizes[prompt_format])
        first = next(plan for (_, name), plan in self._plans.items() if name == prompt_format)
        if prompt_format in self._measuring or None in first.weights:
            return []
        self._measuring.add(prompt_format)
        weights = TokenCounts.joined(first.weights)
        sample = self.settings.budget if self.opened.device == "cuda" else SAMPLE
        indices = benchmark_sample(weights, sample) if self.opened.local else []
        if not indices:
            return self._begin_parts(prompt_format, self._usual_size)
        items, tokens = Subset(self.probes[first.probe].items, indices), int(weights.costs[indices].sum())
        return [self._task(measure_speed, first.probe, prompt_format, items, tokens=tokens)]

    @property
    def _usual_size(self) -> int:
        return SERVED_SHARD if self.opened.kind == "server" else self.settings.shard

    def _begin_parts(self, prompt_format: str, size: int) -> list[EngineTask]:
        """Begin all parts whose tokens are counted."""
        self._sizes[prompt_format] = size
        ready = [plan for (_, name), plan in self._plans.items() if name == prompt_format and None not in plan.weights]
        return [task for plan in ready if not plan.begun for task in self._begin_part(plan, size)]

    def _begin_part(self, plan: _Plan, size: int) -> list[EngineTask]:
        """Cut a part into shards, write it to the manifest and return the tasks of the missing shards."""
        plan.begun = True
        probe, prompt_format, items = plan.probe, plan.prompt_format.name, self.probes[plan.probe].items
        weights = TokenCounts.joined(plan.weights)
        shards = cut(weights, size, ranks_of(self.whole[probe].items, self.settings.seed))
        plan.weights = []
        present = self.store.begin(self._part(plan, len(shards), size), self.probes[probe])
        costs = [int(weights.costs[shard].sum()) for shard in shards]
        stored = sum(cost for cost, there in zip(costs, present, strict=True) if there)
        plan.progress = PartProgress(self.progress, stage_of(self.name, probe, prompt_format), sum(costs))
        if self.store.persistent:
            already = f", {stored:,} of them stored already" if stored else ""
            self.progress.log(f"{plan.progress.stage}: {plan.progress.total:,} tokens to compute{already}")
        plan.progress.shard_done(stored)
        plan.done = sum(len(shard) for shard, there in zip(shards, present, strict=True) if there)
        plan.left = present.count(False)
        cached = self.settings.cache and self.store.persistent
        # Only log-likelihoods are cached.
        look_up = self.remote and cached and self.opened.local and prompt_format in ("loglikelihood", "pmi")
        function = cache_keys if look_up else score_shard
        more = {"cache": cached, "remote": self.remote}
        return [
            self._task(function, probe, prompt_format, Subset(items, shard), shard=i, cost=cost, **more)
            for i, (shard, cost, there) in enumerate(zip(shards, costs, present, strict=True))
            if not there
        ]

    def _task(self, function: Any, probe: str, prompt_format: str, items: Sequence[Item], **more: Any) -> EngineTask:
        budget = self.settings.budget
        payload = {"model": self._request, "probe": probe, "format": prompt_format, "budget": budget, **more}
        shared = {"examples": self.whole[probe].items} if self.settings.spec.shots else {}
        stage = stage_of(self.name, probe, prompt_format)
        label = f"answer file {more['shard']} of {stage}" if "shard" in more else f"{stage}, planned"
        return EngineTask(function, payload, items, shared, label=label, same_worker=function is cache_keys)

    def _part(self, plan: _Plan, shards: int, size: int) -> Part:
        opened, probe = self.opened, self.probes[plan.probe]
        record = ModelRecord(
            **opened.describe,
            found_by=self.settings.labels.get(self.name, ""),
            frame=opened.frame,
            kind=opened.kind,
            reported=dict(opened.reported),
            chat_template=opened.chat_template,
        )
        asked = ProbeRecord(
            name=plan.probe,
            items=len(probe.items),
            of=len(self.whole[plan.probe].items),
            content=self.store.content(plan.probe, probe),
        )
        chosen = plan.prompt_format
        description = "; ".join(each for each in (chosen.description, chosen.note) if each)
        return Part(model=record, probe=asked, shards=shards, format=chosen.name, asked=description, shard=size)

    # Results.

    def _look_up(self, plan: _Plan, task: EngineTask, result: TaskResult) -> EngineTask:
        """Return the task that scores the shard, with its scores where the cache has all of them."""
        import pyarrow as pa

        if self._cache is None:
            self._cache = ScoreStore().__enter__()
        keys = result.tables["keys"].column("key").to_pylist()
        scores = self._cache.find(keys)
        plan.keys[task.payload["shard"]] = keys
        values = None if scores is None else pa.array(scores, pa.list_(pa.float32()))
        tables = {} if values is None else {"scores": pa.table({"values": values})}
        return EngineTask(score_shard, task.payload, task.items, task.shared, tables, task.label)

    def _take_answers(self, plan: _Plan, task: EngineTask, result: TaskResult) -> None:
        assert plan.progress is not None
        shard, cost = task.payload["shard"], task.payload["cost"]
        plan.progress.shard_done(cost, shard)
        plan.served += cost if result.payload.get("served") else 0
        keys = plan.keys.pop(shard, None)
        if self._cache is not None and keys and "scores" in result.tables:
            values = result.tables["scores"].column("values").combine_chunks()
            self._cache.keep(keys, [np.asarray(each.values, dtype=np.float32) for each in values])
        self.store.write(self.name, plan.probe, plan.prompt_format.name, shard, result.tables)
        plan.left -= 1
        plan.done += len(task.items)
        if plan.served and not plan.left:
            self.progress.log(f"{plan.progress.stage}: {plan.served:,} tokens came from the cache")


def _for_another_process(request: ModelRequest) -> ModelRequest:
    """Resolve a relative path and the device setting, for a process that may run in another folder."""
    path = Path(request.source).expanduser()
    source = str(path.absolute()) if path.exists() else request.source
    device = device_setting()[0] if request.device == "auto" else request.device
    return replace(request, source=source, device=device, folder=None)
