"""Input that once ended in an unexpected failure, or in a sentence about another file."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from horsesense.core import write_probe
from tests.support.calling import Call, caller
from tests.support.made_tasks import clozes


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HORSESENSE_CACHE", str(tmp_path / "cache"))
    probe = clozes(24, 1)
    odd = [replace(item, facets={"kind": "x\u2028y" if n % 2 else "z"}) for n, item in enumerate(probe.items)]
    write_probe(tmp_path / "p.jsonl", replace(probe, items=odd))
    return caller(capfd)


def test_charts_of_a_facet_with_a_separator_and_onto_a_file(call: Call) -> None:
    words = ("--train", "p.jsonl", "--test", "p.jsonl", "--allow-overlap", "--out", "run")
    assert call("baseline", "majority", *words).code == 0
    assert call("report", "run", "--by", "kind", "--charts", "charts").code == 0
    assert any(path.suffix == ".svg" for path in Path("charts").iterdir())
    Path("file").write_text("x")
    called = call("report", "run", "--charts", "file")
    assert (called.code, called.err.count("\n")) == (2, 1)
    assert "file of that name is in the way" in called.err


def test_files_of_another_shape_are_named(call: Call) -> None:
    np.savez("v.npz", a=np.zeros((2, 3)))
    os.rename("v.npz", "v.npy")  # noqa: PTH104  # as a user would
    wrong = [{"image_id": 1, "relationships": [{"predicate": "has", "subject": {"name": 5}, "object": {"name": None}}]}]
    Path("rel.json").write_text(json.dumps(wrong))
    Path("cn.csv").write_text('/a/x\t/r/CapableOf\t/c/en/a\t/c/en/b\t{"weight": "heavy"}\n')
    Path("deep.card.json").write_text("[" * 100_000)
    Path("deep.jsonl").write_bytes(Path("p.jsonl").read_bytes())
    for file, words in (
        ("v.npy", ("harden", "p.jsonl", "-o", "h.jsonl", "--vectors", "v.npy")),
        ("rel.json", ("build", "partwhole", "-o", "o.jsonl", "--relationships", "rel.json")),
        ("cn.csv", ("build", "rica", "-o", "o.jsonl", "--conceptnet", "cn.csv", "--no-shipped")),
        ("deep.card.json", ("show", "deep.jsonl")),
    ):
        called = call(*words)
        assert (called.code, called.err.count("\n")) == (2, 1), called.err
        assert f"{file}:" in called.err


@pytest.mark.parametrize("command", ["premises", "recast", "split", "pictures"])
def test_items_that_are_no_triples(command: str, call: Call) -> None:
    Path("rel.json").write_text("[]")
    words = {
        "pictures": ("--relationships", "rel.json", "--images", "rel.json", "-o", "o.jsonl"),
        "split": ("--out", "o"),
        "recast": ("--labels", "binary", "-o", "o.jsonl"),
    }
    called = call("partwhole", command, "p.jsonl", *words.get(command, ("-o", "o.jsonl")))
    assert (called.code, called.err.count("\n")) == (2, 1), called.err
    assert not list(Path().glob("o*"))


def test_names_that_cannot_be(call: Call) -> None:
    os.symlink("loop.jsonl", "loop.jsonl")  # noqa: PTH211  # shorter
    for name in ("x" * 300 + ".jsonl", os.fsdecode(b"\xff\xfe.jsonl"), "loop.jsonl", "nul\x00.jsonl"):
        called = call("show", name)
        assert (called.code, called.err.count("\n")) == (2, 1), called.err


def test_cells_and_values_that_are_too_much(call: Call) -> None:
    """Fields that Python's csv refuses, a bare carriage return, values nested deep, numbers without end."""
    Path("wide.csv").write_text("question,a,b,answer\n" + "x" * 200_000 + ",ice,fire,0\n")
    Path("return.csv").write_bytes(b"question,a,b,answer\nWhat\ris cold?,ice,fire,0\n")
    for file in ("wide.csv", "return.csv"):
        called = call(
            "import", "table", file, "--columns", "question=question,options=a+b,answer=answer", "-o", "o.jsonl"
        )
        assert (called.code, called.err.count("horsesense: ")) in ((0, 0), (2, 1)), called.err
    item = json.loads(Path("p.jsonl").read_text().splitlines()[0])
    for value in ("[" * 900 + "]" * 900, "9" * 5000):
        for name in ("facets", "groups", "answer"):
            line = json.dumps(item | {name: "HERE"}).replace('"HERE"', value)
            Path("odd.jsonl").write_text(line + "\n")
            called = call("show", "odd.jsonl")
            assert (called.code, called.err.count("\n")) == (2, 1), called.err
            assert "odd.jsonl:1:" in called.err


def test_a_cache_that_cannot_be_used(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("file").write_text("x")
    monkeypatch.setenv("HORSESENSE_CACHE", str(Path("file") / "cache"))
    for words in (("cache", "list"), ("knowledge", "list"), ("verify",), ("fetch",), ("show", "p.jsonl")):
        called = call(*words)
        assert (called.code, called.err.count("horsesense: ")) in ((0, 0), (2, 1)), (words, called.err)
