"""What lies in the cache folder: what it is, how large, when it was last used; and removing it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from horsesense.core.document import Document
from horsesense.data import cache_folder, disk_errors
from horsesense.errors import UserError, argument, translate_errors, unknown

_SCORES = "scores.sqlite"
_KINDS = {
    "models": ("model", True),
    "releases": ("release", True),
    "converted": ("converted model", True),
    "merged": ("converted model", True),
    "adapted": ("converted model", True),
    "corpora": ("index", True),
    "taxonomy": ("index", False),
    "relatedness": ("index", False),
    "hashes": ("hashes", False),
    "self-tests": ("hashes", False),
    "knowledge": ("knowledge store", False),
    "gcide": ("source", False),
    "glove": ("source", False),
    "wordnet": ("source", False),
}
"""Folder → what lies there, and whether it is shown one by one."""

_ALWAYS = ("scores", "converted model")
"""What is removed without being named: it is made again by itself, from what is here."""
_FETCHED = ("model", "release", "source")
_BY_NAME_ONLY = ("knowledge store", "unfinished", "other")
"""What is removed only by its name: sources of one's own, what another process may be writing, what we do not know."""


@dataclass(frozen=True, slots=True)
class CacheEntry(Document):
    """Something in the cache folder."""

    name: str
    """Where it lies below the cache folder, and what it is removed by."""
    kind: str
    """Model, release, source (all three fetched), converted model, knowledge store, index, hashes or scores; what a
    call is writing or has left behind is unfinished, and what is not ours is other."""
    bytes: int
    """How large it is."""
    used: str
    """When it was last read or written, as far as the file system tells: ISO 8601, in UTC."""


@dataclass(frozen=True, slots=True)
class CacheContents(Document):
    """The cache folder."""

    folder: Path
    """Where it is."""
    bytes: int
    """All of it."""
    entries: tuple[CacheEntry, ...]
    """What lies there, by kind and name."""


@dataclass(frozen=True, slots=True)
class PrunedCache(Document):
    """What was removed of the cache folder."""

    folder: Path
    """Where it is."""
    bytes: int
    """How much was removed."""
    removed: tuple[CacheEntry, ...]
    """What is gone."""
    left: int
    """Bytes that are still there."""


@translate_errors()
def list_cache() -> CacheContents:
    """List what the cache holds, with kind, size and last use.

    Returns:
        The folder and its entries, each with its kind, size and last use.

    >>> sorted(list_cache().entries[0].__slots__) if list_cache().entries else ["bytes", "kind", "name", "used"]
    ['bytes', 'kind', 'name', 'used']
    """
    entries = [_entry(name, kind, paths) for name, kind, paths in _lying()]
    entries.sort(key=lambda each: (each.kind, each.name))
    return CacheContents(cache_folder(), sum(each.bytes for each in entries), tuple(entries))


@translate_errors()
def prune_cache(*names: str, all: bool = False) -> PrunedCache:
    """Remove stored scores and converted models, which are recomputed when needed, or the entries that are named.

    Args:
        names: Entry to remove: its name (models/smollm2), the end of it (smollm2), or a folder (converted). By default,
            all scores and converted models.
        all: Also remove what was fetched, indexes and hashes. The knowledge store is only removed by its name.

    Returns:
        What was removed, and how much.
    """
    if names and all:
        raise UserError(f"{argument('all')} leaves no choice to names", fix="give one of the two")
    lying = list_cache()
    if names:
        chosen = _named(names, lying.entries)
    elif all:
        chosen = [each for each in lying.entries if each.kind not in _BY_NAME_ONLY]
    else:
        chosen = [each for each in lying.entries if each.kind in _ALWAYS]
    paths = {name: paths for name, _, paths in _lying()}
    for each in chosen:
        for path in paths.get(each.name, ()):
            _remove(path)
    removed = sum(each.bytes for each in chosen)
    return PrunedCache(lying.folder, removed, tuple(chosen), lying.bytes - removed)


def was_fetched(entry: CacheEntry) -> bool:
    """Whether it would have to be fetched again."""
    return entry.kind in _FETCHED


def _named(names: Sequence[str], entries: Sequence[CacheEntry]) -> list[CacheEntry]:
    """The entries that names mean; nothing is removed where one of them means none."""
    wanted: dict[str, CacheEntry] = {}
    for given in names:
        name = given.rstrip("/")
        matches = [each for each in entries if each.name == name or each.name.startswith(f"{name}/")]
        matches = matches or [each for each in entries if each.name.rpartition("/")[2] == name]
        if not matches:
            known = [each.name for each in entries]
            raise unknown("entry of the cache", given, known) if known else UserError("the cache is empty")
        wanted |= {each.name: each for each in matches}
    return list(wanted.values())


def _lying() -> Iterator[tuple[str, str, list[Path]]]:
    """What lies in the cache: its name, its kind, and its files and folders."""
    root = cache_folder()
    scores = []
    for path in _inside(root):
        kind, one_by_one = _KINDS.get(path.name, ("other", False))
        if path.name.startswith(_SCORES):  # SQLite keeps two files more beside it
            scores.append(path)
        elif _is_unfinished(path):
            yield path.name, "unfinished", [path]
        elif one_by_one and path.is_dir():
            for inner in _inside(path):
                yield f"{path.name}/{inner.name}", "unfinished" if _is_unfinished(inner) else kind, [inner]
        else:
            yield path.name, kind, [path]
    if scores:
        yield "scores", "scores", scores


def _inside(folder: Path) -> list[Path]:
    with disk_errors(folder):
        return sorted(folder.iterdir()) if folder.is_dir() else []


def _is_unfinished(path: Path) -> bool:
    return path.name.startswith(".") and path.name.endswith(".part")


def _entry(name: str, kind: str, paths: Sequence[Path]) -> CacheEntry:
    size, used = 0, 0.0
    for path in paths:
        for file in _files(path):
            try:
                state = file.stat()
            except OSError:  # another call has just removed it
                continue
            size += state.st_size
            used = max(used, state.st_atime, state.st_mtime)
    return CacheEntry(name, kind, size, datetime.fromtimestamp(used, UTC).isoformat(timespec="seconds"))


def _files(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    for folder, _, names in os.walk(path):
        yield from (Path(folder) / name for name in names)


def _remove(path: Path) -> None:
    """Whole or not at all: a folder that is half there would be taken for one that is ready."""
    with disk_errors(path):
        if path.is_dir() and not path.is_symlink():
            aside = path if _is_unfinished(path) else path.with_name(f".{path.name}.{os.getpid()}.part")
            path.rename(aside)
            shutil.rmtree(aside)
        else:
            path.unlink(missing_ok=True)
