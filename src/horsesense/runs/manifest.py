"""The manifest of a run: models, probes, settings and versions; enough to repeat it."""

from __future__ import annotations

import hashlib
import json
import platform
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from horsesense import __version__
from horsesense.data import FieldProblem, check_json, read_text
from horsesense.data.store import Store, check_same
from horsesense.errors import UserError

FORMAT = 3
"""Version of the layout of a run folder; a folder of another version is refused."""
LOG = "log"
"""The kind of a model that is only known from another tool's log."""
_LIBRARIES = ("torch", "transformers", "tokenizers", "numpy", "pyarrow")


@dataclass(frozen=True, kw_only=True)
class ModelRecord:
    """A model of the run."""

    name: str
    """Name in results."""
    found_by: str = ""
    """The name of its weights, where results use a label."""
    family: str
    architecture: str
    direction: str
    parameters: int
    window: int
    weights: str
    """SHA-256 of the weight files; for a server, of what it reports."""
    identity: str = ""
    """SHA-256 over weights, config and tokenizer; empty where there are only weights."""
    revision: str
    dtype: str
    dtype_reason: str = ""
    """Reason for the dtype; under ``auto``, what the sample showed."""
    frame: str
    """Special tokens around each text, and the reason for them."""
    chat_template: bool = False
    """Whether a local model has a chat template; ``asked`` of a part says whether it was used."""
    kind: str = "weights"
    """What its identity rests on: ``weights``, ``memory``, ``server``, ``control`` or ``log``."""
    reported: dict[str, Any] = field(default_factory=dict)
    """For a server: its address, the model's name there, what it reports and the outcome of the trial. For a log: what
    it says about the model and the tool."""


@dataclass(frozen=True, kw_only=True)
class ProbeRecord:
    """A probe of the run."""

    name: str
    items: int
    """Items drawn, after --limit."""
    of: int
    """Items in the probe."""
    content: str
    """SHA-256 over the ids of the items drawn."""


@dataclass(frozen=True, kw_only=True)
class Part:
    """One model on one probe in one prompt format."""

    model: ModelRecord
    probe: ProbeRecord
    shards: int
    """Number of answer files."""
    format: str = "loglikelihood"
    """Prompt format: ``loglikelihood``, ``pmi``, ``letters`` or ``generate``."""
    asked: str = ""
    """Template, examples, option orders, and the formats that ``auto`` skipped."""
    shard: int = 0
    """Approximate tokens per answer file, calibrated when the part began; 0: as in the manifest."""


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """Contents of a run folder."""

    format: int = FORMAT
    horsesense: str
    versions: dict[str, str]
    machine: dict[str, str | int]
    created: str
    spec: dict[str, Any]
    budget: int
    """Tokens per batch."""
    shard: int
    """Approximate tokens per answer file."""
    limit: int | None
    seed: int
    threads: int | None = None
    """CPU threads that it was computed with, which a resumed run keeps: last bits depend on them. None: not known, or
    not computed on a CPU here."""
    parts: tuple[Part, ...] = ()
    wanted: tuple[tuple[str, str], ...] = ()
    """Model and probe of everything that was requested; what has no part was not reached."""
    normalise: str = ""
    """Score normalisation that was requested last; empty: that of each probe's card, or of each item's form."""
    of_profile: bool = False
    """Whether the run belongs to a profile, which alone may add to it."""

    @property
    def not_begun(self) -> list[tuple[str, str]]:
        pairs = {(part.model.name, part.probe.name) for part in self.parts}
        return [each for each in self.wanted if each not in pairs]

    def part(self, model: str, probe: str, prompt_format: str = "loglikelihood") -> Part | None:
        return next(
            (p for p in self.parts if (p.model.name, p.probe.name, p.format) == (model, probe, prompt_format)), None
        )

    def with_part(self, part: Part) -> Manifest:
        return replace(self, parts=(*self.parts, part))


def new_manifest(spec: dict[str, Any], budget: int, shard: int, limit: int | None, seed: int) -> Manifest:
    return Manifest(
        horsesense=__version__,
        versions={"python": platform.python_version(), **library_versions()},
        machine=_machine(),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        spec=spec,
        budget=budget,
        shard=shard,
        limit=limit,
        seed=seed,
    )


def library_versions() -> dict[str, str]:
    """Return the versions of the installed libraries: the core works without torch."""
    versions = {}
    for name in _LIBRARIES:
        with suppress(metadata.PackageNotFoundError):
            versions[name] = metadata.version(name)
    return versions


def _machine() -> dict[str, str | int]:
    import os

    return {"system": platform.system(), "processor": platform.machine(), "cores": os.cpu_count() or 0}


def content_of_ids(ids: Iterable[str]) -> str:
    """Return the SHA-256 over ids, in any order."""
    return hashlib.sha256("\n".join(sorted(ids)).encode()).hexdigest()


def manifest_path(folder: Path) -> Path:
    return folder / "manifest.json"


def write_manifest(folder: Path, manifest: Manifest) -> None:
    Store(folder).write(manifest_path(folder), json.dumps(asdict(manifest), ensure_ascii=False, indent=2) + "\n")


def read_manifest(folder: Path) -> Manifest:
    path = manifest_path(folder)
    if not path.is_file():
        runs = sorted(str(each) for each in folder.glob("answers*") if manifest_path(each).is_file())
        fix = f"a profile's answers are in {' and '.join(runs)}" if runs else "check the path"
        raise UserError("this is not a run folder (it has no manifest.json)", file=folder, fix=fix)
    Store(folder).check(path, "get an undamaged copy of the folder")
    text = read_text(path)
    if (version := re.search(r'"format":\s*(\d+)', text)) and int(version[1]) != FORMAT:
        wrote = re.search(r'"horsesense":\s*"([^"]*)"', text)
        newer = int(version[1]) > FORMAT
        raise UserError(
            f"the run was written by {'a newer' if newer else 'an older'} horsesense ({wrote[1] if wrote else '?'})",
            file=path,
            fix="update this one" if newer else "run it again in a new folder",
        )

    def damaged(problem: FieldProblem) -> UserError:
        return UserError(f"the manifest is damaged ({problem.where or 'the file'} is {problem.kind})", file=path)

    return check_json(Manifest, text, damaged)


def check_agreement(stored: Manifest, request: Manifest, folder: Path) -> None:
    """Refuse a call whose settings differ from those of the folder."""
    before, now = (_settings_of(each) for each in (stored, request))
    check_same(folder, "a run", before, {**dict.fromkeys(before), **now}, reused=("limit",))


def _settings_of(manifest: Manifest) -> dict[str, Any]:
    spec = {f"spec.{name}": value for name, value in manifest.spec.items()}
    return spec | {name: getattr(manifest, name) for name in ("budget", "shard", "limit", "seed")}
