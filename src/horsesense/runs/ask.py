"""Asking models probes and keeping the answers; what is kept already is not asked again."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

from horsesense.errors import UserError, argument
from horsesense.models.local.borrowed import hash_of_weights
from horsesense.models.local.device import threads_of, with_threads
from horsesense.models.local.language_model import LanguageModel
from horsesense.models.local.load import load_model
from horsesense.models.locating import identify, plugged, plugin_of
from horsesense.records import Answer, Item, Probe, ScoringSpec
from horsesense.runs.cache import ScoreCache
from horsesense.runs.folder import is_kept, keep_probe, locked, shard_path, write_answers
from horsesense.runs.manifest import (
    Manifest,
    ModelRecord,
    Part,
    ProbeRecord,
    check_agreement,
    manifest_path,
    new_manifest,
    read_manifest,
    write_manifest,
)
from horsesense.runs.results import Answered
from horsesense.runs.shards import SHARD_TOKENS, cost, cut, draw
from horsesense.scoring.batches import DEFAULT_BUDGET, Values, score_questions
from horsesense.scoring.options import Prepared, answer_of, prepare
from horsesense.scoring.precision import load_by_margins
from horsesense.scoring.questions import framer_of
from horsesense.watching import UNWATCHED, Watcher

_ANOTHER = f"choose another {argument('out')}"


@dataclass(frozen=True, slots=True)
class Settings:
    """How a run asks."""

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
    """What a model is called where it is not its name, and the name that it is found by."""


def ask_models(
    models: Sequence[str | LanguageModel],
    probes: Mapping[str, Probe],
    folder: Path,
    settings: Settings,
    watcher: Watcher = UNWATCHED,
) -> Manifest:
    """Ask each model, by name or loaded already, each probe; the folder's manifest at the end.

    A killed run goes on where it stopped, and ends with the same bytes: the plan depends only on
    items, spec and budget, and a shard is computed whole or not at all.
    """
    drawn = {name: _drawn(name, probe, settings) for name, probe in probes.items()}
    with locked(folder):
        # All models are found before anything is kept: a mistyped name must not bind the folder.
        who = {_name(model): kept for model in models if (kept := _kept_identity(model, drawn, folder))}
        opened = [model if _name(model) in who else _opened(model) for model in models]
        known = [_with_weights(model) if isinstance(model, LanguageModel) else model for model in opened]
        who |= {_name(model): _who(model, settings, watcher) for model in known if _name(model) not in who}
        manifest = _manifest(folder, settings)
        for part in manifest.parts:
            _check_part(part, who, drawn, folder)
        for model in known:
            manifest = _ask_model(model, probes, drawn, folder, manifest, settings, watcher)
    return manifest


def ask_in_memory(
    models: Sequence[str | LanguageModel],
    probes: Mapping[str, Probe],
    settings: Settings,
    watcher: Watcher = UNWATCHED,
) -> list[Answered]:
    """Ask each model each probe and keep nothing: the same answers as `ask_models`, by the same shards."""
    drawn = {name: _drawn(name, probe, settings) for name, probe in probes.items()}
    answered = []
    for given in map(_opened, models):
        model: LanguageModel | None = given if isinstance(given, LanguageModel) else None
        for name, probe in drawn.items():
            if model is None:
                assert isinstance(given, str)
                model = _loaded(given, (), probe, settings)
            shards = cut(prepare(model, probe.items, settings.spec), settings.shard, _one_row_a_token(model))
            costs = [sum(cost(prepared, _one_row_a_token(model)) for prepared in shard) for shard in shards]
            progress = _PartProgress(watcher, f"{model.name} on {name}", sum(costs))
            by_item: dict[str, Answer] = {}
            for shard, tokens in zip(shards, costs, strict=True):
                by_item |= {answer.item: answer for answer in _answers(model, shard, settings, None, progress)}
                progress.shard_done(tokens)
            part = _part(model, name, probe, len(probes[name].items), len(shards), settings)
            answered.append(Answered(part, probe, settings.spec, [by_item[item.id] for item in probe.items]))
    return answered


def _opened(model: str | LanguageModel) -> str | LanguageModel:
    """A plug-in's model is loaded at once: nobody else can tell which weights its name means."""
    return (plugged(model) or model) if isinstance(model, str) else model


def _kept_identity(model: str | LanguageModel, drawn: Mapping[str, Probe], folder: Path) -> tuple[str, str] | None:
    """Who a plug-in's model is that need not be loaded: all its answers are kept, by the same package."""
    plugin = plugin_of(model) if isinstance(model, str) else None
    if plugin is None or not manifest_path(folder).is_file():
        return None
    parts = (read_manifest(folder).part(_name(model), probe) for probe in drawn)
    kept = [part.model for part in parts if part and _all_kept(folder, part)]
    same = all(each.revision == plugin.origin or each.revision.endswith(f"({plugin.origin})") for each in kept)
    return (kept[0].weights, kept[0].identity) if same and len(kept) == len(drawn) else None


def _name(model: str | LanguageModel) -> str:
    return model if isinstance(model, str) else model.name


def _who(model: str | LanguageModel, settings: Settings, watcher: Watcher) -> tuple[str, str]:
    """The weights, and the whole identity where it is known."""
    if isinstance(model, LanguageModel):
        return model.weights, model.identity
    name = settings.labels.get(model, model)
    found = identify(name, allow_pickle=settings.allow_pickle, watcher=watcher)
    return found.weights, found.whole


def _with_weights(model: LanguageModel) -> LanguageModel:
    """What a folder keeps is of weights that have a name; those of a network in memory are hashed for it."""
    return replace(model, weights=hash_of_weights(model.network)) if model.borrowed else model


def _drawn(name: str, probe: Probe, settings: Settings) -> Probe:
    if settings.limit is not None and settings.limit < 1:
        raise UserError(f"{argument('limit')} {settings.limit} leaves nothing to ask", fix="use 1 or more")
    items = draw(probe.items, settings.limit, settings.seed)
    if not items:
        raise UserError(f"the probe {name} is empty", fix="give one with items")
    return replace(probe, items=items)


def _manifest(folder: Path, settings: Settings) -> Manifest:
    wanted = new_manifest(settings.spec.to_dict(), settings.budget, settings.shard, settings.limit, settings.seed)
    if manifest_path(folder).is_file():
        kept = read_manifest(folder)
        if kept.parts:
            check_agreement(kept, wanted, folder)
            return kept
    if any((folder / "answers").glob("*.parquet")):
        raise UserError("the folder has answers that no manifest knows", file=folder, fix=_ANOTHER)
    return wanted  # kept with the first part: a model that is refused must leave nothing behind


def content_of(items: Sequence[Item]) -> str:
    """SHA-256 over the ids of items, whatever their order: the version of what was asked."""
    return hashlib.sha256("\n".join(sorted(item.id for item in items)).encode()).hexdigest()


def _ask_model(
    asked: str | LanguageModel,
    probes: Mapping[str, Probe],
    drawn: Mapping[str, Probe],
    folder: Path,
    manifest: Manifest,
    settings: Settings,
    watcher: Watcher,
) -> Manifest:
    name = _name(asked)
    model = asked if isinstance(asked, LanguageModel) else None
    for probe_name, probe in drawn.items():
        part = manifest.part(name, probe_name)
        if part is not None and _all_kept(folder, part):
            watcher.say(f"{name} on {probe_name}: all answers are kept already")
            continue
        if model is None:
            model = _loaded(name, manifest.parts, probe, settings)
            frame = framer_of(model, settings.spec).frame.in_words
            watcher.say(f"{name}: {model.family}, {', '.join(model.notes)}, begins with {frame}")
        if not manifest.parts and manifest.threads is None:
            manifest = manifest.model_copy(update={"threads": threads_of(model.device)})
        shards = cut(prepare(model, probe.items, settings.spec), settings.shard, _one_row_a_token(model))
        if part is None:
            part = _part(model, probe_name, probe, len(probes[probe_name].items), len(shards), settings)
            if all(kept.probe.name != probe_name for kept in manifest.parts):
                keep_probe(folder, probe_name, probe)
            manifest = manifest.with_part(part)
            write_manifest(folder, manifest)
        with with_threads(manifest.threads if threads_of(model.device) else None):
            _ask_shards(model, part, shards, folder, settings, watcher)
    return manifest


def _all_kept(folder: Path, part: Part) -> bool:
    return all(is_kept(folder, shard_path(folder, part.model.name, part.probe.name, n)) for n in range(part.shards))


def _part(model: LanguageModel, name: str, probe: Probe, of: int, shards: int, settings: Settings) -> Part:
    frame = framer_of(model, settings.spec).frame.in_words
    record = ModelRecord(**model.describe(), found_by=settings.labels.get(model.name, ""), frame=frame)
    asked = ProbeRecord(name=name, items=len(probe.items), of=of, content=content_of(probe.items))
    return Part(model=record, probe=asked, shards=shards)


def _loaded(name: str, kept: Sequence[Part], probe: Probe, settings: Settings) -> LanguageModel:
    """The model; what an earlier call found out about its dtype holds for all that the folder keeps of it."""

    def load(dtype: str) -> LanguageModel:
        found_by = settings.labels.get(name, name)
        model = load_model(
            found_by, family=settings.family, device=settings.device, dtype=dtype, allow_pickle=settings.allow_pickle
        )
        return replace(model, name=name)

    if settings.spec.dtype != "auto":
        return load(settings.spec.dtype)
    for part in kept:
        if part.model.name == name:
            return replace(load(part.model.dtype), dtype_reason=part.model.dtype_reason)
    return load_by_margins(load, probe.items, settings.spec)


def _check_part(part: Part, who: Mapping[str, tuple[str, str]], drawn: Mapping[str, Probe], folder: Path) -> None:
    """What the folder keeps holds for all that is asked in it: one version of a model, one of a probe, kept once."""
    model, probe = part.model, part.probe
    weights, identity = who.get(model.name, (model.weights, model.identity))
    if weights != model.weights:
        raise UserError(f"the folder holds answers of {model.name} with other weights", file=folder, fix=_ANOTHER)
    if identity and model.identity and identity != model.identity:
        told = f"the folder holds answers of {model.name} with another config or tokenizer"
        raise UserError(told, file=folder, fix=_ANOTHER)
    if probe.name in drawn and content_of(drawn[probe.name].items) != probe.content:
        raise UserError(f"the folder holds answers to another version of {probe.name}", file=folder, fix=_ANOTHER)


def _one_row_a_token(model: LanguageModel) -> bool:
    return model.family.head == "tokens" and not model.family.asks_what_follows


def _ask_shards(
    model: LanguageModel,
    part: Part,
    shards: Sequence[Sequence[Prepared]],
    folder: Path,
    settings: Settings,
    watcher: Watcher,
) -> None:
    paths = [shard_path(folder, part.model.name, part.probe.name, number) for number in range(len(shards))]
    costs = [sum(cost(prepared, _one_row_a_token(model)) for prepared in shard) for shard in shards]
    there = [is_kept(folder, path) for path in paths]
    for path, whole in zip(paths, there, strict=True):
        if not whole and path.is_file():
            watcher.say(f"{path}: damaged, so it is computed again")
    kept = sum(tokens for tokens, whole in zip(costs, there, strict=True) if whole)
    progress = _PartProgress(watcher, f"{part.model.name} on {part.probe.name}", sum(costs))
    already = f", {kept:,} of them kept already" if kept else ""
    watcher.say(f"{progress.stage}: {progress.total:,} tokens to compute{already}")
    progress.shard_done(kept)
    with ScoreCache(model, settings.spec, settings.budget) if settings.cache else nullcontext() as cache:
        for shard, path, tokens, whole in zip(shards, paths, costs, there, strict=True):
            if whole:
                continue
            answers = _answers(model, shard, settings, cache, progress)
            progress.shard_done(tokens)  # what was the same text was computed once, what was cached never
            write_answers(path, part.model.name, part.probe.name, answers)


@dataclass(slots=True)
class _PartProgress(Watcher):
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
        self.watcher.at(self.stage, self.done + done, self.total, unit, note)

    def say(self, text: str) -> None:
        self.watcher.say(text)


def _answers(
    model: LanguageModel,
    shard: Sequence[Prepared],
    settings: Settings,
    cache: ScoreCache | None,
    progress: _PartProgress,
) -> list[Answer]:
    framed = [question for prepared in shard for question in prepared.questions]
    questions = [each.question for each in framed]
    scored: list[Values] | None = cache.find(questions) if cache else None
    if scored is None:
        scored = score_questions(model, framed, settings.spec, settings.budget, progress)
        if cache:
            cache.keep(questions, scored)
    values = iter(scored)
    return [answer_of(model, prepared, [next(values) for _ in prepared.questions]) for prepared in shard]
