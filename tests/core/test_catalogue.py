"""A probe that is built from Python is the file that the command writes, byte for byte."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import horsesense as hs
from horsesense.core.document import plain
from horsesense.cues.findings import find_cues
from tests.support.calling import Call, caller, item, lay


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Call:
    return caller(capfd)


def _sentences(folder: Path) -> Path:
    lines = [
        item(form="sentences", text=..., options=["The stove is cold.", "The ice is cold."], answer=1),
        item(form="sentences", text=..., options=["Birds fly in the sky.", "Birds fly in the soup."], answer=0),
        item(
            form="sentences", text=..., options=["A cup is wider than a sea.", "A sea is wider than a cup."], answer=1
        ),
    ]
    return lay(folder / "pairs.jsonl", *lines)


def _schemas(folder: Path) -> Path:
    table = folder / "schemas.tsv"
    table.write_text(
        "noun\tgeneric\texception\tpremise\n"
        "stove\thot\tcold\tShe saw that the stove in the kitchen was [lit / broken] again.\n",
        encoding="utf-8",
    )
    return table


def _cases(folder: Path) -> dict[str, tuple[dict[str, Any], list[object]]]:
    pairs, schemas = _sentences(folder), _schemas(folder)
    return {
        "duals": ({"probes": pairs}, [pairs]),
        "winoventi": ({"schemas": schemas}, [schemas]),
        "rica": (
            {"strategies": ["material"], "limit": 24, "seed": 1, "perturbations": ["published"]},
            ["--strategy", "material", "--limit", 24, "--seed", 1, "--perturbation", "published"],
        ),
    }


@pytest.mark.parametrize("name", ["duals", "winoventi", "rica"])
def test_the_same_file_either_way(name: str, tmp_path: Path, call: Call) -> None:
    options, words = _cases(tmp_path)[name]
    called = call("build", name, *words, "-o", tmp_path / "command.jsonl")
    assert called.code == 0, called.err
    hs.build(name, **options).save(tmp_path / "python.jsonl")
    for ending in (".jsonl", ".card.json"):
        ours, theirs = (tmp_path / f"{way}{ending}" for way in ("python", "command"))
        assert ours.read_bytes() == theirs.read_bytes()


def test_a_release_read_either_way(tmp_path: Path, call: Call) -> None:
    file = tmp_path / "sm.txt"
    file.write_bytes(b"1\x01he drank the stone\x01he drank the milk\r\n0\x01birds fly\x01stones fly\r\n")
    assert call("import", "cats", file, "-o", tmp_path / "command.jsonl").code == 0
    hs.read_release("cats", file).save(tmp_path / "python.jsonl")
    assert (tmp_path / "python.jsonl").read_bytes() == (tmp_path / "command.jsonl").read_bytes()
    with pytest.raises(hs.UserError, match="did you mean 'cats'"):
        hs.read_release("catz", file)


def test_cues_are_those_of_the_command(tmp_path: Path, call: Call) -> None:
    lines = [
        item(text=f"Thing {n} is ___.", options=["cold", "very hot"] if n % 2 else ["very cold", "hot"], answer=n % 2)
        for n in range(60)
    ]
    probe = lay(tmp_path / "toy.jsonl", *lines)
    printed = json.loads(call("cues", probe, "--rounds", 19, "--json").out)
    findings = find_cues(probe, rounds=19)
    assert json.loads(json.dumps(plain(findings))) == printed
    assert printed["cues"][0]["accuracy"]["value"] == 1.0, "the planted cue is found"
