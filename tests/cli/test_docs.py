"""The page about commands has every command, and its examples have the shape of the schemas."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_group

from calling import caller, validator
from horsesense.cli.app import app
from horsesense.records import read_probe

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "commands.md").read_text(encoding="utf-8")
COMMANDS = sorted(get_group(app).commands)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_there(name: str) -> None:
    assert f"`horsesense {name}`" in PAGE


def examples(name: str) -> list[Any]:
    section = re.search(rf"^## {name}\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert section is not None
    blocks = re.findall(r"```json\n(.*?)```", section[1], re.DOTALL)
    assert blocks
    return [json.loads(block) for block in blocks]


@pytest.mark.parametrize("name", ["fetch", "import", "show", "run", "score"])
def test_an_example_has_the_shape_of_its_schema(name: str) -> None:
    for example in examples(name):
        validator(name).validate(example)


def test_the_source_of_ones_own_builds_questions_as_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    page = (DOCS / "wordnetqa.md").read_text(encoding="utf-8")
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
