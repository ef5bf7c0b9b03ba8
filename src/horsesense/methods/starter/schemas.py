"""Schemas as people write them: one sentence with two premises and two outcomes, one a line."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from horsesense.data import numbered_lines
from horsesense.errors import UserError

_SCHEMA = re.compile(r"- (?P<name>[a-z][a-z-]*): (?P<sentence>\S.*)")
_PREMISE = re.compile(r"\{([^{}\[\]|]+)\|([^{}\[\]|]+)\}")
_OUTCOME = re.compile(r"\[([^{}\[\]|]+)\|([^{}\[\]|]+)\]")
_MARKS = re.compile(r"[{}\[\]|]")


@dataclass(frozen=True, slots=True)
class StarterSchema:
    """A sentence whose ending flips with its premise."""

    task: str
    """The domain: physical, social …"""
    skill: str
    """What one has to know, within the domain."""
    name: str
    """The name of the family that it becomes."""
    sentence: str
    """With the premises in braces and the outcomes in brackets, ``{a|b} … [a's|b's]``."""
    line: int = 0
    """Where it stands in its file, from 1."""

    def reading(self, premise: int, outcome: int) -> str:
        """The sentence with one of its premises and one of its outcomes.

        >>> flat = StarterSchema("physical", "motion", "tyre", "The tyre was {full|flat}, so it [rolled|dragged].")
        >>> flat.reading(1, 0)
        'The tyre was flat, so it rolled.'
        """
        supposed = _PREMISE.sub(lambda pair: pair[premise + 1], self.sentence)
        return _OUTCOME.sub(lambda pair: pair[outcome + 1], supposed)

    def order(self) -> tuple[int, int]:
        """The outcomes in the order in which both questions list them.

        Written first means right for the first premise, so that order would let the member's
        letter tell the answer. The name decides instead: adding a schema moves no other.
        """
        return (0, 1) if hashlib.sha256(self.name.encode()).digest()[0] % 2 else (1, 0)


def read_schemas(path: str | Path) -> list[StarterSchema]:
    """Read a file of schemas: ``## task``, ``### skill``, ``- name: sentence``; prose only at the top."""
    names: dict[str, int] = {}
    schemas = []
    for schema in _schemas(Path(path)):
        if names.setdefault(schema.name, schema.line) != schema.line:
            raise UserError(
                f"the schema {schema.name!r} stands already in line {names[schema.name]}",
                file=path,
                line=schema.line,
                fix="give each a name of its own",
            )
        schemas.append(schema)
    return schemas


def _schemas(path: Path) -> Iterator[StarterSchema]:
    task = skill = ""
    for line, text in numbered_lines(path):
        if text.startswith("## "):
            task, skill = text[3:].strip(), ""
        elif text.startswith("### "):
            skill = text[4:].strip()
        elif task:
            yield _schema(task, skill, text, path, line)


def _schema(task: str, skill: str, text: str, path: Path, line: int) -> StarterSchema:
    match = _SCHEMA.fullmatch(text)
    if not match or not skill:
        raise UserError(
            "this is not a schema", file=path, line=line, fix="write '- name: sentence' below a '### skill'"
        )
    sentence = match["sentence"]
    rest = _OUTCOME.sub("", _PREMISE.sub("", sentence))
    counts = len(_PREMISE.findall(sentence)), len(_OUTCOME.findall(sentence))
    if counts != (1, 1) or _MARKS.search(rest):
        raise UserError(
            f"the schema {match['name']!r} needs one premise and one outcome",
            file=path,
            line=line,
            fix="write {this|that} once and [this|that] once",
        )
    return StarterSchema(task, skill, match["name"], sentence, line)
