"""The part-whole commands from end to end on made-up triples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from horsesense.methods.partwhole.dataset import LABELS
from tests.support.calling import Call, Called, caller, hold_to


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Call:
    return caller(capfd)


def document(called: Called, name: str) -> Any:
    assert called.code == 0, called.err
    found = json.loads(called.out)
    hold_to(name, found)
    return found


@pytest.fixture
def triples(tmp_path: Path) -> Path:
    """A hundred triples whose label follows the adjective."""
    words = ("old", "red", "tall", "wooden", "wet")
    rows = [
        f"thing{chr(97 + w)},piece{chr(97 + (w + p) % 15)},{words[(w + p) % 5]},{(w + p) % 5},{int((w + p) % 5 > 2)}"
        for w in range(20)
        for p in range(5)
    ]
    path = tmp_path / "all.csv"
    path.write_text("whole,part,jj,label,bin_label\n" + "\n".join(rows) + "\n")
    return path


def test_from_triples_to_a_table(tmp_path: Path, triples: Path, call: Call) -> None:
    probe, parts = tmp_path / "all.jsonl", tmp_path / "parts"
    assert call("import", "partwhole", triples, "-o", probe).code == 0
    made = document(call("partwhole", "split", probe, "--by", "whole", "--out", parts, "--json"), "partwhole split")
    assert sum(part["items"] for part in made["parts"]) == 100
    assert made["dropped"] == 0
    train, test = parts / "train.jsonl", parts / "test.jsonl"
    for slot in ("adjective", "whole"):
        words = ["--slot", slot, "--train", train, "--test", test, "--out", tmp_path / slot]
        assert call("baseline", "majority-per", *words).code == 0
    votes = tmp_path / "votes.csv"
    lines = ["whole,part,jj,result1,result2,result3"]
    for line in triples.read_text().splitlines()[1:]:
        *triple, label, _ = line.split(",")
        other = LABELS[(int(label) + 1) % 5]
        lines.append(",".join([*triple, LABELS[int(label)], LABELS[int(label)], other]))
    votes.write_text("\n".join(lines) + "\n")
    words = [tmp_path / "adjective", tmp_path / "whole", "--train", train, "--vote-file", votes]
    rows = document(call("partwhole", "table", *words, "--json"), "partwhole table")["rows"]
    control, other, published, others = rows
    n = next(part["items"] for part in made["parts"] if part["part"] == "test")
    assert (control["accuracy"]["value"], control["mean_absolute_error"]["value"], control["n"]) == (1.0, 0.0, n)
    assert control["quadratic_kappa"]["value"] == pytest.approx(1.0)
    assert {one["where"] for one in control["slices"]["whole in training"]} == {"unseen"}
    assert {one["where"] for one in control["slices"]["adjective in training"]} == {"seen"}
    assert other["accuracy"]["value"] < 1, "two fits of one control are two rows"
    # Two of three votes are the label; of those two, the other votes tie, and the third stands against both.
    assert published["accuracy"]["value"] == pytest.approx(2 / 3)
    assert others["accuracy"]["value"] == pytest.approx((0.5 + 0.5 + 0) / 3)
    shown = call("partwhole", "table", *words, "--details")
    assert "people: one" in shown.out
    assert all(label in shown.out for label in LABELS), "the confusion matrix"


def test_recast_premises_and_check(tmp_path: Path, triples: Path, call: Call) -> None:
    probe = tmp_path / "all.jsonl"
    assert call("import", "partwhole", triples, "-o", probe).code == 0
    for form, options in (("three", 3), ("binary", 2), ("entailment", 3)):
        out = tmp_path / f"{form}.jsonl"
        document(call("partwhole", "recast", probe, "--labels", form, "-o", out, "--json"), "partwhole recast")
        assert len(json.loads(out.read_text().splitlines()[0])["options"]) == options
    found = document(
        call("partwhole", "premises", probe, "-o", tmp_path / "pairs.jsonl", "--json"), "partwhole premises"
    )
    assert found["notes"]["premises: template"] == 100
    checked = document(call("partwhole", "check", triples, "--json"), "partwhole check")
    assert (checked["rows"], checked["odd"]) == (100, [])


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["build", "partwhole", "-o", "x.jsonl"], "no source of pairs"),
        (["build", "partwhole", "-o", "x.jsonl", "--without", "colour"], "did you mean 'colours'"),
        (["build", "partwhole", "-o", "x.jsonl", "--predicate", "haz"], "kind of predicate"),
        (["build", "partwhole", "-o", "x.jsonl", "--relation-counts", "{counts}"], "no source of adjectives"),
        (["partwhole", "recast", "{probe}", "-o", "x.jsonl", "--labels", "four"], "three"),
        (["partwhole", "split", "{probe}", "--out", "x", "--by", "noun"], "nouns"),
        (["partwhole", "premises", "{probe}", "-o", "x.jsonl", "--corpus", "none.txt"], "no such file"),
        (["partwhole", "premises", "{probe}", "-o", "x.jsonl", "--corpus", "."], ".: this is a folder, not a file"),
        (["partwhole", "table", "none"], "none"),
        (["partwhole", "check", "none.csv"], "no such file"),
    ],
)
def test_what_is_wrong_is_told(
    tmp_path: Path, triples: Path, call: Call, words: list[str], problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert call("import", "partwhole", triples, "-o", "all.jsonl").code == 0
    Path("counts.tsv").write_text("subject\tpredicate\tobject\tcount\ncat\thave\tear\t12\n")
    called = call(*(word.format(probe="all.jsonl", counts="counts.tsv") for word in words))
    assert called.code == 2
    assert problem in called.err
    assert not Path("x.jsonl").exists()


def test_an_inference_head_and_a_language_model_answer_without_training(
    tmp_path: Path, triples: Path, tiny_folders: dict[str, Path], call: Call
) -> None:
    """The pair form for a head with inference labels, the question for a language model's option scores."""
    probe, pairs, three = (tmp_path / f"{name}.jsonl" for name in ("all", "pairs", "three"))
    assert call("import", "partwhole", triples, "-o", probe).code == 0
    assert call("partwhole", "premises", probe, "-o", pairs).code == 0
    assert call("partwhole", "recast", pairs, "--labels", "entailment", "-o", three).code == 0
    for model, asked, chance in (("nli", three, 1 / 3), ("gpt2", probe, 1 / 5)):
        words = ["-m", tiny_folders[model], "-p", asked, "--out", tmp_path / model, "--limit", 6, "--json"]
        (result,) = json.loads(call("run", *words).out)["results"]
        assert (result["accuracy"]["n"], result["accuracy"]["chance"]) == (6, pytest.approx(chance))
    refused = call("run", "-m", tiny_folders["nli"], "-p", pairs, "--out", tmp_path / "five", "--limit", 6)
    assert refused.code == 2
    assert "no label for the option" in refused.err
