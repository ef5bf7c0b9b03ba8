"""A PostgreSQL of the tests' own: in a temporary folder, on a socket file, gone at the end."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_SERVERS = (
    sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True) if Path("/usr/lib/postgresql").is_dir() else []
)


def programs() -> Path | None:
    """The folder of initdb and pg_ctl; None where there is no PostgreSQL."""
    found = shutil.which("initdb")
    return Path(found).resolve().parent if found else next((p for p in _SERVERS if (p / "initdb").is_file()), None)


def _unprivileged() -> tuple[int, int] | None:
    """PostgreSQL does not run as root."""
    if os.getuid():
        return None
    for name in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return entry.pw_uid, entry.pw_gid
    raise RuntimeError("there is no user but root")


def _call(folder: Path, *words: str) -> None:
    """Run one of PostgreSQL's programs on a cluster, as a user whom it accepts."""
    binaries, owner = programs(), _unprivileged()
    assert binaries is not None
    who: dict[str, Any] = {"user": owner[0], "group": owner[1], "extra_groups": []} if owner else {}
    done = subprocess.run([str(binaries / words[0]), *words[1:]], capture_output=True, text=True, cwd=folder, **who)
    if done.returncode:
        raise RuntimeError(f"{words[0]}: {done.stderr or done.stdout}")


def _start(folder: Path) -> None:
    settings = f"-k {folder} -c listen_addresses='' -c max_connections=100"
    _call(folder, "pg_ctl", "-D", str(folder / "data"), "-w", "-l", str(folder / "log"), "-o", settings, "start")


def crash(address: str) -> None:
    """End a cluster without writing anything down, as a kill does, and start it again."""
    folder = Path(address.rpartition("host=")[2])
    _call(folder, "pg_ctl", "-D", str(folder / "data"), "-m", "immediate", "stop")
    _start(folder)


@contextmanager
def cluster() -> Iterator[str]:
    """The address of a fresh PostgreSQL."""
    owner, folder = _unprivileged(), Path(tempfile.mkdtemp(prefix="horsesense-pg-"))
    data = folder / "data"
    try:
        if owner:
            os.chown(folder, *owner)
        _call(folder, "initdb", "-D", str(data), "-U", "horse", "-A", "trust", "-E", "UTF8", "--no-sync")
        _start(folder)
        try:
            yield f"postgresql://horse@/postgres?host={folder}"
        finally:
            _call(folder, "pg_ctl", "-D", str(data), "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
