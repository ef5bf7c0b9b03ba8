"""Disks that really are full or read-only, for the length of a test; nothing is mocked."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """The system refuses (EFBIG) to let any file of this process grow over ``size`` bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def python_on_a_disk(code: str, folder: Path, options: str) -> subprocess.CompletedProcess[str]:
    """Run Python code in ``folder``, on a disk in memory that only this process sees.

    ``options`` are those of tmpfs: ``size=64k`` is soon full, ``ro`` can't be written.
    """
    if shutil.which("unshare") is None:
        pytest.skip("there is no unshare(1) here to mount a small disk with")
    mount = f'mount -t tmpfs -o {options} tmpfs "$1" && cd "$1" && exec "$2" -c "$3"'
    command = ["unshare", "--map-root-user", "--mount", "sh", "-c", mount, "sh", str(folder), sys.executable, code]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "LC_ALL": "C.UTF-8"})
    if done.returncode and done.stderr.startswith(("unshare:", "mount:")):
        pytest.skip(f"a small disk can't be mounted here ({done.stderr.strip()})")
    return done
