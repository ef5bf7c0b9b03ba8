"""What computes figures: functions by paper and name, the files of a release, and results that are kept.

A function takes `Sources` and gives results by key; the ledger names function and key. A file that is not at hand is
an `AbsentError`, which becomes the verdict *cannot here*. One is whole where its bytes are those that the release has
been pinned by (``methods/releases/releases.tsv``); what was computed from another is *on a part*.
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
from horsesense.data import cache_folder, disk_errors, read_bytes, sha256_of_bytes, sha256_of_file
from horsesense.data.checksums import is_sound, summed
from horsesense.errors import UserError, argument
from horsesense.methods.ledger import PAPERS
from horsesense.methods.published.pinned_files import published_files
from horsesense.replication.verdicts import Computed

Results = Mapping[str, Computed]
Function = Callable[["Sources"], Results]
RELEASES = {paper: paper for paper in PAPERS} | {"wordnetqa": "mcqa"}
"""The release of each paper."""
_FUNCTIONS: dict[tuple[str, str], Function] = {}
_KEPT = "computed"


class AbsentError(Exception):
    """Something that a figure takes is not at hand."""

    def __init__(self, what: str, fix: str = "") -> None:
        super().__init__(what)
        self.what, self.fix = what, fix


@dataclass
class Sources:
    """The files of one paper's release, and which of them were read."""

    paper: str
    folder: Path | None
    """Where the release lies; None: nowhere."""
    read: dict[str, Path] = field(default_factory=dict)
    """Files that were asked for, by their path in the release."""

    def path(self, name: str) -> Path:
        """A file of the release, plain or packed; `AbsentError` where it is not there."""
        release = RELEASES[self.paper]
        if self.folder is not None:
            below = (name, name.partition("data_mcqa/")[2] or name)
            for each in below:
                for ending in ("", ".gz"):
                    found = self.folder / f"{each}{ending}"
                    if found.is_file():
                        self.read[name] = found
                        return found
        fix = f"horsesense fetch {release}" if name in pinned(release) else ""
        raise AbsentError(f"the file {name} of the release", fix)

    @property
    def part(self) -> bool:
        """Whether any file that was read is not the whole one of the release."""
        return any(not self.whole(name) for name in self.read)

    def whole(self, name: str) -> bool:
        """Whether a file has the very bytes of the release."""
        path, expected = self.path(name), pinned(RELEASES[self.paper]).get(name)
        return expected is None or _unpacked_hash(path) == expected


def _unpacked_hash(path: Path) -> str:
    """SHA-256 of a file's content, unpacked; computed once while the file stays as it is."""
    state = path.stat()
    return _hash_at(path, state.st_size, state.st_mtime_ns)


@cache
def _hash_at(path: Path, size: int, changed: int) -> str:
    return sha256_of_bytes(read_bytes(path)) if path.suffix == ".gz" else sha256_of_file(path)


@cache
def pinned(release: str) -> dict[str, str]:
    """The files of a release that are known by their hash."""
    return {file.path: file.sha256 for file in published_files().get(release, [])}


def find_release(paper: str, data: Path | None, alone: bool) -> Path | None:
    """The folder of a paper's release: below ``data`` under its name, ``data`` itself, or what was fetched.

    ``data`` itself is taken where only this paper is asked for, or where it is called as the release is.
    """
    release = RELEASES[paper]
    if data is None:
        fetched = cache_folder("releases", release)
        return fetched if fetched.is_dir() else None
    if not data.is_dir():
        raise UserError(
            "there is no such folder", file=data, fix=f"give the folder of the releases with {argument('data')}"
        )
    if (data / release).is_dir():
        return data / release
    return data if alone or data.name == release else None


def is_whole(paper: str, folder: Path | None, paths: Iterable[Path]) -> bool:
    """Whether files of a release are the very ones that it has been pinned by; files that it does not have are not."""
    known = pinned(RELEASES[paper])
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
    """All functions by paper and name."""
    for paper in PAPERS:
        import_module(f"horsesense.replication.of_{paper}")
    return _FUNCTIONS


@dataclass(frozen=True, slots=True)
class Group:
    """What one function gave: its results, or what was missing."""

    results: Results
    absent: str = ""
    fix: str = ""


def compute(function: Function, sources: Sources, name: str, keep: Path | None = None) -> Group:
    """Run a function, or take what was kept where neither its code nor its files have changed."""
    kept = None if keep is None else keep / _KEPT / f"{sources.paper}-{name.replace(' ', '-')}.json"
    known = _read_kept(kept, function, sources) if kept is not None and kept.is_file() and _sound(kept) else None
    if known is not None:
        return known
    sources.read.clear()
    try:
        results = function(sources)
    except AbsentError as absent:
        return Group({}, absent.what, absent.fix)
    if sources.part:
        results = {key: replace(each, part=each.basis == "data" and not each.enough) for key, each in results.items()}
    if kept is not None:
        _write_kept(kept, function, sources, results)
    return Group(results)


def _code(function: Function) -> str:
    """What results depend on beside files: the module of the function and the version."""
    return sha256_of_bytes((inspect.getsource(inspect.getmodule(function) or function) + __version__).encode())


def _files(sources: Sources, names: list[str]) -> dict[str, str] | None:
    try:
        paths = {name: sources.path(name) for name in names}
    except AbsentError:
        return None
    return {name: _unpacked_hash(path) for name, path in paths.items()}


def _write_kept(path: Path, function: Function, sources: Sources, results: Results) -> None:
    hashes = _files(sources, list(sources.read))
    values = {"code": _code(function), "files": hashes, "results": dict(results)}
    with summed(path.parent, path) as temporary:
        temporary.write_bytes(orjson.dumps(values, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))


def _sound(path: Path) -> bool:
    """Whether what was kept is as it was written; what is damaged is computed again."""
    with disk_errors(path):
        return is_sound(path.parent, path)


def _read_kept(path: Path, function: Function, sources: Sources) -> Group | None:
    """What was kept; None where it is of other code or files, or cannot be read."""
    try:
        values = orjson.loads(path.read_bytes())
        results = {key: Computed(**each) for key, each in values["results"].items()}
        code, hashes = values["code"], dict(values["files"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    if code != _code(function) or hashes != _files(sources, list(hashes)):
        return None
    return Group(results)
