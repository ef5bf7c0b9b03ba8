"""Compute figures: functions by paper and name, the published files of a paper, and stored results.

A function takes `PublishedFiles` and returns results by key; the ledger names function and key. A missing file is an
`AbsentError`, which becomes the verdict *cannot here*. A file is complete if its hash is the pinned one; what was
computed from another is *on a part*.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from pathlib import Path

import orjson

from horsesense import __version__
from horsesense.data import cache_folder, read_bytes, sha256_of_bytes, sha256_of_file
from horsesense.data.downloads import published_files
from horsesense.data.store import Store
from horsesense.errors import UserError, argument
from horsesense.methods.ledger import PAPERS
from horsesense.replication.verdicts import Computed

Results = Mapping[str, Computed]
Function = Callable[["PublishedFiles"], Results]
DATASETS = {paper: paper for paper in PAPERS} | {"wordnetqa": "mcqa"}
"""The published dataset of each paper."""
_FUNCTIONS: dict[tuple[str, str], Function] = {}
_STORED = "computed"


class AbsentError(Exception):
    """Something that a figure needs is missing."""

    def __init__(self, what: str, fix: str = "") -> None:
        super().__init__(what)
        self.what, self.fix = what, fix


@dataclass
class PublishedFiles:
    """The published files of one paper, and which of them were read."""

    paper: str
    folder: Path | None
    """Folder of the dataset; None if there is none."""
    read: dict[str, Path] = field(default_factory=dict)
    """Files that were read, by their path in the dataset."""

    def path(self, name: str) -> Path:
        """Return a file of the dataset, plain or gzipped, or raise an `AbsentError`."""
        release = DATASETS[self.paper]
        if self.folder is not None:
            below = (name, name.partition("data_mcqa/")[2] or name)
            for each in below:
                for ending in ("", ".gz"):
                    file = self.folder / f"{each}{ending}"
                    if file.is_file():
                        self.read[name] = file
                        return file
        fix = f"horsesense fetch {release}" if name in pinned(release) else ""
        raise AbsentError(f"the published file {name}", fix)

    @property
    def part(self) -> bool:
        """Whether any file that was read is incomplete."""
        return any(not self.whole(name) for name in self.read)

    def whole(self, name: str) -> bool:
        """Whether a file has its pinned hash."""
        path, expected = self.path(name), pinned(DATASETS[self.paper]).get(name)
        return expected is None or _unpacked_hash(path) == expected


def _unpacked_hash(path: Path) -> str:
    """Return the SHA-256 of a file's uncompressed content; cached while the file does not change."""
    state = path.stat()
    return _hash_at(path, state.st_size, state.st_mtime_ns)


@cache
def _hash_at(path: Path, size: int, changed: int) -> str:
    return sha256_of_bytes(read_bytes(path)) if path.suffix == ".gz" else sha256_of_file(path)


@cache
def pinned(release: str) -> dict[str, str]:
    """Return the pinned files of a dataset with their hashes."""
    return {file.path: file.sha256 for file in published_files().get(release, [])}


def find_dataset(paper: str, data: Path | None, alone: bool) -> Path | None:
    """Return the folder of a paper's dataset: below ``data`` under its name, ``data`` itself, or the fetched one.

    ``data`` itself is taken where only this paper is requested, or where it has the name of the published dataset.
    """
    release = DATASETS[paper]
    if data is None:
        fetched = cache_folder("releases", release)
        return fetched if fetched.is_dir() else None
    if not data.is_dir():
        raise UserError(
            "there is no such folder", file=data, fix=f"give the folder of the datasets with {argument('data')}"
        )
    if (data / release).is_dir():
        return data / release
    return data if alone or data.name == release else None


def is_whole(paper: str, folder: Path | None, paths: Iterable[Path]) -> bool:
    """Return whether files of a published dataset match their pinned hashes; missing files do not."""
    known = pinned(DATASETS[paper])
    for path in paths:
        inside = path if folder is None or not path.is_relative_to(folder) else path.relative_to(folder)
        name = inside.as_posix().removesuffix(".gz")
        if known.get(name) != _unpacked_hash(path):
            return False
    return True


def computes(paper: str, name: str) -> Callable[[Function], Function]:
    """Register a function that computes a group of figures."""

    def register(function: Function) -> Function:
        _FUNCTIONS[paper, name] = function
        return function

    return register


def functions() -> Mapping[tuple[str, str], Function]:
    """Return all functions by paper and name."""
    for paper in PAPERS:
        import_module(f"horsesense.replication.{paper}_figures")
    return _FUNCTIONS


@dataclass(frozen=True, slots=True)
class ComputedGroup:
    """The results of one function, or what was missing."""

    results: Results
    absent: str = ""
    fix: str = ""


def compute(function: Function, files: PublishedFiles, name: str, keep: Path | None = None) -> ComputedGroup:
    """Run a function, or take the stored results if neither its code nor its files have changed."""
    stored = None if keep is None else keep / _STORED / f"{files.paper}-{name.replace(' ', '-')}.json"
    if stored is not None and Store(stored.parent).has(stored, recorded=True):
        known = _read_stored(stored, function, files)
        if known is not None:
            return known
    files.read.clear()
    try:
        results = function(files)
    except AbsentError as absent:
        return ComputedGroup({}, absent.what, absent.fix)
    if files.part:
        results = {key: replace(each, part=each.basis == "data" and not each.enough) for key, each in results.items()}
    if stored is not None:
        _write_stored(stored, function, files, results)
    return ComputedGroup(results)


def _code(function: Function) -> str:
    """Return a hash of what results depend on besides files: the module of the function and the version."""
    return sha256_of_bytes((inspect.getsource(inspect.getmodule(function) or function) + __version__).encode())


def _files(files: PublishedFiles, names: list[str]) -> dict[str, str] | None:
    try:
        paths = {name: files.path(name) for name in names}
    except AbsentError:
        return None
    return {name: _unpacked_hash(path) for name, path in paths.items()}


def _write_stored(path: Path, function: Function, files: PublishedFiles, results: Results) -> None:
    hashes = _files(files, list(files.read))
    values = {"code": _code(function), "files": hashes, "results": dict(results)}
    Store(path.parent).write(path, orjson.dumps(values, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))


def _read_stored(path: Path, function: Function, files: PublishedFiles) -> ComputedGroup | None:
    """Read stored results; None if code or files differ, or they cannot be read."""
    try:
        values = orjson.loads(path.read_bytes())
        results = {key: Computed(**each) for key, each in values["results"].items()}
        code, hashes = values["code"], dict(values["files"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    if code != _code(function) or hashes != _files(files, list(hashes)):
        return None
    return ComputedGroup(results)
