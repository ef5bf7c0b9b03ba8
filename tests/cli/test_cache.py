"""``horsesense cache``: what lies there is listed, and only what was asked for is removed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from horsesense.cache import list_cache, prune_cache
from tests.support.calling import Call, caller, hold_to, names

FILES = {
    "models/tiny/model.gguf": 1000,
    "converted/abc-1/config.json": 20,
    "converted/abc-1/model.safetensors": 4000,
    "adapted/abc-2/config.json": 30,
    "releases/cats/wsc.txt": 500,
    "wordnet/data.noun": 600,
    "knowledge/own.arrow": 700,
    "hashes/0a1b": 64,
    "scores.sqlite": 80,
    "scores.sqlite-wal": 8,
    "mine.txt": 5,
}
KINDS = {
    "adapted/abc-2": ("converted model", 30),
    "converted/abc-1": ("converted model", 4020),
    "hashes": ("hashes", 64),
    "knowledge": ("knowledge store", 700),
    "mine.txt": ("other", 5),
    "models/tiny": ("model", 1000),
    "releases/cats": ("release", 500),
    "scores": ("scores", 88),
    "wordnet": ("source", 600),
}


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Call:
    return caller(capfd)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    for name, size in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"x" * size)
        os.utime(folder / name, (1_700_000_000, 1_600_000_000))
    monkeypatch.setenv("HORSESENSE_CACHE", str(folder))
    return folder


def test_all_that_lies_there_is_listed(cache: Path, call: Call) -> None:
    printed = json.loads(call("cache", "list", "--json").out)
    hold_to("cache list", printed)
    assert {each["name"]: (each["kind"], each["bytes"]) for each in printed["entries"]} == KINDS
    assert (printed["folder"], printed["bytes"]) == (str(cache), sum(FILES.values()))
    assert {each["used"] for each in printed["entries"]} == {"2023-11-14T22:13:20+00:00"}
    shown = call("cache", "list").out
    assert "models/tiny" in shown
    assert "4.0 kB" in shown
    assert "2023-11-14" in shown


def test_without_names_only_scores_and_converted_models_go(cache: Path, call: Call) -> None:
    printed = json.loads(call("cache", "prune", "--json").out)
    hold_to("cache prune", printed)
    assert {each["name"] for each in printed["removed"]} == {"scores", "converted/abc-1", "adapted/abc-2"}
    assert (printed["bytes"], printed["left"]) == (4138, sum(FILES.values()) - 4138)
    gone = ("converted/", "adapted/", "scores")
    assert [each for each in names(cache) if (cache / each).is_file()] == sorted(
        name for name in FILES if not name.startswith(gone)
    )
    assert "there was nothing to remove" in call("cache", "prune").out


def test_all_leaves_what_nobody_can_bring_back(cache: Path, call: Call) -> None:
    told = call("cache", "prune", "--all").out
    assert "removed releases/cats: release, 500 B; horsesense fetch gets it again" in told
    assert [each for each in names(cache) if (cache / each).is_file()] == ["knowledge/own.arrow", "mine.txt"]


def test_a_name_is_whole_or_its_end_or_a_folder(cache: Path) -> None:
    assert [each.name for each in prune_cache("tiny").removed] == ["models/tiny"]
    assert [each.name for each in prune_cache("converted", "adapted/abc-2").removed] == [
        "converted/abc-1",
        "adapted/abc-2",
    ]
    assert [each.name for each in prune_cache("knowledge").removed] == ["knowledge"]
    assert {each.name for each in list_cache().entries} == {
        "hashes",
        "mine.txt",
        "releases/cats",
        "scores",
        "wordnet",
    }


def test_a_wrong_name_removes_nothing(cache: Path, call: Call) -> None:
    before = names(cache)
    called = call("cache", "prune", "scores", "tinny")
    assert called.code == 2
    assert "there is no entry of the cache 'tinny'; " in called.err
    assert called.err.count("\n") == 1
    called = call("cache", "prune", "scores", "--all")
    assert called.err == "horsesense: --all leaves no choice to names; give one of the two\n"
    assert names(cache) == before


def test_what_a_killed_call_left_goes_by_its_name_only(cache: Path) -> None:
    (cache / "converted" / ".abc-9.77.part").mkdir()
    (cache / "converted" / ".abc-9.77.part" / "config.json").write_text("{}")
    prune_cache()
    assert [each.kind for each in list_cache().entries if "abc-9" in each.name] == ["unfinished"]
    prune_cache("converted/.abc-9.77.part")
    assert names(cache / "converted") == []


def test_a_link_is_removed_and_what_it_points_to_stays(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "config.json").write_text("{}")
    (cache / "converted" / "linked").symlink_to(tmp_path / "real")
    prune_cache()
    assert not (cache / "converted" / "linked").is_symlink()
    assert (tmp_path / "real" / "config.json").is_file()


def test_an_empty_cache_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Call) -> None:
    monkeypatch.setenv("HORSESENSE_CACHE", str(tmp_path / "none"))
    assert call("cache", "list").out == f"0 B in {tmp_path / 'none'}\n"
    assert call("cache", "prune").code == 0
    assert call("cache", "prune", "x").err == "horsesense: the cache is empty\n"
