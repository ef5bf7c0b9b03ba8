"""A command that asks the same again."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from horsesense.records import ScoringSpec
from horsesense.runs.manifest import Manifest
from horsesense.scoring.normalise import Normalisation


def repeat_command(manifest: Manifest, how: Normalisation | None = None) -> str:
    """The command behind a manifest, and behind a page under a normalisation that was asked for."""
    words = ["horsesense", "run"]
    for flag, names in (
        ("-m", dict.fromkeys(part.model.name for part in manifest.parts)),
        ("-p", dict.fromkeys(part.probe.name for part in manifest.parts)),
    ):
        for name in names:
            words += [flag, name if flag == "-m" or name == "starter" else f"{name}.jsonl"]
    if manifest.limit is not None:
        words += ["--limit", str(manifest.limit), "--seed", str(manifest.seed)]
    words += ["--budget", str(manifest.budget)]
    settings = _changed_settings(manifest)
    if settings:
        words += ["--spec", ",".join(settings)]
    words += ["--normalise", how] if how else []
    return shlex.join(words)


def _changed_settings(manifest: Manifest) -> Sequence[str]:
    usual = ScoringSpec().to_dict()
    changed = {name: value for name, value in manifest.spec.items() if value != usual.get(name)}
    return [f"{name}={str(value).lower() if isinstance(value, bool) else value}" for name, value in changed.items()]
