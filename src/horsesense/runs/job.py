"""The job of one model in a run: which tasks it takes to score all its probes, and what becomes of their results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from horsesense.core import Item, Probe
from horsesense.core.item_file import Subset, ids_of
from horsesense.data import cache_folder
from horsesense.models.api.served_model import ServedModel
from horsesense.models.api.settings import ServedSettings
from horsesense.models.protocol import Model
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.runs.engine import EngineTask, Job
from horsesense.runs.manifest import Part, ProbeRecord
from horsesense.runs.shards import (
    SAMPLE,
    SERVED_SHARD,
    Integers,
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
    PartRequest,
    ScoredShard,
    Settings,
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
    cached: int = 0
    """Tokens whose scores were in the cache."""
    progress: PartProgress | None = None


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
        super().__init__()
        self.name = model if isinstance(model, str) else model.name
        self.local_models = {} if isinstance(model, str) else {self.name: model}
        self.served = model if isinstance(model, ServedModel) else None
        self.local_only = self.served is not None
        self.at_once = self.served.at_once if self.served else 1
        self.probes, self.whole, self.store = probes, whole, store
        self.settings, self.progress = settings, progress
        self.remote = remote and not self.local_only
        self._opened: OpenedModel | None = None
        self._plans: dict[tuple[str, str], _Plan] = {}
        self._sizes: dict[str, int] = {}
        """Tokens per shard, by prompt format."""
        self._measuring: set[str] = set()
        self._request = self._first_request(content)

    def _first_request(self, content: Content) -> ModelRequest:
        settings, folder = self.settings, self.store.folder
        dtype, dtype_reason = self.store.dtype(self.name, settings.spec.dtype)
        cached = settings.cache and self.store.persistent
        if self.remote:
            settings, folder = _for_another_process(settings, self.name), None
        return ModelRequest(
            name=self.name,
            content=content,
            settings=settings,
            dtype=dtype,
            dtype_reason=dtype_reason,
            folder=folder,
            score_cache=cache_folder("scores.sqlite") if cached else None,
        )

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
        arguments = {"request": self._request, "items": sample}
        return [EngineTask(open_model, arguments, self._take_model, label=f"{self.name}, opened")]

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
        if task.function is not score_shard:
            self.lost.append(f"{self.name}, which was stopped ({reason})")
            return
        ids = ids_of(task.arguments["items"])
        items = ", ".join(ids[:_NAMED])
        more = f" and {len(ids) - _NAMED:,} more" if len(ids) > _NAMED else ""
        self.lost.append(f"{task.label} ({reason}), with the items {items}{more}")

    # Planning: the model is open, tokens are counted, shards are cut.

    @property
    def opened(self) -> OpenedModel:
        assert self._opened is not None
        return self._opened

    def _take_model(self, opened: OpenedModel) -> list[EngineTask]:
        record = replace(opened.record, found_by=self.settings.labels.get(self.name, ""))
        self._opened = replace(opened, record=record)
        if not self.local_models:
            notes = [record.family, *opened.notes]
            self.progress.log(f"{self.name}: {', '.join(notes)}, special tokens {record.frame}")
        self._request = replace(
            self._request,
            dtype=record.dtype,
            dtype_reason=record.dtype_reason,
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
            self.progress.detail(f"{stage_of(self.name, probe, name)}: all answers are stored already")
            return []
        items = self.probes[probe].items
        starts = range(0, len(items), _ITEMS_PER_COUNT)
        plan = self._plans[probe, name] = _Plan(probe, prompt_format, [None] * len(starts))
        if (size := self.store.size(self.name, probe, name)) is not None:
            self._sizes.setdefault(name, size or self._usual_size)
        keep = not self.remote and len(items) <= _KEPT
        stretches = [Subset(items, range(start, min(start + _ITEMS_PER_COUNT, len(items)))) for start in starts]
        return [
            self._task(count_tokens, plan, stretch, partial(self._take_counts, plan, i, stretch), keep=keep)
            for i, stretch in enumerate(stretches)
        ]

    def _take_counts(
        self, plan: _Plan, stretch: int, items: Sequence[Item], counts: tuple[Integers, Integers]
    ) -> list[EngineTask]:
        plan.weights[stretch] = TokenCounts(ids_of(items), *counts)
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

        def take(seconds: float) -> list[EngineTask]:
            return self._begin_parts(prompt_format, calibrate_shard_size(self.settings.shard, seconds, tokens))

        return [self._task(measure_speed, first, items, take)]

    @property
    def _usual_size(self) -> int:
        return SERVED_SHARD if self.opened.record.kind == "server" else self.settings.shard

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
        if self.store.persistent and self.opened.record.kind != "server":  # which forecasts requests and tokens itself
            already = f", {stored:,} of them stored already" if stored else ""
            self.progress.detail(f"{plan.progress.stage}: {plan.progress.total:,} tokens to compute{already}")
        plan.progress.shard_done(stored)
        plan.done = sum(len(shard) for shard, there in zip(shards, present, strict=True) if there)
        plan.left = present.count(False)
        return [
            self._task(score_shard, plan, Subset(items, shard), partial(self._take_shard, plan, i, cost, len(shard)), i)
            for i, (shard, cost, there) in enumerate(zip(shards, costs, present, strict=True))
            if not there
        ]

    def _task(
        self,
        function: Callable[..., Any],
        plan: _Plan,
        items: Sequence[Item],
        take: Callable[[Any], Sequence[EngineTask]],
        shard: int | None = None,
        **more: Any,
    ) -> EngineTask:
        part = PartRequest(self._request, plan.probe, plan.prompt_format.name)
        stage = stage_of(self.name, plan.probe, plan.prompt_format.name)
        return EngineTask(
            function,
            {"part": part, "items": items, **more},
            take,
            shared={"examples": self.whole[plan.probe].items} if self.settings.spec.shots else {},
            label=f"{stage}, planned" if shard is None else f"answer file {shard} of {stage}",
            progress=NO_PROGRESS if shard is None or plan.progress is None else ShardProgress(plan.progress, shard),
        )

    def _part(self, plan: _Plan, shards: int, size: int) -> Part:
        record, probe = self.opened.record, self.probes[plan.probe]
        asked = ProbeRecord(
            name=plan.probe,
            items=len(probe.items),
            of=len(self.whole[plan.probe].items),
            content=self.store.content(plan.probe, probe),
        )
        chosen = plan.prompt_format
        description = "; ".join(each for each in (chosen.description, chosen.note) if each)
        return Part(model=record, probe=asked, shards=shards, format=chosen.name, asked=description, shard=size)

    def _take_shard(self, plan: _Plan, shard: int, cost: int, items: int, result: ScoredShard) -> list[EngineTask]:
        assert plan.progress is not None
        plan.progress.shard_done(cost, shard)
        plan.cached += cost if result.cached else 0
        self.store.write(self.name, plan.probe, plan.prompt_format.name, shard, result.answers, result.replies)
        plan.left -= 1
        plan.done += items
        if plan.cached and not plan.left:
            self.progress.detail(f"{plan.progress.stage}: {plan.cached:,} tokens came from the cache")
        return []


def _for_another_process(settings: Settings, name: str) -> Settings:
    """Resolve a relative path and the device setting, for a process that may run in another folder."""
    source = settings.source(name)
    path = Path(source).expanduser()
    return replace(
        settings,
        labels={name: str(path.absolute()) if path.exists() else source},
        device=device_setting()[0] if settings.device == "auto" else settings.device,
        served=ServedSettings(),
    )
