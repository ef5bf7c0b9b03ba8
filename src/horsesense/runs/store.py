"""A run's folder and what is stored in it: its lock, manifest, probes and answers; or the same in memory."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from horsesense.core import Probe, card_path, read_probe, write_probe
from horsesense.core.card import read_card
from horsesense.core.item_file import MANY, StoredItems, ids_of
from horsesense.data import disk_errors, sha256_of_file
from horsesense.data.store import Store, occupied
from horsesense.errors import UserError, argument
from horsesense.progress import Progress
from horsesense.runs.manifest import Manifest, Part, content_of_ids, manifest_path, read_manifest, write_manifest
from horsesense.runs.shard_files import replies_path, shard_path, write_table
from horsesense.scoring.prompt_formats import ranks_of_formats

PROFILE = "profile.json"
"""File of a finished profile in its folder."""
_RUN = "answers"
"""Folder of the run inside a profile's folder; in a run's own folder, its answer files."""
_LOCK = ".lock"
_own: set[Path] = set()
"""Runs inside profiles that this process is computing: it alone may add to them."""
_large: WeakValueDictionary[str, StoredItems] = WeakValueDictionary()
"""Items of large probes in memory, by the checksum of their file: runs that are compared share them."""


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock the folder; a second process is refused. The lock ends with the process, however it ends.

    Where nothing is written, a folder that was created for it is removed.
    """
    from filelock import FileLock, Timeout

    with disk_errors(folder):
        new_folders = [each for each in (folder, *folder.parents) if not each.exists()]
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / _LOCK, timeout=0)
        try:
            lock.acquire()
        except Timeout:
            raise UserError(
                "another process is using this folder",
                file=folder,
                fix=f"wait for it, or choose another {argument('out')}",
            ) from None
    try:
        _sweep(folder)
        yield
    except BaseException:
        _leave_nothing(folder, new_folders)
        raise
    finally:
        lock.release()


@contextmanager
def profiling(folder: Path) -> Iterator[None]:
    """Lock a folder for a profile: no other process enters it, and this one may write to the run inside."""
    if manifest_path(folder).is_file():
        raise occupied(folder, "a run")
    with locked(folder):
        _own.add(own := folder.resolve())
        try:
            yield
        finally:
            _own.discard(own)


def run_of_profile(folder: Path, variant: str = "") -> Path:
    """Return the folder of a profile's answers; those by another scoring spec have a folder of their own."""
    return folder / (f"{_RUN}-{variant}" if variant else _RUN)


def is_of_profile(run: Path) -> bool:
    """Whether a run belongs to the profile that this process is computing."""
    return run.resolve().parent in _own


def check_free(folder: Path) -> None:
    """Refuse a run in the folder of a profile, whose answers it would mix with its own, and in the run inside."""
    if is_of_profile(folder):
        return
    if (folder / PROFILE).is_file():
        raise occupied(folder, "a profile")
    if manifest_path(folder / _RUN).is_file():
        raise occupied(folder, f"a profile, or another run in {_RUN}/")
    above = folder.name == _RUN and (folder.parent / PROFILE).is_file()
    if folder.name == _RUN and not above and (folder.parent / _LOCK).is_file():
        with locked(folder.parent):  # refused where a profile above has stored no answer yet
            pass
    if above or (manifest_path(folder).is_file() and read_manifest(folder).of_profile):
        raise occupied(folder, "the answers of a profile")


def _leave_nothing(folder: Path, folders: Sequence[Path]) -> None:
    """Remove the lock of a folder that holds nothing else, and the folders that were created for it."""
    with suppress(OSError):
        if [path.name for path in folder.iterdir()] == [_LOCK]:
            (folder / _LOCK).unlink()
        for each in folders:
            each.rmdir()  # fails, and ends this, if the folder is not empty


def _sweep(folder: Path) -> None:
    """Remove what a killed process left half-written."""
    for part in [*folder.glob(".*.part"), *folder.glob("*/.*.part")]:
        if part.is_dir():
            shutil.rmtree(part, ignore_errors=True)
        else:
            part.unlink(missing_ok=True)


def probe_path(folder: Path, name: str) -> Path:
    return folder / "probes" / f"{name}.jsonl.gz"


def store_probe(folder: Path, name: str, probe: Probe) -> None:
    """Store the probe beside the answers, so that a run can be read without the original file."""
    path = probe_path(folder, name)
    write_probe(path, probe)
    for each in (path, card_path(path)):
        Store(folder).record(each)


def read_stored_probe(folder: Path, name: str, expected: int = 0) -> Probe:
    """Read the stored probe; ``expected`` is its approximate number of items."""
    path = probe_path(folder, name)
    for each in (path, card_path(path)):
        if each.is_file():
            Store(folder).check(each, f"run again with another {argument('out')}")
    content = sha256_of_file(path) if expected >= MANY and path.is_file() else ""
    if content in _large and card_path(path).is_file():
        return Probe.of(_large[content], read_card(card_path(path)))
    probe = read_probe(path, expected)
    if content and isinstance(probe.items, StoredItems):
        _large[content] = probe.items
    return probe


def is_finished(folder: Path, part: Part) -> bool:
    """Whether all shards of a part exist."""
    model, probe = part.model.name, part.probe.name
    return all(shard_path(folder, model, probe, n, part.format).is_file() for n in range(part.shards))


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
        self.parts.append(replace(part, shard=0))
        return [False] * part.shards

    def write(self, model: str, probe: str, prompt_format: str, shard: int, answers: Any, replies: Any) -> None:
        """Store the tables of a shard; replies are None for a prompt format without replies."""
        self.answers.setdefault((model, probe, prompt_format), []).append(answers)
        if replies is not None:
            self.replies.setdefault((model, probe, prompt_format), []).append(replies)


class FolderRunStore(RunStore):
    """Stores a run in its folder: manifest, probes, one file per shard."""

    persistent = True
    folder: Path

    def __init__(self, folder: Path, manifest: Manifest, formats: Sequence[str], progress: Progress) -> None:
        super().__init__()
        self.folder, self.manifest, self.progress = folder, manifest, progress
        self._order = {pair: i for i, pair in enumerate(manifest.wanted)}
        self._ranks = ranks_of_formats(formats)

    def dtype(self, model: str, dtype: str) -> tuple[str, str]:
        """Under ``auto``, what an earlier call decided holds for the whole folder."""
        record = next((part.model for part in self.manifest.parts if part.model.name == model), None)
        return (record.dtype, record.dtype_reason) if dtype == "auto" and record is not None else (dtype, "")

    def has_all(self, model: str, probe: str, formats: Sequence[str]) -> bool:
        stored = has_all_answers(self.manifest, self.folder, model, probe, formats)
        if stored:
            self.progress.detail(f"{model} on {probe}: all answers are stored already")
        return stored

    def is_whole(self, model: str, probe: str, prompt_format: str) -> bool:
        part = self.manifest.part(model, probe, prompt_format)
        return part is not None and is_whole(self.folder, part)

    def size(self, model: str, probe: str, prompt_format: str) -> int | None:
        parts = [part for part in self.manifest.parts if (part.model.name, part.format) == (model, prompt_format)]
        current = next((part for part in parts if part.probe.name == probe), parts[0] if parts else None)
        return None if current is None else current.shard

    def threads(self, default: int | None) -> int | None:
        if not self.manifest.parts and self.manifest.threads is None:
            self.manifest = replace(self.manifest, threads=default)
        return self.manifest.threads if default else None

    def begin(self, part: Part, probe: Probe) -> list[bool]:
        model, name, prompt_format = part.model.name, part.probe.name, part.format
        if self.manifest.part(model, name, prompt_format) is None:
            if all(each.probe.name != name for each in self.manifest.parts):
                store_probe(self.folder, name, probe)
            self.manifest = replace(self.manifest, parts=self._sorted(part))
            write_manifest(self.folder, self.manifest)
        paths = [shard_path(self.folder, model, name, shard, prompt_format) for shard in range(part.shards)]
        present = [Store(self.folder).has(path) for path in paths]
        for path, there in zip(paths, present, strict=True):
            if not there and path.is_file():
                self.progress.log(f"{path}: damaged, so it is computed again")
        return present

    def _sorted(self, part: Part) -> tuple[Part, ...]:
        """Return all parts with a new one, in the order of the request, whichever was planned first.

        What was not requested stays before. Only formats of this model and probe are sorted: others had other requests.
        """
        pair = part.model.name, part.probe.name

        def key(each: Part) -> tuple[int, int]:
            name = each.model.name, each.probe.name
            return self._order.get(name, -1), self._ranks.get(each.format, -1) if name == pair else 0

        return tuple(sorted(self.manifest.with_part(part).parts, key=key))

    def write(self, model: str, probe: str, prompt_format: str, shard: int, answers: Any, replies: Any) -> None:
        if replies is not None:  # first, so that no answer is stored without its replies
            write_table(replies_path(self.folder, model, probe, shard, prompt_format), replies)
        write_table(shard_path(self.folder, model, probe, shard, prompt_format), answers)


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
    return all(Store(folder).has(path) for path in paths)
