"""Score models on probes and store the answers, those of a control too; stored answers are not computed again."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import orjson

from horsesense.core import Answer, Item, Probe, ScoringSpec
from horsesense.core.answer_columns import StoredAnswers, StoredReplies, table_of_answers
from horsesense.core.arrow import Shards
from horsesense.core.item_file import ids_of
from horsesense.data.store import Store, occupied
from horsesense.errors import UserError, argument
from horsesense.models.api.address import is_served
from horsesense.models.api.served_model import open_served
from horsesense.models.hf.language_model import LanguageModel
from horsesense.models.hf.trainable import hash_of_weights
from horsesense.models.locate import identify, plugin_model, plugin_of
from horsesense.models.protocol import Model
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.runs.engine import LOCAL, Engine
from horsesense.runs.job import RunJob
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
from horsesense.runs.probe_answers import ProbeAnswers
from horsesense.runs.shard_files import shard_path, write_table
from horsesense.runs.shards import draw
from horsesense.runs.store import (
    FolderRunStore,
    RunStore,
    check_free,
    has_all_answers,
    is_of_profile,
    locked,
    store_probe,
)
from horsesense.runs.tasks import Content, Settings
from horsesense.scoring.prompt_formats import get_prompt_format, ranks_of_formats


def ask_models(
    models: Sequence[str | Model],
    probes: Mapping[str, Probe],
    folder: Path,
    settings: Settings,
    progress: Progress = NO_PROGRESS,
    engine: Engine = LOCAL,
) -> Manifest:
    """Score each model, by name or loaded, on each probe in each prompt format; return the folder's manifest.

    A killed run resumes where it stopped, and ends with the same bytes: the plan depends only on items, spec and
    budget, and a shard is computed whole or not at all, wherever the engine runs it.
    """
    check_free(folder)
    drawn = {name: _draw_items(name, probe, settings) for name, probe in probes.items()}
    with locked(folder):
        # All models are located before anything is stored: a mistyped name must not bind the folder.
        contents = {name_of(m): content for m in models if (content := _stored_content(m, drawn, folder, settings))}
        known = hash_in_memory([m if name_of(m) in contents else open_if_served(m, settings, progress) for m in models])
        contents |= {name_of(m): content_of_model(m, settings, progress) for m in known if name_of(m) not in contents}
        known = deduplicate(known, contents, progress)
        manifest = _manifest(folder, settings)
        for part in manifest.parts:
            _check_part(part, contents, drawn, folder)
            if settings.model_type and part.model.name in contents and part.model.family != settings.model_type:
                raise occupied(folder, f"answers of {part.model.name} as a {part.model.family} model")
        pairs = [(name_of(model), probe) for model in known for probe in probes]
        manifest = replace(manifest, wanted=tuple(dict.fromkeys((*manifest.wanted, *pairs))))
        store = FolderRunStore(folder, manifest, settings.formats, progress)
        _carry_out(known, contents, drawn, probes, store, settings, progress, engine)
        Store(folder).sort()
    return store.manifest


def ask_in_memory(
    models: Sequence[str | Model],
    probes: Mapping[str, Probe],
    settings: Settings,
    progress: Progress = NO_PROGRESS,
    engine: Engine = LOCAL,
) -> list[ProbeAnswers]:
    """Score each model on each probe without storing anything: the same answers as `ask_models`, by the same shards."""
    drawn = {name: _draw_items(name, probe, settings) for name, probe in probes.items()}
    known = [open_if_served(each, settings, progress) for each in models]
    store = RunStore()
    contents = {
        name_of(m): content_of_model(m, settings, progress) if engine.remote and isinstance(m, str) else Content("")
        for m in known
    }
    _carry_out(known, contents, drawn, probes, store, settings, progress, engine)
    answered = []
    order = {(name_of(model), probe): index for index, (model, probe) in enumerate(product(known, probes))}
    ranks = ranks_of_formats(settings.formats)
    for part in sorted(store.parts, key=lambda part: (order[part.model.name, part.probe.name], ranks[part.format])):
        key = part.model.name, part.probe.name, part.format
        probe, tables = drawn[part.probe.name], store.answers.pop(key)
        row = {item: n for n, item in enumerate(item for table in tables for item in table.column("item").to_pylist())}
        answers = StoredAnswers.of_tables(tables, np.array([row[item] for item in ids_of(probe.items)]))
        replies = StoredReplies(Shards.of_tables(store.replies.pop(key, ())))
        spec = get_prompt_format(part.format).spec(settings.spec)
        answered.append(ProbeAnswers(part, probe, spec, answers, replies, settings.normalise))
    return answered


def _carry_out(
    models: Sequence[str | Model],
    contents: Mapping[str, Content],
    drawn: Mapping[str, Probe],
    whole: Mapping[str, Probe],
    store: RunStore,
    settings: Settings,
    progress: Progress,
    engine: Engine,
) -> None:
    """Run the jobs of all models on the engine; what had to be given up is an error at the end."""
    jobs = [
        RunJob(
            _by_name(model, settings) if engine.remote else model,
            contents[name_of(model)],
            drawn,
            whole,
            store,
            settings,
            progress,
            remote=engine.remote,
        )
        for model in models
    ]
    engine.carry_out(jobs, progress)
    lost = [each for job in jobs for each in job.lost]
    if lost:
        raise UserError(
            f"not everything could be run: {'; '.join(lost)}",
            fix="everything else is stored; the same command tries these again" if store.persistent else None,
        )


def _by_name(model: str | Model, settings: Settings) -> str | Model:
    """Return a model as another process finds it; requests to a server are sent from here."""
    if isinstance(model, str) or model.who.kind == "server":
        return model
    if plugin_of(settings.source(model.name)) is None:
        raise UserError(
            f"{model.name} is in the memory of this process, and workers load a model by its name",
            fix="save it and name the folder, or use the engine here",
        )
    return model.name


def _draw_items(name: str, probe: Probe, settings: Settings) -> Probe:
    if settings.limit is not None and settings.limit < 1:
        raise UserError(f"{argument('limit')} {settings.limit} leaves no items", fix="use 1 or more")
    items = draw(probe.items, settings.limit, settings.seed)
    if not items:
        raise UserError(f"the probe {name} is empty", fix="give one with items")
    return replace(probe, items=items)


def _manifest(folder: Path, settings: Settings) -> Manifest:
    requested = new_manifest(settings.spec.to_dict(), settings.budget, settings.shard, settings.limit, settings.seed)
    if manifest_path(folder).is_file():
        stored = read_manifest(folder)
        if any(part.model.kind == LOG for part in stored.parts):
            raise occupied(folder, "answers of a log, which cannot be continued")
        if stored.parts:
            check_agreement(stored, requested, folder)
            return _with_normalisation(folder, stored, settings)
    if any((folder / "answers").glob("*.parquet")):
        raise occupied(folder, "answers without a manifest")
    requested = replace(requested, normalise=settings.normalise or "", of_profile=is_of_profile(folder))
    return requested  # written with the first part: a model that is refused must leave nothing behind


def _with_normalisation(folder: Path, stored: Manifest, settings: Settings) -> Manifest:
    """Store another normalisation that is requested: it changes no answer."""
    if settings.normalise in (None, stored.normalise):
        return stored
    stored = replace(stored, normalise=settings.normalise or "")
    write_manifest(folder, stored)
    return stored


def content_of(items: Sequence[Item]) -> str:
    """Return the SHA-256 over the ids of items, in any order: the version of a probe."""
    return content_of_ids(ids_of(items))


def _stored_content(model: str | Model, probes: Collection[str], folder: Path, settings: Settings) -> Content | None:
    """Return the identity of a served or plug-in model whose answers are all stored: it need not be opened."""
    if not isinstance(model, str) or not manifest_path(folder).is_file():
        return None
    found_by = settings.source(model)
    plugin = None if is_served(found_by) else plugin_of(found_by)
    if plugin is None and not is_served(found_by):
        return None
    manifest = read_manifest(folder)
    if not all(has_all_answers(manifest, folder, model, probe, settings.formats) for probe in probes):
        return None
    records = [part.model for part in manifest.parts if part.model.name == model and part.probe.name in probes]
    origin = plugin.origin if plugin else ""
    same = all(each.revision == origin or each.revision.endswith(f"({origin})") for each in records)
    return Content(records[0].weights, records[0].identity) if same else None


def _check_part(part: Part, contents: Mapping[str, Content], drawn: Mapping[str, Probe], folder: Path) -> None:
    """Check that the folder holds one version of each model and probe.

    A probe is checked against the answers of every model: the folder stores its items once.
    """
    model, probe = part.model, part.probe
    now = contents.get(model.name, Content(model.weights, model.identity))
    if now.weights != model.weights:
        other = "and its server reports another model now" if model.kind == "server" else "with other weights"
        raise occupied(folder, f"answers of {model.name} {other}")
    if now.identity and model.identity and now.identity != model.identity:
        raise occupied(folder, f"answers of {model.name} with another config or tokenizer")
    if probe.name in drawn and content_of(drawn[probe.name].items) != probe.content:
        raise occupied(folder, f"answers to another version of {probe.name}")


def open_if_served(model: str | Model, settings: Settings, progress: Progress) -> str | Model:
    """Open a served or plug-in model at once: only it knows which model its name means."""
    if not isinstance(model, str):
        return model
    found_by = settings.source(model)
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
    name = settings.source(model)
    identity = identify(name, allow_pickle=settings.allow_pickle, progress=progress)
    return Content(identity.weights, identity.whole)


def store_control(
    folder: Path,
    name: str,
    method: str,
    probe_name: str,
    probe: Probe,
    answers: Sequence[Answer],
    seed: int = 0,
    family: str = "control",
) -> Manifest:
    """Write the answers of a control as a new run folder.

    ``method`` describes how it answers, in place of a model's special tokens. The weight hash is that of the answers,
    since a control has no weights. ``family`` is another one for a model whose weights were not stored, such as one of
    many training-set sizes of an inoculation.
    """
    answered = {answer.item for answer in answers}
    missing = [item.id for item in probe.items if item.id not in answered]
    if missing:
        raise UserError(f"the control has no answer to {len(missing)} items ({missing[0]} …)")
    with locked(folder):
        if manifest_path(folder).is_file():
            raise occupied(folder, "a run")
        spec, usual = ScoringSpec(), Settings()
        content = orjson.dumps([(answer.item, answer.scores) for answer in answers])
        part = Part(
            model=ModelRecord(
                name=name,
                family=family,
                architecture="none",
                direction="none",
                parameters=0,
                window=0,
                weights=hashlib.sha256(content).hexdigest(),
                revision="",
                dtype="float64",
                frame=method,
                kind="control",
            ),
            probe=ProbeRecord(
                name=probe_name, items=len(probe.items), of=len(probe.items), content=content_of(probe.items)
            ),
            shards=1,
        )
        manifest = new_manifest(spec.to_dict(), usual.budget, usual.shard, None, seed).with_part(part)
        store_probe(folder, probe_name, probe)
        write_table(shard_path(folder, name, probe_name, 0), table_of_answers(name, probe_name, answers))
        write_manifest(folder, manifest)
    return manifest
