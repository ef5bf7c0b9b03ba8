"""The cache folder, SHA-256 of files, and atomic writes."""

from __future__ import annotations

import errno
import hashlib
import os
import platform
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from horsesense.errors import UserError
from horsesense.settings import cache_setting

_WHAT_TO_DO = {
    errno.ENOSPC: ("the disk is full", "free some space and run the same command again"),
    errno.EDQUOT: ("the disk quota is used up", "free some space and run the same command again"),
    errno.EACCES: ("no permission", "choose a folder that you can write to"),
    errno.EPERM: ("no permission", "choose a folder that you can write to"),
    errno.EROFS: ("the file system is read-only", "choose a folder that you can write to"),
    errno.ENOENT: ("no such file or folder", "check the path"),
    errno.ENOTDIR: ("a part of the path is a file, not a folder", "check the path"),
    errno.EISDIR: ("this is a folder, not a file", "give the name of a file"),
    errno.EEXIST: ("a file of that name is in the way", "choose another name"),
    errno.EFBIG: ("the file is larger than the system allows", "free some space or write elsewhere"),
    errno.ENAMETOOLONG: ("the name is too long", "choose a shorter one"),
    errno.ELOOP: ("the links go round in a circle", "check the path"),
}


def cache_folder(*parts: str) -> Path:
    """Return the cache folder; ``HORSESENSE_CACHE`` or the settings file can name another one."""
    root = cache_setting()
    if root is None:
        from platformdirs import user_cache_path

        root = user_cache_path("horsesense")
    return root.joinpath(*parts)


def sha256_of_bytes(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def refuse_devices(path: Path) -> None:
    """Refuse pipes and devices, also behind a link: reading them may never end."""
    if not path.is_file() and path.exists() and not path.is_dir():
        raise UserError("this is a device or a pipe, not a file", file=path, fix="give the name of a file")


def sha256_of_file(path: Path) -> str:
    """Return the SHA-256 of a regular file."""
    refuse_devices(path)
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


@contextmanager
def disk_errors(path: str | Path) -> Iterator[None]:
    """Turn what the operating system says about ``path`` into one sentence for the user."""
    try:
        yield
    except OSError as error:
        # Torch, pyarrow and zlib raise OSError without a number for damaged content; that is not ours to name.
        if error.errno is None:
            raise
        problem, fix = _WHAT_TO_DO.get(error.errno, (error.strerror or str(error), "check the path"))
        raise UserError(problem, file=path, fix=fix) from error


def _part_of(path: Path) -> Path:
    """Return the temporary path of a file or folder while it is written; its name contains the process and machine."""
    return path.with_name(f".{path.name}.{os.getpid()}-{_machine()}.part")


@cache
def _machine() -> str:
    return hashlib.sha256(platform.node().encode()).hexdigest()[:6]


def _sweep(path: Path) -> None:
    """Remove what killed processes of this machine left of the same name. Another machine's may still be at work."""
    pattern = re.compile(rf"\.{re.escape(path.name)}\.(\d+)-{_machine()}\.part")
    try:
        matches = [(each, match) for each in path.parent.iterdir() if (match := pattern.fullmatch(each.name))]
    except OSError:
        return
    for each, match in matches:
        if _is_at_work(int(match[1])):
            continue
        if each.is_dir():
            shutil.rmtree(each, ignore_errors=True)
        else:
            with suppress(OSError):
                each.unlink()


def _is_at_work(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


@contextmanager
def writing(path: str | Path, sweep: bool = True) -> Iterator[Path]:
    """Yield a temporary file that replaces ``path`` when the block ends without an error.

    What killed processes left is swept away first, which takes as long as the folder has files.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with writing(folder / "a.txt") as temporary:
    ...     _ = temporary.write_text("whole")
    >>> (folder / "a.txt").read_text(), len(list(folder.iterdir()))
    ('whole', 1)
    """
    path = Path(path)
    with disk_errors(path):
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, "is a folder", str(path))
        refuse_devices(path)  # root could replace /dev/null by a file, and nothing on the machine would work any more
        target = path.resolve()  # a link stays a link, and what it points to is written
        temporary = _part_of(target)
        target.parent.mkdir(parents=True, exist_ok=True)
        if sweep:
            _sweep(target)
        try:
            yield temporary
            with temporary.open("rb") as handle:
                os.fsync(handle.fileno())
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)


def write_file(path: str | Path, content: str | bytes) -> None:
    """Write a file whole or not at all; text as UTF-8."""
    with writing(path) as temporary:
        temporary.write_bytes(content.encode() if isinstance(content, str) else content)


@contextmanager
def writing_folder(path: Path) -> Iterator[Path]:
    """Yield a temporary folder that replaces ``path`` when the block ends without an error."""
    part = _part_of(path)
    shutil.rmtree(part, ignore_errors=True)
    _sweep(path)
    try:
        part.mkdir(parents=True)
        yield part
        if path.exists():
            # A folder cannot be replaced in one step; the old one is of no use any more.
            shutil.rmtree(path)
        part.rename(path)
    finally:
        shutil.rmtree(part, ignore_errors=True)
