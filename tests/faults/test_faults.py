"""A fault point of each kind for every command that keeps something; ``make faults`` goes through all of them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from horsesense.cli.app import root
from tests.faults import cases
from tests.support import ROOT
from tests.support.postgresql_cluster import programs
from tests.support.reliability import rows

QUICK = ["import", "build", "harden", "knowledge add", "run", "server's database", "PostgreSQL"]
"""A training, a pipeline and a study under faults take minutes; tests of theirs kill some."""
SLOW = ["train", "inoculate", "winoventi make", "rica study", "profile", "replicate", "run --engine ray"]


@pytest.fixture(scope="module")
def told() -> str:
    if shutil.which("cc") is None or sys.platform != "linux":
        pytest.skip("there is no compiler here, or no Linux, to put a library before the C library")
    words = [sys.executable, "-m", "tests.faults", "--most", "1", "--kills", "1", "--workers", "1"]
    words += [word for command in QUICK for word in ("--only", command)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False, env=os.environ, timeout=900)
    assert "| command |" in done.stdout, done.stderr[-2000:]
    return done.stdout


@pytest.mark.parametrize("command", QUICK)
def test_a_fault_is_told_and_healed(command: str, told: str) -> None:
    if command == "PostgreSQL" and programs() is None:
        pytest.skip("no PostgreSQL on this machine (initdb)")
    row = next(line for line in told.splitlines() if line.startswith(f"| {command} |"))
    *points, defects = [cell.strip() for cell in row.strip("|").split("|")][1:]
    assert defects == "0", told[-3000:]
    assert int(points[0].split()[0]) > 0, "something was opened, and failed"


def test_every_command_under_faults_has_its_options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A case whose option was renamed would be tried without ever beginning its work."""
    calls: list[tuple[str, ...]] = []

    def noted(*words: str) -> Callable[[Path], None]:
        calls.append(words)
        return lambda folder: None

    monkeypatch.setattr(cases, "command", noted)
    monkeypatch.setattr(cases, "_draw_nothing", lambda: None)
    cases._commands(tmp_path, ["import"])
    assert len(calls) >= 15
    for words in calls:
        command: click.Command | None = root()
        name, rest = "horsesense", list(words)
        while isinstance(command, click.Group):
            _, command, rest = command.resolve_command(click.Context(command), rest)
        assert command is not None
        command.make_context(name, rest)


def test_the_page_says_so_of_every_command() -> None:
    """The table in the docs was made by the command; what is whole has no defect."""
    kept = {row[0]: row for row in rows("faults")}
    assert set(kept) == {*QUICK, *SLOW}
    assert {row[-1] for row in kept.values()} == {"0"}
    assert sum(int(row[6].split()[0]) for row in kept.values()) >= 200, "kills"
