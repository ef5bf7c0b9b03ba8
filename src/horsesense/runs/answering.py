"""One part of a run, model, probe and way: its shards asked and kept, and how far it has come."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from horsesense.models.contract import Model
from horsesense.models.local.language_model import LanguageModel
from horsesense.records import Answer, Probe, Reply, ScoringSpec
from horsesense.runs.cache import ScoreCache
from horsesense.runs.folder import is_kept, replies_path, shard_path, write_answers
from horsesense.runs.manifest import Part
from horsesense.runs.opening import Settings
from horsesense.runs.replies import write_replies
from horsesense.runs.shards import SAMPLE, SERVED_SHARD, Asked, cut, fitting, ranks_of
from horsesense.scoring.ways.way import Call, Way
from horsesense.watching import UNWATCHED, Watcher


@dataclass(frozen=True, slots=True)
class Work:
    """What is asked of a model about a probe in one way, cut into shards."""

    model: Model
    way: Way
    spec: ScoringSpec
    """What a score means in this way."""
    shards: Sequence[Sequence[Asked]]
    size: int
    """Tokens a shard, about."""

    @property
    def costs(self) -> list[int]:
        return [sum(asked.cost for asked in shard) for shard in self.shards]


def work_of(model: Model, way: Way, probe: Probe, whole: Probe, settings: Settings, size: int) -> Work:
    """The work, which depends on items, spec and sizes alone; examples are drawn from the whole probe.

    ``size``: tokens a shard, about; 0 where the speed of the model decides.
    """
    spec = way.spec(settings.spec)
    made = way.prepare(model, probe.items, spec, whole.items)
    ranks = ranks_of(whole.items, settings.seed) if settings.nested else None
    size = size or _measured(model, way, made, settings)
    return Work(model, way, spec, cut(made, size, ranks), size)


def usual_size(model: Model, settings: Settings) -> int:
    return SERVED_SHARD if model.who.kind == "server" else settings.shard


def _measured(model: Model, way: Way, made: Sequence[Asked], settings: Settings) -> int:
    if not isinstance(model, LanguageModel):
        return usual_size(model, settings)
    call = Call(model, way.spec(settings.spec), settings.budget, UNWATCHED)
    sample = settings.budget if model.device.type == "cuda" else SAMPLE
    return fitting(made, settings.shard, lambda some: way.answer(some, call), sample)


def stage_of(model: str, probe: str, way: str) -> str:
    """What a watcher is told; the way only where it is not the usual one."""
    return f"{model} on {probe}" + ("" if way == "options" else f" by {way}")


def answer_in_memory(work: Work, name: str, settings: Settings, watcher: Watcher) -> tuple[list[Answer], list[Reply]]:
    """All shards, and nothing kept."""
    progress = PartProgress(watcher, stage_of(work.model.name, name, work.way.name), sum(work.costs))
    answers: list[Answer] = []
    replies: list[Reply] = []
    for shard, tokens in zip(work.shards, work.costs, strict=True):
        made, said = work.way.answer(shard, Call(work.model, work.spec, settings.budget, progress))
        answers += made
        replies += said
        progress.shard_done(tokens)
    return answers, replies


def answer_shards(work: Work, part: Part, folder: Path, settings: Settings, watcher: Watcher) -> None:
    """The shards that are not there yet, each written whole or not at all."""
    model, probe, way = part.model.name, part.probe.name, part.way
    paths = [shard_path(folder, model, probe, number, way) for number in range(len(work.shards))]
    costs = work.costs
    there = [is_kept(folder, path) for path in paths]
    for path, whole in zip(paths, there, strict=True):
        if not whole and path.is_file():
            watcher.say(f"{path}: damaged, so it is computed again")
    kept = sum(tokens for tokens, whole in zip(costs, there, strict=True) if whole)
    progress = PartProgress(watcher, stage_of(model, probe, way), sum(costs))
    already = f", {kept:,} of them kept already" if kept else ""
    watcher.say(f"{progress.stage}: {progress.total:,} tokens to compute{already}")
    progress.shard_done(kept)
    with _memory(work, settings) as memory:
        for number, (shard, path, tokens) in enumerate(zip(work.shards, paths, costs, strict=True)):
            if there[number]:
                continue
            try:
                call = Call(work.model, work.spec, settings.budget, progress, memory)
                answers, replies = work.way.answer(shard, call)
            except KeyboardInterrupt:
                kept = sum(len(done) for done, whole in zip(work.shards, there, strict=True) if whole)
                every = sum(len(each) for each in work.shards)
                watcher.say(
                    f"{progress.stage}: {kept:,} of {every:,} items are kept; the same command goes on from there"
                )
                raise
            progress.shard_done(tokens)  # what was the same text was computed once, what was cached never
            if replies:  # first, so that no answer stands without what was said
                write_replies(replies_path(folder, model, probe, number, way), replies)
            write_answers(path, model, probe, answers)
            there[number] = True


def _memory(work: Work, settings: Settings) -> Any:
    """Scores of other runs, for what is computed here; a server's replies are kept as they come."""
    if settings.cache and isinstance(work.model, LanguageModel):
        return ScoreCache(work.model, work.spec, settings.budget)
    return nullcontext()


@dataclass(slots=True)
class PartProgress(Watcher):
    """Watches the scoring of one shard after the other, and tells how far the whole part has come."""

    watcher: Watcher
    stage: str
    total: int
    done: int = 0
    """Tokens of the shards that are done."""

    def shard_done(self, tokens: int) -> None:
        self.done += tokens
        self.watcher.at(self.stage, self.done, self.total, "tokens")

    def at(self, stage: str, done: int, total: int, unit: str = "", note: str = "") -> None:
        if unit == "tokens":
            self.watcher.at(self.stage, self.done + done, self.total, unit, note)
        else:  # counted otherwise, such as replies
            self.watcher.at(f"{self.stage}: {stage}", done, total, unit, note)

    def say(self, text: str) -> None:
        self.watcher.say(text)
