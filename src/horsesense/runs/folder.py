"""A run folder: one process at a time, and the probes that were asked beside the answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from horsesense.errors import UserError
from horsesense.files import disk_errors
from horsesense.records import Probe, read_probe, write_probe

_LOCK = ".lock"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder; a second process is refused. The lock goes with the process, however it ends.

    Where nothing comes of it, a folder that was made for it goes too.
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
                "another process is at work in this run folder", file=folder, fix="wait for it, or choose another --out"
            ) from None
    try:
        _sweep(folder)
        yield
    except BaseException:
        _leave_nothing(folder, made)
        raise
    finally:
        lock.release()


def _leave_nothing(folder: Path, made: Sequence[Path]) -> None:
    """Remove the lock of a folder that holds nothing else, and the folders that were made for it."""
    with suppress(OSError):
        if [path.name for path in folder.iterdir()] == [_LOCK]:
            (folder / _LOCK).unlink()
        for place in made:
            place.rmdir()  # fails, and ends this, where anything lies in it


def _sweep(folder: Path) -> None:
    """Remove what a killed process left half-written."""
    for part in [*folder.glob(".*.part"), *folder.glob("*/.*.part")]:
        part.unlink(missing_ok=True)


def probe_path(folder: Path, name: str) -> Path:
    return folder / "probes" / f"{name}.jsonl.gz"


def keep_probe(folder: Path, name: str, probe: Probe) -> None:
    """Keep what was asked beside the answers, so that a run can be read without the file it came from."""
    write_probe(probe_path(folder, name), probe)


def kept_probe(folder: Path, name: str) -> Probe:
    return read_probe(probe_path(folder, name))
