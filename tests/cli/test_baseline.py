"""``horsesense baseline`` as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from horsesense.core import write_probe
from horsesense.runs.probe_answers import read_run, result_of
from tests.support.calling import Call, caller, hold_to
from tests.support.made_tasks import questions, triples
from tests.support.tiny import save_tiny


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Call:
    return caller(capfd)


def document(called: Any) -> Any:
    assert called.code == 0, called.err
    found = json.loads(called.out)
    hold_to("baseline", found)
    return found


def test_a_control_leaves_a_run_and_stands_against_one(tmp_path: Path, call: Call) -> None:
    train, test = tmp_path / "train.jsonl", tmp_path / "test.jsonl"
    write_probe(train, questions(60, 1, True))
    write_probe(test, questions(24, 2, True))
    assert call("run", "-m", save_tiny("gpt2", tmp_path / "model"), "-p", test, "--out", tmp_path / "run").code == 0
    assert call("baseline", "majority", "--train", train, "--test", test, "--out", tmp_path / "major").code == 0
    words = ["baseline", "random", "--test", test, "--seeds", 1, "--out", tmp_path / "lot", "--json"]
    lot = document(call(*words, "--against", tmp_path / "run", "--against", tmp_path / "major"))
    assert (lot["name"], lot["estimate"]["n"], lot["other_controls"]) == ("random", 24, ["majority"])
    (model,) = lot["missed_by_controls"]
    (_, (answered,)), (_, (major,)) = read_run(tmp_path / "lot"), read_run(tmp_path / "major")
    assert result_of(answered).accuracy.value == pytest.approx(lot["estimate"]["value"])
    failing = [a < 1 and b < 1 for a, b in zip(answered.credits(None).values, major.credits(None).values, strict=True)]
    assert model["all"]["n"] == 24
    assert model["missed"]["n"] == sum(failing)
    assert call("baseline", "random", "--test", test, "--seeds", 1, "--out", tmp_path / "lot").code == 2
    assert call("compare", tmp_path / "run", tmp_path / "lot", "--json").code == 0


def test_seeds_and_slots(tmp_path: Path, call: Call) -> None:
    train, test = tmp_path / "train.jsonl", tmp_path / "test.jsonl"
    write_probe(train, triples(120, 1))
    write_probe(test, triples(60, 2))
    found = document(call("baseline", "majority-per", "--slot", "part", "--train", train, "--test", test, "--json"))
    assert found["estimate"]["value"] > 0.9
    lots = document(call("baseline", "random", "--test", test, "--seeds", 4, "--json"))
    assert len(lots["by_seed"]) == 4
    assert lots["spread"] > 0
    assert lots["estimate"]["value"] == pytest.approx(sum(lots["by_seed"]) / 4)


def test_bad_calls(tmp_path: Path, call: Call) -> None:
    test = tmp_path / "test.jsonl"
    write_probe(test, triples(60, 2))
    for words, told in (
        (["majority"], "needs a training set"),
        (["majority", "--train", test], "leak into training"),
        (["mlp", "--train", test, "--allow-overlap", "--vectors", tmp_path / "none.txt"], "no such file"),
        (["majorty", "--train", test], "did you mean 'majority'"),
    ):
        called = call("baseline", *words, "--test", test)
        assert called.code == 2
        assert told in called.err
        assert "Traceback" not in called.err
