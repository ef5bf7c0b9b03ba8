"""The command on a page asks the same again."""

from __future__ import annotations

import html
import re
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from horsesense.runs.manifest import read_manifest
from tests.support.calling import Call, caller, item, lay


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Call:
    return caller(capfd)


@pytest.mark.parametrize("design", [[], ["--withhold", "question"]], ids=["plain", "withheld"])
def test_the_command_on_the_page_asks_the_same_again(
    design: list[str], tmp_path: Path, tiny_folders: dict[str, Path], call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    options = ("cold", "hot", "red", "tall", "old", "new", "wet", "dry", "far")
    lay(
        tmp_path / "toy.jsonl",
        *(item(text=f"The ice number {n} is ___.", options=["big", options[n]]) for n in range(9)),
    )
    words = ["-m", tiny_folders["gpt2"], "-p", "toy.jsonl", "--out", "one", "--no-cache"]
    words += ["--limit", 5, "--seed", 3, "--batch-tokens", 60, "--spec", "bos=none,case=lower", "--normalise", "pmi"]
    words += design
    assert call("run", *words).code == 0
    page = Path("one/report.html").read_text("utf-8")
    (command,) = re.findall(r"<pre[^>]*>(horsesense run .*?)</pre>", page)
    again = shlex.split(html.unescape(command))[1:]
    assert call(*again, "--out", "two", "--no-cache").code == 0
    one, two = (read_manifest(Path(folder)) for folder in ("one", "two"))
    assert (one.budget, one.limit, one.seed) == (60, 5, 3)
    assert replace(two, created=one.created) == one
    assert [path.read_bytes() for path in sorted(Path("one/answers").iterdir())] == [
        path.read_bytes() for path in sorted(Path("two/answers").iterdir())
    ]
    told = [Path(folder, "report.html").read_text("utf-8").partition('id="provenance"')[0] for folder in ("one", "two")]
    assert told[0] == told[1]
