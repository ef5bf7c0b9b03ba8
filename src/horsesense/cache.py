"""The cache folder: fetch files into it, list it, prune it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from horsesense.core.catalogue import PathLike
from horsesense.core.document import Document
from horsesense.data import cache_folder, disk_errors
from horsesense.data.downloads import Fetched, fetch_release, published_files
from horsesense.errors import UserError, argument, translate_errors, unknown
from horsesense.progress import NO_PROGRESS, Progress

_SCORES = "scores.sqlite"
_KINDS = {
    "models": ("model", True),
    "releases": ("release", True),
    "converted": ("converted model", True),
    "merged": ("converted model", True),
    "adapted": ("converted model", True),
    "corpora": ("index", True),
    "relatedness": ("index", False),
    "hashes": ("hashes", False),
    "self-tests": ("hashes", False),
    "knowledge": ("knowledge store", False),
    "gcide": ("source", False),
    "glove": ("source", False),
    "wordnet": ("source", False),
}
"""Folder → kind of its contents, and whether entries are listed one by one."""

_ALWAYS = ("scores", "converted model")
"""Kinds that are removed without being named, because they are recomputed when needed."""
_FETCHED = ("model", "release", "source")
_BY_NAME_ONLY = ("knowledge store", "unfinished", "other")
"""Kinds that are removed only by name: your own sources, unfinished files of other processes, and unknown files."""


# Fetch.


@dataclass(frozen=True, slots=True)
class Fetchable:
    """Something that can be fetched."""

    name: str
    """What to ask for."""
    kind: str
    """What it is."""


@dataclass(frozen=True, slots=True)
class FetchResult(Document):
    """Files in the cache, or what can be fetched."""

    fetched: tuple[Fetched, ...] | None = None
    """What was fetched, one entry per name."""
    available: tuple[Fetchable, ...] | None = None
    """What can be fetched, if no name was given."""


@translate_errors()
def fetch(*names: str, folder: PathLike | None = None, progress: Progress = NO_PROGRESS) -> FetchResult:
    """Download published datasets, bundled models and knowledge sources into the cache; without a name, list them.

    Args:
        names: Dataset, model or source; cached ones are not downloaded again. By default, all are listed.
        folder: Local folder to take the files from, instead of the network.
        progress: Progress callback.

    Returns:
        The path and hash of each, or, without names, what can be fetched.

    >>> "wordnet" in {each.name for each in fetch().available}
    True
    >>> fetch("wordnett")  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    horsesense.errors.UserError: there is no thing to fetch 'wordnett'; did you mean 'wordnet'?
    """
    known = _fetchable()
    if not names:
        return FetchResult(available=tuple(Fetchable(name, kind) for name, (kind, _) in known.items()))
    for name in names:
        if name not in known:
            raise unknown("thing to fetch", name, known)
    fetched = []
    for name in names:
        kind, get = known[name]
        progress.log(f"fetching {name} ({kind})")
        fetched.append(get(None if folder is None else Path(folder), progress))
    return FetchResult(tuple(fetched))


def _fetchable() -> dict[str, tuple[str, Callable[[Path | None, Progress], Fetched]]]:
    """Name → what it is, and how to get it."""
    from horsesense.lexicons.gcide import fetch_gcide
    from horsesense.lexicons.vectors import fetch_glove
    from horsesense.lexicons.wordnet import fetch_wordnet
    from horsesense.models.locate import BUNDLED, fetch_bundled

    known: dict[str, tuple[str, Callable[[Path | None, Progress], Fetched]]] = {}
    for name, files in published_files().items():
        size = sum(file.bytes for file in files) / 1e6
        known[name] = (f"release, {len(files)} files, {size:.1f} MB", partial(fetch_release, name))
    for name in BUNDLED:
        known[name] = ("bundled model", partial(fetch_bundled, name))
    known["wordnet"] = ("knowledge source, WordNet 3.0", fetch_wordnet)
    known["gcide"] = ("knowledge source, the dictionary GCIDE", fetch_gcide)
    known["glove"] = ("word vectors, GloVe in 50 dimensions", fetch_glove)
    return known


# The cache.


@dataclass(frozen=True, slots=True)
class CacheEntry(Document):
    """Something in the cache folder."""

    name: str
    """Path below the cache folder; `prune_cache` takes it."""
    kind: str
    """Model, release, source (all three fetched), converted model, knowledge store, index, hashes or scores; what a
    call is writing or has left behind is unfinished, and what is not ours is other."""
    bytes: int
    """Size in bytes."""
    used: str
    """Time of the last access that the file system records: ISO 8601, in UTC."""


@dataclass(frozen=True, slots=True)
class CacheContents(Document):
    """The cache folder."""

    folder: Path
    """Its path."""
    bytes: int
    """Total size in bytes."""
    entries: tuple[CacheEntry, ...]
    """Entries, by kind and name."""


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
    entries = [_entry(name, kind, paths) for name, kind, paths in _entries()]
    entries.sort(key=lambda each: (each.kind, each.name))
    return CacheContents(cache_folder(), sum(each.bytes for each in entries), tuple(entries))


@translate_errors()
def prune_cache(*names: str, all: bool = False) -> PrunedCache:
    """Remove stored scores and converted models, which are recomputed when needed, or the entries that are named.

    Args:
        names: Entry to remove: its name (models/smollm2), the end of it (smollm2), or a folder (converted). By default,
            all scores and converted models.
        all: Also remove downloads, indexes and hashes. The knowledge store is only removed by its name.

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
    paths = {name: paths for name, _, paths in _entries()}
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
    chosen: dict[str, CacheEntry] = {}
    for query in names:
        name = query.rstrip("/")
        matches = [each for each in entries if each.name == name or each.name.startswith(f"{name}/")]
        matches = matches or [each for each in entries if each.name.rpartition("/")[2] == name]
        if not matches:
            known = [each.name for each in entries]
            raise unknown("entry of the cache", query, known) if known else UserError("the cache is empty")
        chosen |= {each.name: each for each in matches}
    return list(chosen.values())


def _entries() -> Iterator[tuple[str, str, list[Path]]]:
    """Yield the entries of the cache: name, kind, and files and folders."""
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
