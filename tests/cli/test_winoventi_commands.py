"""``horsesense winoventi …`` and ``build winoventi``: documents in the shape of their types, errors in a sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from horsesense.core import write_probe
from horsesense.methods.winoventi import word_relations
from horsesense.methods.winoventi.schemas import CheckedSchema, write_schemas
from tests.support.calling import Call, Called, caller, hold_to
from tests.support.made_plan import WORDS, make_plan, people_have_answered
from tests.support.made_schemas import SCHEMAS, made_probe


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Call:
    return caller(capfd)


@pytest.fixture(autouse=True)
def no_wordnet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_relations, "find_wordnet", lambda: None)


def document(called: Called, name: str) -> Any:
    assert called.code == 0, called.err
    parsed = json.loads(called.out)
    hold_to(name, parsed)
    return parsed


def test_jaccard(tmp_path: Path, call: Call) -> None:
    path = tmp_path / "k.tsv"
    path.write_text("Word\tone_common\tother_common\ncup\thot,full\tfull\njar\t\t\n")
    similarity = document(call("winoventi", "jaccard", path, "--json"), "winoventi jaccard")
    assert (similarity["models"], similarity["matrix"]) == (["one", "other"], [[1.0, 0.75], [0.75, 1.0]])
    assert similarity["both_empty"] == [[0.5, 0.5], [0.5, 0.5]]
    assert (similarity["informative"][0][1]["value"], similarity["informative"][0][1]["n"]) == (0.5, 1)
    for name, words in (("a", "hot"), ("b", "cold")):
        (tmp_path / f"{name}.tsv").write_text(f"noun\tword\tk\ncup\t{words}\t1\ncup\tfull\t3\n{name}\tnew\t1\n")
    called = call("winoventi", "jaccard", tmp_path / "a.tsv", tmp_path / "b.tsv", "--json")
    assert document(called, "winoventi jaccard")["matrix"][0][1] == pytest.approx(1 / 3)
    assert "2 nouns are not in all files" in called.err


def test_associations(tmp_path: Path, tiny_folders: dict[str, Path], call: Call) -> None:
    nouns, out = tmp_path / "nouns.txt", tmp_path / "a.tsv"
    nouns.write_text("Stone\nsongs\nstone\nдом\n", encoding="utf-8")
    words = [nouns, "-m", tiny_folders["bert"], "--ranker", tiny_folders["gpt2"], "-o", out, "--json"]
    called = call("winoventi", "associations", *words)
    summary = document(called, "winoventi associations")
    assert summary["nouns"] == 3
    assert summary["notes"]["nouns that the tokenizer cannot spell, not asked"] == 1
    assert "upper case lowered: 1 (Stone)" in called.err
    assert sum(summary["by_k"].values()) == summary["associations"] == len(out.read_text().splitlines()) - 1
    assert summary["associations"] == summary["kept"] + sum(summary["dropped"].values())
    inside = call(
        "winoventi",
        "associations",
        *words[:-3],
        "--template",
        "The {noun} is {not}___ now.",
        "-m",
        tiny_folders["gpt2"],
    )
    assert inside.code == 0, inside.err


@pytest.mark.parametrize("name", ["associations", "make", "evaluate"])
def test_the_bundled_masked_model_is_the_default(
    name: str, tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where it was never fetched, that is what the command says when no model is named."""
    told = " ".join(call("winoventi", name, "--help").out.split())
    assert "[smollm2-masked]" in told.replace("default: ", "")
    monkeypatch.setenv("HORSESENSE_CACHE", str(tmp_path / "empty"))
    write_probe(tmp_path / "wv.jsonl", made_probe())
    (tmp_path / "nouns.txt").write_text("ice\n")
    nouns = tmp_path / "nouns.txt"
    source = tmp_path / "wv.jsonl" if name == "evaluate" else nouns
    called = call("winoventi", name, source, "--out", tmp_path / "out")
    assert called.code == 2
    assert "horsesense fetch smollm2" in called.err


def test_evaluate_and_splits(tmp_path: Path, tiny_folders: dict[str, Path], call: Call) -> None:
    probe = tmp_path / "wv.jsonl"
    write_probe(probe, made_probe())
    words = ["-m", tiny_folders["bert"], probe, "--out", tmp_path / "run", "--json"]
    evaluated = document(call("winoventi", "evaluate", *words), "winoventi evaluate")
    (model,) = evaluated["models"]
    assert [each["subset"] for each in model["subsets"]] == ["all", "individual"]
    assert (model["headline"], model["proposed"]) == (None, 6), "nobody has passed these schemas"
    assert [each["subset"] for each in model["tokens"]][:2] == ["all, equal tokens", "all, unequal tokens"]
    assert {"own", "third", "unequal_tokens"} <= model["slices"].keys()
    assert document(call("winoventi", "evaluate", *words), "winoventi evaluate") == evaluated
    halves = call("winoventi", "splits", probe, "--setting", "full-exception", "--out", tmp_path / "s", "--json")
    parts = {part["part"]: part["items"] for part in document(halves, "winoventi splits")["parts"]}
    assert parts == {"train": 5, "unseen-exceptions": 1, "all-generics": 6, "mixed": 2}


def test_build(tmp_path: Path, call: Call) -> None:
    table = tmp_path / "schemas.tsv"
    write_schemas(table, [CheckedSchema(schema, ()) for schema in SCHEMAS])
    built = document(call("build", "winoventi", table, "-o", tmp_path / "p.jsonl", "--json"), "build winoventi")
    assert (built["items"], built["families"]) == (12, 6)
    for words, message in (
        ([table, "--machine"], "none of 6 schemas is written by machine"),
        ([tmp_path], ""),
        ([tmp_path / "nothing.csv"], "no such file"),
    ):
        called = call("build", "winoventi", *words, "-o", tmp_path / "q.jsonl")
        assert (called.code, message in called.err) == ((0, True) if words == [tmp_path] else (2, True)), called.err


def test_build_says_which_lines_it_skipped(tmp_path: Path, call: Call) -> None:
    table = tmp_path / "schemas.csv"
    good, bad = "stove,hot,cold,Kim [screamed / yawned] at the stove.", "stove,hot,hot,Kim [sang / sat]."
    table.write_text("\n".join(["noun,generic,exception,premise", good, *[bad] * 12, "cup,hot,cold,"]) + "\n")
    called = call("build", "winoventi", table, "-o", tmp_path / "p.jsonl", "--skip-bad")
    assert called.code == 0, called.err
    assert "bad lines skipped: 13" in called.out
    lines = called.err.splitlines()
    assert lines[0] == f"skipped {table}:3: the exception of 'stove' is the association 'hot' itself; give another word"
    assert (len(lines), lines[-1]) == (11, "and 3 more lines skipped")


def test_make_and_status(tmp_path: Path, tiny_folders: dict[str, Path], call: Call) -> None:
    nouns, out = tmp_path / "nouns.txt", tmp_path / "out"
    nouns.write_text("\n".join(WORDS), encoding="utf-8")
    words = ["winoventi", "make", "-m", tiny_folders["bert"], nouns, "--out", out, "--device", "cpu"]
    words += ["--ranker", tiny_folders["gpt2"], "--writer", "none", "--vectors", "none", "--write", 6, "--json"]
    alone = document(call(*words), "winoventi make")
    assert [each["state"] for each in alone["stages"]] == ["open", "waiting", "waiting"]
    assert alone["stages"][0]["tasks"] == alone["counts"]["kept"]
    assert "people answer exceptions (0 of" in alone["next"]
    plan = people_have_answered(make_plan(tiny_folders["bert"], tiny_folders["gpt2"]), tmp_path, out)
    called = call(*words, "--exception", plan.exceptions[0], "--premise", plan.premises[0])
    summary = document(called, "winoventi make")
    assert "1 associations: already done" in called.err
    assert "2 exceptions …" in called.err
    assert summary["evaluations"]["proposed"]["headline"] is None, "nobody has validated anything"
    assert summary["evaluations"]["proposed"]["subsets"][0]["schemas"] == sum(summary["counts"]["passing"].values())
    status = document(call("winoventi", "status", out, "--json"), "winoventi status")
    assert (status["counts"], status["stages"]) == (summary["counts"], summary["stages"])
    assert "next: people answer" in call("winoventi", "status", out).err
    counts = (out / "counts.json").read_text()
    (out / "counts.json").write_text(json.dumps(json.loads(counts) | {"left_out": "1"}))
    refused = call("winoventi", "status", out)
    assert (refused.code, refused.err.count("\n")) == (2, 1), refused.err
    assert "counts.json: the count left_out is wrong" in refused.err
    (out / "counts.json").write_text(counts)
    refused = call("winoventi", "status", tmp_path)
    assert (refused.code, "not the folder of a pipeline" in refused.err) == (2, True)
    odd = call(*words[:-1], "--stage", "sleeping")
    assert (odd.code, "sleeping" in odd.err) == (2, True)
