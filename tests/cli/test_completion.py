"""The Tab key: the script of a shell, and what the program answers to it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.calling import Call, caller


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Call:
    return caller(capfd)


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("horsesense cac", ["cache"]),
        ("horsesense cache ", ["list", "prune"]),
        ("horsesense run --lim", ["--limit"]),
        ("horsesense saliency --method int", ["integrated"]),
    ],
)
def test_a_line_is_completed(line: str, wanted: list[str], call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_HORSESENSE_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(line.count(" ")))
    called = call()
    assert (called.code, [each.partition(",")[2] for each in called.out.split()], called.err) == (0, wanted, "")


def test_the_script_of_bash_completes_in_bash(call: Call, tmp_path: Path) -> None:
    if not shutil.which("bash"):
        pytest.skip("there is no bash here")
    shown = call("--show-completion", "bash")
    assert shown.code == 0
    program = tmp_path / "horsesense"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m horsesense "$@"\n')
    program.chmod(0o755)
    script = f"{shown.out}\nCOMP_WORDS=(horsesense know) COMP_CWORD=1\n"
    script += f'_horsesense_completion {program}\necho "${{COMPREPLY[@]}}"\n'
    done = subprocess.run(["bash", "--norc", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["knowledge"], done.stderr


@pytest.mark.parametrize("shell", ["zsh", "fish", "powershell", "pwsh"])
def test_other_shells_have_a_script(shell: str, call: Call) -> None:
    assert "_HORSESENSE_COMPLETE" in call("--show-completion", shell).out


def test_installing_writes_into_the_home_folder(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".bashrc").write_text("alias x=y\n")
    script = tmp_path / ".bash_completions" / "horsesense.sh"
    for _ in range(2):
        assert call("--install-completion", "bash").out.startswith(f"completion for bash is in {script};")
    assert (tmp_path / ".bashrc").read_text().split("\n").count(f"source '{script}'") == 1
    assert (tmp_path / ".bashrc").read_text().startswith("alias x=y\n")
    assert script.read_text().strip() == call("--show-completion", "bash").out.strip()


def test_what_goes_wrong_is_one_line(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    called = call("--show-completion", "bsh")
    assert called.code == 2
    assert called.err.startswith("horsesense: there is no completion for the shell 'bsh'; did you mean 'bash'?")
    assert called.err.count("\n") == 1
    assert "one word more" in call("--install-completion", "bash", "zsh").err
    (tmp_path / "home").write_text("a file")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    called = call("--install-completion", "bash")
    assert (called.code, called.err.count("\n")) == (2, 1)
    monkeypatch.setenv("_HORSESENSE_COMPLETE", "nonsense")
    called = call("--version")
    assert (called.code, called.err.count("\n")) == (2, 1)
