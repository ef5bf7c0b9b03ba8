"""Store the answers of a control as a run: a cue, a majority or a fitted control can then be compared like a model."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import orjson

from horsesense.core import Answer, Probe, ScoringSpec
from horsesense.errors import UserError
from horsesense.runs.ask_models import Settings, content_of
from horsesense.runs.folder import locked, store_probe
from horsesense.runs.manifest import (
    Manifest,
    ModelRecord,
    Part,
    ProbeRecord,
    manifest_path,
    new_manifest,
    write_manifest,
)
from horsesense.runs.shard_files import shard_path, write_answers


def keep_control(
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
            raise UserError("the folder holds a run already", file=folder, fix="choose another folder")
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
        write_answers(shard_path(folder, name, probe_name, 0), name, probe_name, answers)
        write_manifest(folder, manifest)
    return manifest
