"""Calling a command in this process, a probe to call it on, and the schemas of what it prints."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from horsesense.cli import main
from horsesense.core import card_path
from tools.docs.schemas import schema_of


@dataclass(frozen=True, slots=True)
class Called:
    """How a command ended."""

    code: int | str | None
    out: str
    err: str


Call = Callable[..., Called]


def caller(capfd: pytest.CaptureFixture[str]) -> Call:
    """Runs commands in this process; all that reaches the file descriptors is seen, also what a library prints."""

    def call(*arguments: object) -> Called:
        capfd.readouterr()
        with pytest.raises(SystemExit) as stop:
            main([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        return Called(stop.value.code, out, err)

    return call


def names(folder: Path) -> list[str]:
    """All that lies in a folder, however deep."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def item(**changes: Any) -> dict[str, Any]:
    """A good item as a line of a file has it, with changes; ``...`` takes a field out."""
    values = {"probe": "toy", "form": "cloze", "text": "The ice is ___.", "options": ["cold", "hot"], "answer": 0}
    return {name: value for name, value in (values | changes).items() if value is not ...}


def lay(path: Path, *lines: dict[str, Any] | str | bytes) -> Path:
    """Write a probe, line by line; beside items that have groups a card, without which they are remarked upon."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as handle:
        for line in lines:
            text = json.dumps(line) if isinstance(line, dict) else line
            handle.write((text.encode() if isinstance(text, str) else text) + b"\n")
    grouped = next((line for line in lines if isinstance(line, dict) and line.get("groups")), None)
    if grouped and not card_path(path).exists():
        card_path(path).write_text(json.dumps({"name": grouped.get("probe", "toy")}))
    return path


def toy_lines() -> list[dict[str, Any]]:
    """Every form, two families, a facet of each kind, one item that nobody has judged."""
    facets = {"task": "physical", "hops": 1, "asked": True, "zipf": 4.5}
    return [
        item(family="ice", member="a", facets=facets, groups={"noun": "ice"}),
        item(family="ice", member="b", text="The fire is ___.", answer=1, facets=facets | {"hops": 2}),
        item(form="choice", text="Which falls slowly?", options=["a feather", "a stone", "the stove"]),
        item(form="sentences", text=..., options=["Butter melts.", "Stone melts."], premise="It is hot."),
        item(form="pair", premise="It rained.", text="His coat got wet.", options=["true", "false"], answer=None),
    ]


def hold_to(command: str, document: Any) -> None:
    """Refuse a document that is not in the shape of the command's type: no key unknown, none missing."""
    Draft202012Validator(schema_of(command)).validate(document)
