"""Checksums of what is kept: ``SHA256SUMS`` in a folder, looked at when its files are read.

The file is in the format of ``sha256sum``, so that ``sha256sum -c SHA256SUMS`` says the same without us. A checksum is
written before its file takes its place, and the one before is kept in a comment: wherever a process is killed, what
is there has one of the two. The checksum of a new file is one more line at the end, so that the thousandth file of a
run takes as long as the first; a last line without its end was not written whole, and says nothing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from horsesense.data.disk import disk_errors, sha256_of_file, writing
from horsesense.errors import UserError

SUMS = "SHA256SUMS"
_BEFORE = "# before: "
_LINE = re.compile(rf"(?P<before>{_BEFORE})?(?P<escaped>\\?)(?P<digest>[0-9a-f]{{64}})  (?P<name>.+)")
_CACHE_LIMIT = 64
_read: dict[Path, tuple[tuple[int, int], dict[str, _Sums]]] = {}


_DRAWN = (".html", ".svg", ".png")
"""Pages and pictures are drawn from what is kept, again and again; nothing is read from them."""


@dataclass(frozen=True, slots=True)
class _Sums:
    """The checksums that a file may have."""

    now: str = ""
    before: str = ""
    """Of what it takes the place of, until it is written again."""


@dataclass(frozen=True, slots=True)
class Checked:
    """The files of a folder, compared with their checksums."""

    sound: tuple[str, ...] = ()
    """As they were written."""
    damaged: tuple[str, ...] = ()
    """Changed since."""
    missing: tuple[str, ...] = ()
    """Not there any more."""
    unknown: tuple[str, ...] = ()
    """Without a checksum: written by an earlier version, or by somebody else. Pages and pictures are not among them."""


def kept_sums(root: Path) -> Mapping[str, str]:
    """The checksum of each file in a folder, by its path in it; nothing where none are kept."""
    return {name: sums.now for name, sums in _sums(root).items() if sums.now}


def is_sound(root: Path, path: Path) -> bool:
    """Whether a file is as it was written; a file without a checksum is taken as it is."""
    sums = _sums(root).get(_name(root, path))
    if sums is not None and path.exists() and not path.is_file():
        return False  # a device or a pipe has taken its place
    return sums is None or sha256_of_file(path) in (sums.now, sums.before)


def check_sum(root: Path, path: Path, fix: str) -> None:
    """Refuse a file that has changed since it was written."""
    with disk_errors(path):
        sound = is_sound(root, path)
    if not sound:
        raise UserError(f"the file is damaged: it has another checksum than in {SUMS}", file=path, fix=fix)


@contextmanager
def summed(root: Path, path: Path, sweep: bool = True) -> Iterator[Path]:
    """As `writing`, with the checksum kept in ``root``; one process at a time may write there."""
    with writing(path, sweep) as temporary:
        yield temporary
        keep_sum(root, path, sha256_of_file(temporary))


def write_summed(root: Path, path: Path, content: str | bytes) -> None:
    """As `write_file`, with the checksum kept in ``root``."""
    with summed(root, path) as temporary:
        temporary.write_bytes(content.encode() if isinstance(content, str) else content)


def keep_sum(root: Path, path: Path, digest: str) -> None:
    """Keep the checksum of a file, before or after it is written."""
    kept, name = _sums(root), _name(root, path)
    old = kept.get(name)
    if old is None and _append(root, kept, name, digest):
        return
    if old is None or old.now != digest:
        _write(root, {**kept, name: _Sums(digest, old.now if old else "")})


def order_sums(root: Path) -> None:
    """Put the lines in the order of their names, when all is written: two runs with the same files have the same."""
    kept = _sums(root)
    if list(kept) != sorted(kept):
        _write(root, kept)


def drop_sum(root: Path, path: Path) -> None:
    """Forget the checksum of a file that is about to be written in place; it is kept again when that is done."""
    kept = dict(_sums(root))
    if kept.pop(_name(root, path), None) is not None:
        _write(root, kept)


def sum_folder(root: Path) -> None:
    """Keep the checksums of all files of a folder that is being made."""
    _write(root, {_name(root, path): _Sums(sha256_of_file(path)) for path in _files(root)})


def check_folder(root: Path) -> Checked:
    """Hold every file of a folder against its checksum; folders beneath that keep their own are theirs."""
    kept = _sums(root)
    found = {_name(root, path): path for path in _files(root)}
    sound = {name for name, path in found.items() if name in kept and is_sound(root, path)}
    return Checked(
        sound=tuple(sorted(sound)),
        damaged=tuple(sorted(name for name in found if name in kept and name not in sound)),
        missing=tuple(sorted(name for name in kept if name not in found)),
        unknown=tuple(sorted(name for name in found if name not in kept and not name.endswith(_DRAWN))),
    )


def _files(root: Path) -> Iterator[Path]:
    for path in sorted(root.iterdir()):
        if path.is_dir():
            if not (path / SUMS).is_file():
                yield from _files(path)
        elif path.name != SUMS and path.name != ".lock" and not path.name.endswith(".part"):
            yield path


def _name(root: Path, path: Path) -> str:
    return path.relative_to(root).as_posix()


def _sums(root: Path) -> dict[str, _Sums]:
    """What the file says; a line that says nothing is left out, so that its file counts as one without a checksum."""
    path = root / SUMS
    try:
        state = path.stat()
    except OSError:
        return {}
    seen = _read.get(path)
    stamp = state.st_mtime_ns, state.st_size
    if seen is not None and seen[0] == stamp:
        return seen[1]
    kept: dict[str, _Sums] = {}
    with disk_errors(path):
        whole, _, _ = path.read_text(encoding="utf-8", errors="surrogateescape").rpartition("\n")
    for line in whole.split("\n"):
        if (match := _LINE.fullmatch(line)) is None:
            continue
        name = match["name"]
        if match["escaped"]:
            name = re.sub(r"\\(.)", lambda escape: "\n" if escape[1] == "n" else escape[1], name)
        sums = kept.get(name, _Sums())
        kept[name] = _Sums(sums.now, match["digest"]) if match["before"] else _Sums(match["digest"], sums.before)
    if len(_read) >= _CACHE_LIMIT:
        _read.clear()
    _read[path] = stamp, kept
    return kept


def _write(root: Path, kept: Mapping[str, _Sums]) -> None:
    lines = []
    for name, sums in sorted(kept.items()):
        for digest, before in ((sums.now, ""), (sums.before, _BEFORE)):
            if digest:
                lines.append(f"{before}{_line(digest, name)}\n")
    path = root / SUMS
    _read.pop(path, None)
    with writing(path) as temporary:
        temporary.write_bytes("".join(lines).encode("utf-8", "surrogateescape"))
    _remember(path, dict(sorted(kept.items())))


def _append(root: Path, kept: dict[str, _Sums], name: str, digest: str) -> bool:
    """One more line; False where it takes more than that: no file yet, or half a line that a kill has left."""
    path = root / SUMS
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
    kept[name] = _Sums(digest)
    _remember(path, kept)
    return True


def _remember(path: Path, kept: dict[str, _Sums]) -> None:
    """It need not be read again for the next file."""
    state = path.stat()
    _read[path] = (state.st_mtime_ns, state.st_size), kept


def _line(digest: str, name: str) -> str:
    """As sha256sum writes it.

    >>> _line("ab" * 32, "answers/a\\nb.parquet")[:6], _line("ab" * 32, "a")[-6:]
    ('\\\\ababa', 'bab  a')
    """
    if "\\" not in name and "\n" not in name:
        return f"{digest}  {name}"
    escaped = name.replace("\\", "\\\\").replace("\n", "\\n")
    return f"\\{digest}  {escaped}"
