"""``horsesense verify``, and what it finds in runs, models, probes and the cache."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import horsesense as hs
from horsesense.runs.verify import verify
from tests.support.calling import Call, caller, hold_to, lay, toy_lines
from tests.support.tiny import save_tiny


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Call:
    return caller(capfd)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kept")
    patch = pytest.MonkeyPatch()
    patch.setenv("HORSESENSE_CACHE", str(folder / "cache"))
    save_tiny("gpt2", folder / "model")
    probe = hs.load_probe(lay(folder / "toy.jsonl", *toy_lines()))
    hs.ask(str(folder / "model"), probe, out=folder / "run")
    patch.undo()
    return folder


@pytest.fixture
def folder(kept: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(kept, tmp_path / "kept"))


def told(call: Call, path: Path, code: int) -> Any:
    called = call("verify", path, "--json")
    assert called.code == code, called.err
    found = json.loads(called.out)
    hold_to("verify", found)
    return found


def test_an_exported_table_is_not_part_of_the_run(call: Call, folder: Path) -> None:
    assert call("export-run", folder / "run").code == 0
    called = call("verify", folder / "run")
    assert called.code == 0
    assert "1 file without a checksum: not part of the run" in called.err
    assert told(call, folder / "run", 0)["unknown"] == 1


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 4
    path.write_bytes(content)


def test_a_run_that_is_sound(folder: Path, call: Call) -> None:
    found = told(call, folder / "run", 0)
    assert (found["intact"], found["damaged"], found["missing"]) == (4, [], [])
    assert call("report", folder / "run").code == 0
    called = call("verify", folder / "run")
    assert "4 intact, 0 damaged" in called.out
    assert "checksum" not in called.err, "the page is drawn from the rest, and is nobody else's"


@pytest.mark.parametrize("what", ["manifest.json", "answers", "probes"])
def test_a_run_that_is_not(what: str, folder: Path, call: Call) -> None:
    path = folder / "run" / what
    flip(path if path.is_file() else sorted(path.iterdir())[0])
    found = told(call, folder / "run", 2)
    assert len(found["damaged"]) == 1
    assert found["damaged"][0].startswith(what)


def test_a_shard_that_is_gone(folder: Path, call: Call) -> None:
    next((folder / "run" / "answers").iterdir()).unlink()
    assert len(told(call, folder / "run", 2)["missing"]) == 1


def test_a_model_that_is_another_by_now(kept: Path, tmp_path: Path, call: Call) -> None:
    run = Path(shutil.copytree(kept / "run", tmp_path / "run"))
    assert told(call, run, 0)["changed"] == []
    config = kept / "model" / "config.json"
    before = config.read_text()
    config.write_text(before.replace('"n_layer": 2', '"n_layer": 1'))
    assert config.read_text() != before
    try:
        assert told(call, run, 0)["changed"] == [str(kept / "model")]
    finally:
        config.write_text(before)


def test_the_cache_and_a_probe(folder: Path, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    import sqlite3

    monkeypatch.setenv("HORSESENSE_CACHE", str(folder / "cache"))
    assert verify().well
    base = sqlite3.connect(folder / "cache" / "scores.sqlite")
    base.execute("UPDATE scores SET value = zeroblob(16) WHERE key = (SELECT min(key) FROM scores)")
    base.commit()
    base.close()
    assert "1 rows" in verify().damaged[0]
    assert verify(folder / "toy.jsonl").well
    (folder / "toy.jsonl").write_text((folder / "toy.jsonl").read_text().replace('"answer": 1', '"answer": 7'))
    assert told(call, folder / "toy.jsonl", 2)["damaged"]


def test_what_is_not_there(call: Call, tmp_path: Path) -> None:
    assert call("verify", tmp_path / "none").code == 2
