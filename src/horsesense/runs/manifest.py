"""The manifest of a run: all it takes to say what was asked, of whom, how, and to ask again."""

from __future__ import annotations

import hashlib
import platform
import re
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from horsesense import __version__
from horsesense.data import FieldProblem, check_json, read_text
from horsesense.data.checksums import check_sum, summed
from horsesense.errors import UserError, argument

FORMAT = 3
"""Version of the layout of a run folder; a folder of another version is refused."""
LOG = "log"
"""The kind of a model that is known only as another tool's log tells of it."""
_LIBRARIES = ("torch", "transformers", "tokenizers", "numpy", "pyarrow")


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ModelRecord(_Record):
    """Who was asked."""

    name: str
    """What results call it."""
    found_by: str = ""
    """The name of its weights, where results call it by a label."""
    family: str
    architecture: str
    direction: str
    parameters: int
    window: int
    weights: str
    """SHA-256 of the weight files; of a server, over what is reported."""
    identity: str = ""
    """SHA-256 over weights, config and tokenizer; empty where there are only weights."""
    revision: str
    dtype: str
    dtype_reason: str = ""
    """Why this one; under ``auto``, what the sample showed."""
    frame: str
    """The special tokens around each text, and why these."""
    kind: str = "weights"
    """How it is known which model it is: ``weights``, ``memory``, ``server``, ``control`` or ``log``."""
    reported: dict[str, Any] = {}
    """Of a server: its address, the model's name there, what it says of itself and how it was tried. Of a log: what it
    says of the model and of who asked."""


class ProbeRecord(_Record):
    """What was asked."""

    name: str
    items: int
    """Items asked, after --limit."""
    of: int
    """Items in the probe."""
    content: str
    """SHA-256 over the ids of the items asked."""


class Part(_Record):
    """One model asked one probe in one way."""

    model: ModelRecord
    probe: ProbeRecord
    shards: int
    """Answer files when it is complete."""
    format: str = "loglikelihood"
    """Prompt format: ``loglikelihood``, ``pmi``, ``letters`` or ``generate``."""
    asked: str = ""
    """The same in words: template, examples, orders, what was fallen back from."""
    shard: int = 0
    """Tokens an answer file, about, as its rate was measured when it began; 0: as the manifest says."""


class Manifest(_Record):
    """What a run folder holds."""

    format: int = FORMAT
    horsesense: str
    versions: dict[str, str]
    machine: dict[str, str | int]
    created: str
    spec: dict[str, Any]
    budget: int
    """Tokens a batch."""
    shard: int
    """Tokens an answer file, about."""
    limit: int | None
    seed: int
    threads: int | None = None
    """Threads of the processor that computed it, which a resume keeps to: last bits depend on them. None: not known, or
    computed elsewhere."""
    parts: tuple[Part, ...] = ()
    wanted: tuple[tuple[str, str], ...] = ()
    """Model and probe of everything that was requested; what has no part was not reached."""
    of_profile: bool = False
    """Whether the run belongs to a profile, which alone may add to it."""

    @property
    def not_begun(self) -> list[tuple[str, str]]:
        begun = {(part.model.name, part.probe.name) for part in self.parts}
        return [each for each in self.wanted if each not in begun]

    def part(self, model: str, probe: str, prompt_format: str = "loglikelihood") -> Part | None:
        return next(
            (p for p in self.parts if (p.model.name, p.probe.name, p.format) == (model, probe, prompt_format)), None
        )

    def with_part(self, part: Part) -> Manifest:
        return self.model_copy(update={"parts": (*self.parts, part)})


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
    """Of the libraries that are there: the core does without torch."""
    versions = {}
    for name in _LIBRARIES:
        with suppress(metadata.PackageNotFoundError):
            versions[name] = metadata.version(name)
    return versions


def _machine() -> dict[str, str | int]:
    import os

    return {"system": platform.system(), "processor": platform.machine(), "cores": os.cpu_count() or 0}


def content_of_ids(ids: Iterable[str]) -> str:
    """SHA-256 over ids, whatever their order."""
    return hashlib.sha256("\n".join(sorted(ids)).encode()).hexdigest()


def manifest_path(folder: Path) -> Path:
    return folder / "manifest.json"


def write_manifest(folder: Path, manifest: Manifest) -> None:
    with summed(folder, manifest_path(folder)) as temporary:
        temporary.write_text(manifest.model_dump_json(indent=2) + "\n", encoding="utf-8")


def read_manifest(folder: Path) -> Manifest:
    path = manifest_path(folder)
    if not path.is_file():
        beneath = folder / "answers"
        fix = f"a profile's answers are a run: {beneath}" if manifest_path(beneath).is_file() else "check the path"
        raise UserError("this is not a run folder (it has no manifest.json)", file=folder, fix=fix)
    check_sum(folder, path, "get a copy of the folder that is whole")
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
        return UserError(f"the manifest is damaged ({problem.where or 'the file'}: {problem.message})", file=path)

    return check_json(Manifest, text, damaged, strict=False)


_USED_AGAIN = " (what was computed for this one is used again)"


def check_agreement(kept: Manifest, wanted: Manifest, folder: Path) -> None:
    """A run folder holds one way of asking; a call that asks in another way gets another folder."""
    for name in ("spec", "budget", "shard", "limit", "seed"):
        before, now = getattr(kept, name), getattr(wanted, name)
        if before == now:
            continue
        if name == "spec":
            field = next(key for key in now | before if before.get(key) != now.get(key))
            name, before, now = f"spec.{field}", before.get(field), now.get(field)
        raise UserError(
            f"the folder holds a run with {name} {before!r}, and this call asks for {now!r}",
            file=folder,
            fix=f"choose another {argument('out')}{_USED_AGAIN if name == 'limit' else ''}, or give the same settings",
        )
