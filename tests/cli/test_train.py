"""``horsesense train`` and ``horsesense inoculate`` as a user calls them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from horsesense.core import write_probe
from horsesense.runs.probe_answers import read_run
from tests.support.calling import Call, caller, hold_to
from tests.support.made_tasks import clozes, questions, schemas
from tests.support.tiny import save_tiny


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Call:
    return caller(capfd)


def document(called: Any, name: str) -> Any:
    assert called.code == 0, called.err
    found = json.loads(called.out)
    hold_to(name, found)
    return found


def test_full_exception_before_and_after(tmp_path: Path, call: Call) -> None:
    model = save_tiny("bert", tmp_path / "bert")
    write_probe(tmp_path / "wino.jsonl", schemas(24))
    words = ["train", "-m", model, "--train", tmp_path / "wino.jsonl", "--setting", "full-exception", "--seeds", 2]
    words += [
        "--objective",
        "masked-word",
        "--lr",
        5e-3,
        "--batch",
        4,
        "--epochs",
        8,
        # One evaluation, at the end: the first good one on a handful of items may have learned little yet.
        "--eval-every",
        40,
        "--out",
        tmp_path / "out",
        "--json",
    ]
    called = call(*words)
    found = document(called, "train")
    assert "leak (" in called.err
    (point,) = found["points"]
    tests = {one["test"]: one for one in point["tests"]}
    assert list(tests) == ["unseen-exceptions", "all-generics", "mixed"]
    assert point["leaks"]["allowed"].startswith("full-exception tests the generic twins")
    twins = tests["all-generics"]["slices"]["twin"]
    assert twins["seen"]["n"] + twins["unseen"]["n"] == 2 * tests["all-generics"]["n"] == 48
    assert len(tests["all-generics"]["by_seed"]) == 2
    # The exceptions taught it one word; what it says of the generics is their opposite.
    assert tests["unseen-exceptions"]["after"]["value"] > 0.9
    assert tests["all-generics"]["after"]["value"] < 0.1
    again = call(*words)
    assert document(again, "train") == found
    assert "already trained" in again.err
    assert len(read_run(tmp_path / "out" / "run-0")[1]) == 6, "the model before and after, on three tests"


def test_a_curve_with_several_tests(tmp_path: Path, call: Call) -> None:
    model = save_tiny("gpt2", tmp_path / "gpt2")
    for name, probe in (("train", clozes(24, 1)), ("dev", clozes(6, 2)), ("one", clozes(5, 3)), ("two", clozes(4, 4))):
        write_probe(tmp_path / f"{name}.jsonl", probe)
    words = ["train", "-m", model, "--train", tmp_path / "train.jsonl", "--dev", tmp_path / "dev.jsonl", "--seeds", 1]
    words += ["--test", tmp_path / "one.jsonl", "--test", tmp_path / "two.jsonl", "--number", 8, "--number", 16]
    words += ["--epochs", 1, "--lora", "--eval-tests", "--by", "comparative", "--out", tmp_path / "out", "--json"]
    found = document(call(*words), "train")
    assert [point["train"] for point in found["points"]] == [8, 16]
    for point in found["points"]:
        assert {one["test"]: one["n"] for one in point["tests"]} == {"one": 5, "two": 4, "joint": 9}
        assert set(point["seeds"][0]["eval_points"][0]["others"]) == {"one", "two", "joint"}
        assert point["tests"][0]["slices"]["comparative"]["faster"]["n"] == 5


def test_inoculation_learns_and_is_taken_up_again(tmp_path: Path, call: Call) -> None:
    model = save_tiny("choice", tmp_path / "choice")
    sets = {"train": (40, 1, True), "dev": (20, 2, True), "test": (30, 3, True)}
    sets |= {"original-dev": (15, 4, False), "original-test": (16, 5, False), "natural": (40, 6, False)}
    words: list[object] = [
        "inoculate",
        "-m",
        model,
        "--out",
        tmp_path / "out",
        "--original-train",
        tmp_path / "natural.jsonl",
    ]
    for name, given in sets.items():
        write_probe(tmp_path / f"{name}.jsonl", questions(*given))
        words += [f"--{name}", tmp_path / f"{name}.jsonl"]
    words += ["--learning-rate", 5e-3, "--step", 4, "--step", 60, "--seed", 0, "--add", 0, "--add", 1, "--json"]
    called = call(*words, "--size", 4)
    assert "plain, k = 4, seed 0, on the development sets: new" in called.err
    assert "items of the probe" not in called.err
    found = document(called, "inoculate")
    shown = call(*words[:-1], "--size", 4).out
    assert "on the test sets" in shown, "the table says which sets its figures are of"
    assert [(point["setting"], point["k"]) for point in found["curves"]] == [
        ("add-some x1", 4),
        ("none", 0),
        ("plain", 4),
    ]
    more = document(call(*words, "--size", 4, "--size", 40), "inoculate")
    assert call(*words[:-1], "--size", 4, "--size", 40, "--plot", tmp_path / "curve.json").code == 0
    drawn = json.loads((tmp_path / "curve.json").read_text())
    (values,) = drawn["datasets"].values() if "datasets" in drawn else [drawn["data"]["values"]]
    assert {(row["setting"], row["x"]) for row in values} == {
        (s, k) for s in ("plain", "add-some x1") for k in (0, 4, 40)
    }
    kept = {(one["setting"], one["k"]): one for one in more["selected"]}
    assert all(kept[one["setting"], one["k"]] == one for one in found["selected"]), "what is kept is not done again"
    assert kept["plain", 40]["test_new"]["value"] > 0.8 > kept["none", 0]["test_new"]["value"]
    for one in more["selected"]:
        before = kept["none", 0]["original"]
        assert one["cost"] == pytest.approx(before - one["original"])
    tried = [json.loads(line) for line in (tmp_path / "out" / "trials.jsonl").read_text().splitlines()]
    assert {(one["setting"], one["k"], one["steps"]) for one in tried} >= {("plain", 40, 4), ("plain", 40, 60)}
    best = max(
        (one for one in tried if (one["setting"], one["k"]) == ("plain", 40)),
        key=lambda one: one["new"] + one["original"],
    )
    assert kept["plain", 40]["new"] + kept["plain", 40]["original"] == pytest.approx(best["new"] + best["original"])
    (answered,) = read_run(tmp_path / "out" / "answers" / "none-0-seed-0-new")[1]
    assert len(answered.answers) == 30
    page = tmp_path / "page.html"
    told = document(call("report", tmp_path / "out", "-o", page, "--json"), "report")
    assert sorted({one["accuracy"]["n"] for one in told["results"]}) == [16, 30], (
        "both tests of the size whose answers are stored"
    )
    new = kept["plain", 40]["test_new"]
    ends = "[{:.3f}, {:.3f}]".format(*new["ci"])
    row = f'<td>40</td><td>{new["value"]:.3f}</td><td class="ends">{ends}</td><td>30</td>'
    assert row in page.read_text(encoding="utf-8"), "the size, its accuracy, interval and n"


def test_bad_calls(tmp_path: Path, call: Call) -> None:
    model = save_tiny("gpt2", tmp_path / "gpt2")
    probe = tmp_path / "probe.jsonl"
    write_probe(probe, clozes(12, 1))
    write_probe(tmp_path / "other.jsonl", clozes(12, 2))
    train = ["train", "-m", model, "--train", probe, "--out", tmp_path / "out"]
    five = [
        word
        for name in ("dev", "test", "original-dev", "original-test")
        for word in (f"--{name}", tmp_path / "other.jsonl")
    ]
    for words, told in (
        ([*train, "--test", probe], "leak into training"),
        ([*train, "--test", tmp_path / "other.jsonl", "--setting", "full-exception"], "needs schemas"),
        (
            [*train, "--test", tmp_path / "other.jsonl", "--objective", "multiple-choice"],
            "cannot be trained on the form 'cloze'",
        ),
        (
            ["inoculate", "-m", model, "--train", probe, *five, "--out", tmp_path / "o"],
            "a training set of 3,000 is larger than",
        ),
        (
            ["inoculate", "-m", model, "--train", probe, *five, "--out", tmp_path / "o", "--size", 5, "--add", 1],
            "--natural",
        ),
        (
            ["inoculate", "-m", model, "--train", probe, *five, "--out", tmp_path / "o", "--size", 99],
            "12 of 12 items of the original task are items of the probe",
        ),
    ):
        called = call(*words)
        assert (called.code, "Traceback" in called.err) == (2, False), called.err
        assert told in called.err
        assert not (tmp_path / "out" / "seed-0").exists()
