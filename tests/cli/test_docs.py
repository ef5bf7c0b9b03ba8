"""The page about commands has every command, and its examples have the shape of the schemas."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_group

from horsesense.cli.app import app
from horsesense.methods.releases import READERS, read_release
from horsesense.records import read_probe
from tests.support import ROOT
from tests.support.calling import caller, hold_to

DOCS = ROOT / "docs"
PAGE = (DOCS / "reference" / "commands.md").read_text(encoding="utf-8")
RELEASES = (DOCS / "guides" / "releases.md").read_text(encoding="utf-8")
COMMANDS = sorted(get_group(app).commands)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_there(name: str) -> None:
    assert re.search(rf"^\| \[?`horsesense {name}`", PAGE, re.MULTILINE), "in the table, not only in passing"


@pytest.mark.parametrize("name", READERS)
def test_every_release_is_there(name: str) -> None:
    importing = RELEASES.partition("## Importing them")[2]
    assert re.search(rf"^\|[^|]*`{name}`", importing.partition("### Groups and facets")[0], re.MULTILINE)


def test_the_facets_of_rica_are_those_that_are_read(tmp_path: Path) -> None:
    (tmp_path / "test_sentences.txt").write_text(
        "zim is a cork, wob is a stone, so wob is not more likely to float than zim\n", encoding="utf-8"
    )
    (tmp_path / "test_mask_words.txt").write_text("more\n", encoding="utf-8")
    (item,) = read_release("rica", [tmp_path / "test_sentences.txt", tmp_path / "test_mask_words.txt"]).items
    (row,) = re.findall(r"^\| `rica` \| \*\*axiom\*\* \| (.*) \|$", RELEASES, re.MULTILINE)
    assert {*re.sub(r" \(.*?\)", "", row).split(", ")} == {*item.facets}


def test_the_example_of_import_is_what_it_gives(shared: Path) -> None:
    path = shared / "data" / "cats" / "commonsense_ability_test" / "wsc.txt"
    card = read_release("cats", [path]).card
    (example,) = examples("import")
    assert example == {
        "out": "wsc.jsonl", "items": card.items, "families": card.families, "notes": dict(card.notes)
    }  # fmt: skip


def examples(name: str) -> list[Any]:
    section = re.search(rf"^## {name}\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert section is not None
    blocks = re.findall(r"```json\n(.*?)```", section[1], re.DOTALL)
    assert blocks
    return [json.loads(block) for block in blocks]


@pytest.mark.parametrize("name", ["fetch", "import", "show", "run", "score"])
def test_an_example_has_the_shape_of_its_schema(name: str) -> None:
    for example in examples(name):
        hold_to(name, example)


def test_the_example_of_the_cache_has_the_shape_of_its_schema() -> None:
    (example,) = examples("cache")
    hold_to("cache list", example)
    assert example["bytes"] == sum(entry["bytes"] for entry in example["entries"])


def test_the_source_of_ones_own_builds_questions_as_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    page = (DOCS / "methods" / "wordnetqa.md").read_text(encoding="utf-8")
    section = page[page.index("A source of one's own") : page.index("## What an item says")]
    lines = [line.removeprefix("    ") for line in section.splitlines() if line.startswith("    ")]
    commands = [line.split() for line in lines if line.startswith("horsesense ")]
    (tmp_path / "pets.tsv").write_text("\n".join(line for line in lines if line.split() not in commands) + "\n")
    monkeypatch.setenv("HORSESENSE_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    assert [words[1] for words in commands] == ["knowledge", "build"]
    for words in commands:
        called = caller(capfd)(*words[1:])
        assert called.code == 0, called.err
    items = read_probe("pets.jsonl").items
    assert {item.groups["asked"]: item.groups["answer"] for item in items} == {"poodle": "dog", "tabby": "cat"}
    assert [len(item.options) for item in items] == [2, 2], "as the page says"
