"""Where the answers of a run go: into a folder with its manifest, or into memory. Only the driver process writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from horsesense.core import Probe
from horsesense.core.item_file import ids_of
from horsesense.progress import Progress
from horsesense.runs.folder import is_intact, store_probe
from horsesense.runs.manifest import Manifest, Part, content_of_ids, write_manifest
from horsesense.runs.shard_files import replies_path, shard_path, write_table


def stage_of(model: str, probe: str, prompt_format: str) -> str:
    """Name a part in progress messages; the prompt format only where it is not the usual one."""
    return f"{model} on {probe}" + ("" if prompt_format == "loglikelihood" else f" by {prompt_format}")


@dataclass(slots=True)
class PartProgress:
    """Progress of a part: finished shards, and the computed tokens of those in progress."""

    progress: Progress
    stage: str
    total: int
    done: int = 0
    """Tokens of the finished shards."""
    in_progress: dict[int, int] = field(default_factory=dict)
    """Shard → tokens computed so far."""

    def shard_done(self, tokens: int, shard: int = -1) -> None:
        self.in_progress.pop(shard, None)
        self.done += tokens
        self.report()

    def report(self, note: str = "") -> None:
        self.progress.update(self.stage, self.done + sum(self.in_progress.values()), self.total, "tokens", note)


@dataclass(slots=True)
class ShardProgress(Progress):
    """Progress callback of one shard, reported as progress of its part."""

    part: PartProgress
    shard: int

    def update(self, stage: str, done: int, total: int, unit: str = "", note: str = "") -> None:
        if unit == "tokens":
            self.part.in_progress[self.shard] = done
            self.part.report(note)
        else:  # another unit, such as replies
            self.part.progress.update(f"{self.part.stage}: {stage}", done, total, unit, note)

    def log(self, text: str) -> None:
        self.part.progress.log(text)


class RunStore:
    """Holds a run in memory while it is computed."""

    persistent = False
    """Whether anything outlives the process."""
    folder: Path | None = None

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self.answers: dict[tuple[str, str, str], list[Any]] = {}
        """Tables of each part, one per shard."""
        self.replies: dict[tuple[str, str, str], list[Any]] = {}
        self._contents: dict[str, str] = {}

    def dtype(self, model: str, dtype: str) -> tuple[str, str]:
        """Return the dtype to load a model in, and the reason where it was decided before."""
        return dtype, ""

    def has_all(self, model: str, probe: str, formats: Sequence[str]) -> bool:
        """Whether a probe is answered already, in all requested prompt formats."""
        return False

    def is_whole(self, model: str, probe: str, prompt_format: str) -> bool:
        """Whether all shards of a part are stored."""
        return False

    def size(self, model: str, probe: str, prompt_format: str) -> int | None:
        """Return the tokens per shard as decided before, 0 for the usual number; None where it is not decided."""
        return 0

    def threads(self, default: int | None) -> int | None:
        """Return the threads that a model computes with, given those it would use by itself."""
        return default

    def content(self, name: str, probe: Probe) -> str:
        """Return the hash of what is asked."""
        if name not in self._contents:
            self._contents[name] = content_of_ids(ids_of(probe.items))
        return self._contents[name]

    def begin(self, part: Part, probe: Probe) -> list[bool]:
        """Register a part and return which of its shards are stored already."""
        self.parts.append(part.model_copy(update={"shard": 0}))
        return [False] * part.shards

    def write(self, model: str, probe: str, prompt_format: str, shard: int, tables: Mapping[str, Any]) -> None:
        """Store the result of a shard."""
        self.answers.setdefault((model, probe, prompt_format), []).append(tables["answers"])
        if "replies" in tables:
            self.replies.setdefault((model, probe, prompt_format), []).append(tables["replies"])


class FolderRunStore(RunStore):
    """Stores a run in its folder: manifest, probes, one file per shard."""

    persistent = True
    folder: Path

    def __init__(self, folder: Path, manifest: Manifest, progress: Progress) -> None:
        super().__init__()
        self.folder, self.manifest, self.progress = folder, manifest, progress
        self._order = {pair: i for i, pair in enumerate(manifest.wanted)}

    def dtype(self, model: str, dtype: str) -> tuple[str, str]:
        """Under ``auto``, what an earlier call decided holds for the whole folder."""
        record = next((part.model for part in self.manifest.parts if part.model.name == model), None)
        return (record.dtype, record.dtype_reason) if dtype == "auto" and record is not None else (dtype, "")

    def has_all(self, model: str, probe: str, formats: Sequence[str]) -> bool:
        stored = has_all_answers(self.manifest, self.folder, model, probe, formats)
        if stored:
            self.progress.log(f"{model} on {probe}: all answers are stored already")
        return stored

    def is_whole(self, model: str, probe: str, prompt_format: str) -> bool:
        part = self.manifest.part(model, probe, prompt_format)
        return part is not None and is_whole(self.folder, part)

    def size(self, model: str, probe: str, prompt_format: str) -> int | None:
        parts = [part for part in self.manifest.parts if (part.model.name, part.format) == (model, prompt_format)]
        begun = next((part for part in parts if part.probe.name == probe), parts[0] if parts else None)
        return None if begun is None else begun.shard

    def threads(self, default: int | None) -> int | None:
        if not self.manifest.parts and self.manifest.threads is None:
            self.manifest = self.manifest.model_copy(update={"threads": default})
        return self.manifest.threads if default else None

    def begin(self, part: Part, probe: Probe) -> list[bool]:
        model, name, prompt_format = part.model.name, part.probe.name, part.format
        if self.manifest.part(model, name, prompt_format) is None:
            if all(each.probe.name != name for each in self.manifest.parts):
                store_probe(self.folder, name, probe)
            # Parts are in the order of the request, whichever was planned first; earlier ones stay before.
            parts = sorted(
                self.manifest.with_part(part).parts,
                key=lambda each: self._order.get((each.model.name, each.probe.name), -1),
            )
            self.manifest = self.manifest.model_copy(update={"parts": tuple(parts)})
            write_manifest(self.folder, self.manifest)
        paths = [shard_path(self.folder, model, name, shard, prompt_format) for shard in range(part.shards)]
        present = [is_intact(self.folder, path) for path in paths]
        for path, there in zip(paths, present, strict=True):
            if not there and path.is_file():
                self.progress.log(f"{path}: damaged, so it is computed again")
        return present

    def write(self, model: str, probe: str, prompt_format: str, shard: int, tables: Mapping[str, Any]) -> None:
        if "replies" in tables:  # first, so that no answer is stored without its replies
            write_table(replies_path(self.folder, model, probe, shard, prompt_format), tables["replies"])
        write_table(shard_path(self.folder, model, probe, shard, prompt_format), tables["answers"])


def has_all_answers(manifest: Manifest, folder: Path, model: str, probe: str, formats: Sequence[str]) -> bool:
    """Whether a probe is answered in all requested prompt formats."""
    if list(formats) == ["auto"]:
        # The stored format says what auto chose; with several stored formats, it would be loglikelihood or the first.
        stored = [p.format for p in manifest.parts if (p.model.name, p.probe.name) == (model, probe)]
        formats = [name for name in stored if name == "loglikelihood"] or stored[:1]
        if not formats:
            return False
    parts = [manifest.part(model, probe, prompt_format) for prompt_format in formats]
    return all(part is not None and is_whole(folder, part) for part in parts)


def is_whole(folder: Path, part: Part) -> bool:
    """Whether every shard is there as it was written; a damaged one is computed again."""
    paths = (shard_path(folder, part.model.name, part.probe.name, n, part.format) for n in range(part.shards))
    return all(is_intact(folder, path) for path in paths)
