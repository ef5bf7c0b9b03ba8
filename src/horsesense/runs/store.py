"""Where the answers of a run go: into a folder with its manifest, or into memory. Whoever asks alone writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from horsesense.core import Probe
from horsesense.core.item_file import ids_of
from horsesense.progress import Progress
from horsesense.runs.folder import is_kept, keep_probe
from horsesense.runs.manifest import Manifest, Part, content_of_ids, write_manifest
from horsesense.runs.models import Content, Settings
from horsesense.runs.shard_files import replies_path, shard_path, write_table


def stage_of(model: str, probe: str, prompt_format: str) -> str:
    """What a progress is told; the way only where it is not the usual one."""
    return f"{model} on {probe}" + ("" if prompt_format == "loglikelihood" else f" by {prompt_format}")


@dataclass(slots=True)
class PartProgress:
    """How far a part has come: the shards that are done, and what is computed of those that are under way."""

    progress: Progress
    stage: str
    total: int
    done: int = 0
    """Tokens of the shards that are done."""
    under_way: dict[int, int] = field(default_factory=dict)
    """Tokens that are computed of each shard that somebody is at, by its number."""

    def shard_done(self, tokens: int, number: int = -1) -> None:
        self.under_way.pop(number, None)
        self.done += tokens
        self.tell()

    def tell(self, note: str = "") -> None:
        self.progress.update(self.stage, self.done + sum(self.under_way.values()), self.total, "tokens", note)


@dataclass(slots=True)
class ShardProgress(Progress):
    """Watches the scoring of one shard, and tells how far the whole part has come."""

    part: PartProgress
    number: int

    def update(self, stage: str, done: int, total: int, unit: str = "", note: str = "") -> None:
        if unit == "tokens":
            self.part.under_way[self.number] = done
            self.part.tell(note)
        else:  # counted otherwise, such as replies
            self.part.progress.update(f"{self.part.stage}: {stage}", done, total, unit, note)

    def log(self, text: str) -> None:
        self.part.progress.log(text)


class Keeper:
    """What is kept of a run while it is asked; this one keeps it in memory."""

    keeps = False
    """Whether anything outlives the process."""

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self.answers: dict[tuple[str, str, str], list[Any]] = {}
        self.replies: dict[tuple[str, str, str], list[Any]] = {}
        """The tables of each part, one a shard."""
        self._contents: dict[str, str] = {}

    def opening(self, model: str, content: Content, settings: Settings) -> dict[str, Any]:
        """All that it takes to open a model anywhere."""
        return {
            "name": model,
            "found_by": settings.labels.get(model, model),
            "content": [content.weights, content.identity],
            "family": settings.family,
            "device": settings.device,
            "allow_pickle": settings.allow_pickle,
            "dtype": settings.spec.dtype,
            "dtype_reason": "",
            "spec": settings.spec.to_dict(),
            "prompt_formats": list(settings.prompt_formats),
            "threads": None,
        }

    def has_all(self, model: str, probe: str, prompt_formats: Sequence[str]) -> bool:
        """Whether a probe is answered already, in all ways that are wanted."""
        return False

    def is_whole(self, model: str, probe: str, prompt_format: str) -> bool:
        """Whether all shards of a part are there."""
        return False

    def size(self, model: str, probe: str, prompt_format: str) -> int | None:
        """Tokens a shard as they were decided before, 0 for the usual number; None where nobody has measured."""
        return 0

    def threads(self, here: int | None) -> int | None:
        """Threads that a model computes with which computes with so many by itself."""
        return here

    def content(self, name: str, probe: Probe) -> str:
        """The version of what is asked."""
        if name not in self._contents:
            self._contents[name] = content_of_ids(ids_of(probe.items))
        return self._contents[name]

    def begin(self, part: Part, probe: Probe) -> list[bool]:
        """A part is asked; which of its shards are there already."""
        self.parts.append(part.model_copy(update={"shard": 0}))
        return [False] * part.shards

    def keep(self, model: str, probe: str, prompt_format: str, number: int, tables: Mapping[str, Any]) -> None:
        """What a shard gave."""
        self.answers.setdefault((model, probe, prompt_format), []).append(tables["answers"])
        if "replies" in tables:
            self.replies.setdefault((model, probe, prompt_format), []).append(tables["replies"])


class FolderKeeper(Keeper):
    """Keeps a run in its folder: the manifest with its parts, the probes, each shard in a file of its own."""

    keeps = True

    def __init__(self, folder: Path, manifest: Manifest, progress: Progress) -> None:
        super().__init__()
        self.folder, self.manifest, self.progress = folder, manifest, progress
        self._places = {pair: place for place, pair in enumerate(manifest.wanted)}

    def opening(self, model: str, content: Content, settings: Settings) -> dict[str, Any]:
        """What an earlier call found out about its dtype holds for all that the folder keeps of it."""
        told = super().opening(model, content, settings) | {"folder": str(self.folder)}
        kept = next((part.model for part in self.manifest.parts if part.model.name == model), None)
        if settings.spec.dtype == "auto" and kept is not None:
            told |= {"dtype": kept.dtype, "dtype_reason": kept.dtype_reason}
        return told

    def has_all(self, model: str, probe: str, prompt_formats: Sequence[str]) -> bool:
        there = all_kept(self.manifest, self.folder, model, probe, prompt_formats)
        if there:
            self.progress.log(f"{model} on {probe}: all answers are kept already")
        return there

    def is_whole(self, model: str, probe: str, prompt_format: str) -> bool:
        part = self.manifest.part(model, probe, prompt_format)
        return part is not None and is_whole(self.folder, part)

    def size(self, model: str, probe: str, prompt_format: str) -> int | None:
        kept = [part for part in self.manifest.parts if (part.model.name, part.format) == (model, prompt_format)]
        begun = next((part for part in kept if part.probe.name == probe), kept[0] if kept else None)
        return None if begun is None else begun.shard

    def threads(self, here: int | None) -> int | None:
        if not self.manifest.parts and self.manifest.threads is None:
            self.manifest = self.manifest.model_copy(update={"threads": here})
        return self.manifest.threads if here else None

    def begin(self, part: Part, probe: Probe) -> list[bool]:
        model, name, prompt_format = part.model.name, part.probe.name, part.format
        kept = self.manifest.part(model, name, prompt_format)
        if kept is None:
            if all(each.probe.name != name for each in self.manifest.parts):
                keep_probe(self.folder, name, probe)
            parts = sorted(self.manifest.with_part(part).parts, key=self._place)
            self.manifest = self.manifest.model_copy(update={"parts": tuple(parts)})
            write_manifest(self.folder, self.manifest)
        paths = [shard_path(self.folder, model, name, number, prompt_format) for number in range(part.shards)]
        there = [is_kept(self.folder, path) for path in paths]
        for path, whole in zip(paths, there, strict=True):
            if not whole and path.is_file():
                self.progress.log(f"{path}: damaged, so it is computed again")
        return there

    def _place(self, part: Part) -> int:
        """Parts stand in the order that they were wanted in, whichever was planned first; older ones stay before."""
        return self._places.get((part.model.name, part.probe.name), -1)

    def keep(self, model: str, probe: str, prompt_format: str, number: int, tables: Mapping[str, Any]) -> None:
        if "replies" in tables:  # first, so that no answer stands without what was said
            write_table(replies_path(self.folder, model, probe, number, prompt_format), tables["replies"])
        write_table(shard_path(self.folder, model, probe, number, prompt_format), tables["answers"])


def all_kept(manifest: Manifest, folder: Path, model: str, probe: str, prompt_formats: Sequence[str]) -> bool:
    """Whether a probe is answered in all ways that are wanted."""
    if list(prompt_formats) == ["auto"]:
        # What auto fell back to is known from what is kept; with several ways kept nobody can say which it would be.
        kept = [p for p in manifest.parts if (p.model.name, p.probe.name) == (model, probe)]
        prompt_formats = [p.format for p in kept if p.format == "loglikelihood"] or [p.format for p in kept][:1]
        if not prompt_formats:
            return False
    parts = [manifest.part(model, probe, prompt_format) for prompt_format in prompt_formats]
    return all(part is not None and is_whole(folder, part) for part in parts)


def is_whole(folder: Path, part: Part) -> bool:
    """Whether every shard is there as it was written; a damaged one is computed again."""
    paths = (shard_path(folder, part.model.name, part.probe.name, n, part.format) for n in range(part.shards))
    return all(is_kept(folder, path) for path in paths)
