"""Bits that flip in what is kept: never another number in silence."""

from __future__ import annotations

import random
import shutil
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import pytest

from horsesense.core import Probe
from horsesense.data.store import SUMS, Store
from horsesense.errors import UserError
from horsesense.runs.ask_models import ask_models
from horsesense.runs.probe_answers import read_run, result_of
from horsesense.runs.tasks import Settings
from tests.support.made_tasks import clozes

FLIPS = 150


@pytest.fixture(scope="module")
def probe() -> Probe:
    return clozes(30, 1)


@pytest.fixture(scope="module")
def kept(tiny_folders: dict[str, Path], probe: Probe, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("flips") / "run"
    ask_models([str(tiny_folders["gpt2"])], {"made": probe}, folder, Settings(device="cpu", shard=400, cache=False))
    return folder


def numbers(folder: Path) -> Any:
    manifest, answered = read_run(folder)
    return manifest, [(result_of(each), [each.scores(how) for how in ("sum", "mean")]) for each in answered]


def flip(path: Path, lot: random.Random) -> None:
    content = bytearray(path.read_bytes())
    content[lot.randrange(len(content))] ^= 1 << lot.randrange(8)
    path.write_bytes(content)


def test_a_flipped_bit_is_told_or_changes_nothing(kept: Path, tmp_path: Path) -> None:
    whole, lot, told = numbers(kept), random.Random(1), 0
    for number in range(FLIPS):
        folder = Path(shutil.copytree(kept, tmp_path / f"{number}"))
        path = lot.choice(sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size))
        flip(path, lot)
        try:
            assert numbers(folder) == whole, path
        except UserError:
            told += 1
        shutil.rmtree(folder)
    assert told > FLIPS / 2, "most of what lies there is looked at"


def test_a_damaged_shard_is_computed_again(
    kept: Path, probe: Probe, tiny_folders: dict[str, Path], tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(kept, tmp_path / "run"))
    path = sorted((folder / "answers").iterdir())[1]
    whole = path.read_bytes()
    flip(path, random.Random(2))
    settings = Settings(device="cpu", shard=400, cache=False)
    ask_models([str(tiny_folders["gpt2"])], {"made": probe}, folder, settings)
    assert path.read_bytes() == whole
    assert numbers(folder) == numbers(kept)


def test_a_bad_row_of_the_cache_is_computed_again(
    probe: Probe, tiny_folders: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HORSESENSE_CACHE", str(tmp_path / "cache"))
    model, settings = str(tiny_folders["gpt2"]), Settings(device="cpu", shard=400)
    ask_models([model], {"made": probe}, tmp_path / "first", settings)
    base = sqlite3.connect(tmp_path / "cache" / "scores.sqlite")
    lot = random.Random(3)
    for key, value in base.execute("SELECT key, value FROM scores").fetchall():
        content = bytearray(value)
        content[lot.randrange(len(content))] ^= 1 << lot.randrange(8)
        base.execute("UPDATE scores SET value = ? WHERE key = ?", (bytes(content), key))
    base.commit()
    base.close()
    ask_models([model], {"made": probe}, tmp_path / "second", settings)
    assert numbers(tmp_path / "second")[1] == numbers(tmp_path / "first")[1]


def test_what_sha256sum_says(kept: Path) -> None:
    done = subprocess.run(["sha256sum", "--check", SUMS], cwd=kept, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(": OK") == len(Store(kept).verify().sound) == 3 + len(list((kept / "answers").iterdir()))


def test_names_that_want_escaping(tmp_path: Path) -> None:
    for name in ("a b", "new\nline", "back\\slash", "\\n"):
        (tmp_path / name).write_text(name)
    Store(tmp_path).record_all()
    assert set(Store(tmp_path).verify().sound) == {"a b", "new\nline", "back\\slash", "\\n"}
    done = subprocess.run(["sha256sum", "--check", SUMS], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_kill_between_the_checksum_and_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a"
    with Store(tmp_path).writing(path) as temporary:
        temporary.write_text("one")
    Store(tmp_path).record(path, "0" * 64)  # and then the process is killed
    assert Store(tmp_path).has(path)
    with Store(tmp_path).writing(path) as temporary:
        temporary.write_text("two")
    assert Store(tmp_path).has(path)
    path.write_text("three")
    assert not Store(tmp_path).has(path)
    assert Store(tmp_path).verify().damaged == ("a",)


def test_a_kill_in_the_middle_of_a_line_costs_that_line_alone(tmp_path: Path) -> None:
    for name in ("b", "answers.1", "a"):
        with Store(tmp_path).writing(tmp_path / name) as temporary:
            temporary.write_text(name)
    whole = (tmp_path / SUMS).read_bytes()
    lines = [line.split("  ") for line in whole.decode().splitlines()]
    assert [name for _, name in lines] == ["b", "answers.1", "a"], "each is one more line"
    last = len(f"{lines[-1][0]}  a\n")
    for left in (0, 1, 63, 64, 66, last - 1):
        (tmp_path / SUMS).write_bytes(whole[: len(whole) - last + left])
        assert Store(tmp_path).verify().unknown == ("a",)
        Store(tmp_path).record(tmp_path / "a")
        assert Store(tmp_path).verify().sound == ("a", "answers.1", "b")
        done = subprocess.run(
            ["sha256sum", "--check", "--strict", SUMS], cwd=tmp_path, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr
