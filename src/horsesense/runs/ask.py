"""Asking models probes and keeping the answers; what is kept already is not asked again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from horsesense.errors import UserError, argument
from horsesense.models.contract import Model
from horsesense.models.local.device import threads_of, with_threads
from horsesense.models.local.language_model import LanguageModel
from horsesense.models.locating import plugin_of
from horsesense.models.served import is_served
from horsesense.records import Item, Probe
from horsesense.runs.answering import answer_in_memory, answer_shards, stage_of, usual_size, work_of
from horsesense.runs.folder import is_kept, keep_probe, locked, shard_path
from horsesense.runs.manifest import (
    LOG,
    Manifest,
    ModelRecord,
    Part,
    ProbeRecord,
    check_agreement,
    content_of_ids,
    manifest_path,
    new_manifest,
    read_manifest,
    write_manifest,
)
from horsesense.runs.opening import (
    Content,
    Settings,
    check_repeatable,
    content_of_model,
    each_once,
    loaded,
    name_of,
    opened,
    with_weights,
)
from horsesense.runs.results import Answered
from horsesense.runs.shards import draw
from horsesense.scoring.ways.way import Way, ways_of
from horsesense.watching import UNWATCHED, Watcher

__all__ = ["Settings", "ask_in_memory", "ask_models", "content_of"]

_ANOTHER = f"choose another {argument('out')}"


@dataclass(frozen=True, slots=True)
class _Asked:
    """The probes of a call: whole, and what is asked of each."""

    whole: Mapping[str, Probe]
    drawn: Mapping[str, Probe]


def ask_models(
    models: Sequence[str | Model],
    probes: Mapping[str, Probe],
    folder: Path,
    settings: Settings,
    watcher: Watcher = UNWATCHED,
) -> Manifest:
    """Ask each model, by name or loaded already, each probe in each way; the folder's manifest at the end.

    A killed run goes on where it stopped, and ends with the same bytes: the plan depends only on
    items, spec and budget, and a shard is computed whole or not at all.
    """
    if manifest_path(folder).is_file() and (before := read_manifest(folder)).parts:
        settings = replace(settings, nested=before.nested)
    asked = _Asked(probes, {name: _drawn(name, probe, settings) for name, probe in probes.items()})
    with locked(folder):
        # All models are found before anything is kept: a mistyped name must not bind the folder.
        contents = {name_of(m): kept for m in models if (kept := _kept_content(m, asked, folder, settings))}
        known = with_weights([m if name_of(m) in contents else opened(m, settings, watcher) for m in models])
        contents |= {name_of(m): content_of_model(m, settings, watcher) for m in known if name_of(m) not in contents}
        known = each_once(known, contents, watcher)
        manifest = _manifest(folder, settings)
        for part in manifest.parts:
            _check_part(part, contents, asked.drawn, folder)
        wanted = [(name_of(model), probe) for model in known for probe in probes]
        manifest = manifest.model_copy(update={"wanted": tuple(dict.fromkeys((*manifest.wanted, *wanted)))})
        for model in known:
            manifest = _ask_model(model, asked, folder, manifest, settings, watcher)
    return manifest


def ask_in_memory(
    models: Sequence[str | Model],
    probes: Mapping[str, Probe],
    settings: Settings,
    watcher: Watcher = UNWATCHED,
) -> list[Answered]:
    """Ask each model each probe and keep nothing: the same answers as `ask_models`, by the same shards."""
    asked = _Asked(probes, {name: _drawn(name, probe, settings) for name, probe in probes.items()})
    answered = []
    for given in (opened(each, settings, watcher) for each in models):
        model: Model | None = None if isinstance(given, str) else given
        for name, probe in asked.drawn.items():
            if model is None:
                model = loaded(name_of(given), (), probe, settings)
            check_repeatable(model, settings.spec)
            with model.asking():
                for way, note in ways_of(model, settings.ways):
                    work = work_of(model, way, probe, probes[name], settings, usual_size(model, settings))
                    answers, replies = answer_in_memory(work, name, settings, watcher)
                    by_item = {answer.item: answer for answer in answers}
                    part = _part(model, way, note, name, probe, len(probes[name].items), len(work.shards), settings)
                    in_order = [by_item[item.id] for item in probe.items]
                    answered.append(Answered(part, probe, work.spec, in_order, tuple(replies)))
    return answered


def _drawn(name: str, probe: Probe, settings: Settings) -> Probe:
    if settings.limit is not None and settings.limit < 1:
        raise UserError(f"{argument('limit')} {settings.limit} leaves nothing to ask", fix="use 1 or more")
    items = draw(probe.items, settings.limit, settings.seed, settings.nested)
    if not items:
        raise UserError(f"the probe {name} is empty", fix="give one with items")
    return replace(probe, items=items)


def _manifest(folder: Path, settings: Settings) -> Manifest:
    wanted = new_manifest(settings.spec.to_dict(), settings.budget, settings.shard, settings.limit, settings.seed)
    if manifest_path(folder).is_file():
        kept = read_manifest(folder)
        if any(part.model.kind == LOG for part in kept.parts):
            raise UserError("the folder holds answers of a log, which nobody can ask on", file=folder, fix=_ANOTHER)
        if kept.parts:
            check_agreement(kept, wanted, folder)
            return kept
    if any((folder / "answers").glob("*.parquet")):
        raise UserError("the folder has answers that no manifest knows", file=folder, fix=_ANOTHER)
    return wanted  # kept with the first part: a model that is refused must leave nothing behind


def content_of(items: Sequence[Item]) -> str:
    """SHA-256 over the ids of items, whatever their order: the version of what was asked."""
    return content_of_ids(item.id for item in items)


def _ask_model(
    asked: str | Model, probes: _Asked, folder: Path, manifest: Manifest, settings: Settings, watcher: Watcher
) -> Manifest:
    """One model on all probes. Where all that is wanted is kept, it is not even loaded."""
    name = name_of(asked)
    model: Model | None = None if isinstance(asked, str) else asked
    for probe_name, probe in probes.drawn.items():
        if _all_kept(manifest, folder, name, probe_name, settings.ways):
            watcher.say(f"{name} on {probe_name}: all answers are kept already")
            continue
        if model is None:
            model = loaded(name, manifest.parts, probe, settings)
        if model is not asked:
            asked = model
            said = [str(model.describe()["family"]), *model.notes]
            watcher.say(f"{name}: {', '.join(said)}, begins with {model.frame_in_words(settings.spec)}")
        check_repeatable(model, settings.spec)
        with model.asking(folder):
            for way, note in ways_of(model, settings.ways):
                if note:
                    watcher.say(f"{name} is asked by {way.name} ({note})")
                manifest = _ask_way(model, way, note, probe_name, probes, folder, manifest, settings, watcher)
    return manifest


def _all_kept(manifest: Manifest, folder: Path, model: str, probe: str, ways: Sequence[str]) -> bool:
    if list(ways) == ["auto"]:
        # What auto fell back to is known from what is kept; with several ways kept nobody can say which it would be.
        kept = [p for p in manifest.parts if (p.model.name, p.probe.name) == (model, probe)]
        wanted = [p.way for p in kept if p.way == "options"] or [p.way for p in kept][:1]
        return bool(wanted) and all(_is_kept(manifest, folder, model, probe, way) for way in wanted)
    return all(_is_kept(manifest, folder, model, probe, way) for way in ways)


def _kept_content(model: str | Model, asked: _Asked, folder: Path, settings: Settings) -> Content | None:
    """Which model a server's or a plug-in's is, where all its answers are kept: it need not be opened for them."""
    if not isinstance(model, str) or not manifest_path(folder).is_file():
        return None
    found_by = settings.labels.get(model, model)
    plugin = None if is_served(found_by) else plugin_of(found_by)
    if plugin is None and not is_served(found_by):
        return None
    manifest = read_manifest(folder)
    if not all(_all_kept(manifest, folder, model, probe, settings.ways) for probe in asked.drawn):
        return None
    kept = [part.model for part in manifest.parts if part.model.name == model and part.probe.name in asked.drawn]
    origin = plugin.origin if plugin else ""
    same = all(each.revision == origin or each.revision.endswith(f"({origin})") for each in kept)
    return Content(kept[0].weights, kept[0].identity) if same else None


def _is_kept(manifest: Manifest, folder: Path, model: str, probe: str, way: str) -> bool:
    part = manifest.part(model, probe, way)
    return part is not None and _is_whole(folder, part)


def _is_whole(folder: Path, part: Part) -> bool:
    """Whether every shard is there as it was written; a damaged one is computed again."""
    paths = (shard_path(folder, part.model.name, part.probe.name, n, part.way) for n in range(part.shards))
    return all(is_kept(folder, path) for path in paths)


def _ask_way(
    model: Model,
    way: Way,
    note: str,
    probe_name: str,
    probes: _Asked,
    folder: Path,
    manifest: Manifest,
    settings: Settings,
    watcher: Watcher,
) -> Manifest:
    probe, whole = probes.drawn[probe_name], probes.whole[probe_name]
    part = manifest.part(model.name, probe_name, way.name)
    if part is not None and _is_whole(folder, part):
        watcher.say(f"{stage_of(model.name, probe_name, way.name)}: all answers are kept already")
        return manifest
    if not manifest.parts and manifest.threads is None:
        manifest = manifest.model_copy(update={"threads": _threads(model)})
    begun = part or next((p for p in manifest.parts if (p.model.name, p.way) == (model.name, way.name)), None)
    size = 0 if begun is None else begun.shard or usual_size(model, settings)
    work = work_of(model, way, probe, whole, settings, size)
    if part is None:
        part = _part(model, way, note, probe_name, probe, len(whole.items), len(work.shards), settings)
        part = part.model_copy(update={"shard": work.size})
        if all(kept.probe.name != probe_name for kept in manifest.parts):
            keep_probe(folder, probe_name, probe)
        manifest = manifest.with_part(part)
        write_manifest(folder, manifest)
    with with_threads(manifest.threads if _threads(model) else None):
        answer_shards(work, part, folder, settings, watcher)
    return manifest


def _threads(model: Model) -> int | None:
    """Threads of the processor that computes here; None where something else does."""
    return threads_of(model.device) if isinstance(model, LanguageModel) else None


def _part(model: Model, way: Way, note: str, name: str, probe: Probe, of: int, shards: int, settings: Settings) -> Part:
    identity = model.who
    record = ModelRecord(
        **model.describe(),
        found_by=settings.labels.get(model.name, ""),
        frame=model.frame_in_words(settings.spec),
        kind=identity.kind,
        reported=dict(identity.reported),
    )
    asked = ProbeRecord(name=name, items=len(probe.items), of=of, content=content_of(probe.items))
    told = "; ".join(each for each in (way.in_words(model, way.spec(settings.spec)), note) if each)
    return Part(model=record, probe=asked, shards=shards, way=way.name, asked=told)


def _check_part(part: Part, contents: Mapping[str, Content], drawn: Mapping[str, Probe], folder: Path) -> None:
    """What the folder keeps holds for all that is asked in it: one version of a model, one of a probe.

    A probe is held against the answers of every model: the folder keeps its items once.
    """
    model, probe = part.model, part.probe
    now = contents.get(model.name, Content(model.weights, model.identity))
    if now.weights != model.weights:
        other = "and its server reports another model now" if model.kind == "server" else "with other weights"
        raise UserError(f"the folder holds answers of {model.name} {other}", file=folder, fix=_ANOTHER)
    if now.identity and model.identity and now.identity != model.identity:
        told = f"the folder holds answers of {model.name} with another config or tokenizer"
        raise UserError(told, file=folder, fix=_ANOTHER)
    if probe.name in drawn and content_of(drawn[probe.name].items) != probe.content:
        raise UserError(f"the folder holds answers to another version of {probe.name}", file=folder, fix=_ANOTHER)
