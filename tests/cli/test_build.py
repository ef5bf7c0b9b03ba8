"""``horsesense knowledge`` and ``horsesense build``: what they print as JSON, and one line for wrong input."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from horsesense.lexicons.graph import load_graph
from horsesense.lexicons.sources import add_file
from tests.support.calling import hold_to

LINES = ["lemma\tthing\tthing", "definition\tthing\twhat there is"] + [
    line
    for name in ("ab", "cd", "ef", "gh", "ij", "kl")
    for line in (
        f"lemma\t{name}\t{name}",
        f"definition\t{name}\tsort {name[::-1]}",
        f"example\t{name}\tmy {name}s",
        f"pos\t{name}\tn",
        f"isa\t{name}\tthing",
    )
]


def _call(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    import os

    environment = {**os.environ, "HORSESENSE_CACHE": str(folder / "cache")}
    command = [sys.executable, "-m", "horsesense", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "own.tsv"
    path.write_text("\n".join(LINES), encoding="utf-8")
    return path


def test_add_list_and_build(tmp_path: Path, source: Path) -> None:
    added = json.loads(_call(tmp_path, "knowledge", "add", "own", str(source), "--json").stdout)
    hold_to("knowledge add", added)
    assert added["concepts"] == 7
    hold_to("knowledge list", json.loads(_call(tmp_path, "knowledge", "list", "--json").stdout))
    out = tmp_path / "own.jsonl"
    options = ["--relation", "definitions", "--source", "own", "--options", "3", "--as-paper", "-o", str(out)]
    built = json.loads(_call(tmp_path, "build", "wordnetqa", *options, "--json").stdout)
    hold_to("build wordnetqa", built)
    assert built["items"] == len(out.read_text(encoding="utf-8").splitlines())


def test_another_source_of_the_name_is_kept(tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HORSESENSE_CACHE", str(tmp_path / "cache"))
    assert add_file("own", source).concepts == add_file("own", source).concepts == 7
    other = tmp_path / "other.tsv"
    other.write_text("lemma\tx\tx\n", encoding="utf-8")
    called = _call(tmp_path, "knowledge", "add", "own", str(other))
    told = f"{other}: another source is called 'own' already; choose another name, or give --replace to"
    assert (called.returncode, called.stderr.startswith(f"horsesense: {told}")) == (2, True), called.stderr
    assert len(load_graph("own")) == 7
    assert add_file("own", other, replace=True).concepts == 1
    assert _call(tmp_path, "knowledge", "add", "own", str(source), "--replace").returncode == 0
    assert len(load_graph("own")) == 7


def test_wrong_input_is_one_line(tmp_path: Path, source: Path) -> None:
    source.write_text("isa\tab\tzz\n", encoding="utf-8")
    for arguments in (
        ("knowledge", "add", "own", str(source)),
        ("build", "wordnetqa", "--relation", "definitions", "--source", "nothing", "-o", str(tmp_path / "a.jsonl")),
        ("build", "wordnetqa", "--relation", "definition", "-o", str(tmp_path / "a.jsonl")),
    ):
        called = _call(tmp_path, *arguments)
        assert (called.returncode, called.stderr.count("\n")) == (2, 1), called.stderr
