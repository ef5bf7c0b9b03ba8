"""GCIDE: senses with their examples, and damaged ones left out and counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from horsesense.errors import UserError
from horsesense.lexicons.gcide import read_gcide
from horsesense.lexicons.sources import open_graph


def sense(text: str, *examples: str) -> dict[str, Any]:
    return {"text": text, "examples": list(examples)}


def entry(word: str, *parts: tuple[str, list[dict[str, Any]]]) -> dict[str, Any]:
    return {"entry": word, "pos": [{"part_of_speech": pos, "definitions": senses} for pos, senses in parts]}


WORDS = {
    "mellow": entry(
        "mellow",
        (
            "a.",
            [sense("Soft with ripeness; as, a mellow pear; mellow plums."), sense("Of a voice, full {3} and soft.")],
        ),
        ("v. t.", [sense("To make soft.", "Time\nmellows every wine;"), sense("To ripe")]),
        ("p. p.", [sense("Made soft at last.")]),
    ),
    "knoll": entry("knoll", ("n.", [sense("A small hill.", "A green knollbeside the road, page 12."), sense("Hill.")])),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "gcide"
    folder.mkdir()
    for word, values in WORDS.items():
        (folder / f"words_{word[0].upper()}.json").write_text(json.dumps({word: values}), encoding="utf-8")
    monkeypatch.setenv("GCIDE", str(folder))
    monkeypatch.setenv("HORSESENSE_CACHE", str(tmp_path / "cache"))
    return folder


def test_each_sense_is_an_entry(folder: Path) -> None:
    graph = open_graph("gcide")
    assert list(graph.ids) == ["knoll.n.01", "mellow.a.01", "mellow.v.03"]
    assert graph.definitions[1] == "Soft with ripeness."
    assert graph.examples == [(), ("a mellow pear", "mellow plums"), ("Time mellows every wine",)]
    assert graph.lemmas[2] == ("mellow",)
    assert graph.pos == ["n", "a", "v"]


def test_damage_is_counted(folder: Path) -> None:
    counted = {reason: count for reason, count in open_graph("gcide").left_out.items() if count}
    assert counted == {
        "examples: damaged": 1,
        "senses: damaged": 1,
        "senses: broken off": 1,
        "senses: no part of speech that can be asked for": 1,
        "senses: a definition of one word, or none": 1,
    }


@pytest.mark.parametrize(
    ("text", "told"),
    [("{", "words_K.json: this is not JSON"), ("[]", "not a file of GCIDE"), ('{"a": {}}', "the entry 'a' is not one")],
)
def test_a_damaged_file_is_told(folder: Path, text: str, told: str) -> None:
    (folder / "words_K.json").write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=told):
        read_gcide(folder)
