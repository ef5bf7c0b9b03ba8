"""From the sources of CATs to probes, pairs and duals on the command line; people accept the duals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from horsesense.core import read_probe
from tests.support.calling import Call, caller, hold_to
from tests.support.small_cats import WSC, lay


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Call:
    return caller(capfd)


def document(call: Call, *words: object) -> Any:
    called = call(*words, "--json")
    assert called.code == 0, called.err
    found = json.loads(called.out)
    hold_to("import" if words[0] == "import" else f"build {words[1]}", found)
    return found


def test_from_schemas_to_accepted_duals(tmp_path: Path, call: Call) -> None:
    table = tmp_path / "schemas.csv"
    table.write_text(
        "text,pronoun,A,B,answer\n"
        "The jug is on the shelf because it is full.,it,the jug,the shelf,A\n"
        "Ida could see Ruth before she left.,she,Ida,Ruth,B\n",
        encoding="utf-8",
    )
    wsc, ca, duals = (tmp_path / f"{name}.jsonl" for name in ("wsc", "ca", "duals"))
    assert document(call, "import", "winograd", table, "-o", wsc)["items"] == 2
    made = document(call, "build", "conjunctions", wsc, "-o", ca)
    assert made["items"] == 2
    assert {item.facets["relation"] for item in read_probe(ca).items} == {"cause and effect", "preconditions"}
    # Ida and Ruth change places, and the key with them; the jug and the shelf have nothing to change.
    made = document(call, "build", "duals", wsc, "-o", duals, "--operator", "exchange-names", "--per-method", 75)
    assert made["notes"] == {"pairs that were looked at": 2, "proposed: swap by exchange-names": 1}
    halves = read_probe(duals).items
    assert [item.options[item.answer or 0] for item in halves] == [
        "Ida could see Ruth before Ruth left.",
        "Ruth could see Ida before Ida left.",
    ]


def test_people_answer_both_halves_and_never_see_a_key(tmp_path: Path, call: Call) -> None:
    """Two proposals: of the first both keys are found, of the second one is missed."""
    source, probe, duals = tmp_path / "sm.txt", tmp_path / "sm.jsonl", tmp_path / "duals.jsonl"
    source.write_text("1\x01a pan is for naps\x01a pan is for frying\n0\x01a cat can purr\x01a cat can knit\n")
    assert call("import", "cats", source, "-o", probe).code == 0
    assert document(call, "build", "duals", probe, "-o", duals, "--status", "proposed")["families"] == 2
    tasks, labels, kept = tmp_path / "tasks.csv", tmp_path / "labels.jsonl", tmp_path / "kept.jsonl"
    assert (
        call("annotate", "new", duals, "--instrument", "dual", "-o", tasks, "--people", "ann,ben", "--per-item", 2).code
        == 0
    )
    items = read_probe(duals).items
    text = tasks.read_text(encoding="utf-8")
    assert text.count("a cat cannot knit") == 2, "each half is asked by itself, of two people"
    missed = items[-1].id
    votes = [
        {"item": item.id, "annotator": who, "instrument": "dual",
         "value": item.options[(item.answer or 0) if item.id != missed else 1 - (item.answer or 0)]}
        for item in items
        for who in ("ann", "ben")
    ]  # fmt: skip
    judged = tmp_path / "judged.jsonl"
    judged.write_text("".join(json.dumps(vote) + "\n" for vote in votes))
    assert call("annotate", "export", judged, "-p", duals, "-o", labels).code == 0
    called = call("annotate", "apply", duals, labels, "-o", kept)
    assert called.code == 0, called.err
    assert {item.family for item in read_probe(kept).items} == {items[0].family}
    assert {item.facets["status"] for item in read_probe(kept).items} == {"asserted"}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["build", "duals", "wsc.txt", "-o", "wsc.txt"], "overwrite its input"),
        (["build", "conjunctions", "wsc.txt", "-o", "wsc.txt"], "overwrite its input"),
        (["import", "sense-making", "wsc.txt", "-o", "x.jsonl"], "1 file was given for sense-making"),
        (["import", "winogradd", "wsc.txt", "-o", "x.jsonl"], "did you mean 'winograd'"),
    ],
)
def test_wrong_calls(words: list[str], told: str, tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    lay(tmp_path, "wsc.txt", WSC)
    monkeypatch.chdir(tmp_path)
    called = call(*words)
    assert (called.code, told in called.err) == (2, True), called.err


def test_nothing_to_build_from(tmp_path: Path, call: Call) -> None:
    source, probe = tmp_path / "sm.txt", tmp_path / "sm.jsonl"
    source.write_text("0\x01cats purr\x01cats bark\n", encoding="utf-8")
    assert call("import", "cats", source, "-o", probe).code == 0
    for command in ("duals", "conjunctions"):
        called = call("build", command, probe, "-o", tmp_path / "out.jsonl")
        assert (called.code, f"{probe}: no " in called.err) == (2, True), called.err
        assert not (tmp_path / "out.jsonl").exists()
