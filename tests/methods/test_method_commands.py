"""The methods from Python give what their commands print."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import horsesense as hs
from horsesense.core.document import plain
from horsesense.methods.suites.ask import ask_suite
from tests.support.calling import Call, caller

AXIOM = "A is made out of glass and B is made out of stone, so A is more fragile than B"


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Call:
    return caller(capfd)


def _same(document: Any, called: Any) -> bool:
    assert called.code == 0, called.err
    return bool(json.loads(json.dumps(plain(document))) == json.loads(called.out))


def test_rica(call: Call) -> None:
    assert _same(hs.rica.derive(AXIOM), call("rica", "derive", AXIOM, "--json"))
    turned = "A is made out of glass and B is made out of stone, so B is less fragile than A"
    proof = hs.rica.equivalent(AXIOM, turned)
    assert _same(proof, call("rica", "equivalent", AXIOM, turned, "--json"))
    assert proof.equivalent
    with pytest.raises(hs.UserError):
        hs.rica.derive("this is no axiom")


def _sets(folder: Path) -> Path:
    data = folder / "sets"
    data.mkdir()
    rows = {
        "ca.txt": "0\x01He slept because he was tired.\x01He slept although he was tired.\n",
        "sm.txt": "1\x01he drank the stone\x01he drank the milk\n0\x01birds fly\x01stones fly\n",
    }
    for name, content in rows.items():
        (data / name).write_text(content, encoding="utf-8")
    return data


def test_a_suite(tiny_folders: dict[str, Path], tmp_path: Path, call: Call) -> None:
    model, data = str(tiny_folders["gpt2"]), _sets(tmp_path)
    asked = ask_suite(model, "cats", data=data)
    printed = json.loads(call("suite", "cats", "--data", data, "-m", model, "--out", tmp_path / "o", "--json").out)
    assert json.loads(json.dumps(plain(asked.results))) == printed["suite"]
    assert asked.run.results().to_json() == printed["results"]


def test_nouns_are_drawn_alike(tmp_path: Path) -> None:
    file = tmp_path / "nouns.txt"
    file.write_text("stone\nstove\nice\nbutter\n", encoding="utf-8")
    assert len(hs.winoventi.load_nouns(file).nouns) == 4
    drawn = [hs.winoventi.load_nouns(file, limit=2, seed=3).nouns for _ in range(2)]
    assert drawn[0] == drawn[1]
    assert len(drawn[0]) == 2
