"""``horsesense suite``: the row of a paper's table, as a document and for people."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from horsesense.registry import provided
from tests.support.calling import Call, caller, hold_to
from tests.support.small_cats import ADD, CA, WSC, lay, lay_all


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Call:
    return caller(capfd)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return lay_all(tmp_path / "data")


def document(call: Call, *words: object) -> Any:
    called = call("suite", *words, "--json")
    assert called.code == 0, called.err
    found = json.loads(called.out)
    hold_to("suite", found)
    return found, called.err


def test_cats_row(data: Path, tiny_folders: dict[str, Path], call: Call) -> None:
    out = data.parent / "out"
    found, err = document(call, "cats", "--data", data, "-m", tiny_folders["gpt2"], "--out", out)
    assert "2 of 8 sets found: ca, wsc" in err
    assert "missing: sm, smr, swag, hella_swag, arct_1, arct_2" in err
    ours, published = found["tables"]
    (row,) = ours["rows"]
    accuracies = [result["accuracy"]["value"] for result in found["results"]]
    assert [cell and cell["value"] for cell in row["cells"]] == [
        *accuracies, *[None] * 6, pytest.approx(np.mean(accuracies))
    ]  # fmt: skip
    assert {result["spec"]["bos"] for result in found["results"]} == {"none"}, "the paper's way where none is given"
    assert published["rows"][-1]["group"] == "people"
    wrong = published["notes"][-1]
    assert all(f"{name} (" in wrong for name in ("XLNet-base", "RoBERTa-base", "HUMAN"))
    assert "GPT (" not in wrong
    shown = call("suite", "cats", "--data", data, "-m", tiny_folders["gpt2"], "--out", out)
    assert "RoBERTa-base (0.565)" in shown.out
    assert "without the question" in shown.out


def test_robust_row(data: Path, tiny_folders: dict[str, Path], call: Call) -> None:
    words = ["cats-robust", "--data", data, "-m", tiny_folders["gpt2"], "--out", data.parent / "out"]
    found, err = document(call, *words)
    assert "missing: del, swap, sub" in err
    cells = {row["name"].partition(": ")[2]: row["cells"][0] for row in found["tables"][0]["rows"]}
    p, q = cells["accuracy, original"]["value"], cells["accuracy, edited"]["value"]
    assert cells["consistent by chance of the two accuracies"]["value"] == pytest.approx(p * q + (1 - p) * (1 - q))
    assert cells["both halves right"]["value"] <= cells["consistent (both right or both wrong)"]["value"]
    assert cells["both halves right"]["n"] == 3


@pytest.mark.parametrize(("suite", "name"), [("cats", "ca"), ("cats-robust", "add")])
def test_a_set_of_one_unit_has_a_row_without_a_cue(
    suite: str, name: str, tmp_path: Path, tiny_folders: dict[str, Path], call: Call
) -> None:
    lay(tmp_path / "data", "wsc.txt", WSC)
    lay(tmp_path / "data", f"{name}.txt", CA[:1] if name == "ca" else ADD[:1])
    words = [suite, "--data", tmp_path / "data", "-m", tiny_folders["gpt2"], "--out", tmp_path / "out"]
    found, _ = document(call, *words)
    assert name in [result["probe"] for result in found["results"]]
    cues = found["suite"]["cues"]
    assert cues.pop(name) == {"rule": None, "learnt": None, "chance": 0.5, "searched": False}
    assert all(each["searched"] for each in cues.values())
    shown = call("suite", *words)
    assert shown.code == 0, shown.err
    assert f"{name}, without the question: not searched" in shown.out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["cats"], "needs its sets"),
        (["dogs", "--data", "."], "there is no suite 'dogs'"),
        (["cats", "--data", "nowhere"], "nowhere: the suite cats needs its sets"),
        (["cats", "--data", ".", "-p", "starter"], "no such option '-p'"),
        (["--data", "."], "missing argument 'SUITE'"),
    ],
)
def test_wrong_calls(words: list[str], told: str, call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HORSESENSE_CACHE", str(tmp_path))
    called = call("suite", "-m", "smollm2", *words)
    assert called.code == 2
    assert told in called.err


def test_a_bad_line_is_told_or_skipped(data: Path, tiny_folders: dict[str, Path], call: Call) -> None:
    path = lay(data, "general/wsc.txt", [*WSC, ("7", "a b", "a c")])
    words = ["cats", "--data", data, "-m", tiny_folders["gpt2"], "--out", data.parent / "out"]
    called = call("suite", *words)
    assert (called.code, f"{path}:4: the answer 7" in called.err) == (2, True)
    found, err = document(call, *words, "--skip-bad")
    assert "wsc: 1 bad lines skipped" in err
    assert f"skipped {path}:4: the answer 7" in err
    assert {result["probe"]: result["accuracy"]["n"] for result in found["results"]}["wsc"] == 3


def test_the_help_names_every_suite(call: Call) -> None:
    # A name with hyphens may be broken at the end of a line.
    names = re.sub(r"-\s+", "-", call("suite", "--help").out)
    assert {word.strip(".,") for word in names.split()} >= set(provided("suites"))
