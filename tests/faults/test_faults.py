"""A few fault points of the commands that keep something; ``make fuzz`` goes through all of them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from tests.support import ROOT


@pytest.mark.parametrize("command", ["import", "knowledge add", "run"])
def test_a_fault_is_told_and_healed(command: str) -> None:
    if shutil.which("cc") is None or sys.platform != "linux":
        pytest.skip("there is no compiler here, or no Linux, to put a library before the C library")
    words = [sys.executable, "-m", "tests.faults", "--only", command, "--most", "3", "--seconds", "20"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False, env=os.environ, timeout=300)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
    assert f"| {command} |" in done.stdout
