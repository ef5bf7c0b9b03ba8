"""The page about commands has every command, and its examples have the shape of the schemas."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_group

from calling import validator
from horsesense.cli.app import app

PAGE = (Path(__file__).parents[2] / "docs" / "commands.md").read_text(encoding="utf-8")
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
