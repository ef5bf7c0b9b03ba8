"""A run folder: its lock, the stored probes, and which answers are complete."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from weakref import WeakValueDictionary

from horsesense.core import Probe, card_path, read_probe, write_probe
from horsesense.core.card import read_card
from horsesense.core.item_file import MANY, StoredItems
from horsesense.data import disk_errors, sha256_of_file
from horsesense.data.checksums import check_sum, is_sound, keep_sum
from horsesense.errors import UserError, argument
from horsesense.runs.manifest import Part, manifest_path, read_manifest
from horsesense.runs.shard_files import shard_path

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
        made = [place for place in (folder, *folder.parents) if not place.exists()]
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
        _leave_nothing(folder, made)
        raise
    finally:
        lock.release()


@contextmanager
def profiling(folder: Path) -> Iterator[None]:
    """Lock a folder for a profile: no other process enters it, and this one may write to the run inside."""
    if manifest_path(folder).is_file():
        raise _taken("a run", folder)
    runs = {run_of_profile(folder, orders).resolve() for orders in (0, 1)}
    with locked(folder):
        _own.update(runs)
        try:
            yield
        finally:
            _own.difference_update(runs)


def run_of_profile(folder: Path, orders: int = 0) -> Path:
    """Return the folder of a profile's answers; replies in several option orders have their own."""
    return folder / (f"{_RUN}-in-orders" if orders else _RUN)


def is_of_profile(run: Path) -> bool:
    """Whether a run belongs to the profile that this process is computing."""
    return run.resolve() in _own


def check_free(folder: Path) -> None:
    """Refuse a run in the folder of a profile, whose answers it would mix with its own, and in the run inside."""
    if is_of_profile(folder):
        return
    if (folder / PROFILE).is_file():
        raise _taken("a profile", folder)
    if manifest_path(folder / _RUN).is_file():
        raise _taken(f"a profile, or another run in {_RUN}/", folder)
    above = folder.name == _RUN and (folder.parent / PROFILE).is_file()
    if folder.name == _RUN and not above and (folder.parent / _LOCK).is_file():
        with locked(folder.parent):  # refused where a profile above has stored no answer yet
            pass
    if above or (manifest_path(folder).is_file() and read_manifest(folder).of_profile):
        raise _taken("the answers of a profile", folder)


def _taken(by: str, folder: Path) -> UserError:
    fix = f"choose another {argument('out')}"
    return UserError(f"the folder holds {by}, and one folder holds one study", file=folder, fix=fix)


def _leave_nothing(folder: Path, made: Sequence[Path]) -> None:
    """Remove the lock of a folder that holds nothing else, and the folders that were created for it."""
    with suppress(OSError):
        if [path.name for path in folder.iterdir()] == [_LOCK]:
            (folder / _LOCK).unlink()
        for place in made:
            place.rmdir()  # fails, and ends this, if the folder is not empty


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
        keep_sum(folder, each, sha256_of_file(each))


def read_stored_probe(folder: Path, name: str, expected: int = 0) -> Probe:
    """Read the stored probe; ``expected`` is its approximate number of items."""
    path = probe_path(folder, name)
    for each in (path, card_path(path)):
        if each.is_file():
            check_sum(folder, each, f"run again with another {argument('out')}")
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


def is_intact(folder: Path, path: Path) -> bool:
    """Whether a shard exists as it was written; a damaged one is computed again."""
    return path.is_file() and is_sound(folder, path)
