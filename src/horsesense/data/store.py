"""The artifact store: files that are computed once, written whole, checked when they are read, and resumed.

A store is a folder with a file ``SHA256SUMS`` in the format of ``sha256sum``, so that ``sha256sum -c SHA256SUMS``
verifies it without this program. A checksum is written before its file takes its place, and the previous one stays in
a comment: wherever a process is killed, the file has one of the two. The checksum of a new file is one more line at
the end, so that the thousandth file takes as long as the first; an incomplete last line is ignored.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from horsesense.data.disk import disk_errors, sha256_of_file, write_file, writing, writing_folder
from horsesense.data.fields import FieldProblem, Record, check_json
from horsesense.data.text import read_text
from horsesense.errors import UserError, argument

SUMS = "SHA256SUMS"
_BEFORE = "# before: "
_LINE = re.compile(rf"(?P<before>{_BEFORE})?(?P<escaped>\\?)(?P<digest>[0-9a-f]{{64}})  (?P<name>.+)")
_DRAWN = (".html", ".svg", ".png")
"""Pages and pictures are drawn from stored files; nothing is read from them."""


class _Sums(NamedTuple):
    """The checksums that a file may have: of its content, and of the content that it replaces."""

    now: str = ""
    before: str = ""


@dataclass(frozen=True, slots=True)
class StoreCheck:
    """The files of a store, compared with their checksums."""

    sound: tuple[str, ...] = ()
    """As they were written."""
    damaged: tuple[str, ...] = ()
    """Changed since."""
    missing: tuple[str, ...] = ()
    """Not there any more."""
    unknown: tuple[str, ...] = ()
    """Without a checksum: written by another program. Pages and pictures are not among them."""

    @property
    def broken(self) -> tuple[str, ...]:
        return (*self.damaged, *self.missing)


_cache: dict[Path, tuple[tuple[int, int], dict[str, _Sums]]] = {}
"""Checksums of a store, by the file's modification time and size."""
_CACHE_LIMIT = 64
_verified: set[tuple[Path, int]] = set()
"""Stored folders that this process has verified, and when they were changed: a model is located several times."""


class Store:
    """A folder whose files have checksums; one process at a time may write to it.

    >>> import tempfile
    >>> store = Store(Path(tempfile.mkdtemp()))
    >>> path = store.compute(store.root / "a.txt", lambda temporary: temporary.write_text("once"))
    >>> store.has(path), path.write_text("changed") > 0, store.has(path)
    (True, True, False)
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    def has(self, path: Path, recorded: bool = False) -> bool:
        """Whether a file exists as it was written; one without a checksum is taken as it is, unless ``recorded``."""
        if not path.is_file():
            return False
        sums = self._sums().get(self._name(path))
        return not recorded if sums is None else sha256_of_file(path) in sums

    def check(self, path: Path, fix: str) -> None:
        """Refuse a file that has changed since it was written, or is missing."""
        with disk_errors(path):
            path.stat()
            sound = self.has(path)
        if not sound:
            raise UserError(f"the file is damaged: it has another checksum than in {SUMS}", file=path, fix=fix)

    def read(self, path: Path, kind: type[Record], fix: str) -> Record:
        """Return the value of a type that a JSON file holds; refuse a damaged file, or one of another version."""
        self.check(path, fix)
        return read_record(path, read_text(path), kind, fix)

    def compute(self, path: Path, make: Callable[[Path], object]) -> Path:
        """Return a file; ``make`` writes it to a temporary path if it is missing or damaged."""
        with disk_errors(path):
            present = self.has(path, recorded=True)
        if not present:
            with self.writing(path) as temporary:
                make(temporary)
        return path

    @contextmanager
    def writing(self, path: Path, sweep: bool = True) -> Iterator[Path]:
        """As `disk.writing`, with a checksum."""
        with writing(path, sweep) as temporary:
            yield temporary
            self.record(path, sha256_of_file(temporary))

    def write(self, path: Path, content: str | bytes) -> None:
        """As `disk.write_file`, with a checksum."""
        with self.writing(path) as temporary:
            temporary.write_bytes(content.encode() if isinstance(content, str) else content)

    def record(self, path: Path, digest: str = "") -> None:
        """Store the checksum of a file: that of its present content, unless another one is given."""
        sums, name, digest = self._sums(), self._name(path), digest or sha256_of_file(path)
        old = sums.get(name)
        if old is None and self._append(sums, name, digest):
            return
        if old is None or old.now != digest:
            self._write({**sums, name: _Sums(digest, old.now if old else "")})

    def record_all(self) -> None:
        """Store the checksums of all files of a folder that is being made."""
        self._write({self._name(path): _Sums(sha256_of_file(path)) for path in _files(self.root)})

    def forget(self, path: Path) -> None:
        """Remove the checksum of a file that is about to be written in place."""
        sums = dict(self._sums())
        if sums.pop(self._name(path), None) is not None:
            self._write(sums)

    def sort(self) -> None:
        """Put the lines in the order of their names: two runs with the same files have the same checksum file."""
        sums = self._sums()
        if list(sums) != sorted(sums):
            self._write(sums)

    def verify(self) -> StoreCheck:
        """Compare every file with its checksum; folders beneath that are stores themselves are left out."""
        sums = self._sums()
        present = {self._name(path): path for path in _files(self.root)}
        sound = {name for name, path in present.items() if name in sums and self.has(path)}
        return StoreCheck(
            sound=tuple(sorted(sound)),
            damaged=tuple(sorted(name for name in present if name in sums and name not in sound)),
            missing=tuple(sorted(name for name in sums if name not in present)),
            unknown=tuple(sorted(name for name in present if name not in sums and not name.endswith(_DRAWN))),
        )

    def is_whole(self) -> bool:
        """Whether there are checksums and all files have theirs; looked at once per process."""
        if not self._sums():
            return False
        seen = self.root, max(path.stat().st_ctime_ns for path in self.root.iterdir())
        if seen not in _verified:
            if self.verify().broken:
                return False
            _verified.add(seen)
        return True

    def _name(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix()

    def _sums(self) -> dict[str, _Sums]:
        """Read the checksums; a malformed line is left out, so that its file counts as one without a checksum."""
        path = self.root / SUMS
        try:
            state = path.stat()
        except OSError:
            return {}
        known = _cache.get(path)
        stamp = state.st_mtime_ns, state.st_size
        if known is not None and known[0] == stamp:
            return known[1]
        sums: dict[str, _Sums] = {}
        with disk_errors(path):
            whole, _, _ = path.read_text(encoding="utf-8", errors="surrogateescape").rpartition("\n")
        for line in whole.split("\n"):
            if (match := _LINE.fullmatch(line)) is None:
                continue
            name, digest = match["name"], match["digest"]
            if match["escaped"]:
                name = re.sub(r"\\(.)", lambda escape: "\n" if escape[1] == "n" else escape[1], name)
            old = sums.get(name, _Sums())
            sums[name] = old._replace(before=digest) if match["before"] else old._replace(now=digest)
        if len(_cache) >= _CACHE_LIMIT:
            _cache.clear()
        _cache[path] = stamp, sums
        return sums

    def _write(self, sums: Mapping[str, _Sums]) -> None:
        ordered = dict(sorted(sums.items()))
        lines = [
            f"{before}{_line(digest, name)}\n"
            for name, both in ordered.items()
            for digest, before in ((both.now, ""), (both.before, _BEFORE))
            if digest
        ]
        _cache.pop(self.root / SUMS, None)
        with writing(self.root / SUMS) as temporary:
            temporary.write_bytes("".join(lines).encode("utf-8", "surrogateescape"))
        self._remember(ordered)

    def _append(self, sums: dict[str, _Sums], name: str, digest: str) -> bool:
        """Add one line; False where that is not enough: no file yet, or half a line that a killed process left."""
        path = self.root / SUMS
        if not path.is_file():
            return False
        with disk_errors(path), path.open("r+b") as handle:
            if handle.seek(0, os.SEEK_END):
                handle.seek(-1, os.SEEK_END)
                if handle.read(1) != b"\n":
                    return False
            handle.write(f"{_line(digest, name)}\n".encode("utf-8", "surrogateescape"))
            handle.flush()
            os.fsync(handle.fileno())
        sums[name] = _Sums(digest)
        self._remember(sums)
        return True

    def _remember(self, sums: dict[str, _Sums]) -> None:
        state = (self.root / SUMS).stat()
        _cache[self.root / SUMS] = (state.st_mtime_ns, state.st_size), sums


def read_record(path: Path, text: str, kind: type[Record], fix: str, line: int | None = None) -> Record:
    """Return the value of a type that stored JSON holds; ``line`` is its line in a file with many."""

    def wording(problem: FieldProblem) -> UserError:
        what = f"the file is damaged, or another version wrote it ({problem.where or 'the whole'} is {problem.kind})"
        return UserError(what, file=path, line=line, fix=fix)

    return check_json(kind, text, wording)


# One folder holds one study.

_NO_WORDS: Mapping[str, str] = MappingProxyType({})


def occupied(folder: Path, contents: str, more: str = "") -> UserError:
    """Return the error of a call that would mix its results with what a folder holds; ``more`` completes the advice."""
    return UserError(f"the folder holds {contents}", file=folder, fix=f"choose another {argument('out')}{more}")


def check_same(
    folder: Path,
    kind: str,
    stored: Mapping[str, Any],
    settings: Mapping[str, Any],
    words: Mapping[str, str] = _NO_WORDS,
    reused: Collection[str] = (),
) -> None:
    """Refuse a call whose settings differ from those of the study that a folder holds.

    ``words`` replace the values of settings that say nothing to a reader, such as checksums. Where a setting in
    ``reused`` differs, another folder costs no computation.
    """
    for name, now in settings.items():
        if stored.get(name) != now:
            values = f"{name} {stored.get(name)!r}, and this call asks for {now!r}"
            more = " (computed scores are reused)" if name in reused else ""
            raise occupied(folder, f"{kind} with {words.get(name, values)}", f"{more}, or give the same settings")


def check_binding(
    path: Path, kind: str, settings: Mapping[str, Any], words: Mapping[str, str] = _NO_WORDS
) -> dict[str, Any] | None:
    """Return the stored settings of the study that a folder holds, after `check_same`; None if it holds none."""
    if not path.is_file():
        return None
    fix, settings = "remove the folder", json.loads(json.dumps(settings))
    stored = Store(path.parent).read(path, dict[str, Any], fix)
    if missing := settings.keys() - stored.keys():
        problem = f"the file is damaged, or another version wrote it ({min(missing)} is missing)"
        raise UserError(problem, file=path, fix=fix)
    check_same(path.parent, kind, stored, settings, words)
    return stored


def bind_folder(
    path: Path,
    kind: str,
    settings: Mapping[str, Any],
    words: Mapping[str, str] = _NO_WORDS,
    decided: Mapping[str, Any] = MappingProxyType({}),
) -> dict[str, Any]:
    """Bind a folder to a study: store its settings, or compare them with the stored ones, which are returned.

    ``decided`` is stored too, and holds for every later call, whatever that decides.
    """
    stored = check_binding(path, kind, settings, words)
    if stored is None:
        stored = {**settings, **decided}
        write_file(path, json.dumps(stored, indent=2) + "\n")
    return stored


def store_folder(folder: Path, make: Callable[[Path], object]) -> Path:
    """Return a folder; ``make`` fills a temporary one if it is missing or damaged.

    The name of the folder contains a hash of what it is made from.
    """
    with disk_errors(folder):
        if not Store(folder).is_whole():
            folder.parent.mkdir(parents=True, exist_ok=True)
            with writing_folder(folder) as part:
                make(part)
                Store(part).record_all()
    return folder


def _files(root: Path) -> Iterator[Path]:
    for path in sorted(root.iterdir()):
        if path.is_dir():
            if not (path / SUMS).is_file():
                yield from _files(path)
        elif path.name != SUMS and path.name != ".lock" and not path.name.endswith(".part"):
            yield path


def _line(digest: str, name: str) -> str:
    """Return a line as sha256sum writes it.

    >>> _line("ab" * 32, "answers/a\\nb.parquet")[:6], _line("ab" * 32, "a")[-6:]
    ('\\\\ababa', 'bab  a')
    """
    if "\\" not in name and "\n" not in name:
        return f"{digest}  {name}"
    escaped = name.replace("\\", "\\\\").replace("\n", "\\n")
    return f"\\{digest}  {escaped}"
