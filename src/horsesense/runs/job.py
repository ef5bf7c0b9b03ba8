"""A model asked all its probes, seen from where the answers are kept: what is to be done, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from horsesense.core import Item, Probe
from horsesense.core.item_file import Some, ids_of
from horsesense.models.protocol import Model
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.runs.cache import ScoreStore
from horsesense.runs.engine import Done, Job, Task
from horsesense.runs.manifest import ModelRecord, Part, ProbeRecord
from horsesense.runs.models import Content, Settings
from horsesense.runs.shards import SAMPLE, SERVED_SHARD, Weights, cut, fitting, ranks_of, tried
from horsesense.runs.store import Keeper, PartProgress, ShardProgress, stage_of
from horsesense.scoring.precision import SAMPLE as ASKED_BOTH_WAYS
from horsesense.settings import device_setting

_ROOM = "horsesense.runs.answering"
OPEN, WEIGH, RATE, KEYS, ANSWER = (f"{_ROOM}:{name}" for name in ("open_model", "weigh", "rate", "keys", "answer"))

_AT_ONCE = 2_000
"""Items that are weighed in one task: what is prepared for one takes some 50 kB."""
_KEPT = 20_000
"""Items of a part up to which what was prepared for weighing is kept for asking; of more it is prepared again."""
_NAMED = 5
"""Items of a lost shard that are named; the others are counted."""


@dataclass(slots=True)
class _Plan:
    """One probe in one way, as it comes to be planned and asked."""

    probe: str
    prompt_format: Mapping[str, Any]
    weights: list[Weights | None]
    """Of each stretch of the probe, where it is known."""
    begun: bool = False
    left: int = 0
    """Shards that are not there yet."""
    done: int = 0
    """Items of the shards that are there."""
    served: int = 0
    """Tokens whose scores were in the cache."""
    progress: PartProgress | None = None
    keys: dict[int, list[bytes]] = field(default_factory=dict)
    """What the scores of shards under way are kept under."""


class Sitting(Job):
    """All that one model is asked."""

    def __init__(
        self,
        model: str | Model,
        content: Content,
        probes: Mapping[str, Probe],
        whole: Mapping[str, Probe],
        keeper: Keeper,
        settings: Settings,
        progress: Progress,
        *,
        apart: bool = False,
    ) -> None:
        self.name = model if isinstance(model, str) else model.name
        self.given = {} if isinstance(model, str) else {self.name: model}
        self.only_here = not isinstance(model, str) and model.who.kind == "server"
        self.probes, self.whole, self.keeper = probes, whole, keeper
        self.settings, self.progress = settings, progress
        self.apart = apart and not self.only_here
        self.lost: list[str] = []
        """What was given up, in words."""
        self._opened: Mapping[str, Any] = {}
        self._plans: dict[tuple[str, str], _Plan] = {}
        self._sizes: dict[str, int] = {}
        """Tokens a shard, by way."""
        self._measuring: set[str] = set()
        self._store: ScoreStore | None = None
        self._opening = keeper.opening(self.name, content, settings)
        if self.apart:
            self._opening |= _found_elsewhere(self._opening)

    # What an engine asks of it.

    def begin(self) -> Sequence[Task]:
        wanted = [
            probe for probe in self.probes if not self.keeper.has_all(self.name, probe, self.settings.prompt_formats)
        ]
        if not wanted:
            return []
        sample: list[Item] = []
        if self._opening["dtype"] == "auto":
            several = (item for item in self.probes[wanted[0]].items if len(item.options) > 1)
            sample = sorted(several, key=lambda item: item.id)[:ASKED_BOTH_WAYS]
        self._wanted = wanted
        return [Task(OPEN, {"opening": self._opening}, sample, called=f"{self.name}, opened")]

    def take(self, task: Task, done: Done) -> Sequence[Task]:
        if task.function == OPEN:
            return self._take_model(done.told)
        plan = self._plans[task.told["probe"], task.told["format"]]
        if task.function == WEIGH:
            return self._take_weights(plan, task, done)
        if task.function == RATE:
            size = fitting(self.settings.shard, done.told["seconds"], task.told["tokens"])
            return self._sized(task.told["format"], size)
        if task.function == KEYS:
            return [self._looked_up(plan, task, done)]
        self._take_answers(plan, task, done)
        return []

    def watching(self, task: Task) -> Progress:
        plan = self._plans.get((task.told.get("probe", ""), task.told.get("format", "")))
        if plan is None or plan.progress is None:
            return NO_PROGRESS
        return ShardProgress(plan.progress, task.told.get("number", -1))

    def stopped(self) -> None:
        for plan in self._plans.values():
            if plan.progress is not None and plan.left:
                every = len(self.probes[plan.probe].items)
                self.progress.log(
                    f"{plan.progress.stage}: {plan.done:,} of {every:,} items are kept; "
                    "the same command goes on from there"
                )

    def failed(self, task: Task, why: str) -> None:
        if task.function not in (ANSWER, KEYS):
            self.lost.append(f"{self.name}, which was not asked further ({why})")
            return
        items = ", ".join(item.id for item in task.items[:_NAMED])
        more = f" and {len(task.items) - _NAMED:,} more" if len(task.items) > _NAMED else ""
        self.lost.append(f"{task.called} ({why}), with the items {items}{more}")

    # The model is open, its questions are weighed, its shards are cut.

    def _take_model(self, opened: Mapping[str, Any]) -> list[Task]:
        self._opened = opened
        describe = opened["describe"]
        self._opening = {**self._opening, "dtype": describe["dtype"], "dtype_reason": describe["dtype_reason"]}
        if not self.given:
            said = [str(describe["family"]), *opened["notes"]]
            self.progress.log(f"{self.name}: {', '.join(said)}, begins with {opened['frame']}")
        threads = self.keeper.threads(opened["threads"])
        self._opening["threads"] = threads
        tasks: list[Task] = []
        for probe in self._wanted:
            for prompt_format in opened["prompt_formats"]:
                tasks += self._weighing(probe, prompt_format)
        return tasks

    def _weighing(self, probe: str, prompt_format: Mapping[str, Any]) -> list[Task]:
        name = prompt_format["name"]
        if prompt_format["note"]:
            self.progress.log(f"{self.name} is asked by {name} ({prompt_format['note']})")
        if self.keeper.is_whole(self.name, probe, name):
            self.progress.log(f"{stage_of(self.name, probe, name)}: all answers are kept already")
            return []
        items = self.probes[probe].items
        starts = range(0, len(items), _AT_ONCE)
        self._plans[probe, name] = _Plan(probe, prompt_format, [None] * len(starts))
        if (size := self.keeper.size(self.name, probe, name)) is not None:
            self._sizes.setdefault(name, size or self._usual_size)
        keep = not self.apart and len(items) <= _KEPT
        return [
            self._task(WEIGH, probe, name, Some(items, range(start, min(start + _AT_ONCE, len(items)))), keep=keep,
                       stretch=number)
            for number, start in enumerate(starts)
        ]  # fmt: skip

    def _take_weights(self, plan: _Plan, task: Task, done: Done) -> list[Task]:
        table = done.tables["weights"]
        columns = [table.column(name).to_numpy() for name in ("longest", "costs")]
        plan.weights[task.told["stretch"]] = Weights(ids_of(task.items), *columns)
        if None in plan.weights:
            return []
        return self._measure(plan.prompt_format["name"])

    def _measure(self, prompt_format: str) -> list[Task]:
        """The rate of a model is measured on the first probe; the others are cut alike."""
        if prompt_format in self._sizes:
            return self._sized(prompt_format, self._sizes[prompt_format])
        first = next(plan for (_, name), plan in self._plans.items() if name == prompt_format)
        if prompt_format in self._measuring or None in first.weights:
            return []
        self._measuring.add(prompt_format)
        weights = Weights.joined(first.weights)
        on_gpu = self._opened["device"] == "cuda"
        places = tried(weights, self.settings.budget if on_gpu else SAMPLE) if self._opened["local"] else []
        if not places:
            return self._sized(prompt_format, self._usual_size)
        items = Some(self.probes[first.probe].items, places)
        return [self._task(RATE, first.probe, prompt_format, items, tokens=int(weights.costs[places].sum()))]

    @property
    def _usual_size(self) -> int:
        return SERVED_SHARD if self._opened["kind"] == "server" else self.settings.shard

    def _sized(self, prompt_format: str, size: int) -> list[Task]:
        """Shards of all probes that have been weighed."""
        self._sizes[prompt_format] = size
        ready = [plan for (_, name), plan in self._plans.items() if name == prompt_format and None not in plan.weights]
        return [task for plan in ready if not plan.begun for task in self._begun(plan, size)]

    def _begun(self, plan: _Plan, size: int) -> list[Task]:
        """A part begins: it is written down, and what is not there yet of its shards is to be asked."""
        plan.begun = True
        probe, prompt_format, items = plan.probe, plan.prompt_format["name"], self.probes[plan.probe].items
        weights = Weights.joined(plan.weights)
        ranks = ranks_of(self.whole[probe].items, self.settings.seed)
        shards = cut(weights, size, ranks)
        plan.weights = []
        part = self._part(plan, len(shards), size)
        there = self.keeper.begin(part, self.probes[probe])
        costs = [int(weights.costs[shard].sum()) for shard in shards]
        kept = sum(cost for cost, whole in zip(costs, there, strict=True) if whole)
        plan.progress = PartProgress(self.progress, stage_of(self.name, probe, prompt_format), sum(costs))
        already = f", {kept:,} of them kept already" if kept else ""
        if self.keeper.keeps:
            self.progress.log(f"{plan.progress.stage}: {plan.progress.total:,} tokens to compute{already}")
        plan.progress.shard_done(kept)
        plan.done = sum(len(shard) for shard, whole in zip(shards, there, strict=True) if whole)
        plan.left = there.count(False)
        looked_up = self.apart and self.settings.cache and self.keeper.keeps and bool(self._opened["local"])
        by_likelihood = prompt_format in ("loglikelihood", "pmi")  # letters and words are not kept in the cache
        return [
            self._task(KEYS if looked_up and by_likelihood else ANSWER, probe, prompt_format, Some(items, shard),
                       number=number, cost=cost, cache=self.settings.cache and self.keeper.keeps, apart=self.apart)
            for number, (shard, cost, whole) in enumerate(zip(shards, costs, there, strict=True))
            if not whole
        ]  # fmt: skip

    def _task(self, function: str, probe: str, prompt_format: str, items: Sequence[Item], **more: Any) -> Task:
        told = {
            "opening": self._opening,
            "probe": probe,
            "format": prompt_format,
            "budget": self.settings.budget,
            **more,
        }
        shared = {"examples": self.whole[probe].items} if self.settings.spec.shots else {}
        stage = stage_of(self.name, probe, prompt_format)
        called = f"answer file {told['number']} of {stage}" if "number" in told else f"{stage}, planned"
        return Task(function, told, items, shared, called=called, goes_on=function == KEYS)

    def _part(self, plan: _Plan, shards: int, size: int) -> Part:
        opened = self._opened
        probe = self.probes[plan.probe]
        record = ModelRecord(
            **opened["describe"],
            found_by=self.settings.labels.get(self.name, ""),
            frame=opened["frame"],
            kind=opened["kind"],
            reported=opened["reported"],
        )
        asked = ProbeRecord(
            name=plan.probe,
            items=len(probe.items),
            of=len(self.whole[plan.probe].items),
            content=self.keeper.content(plan.probe, probe),
        )
        told = "; ".join(each for each in (plan.prompt_format["asked"], plan.prompt_format["note"]) if each)
        return Part(model=record, probe=asked, shards=shards, format=plan.prompt_format["name"], asked=told, shard=size)

    # Answers come in.

    def _looked_up(self, plan: _Plan, task: Task, done: Done) -> Task:
        """The same shard, to be asked, with the scores where the cache has them all."""
        import pyarrow as pa

        if self._store is None:
            self._store = ScoreStore().__enter__()
        found = done.tables["keys"].column("key").to_pylist()
        scores = self._store.find(found)
        plan.keys[task.told["number"]] = found
        values = pa.array(scores, pa.list_(pa.float32())) if scores is not None else None
        tables = {} if values is None else {"scores": pa.table({"values": values})}
        return Task(ANSWER, task.told, task.items, task.shared, tables, task.called)

    def _take_answers(self, plan: _Plan, task: Task, done: Done) -> None:
        assert plan.progress is not None
        number = task.told["number"]
        # What was the same text was computed once, what was cached never.
        plan.progress.shard_done(task.told["cost"], number)
        plan.served += task.told["cost"] if done.told.get("served") else 0
        found = plan.keys.pop(number, None)
        if self._store is not None and found and "scores" in done.tables:
            values = done.tables["scores"].column("values").combine_chunks()
            self._store.keep(found, [np.asarray(each.values, dtype=np.float32) for each in values])
        self.keeper.keep(self.name, plan.probe, plan.prompt_format["name"], number, done.tables)
        plan.left -= 1
        plan.done += len(task.items)
        if plan.served and not plan.left:
            self.progress.log(f"{plan.progress.stage}: {plan.served:,} tokens came from the cache")


def _found_elsewhere(opening: Mapping[str, Any]) -> dict[str, Any]:
    """What a name and a setting mean in this process, for one that stands in another folder."""
    path = Path(opening["found_by"]).expanduser()
    found_by = str(path.absolute()) if path.exists() else opening["found_by"]
    device = device_setting()[0] if opening["device"] == "auto" else opening["device"]
    return {"found_by": found_by, "device": device, "folder": None}
