"""The starter probe: minimal pairs of our own, shipped with the package (see docs/guides/own-probe.md).

A schema is one line of a table: one sentence with two premises and two outcomes.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from horsesense.core import Card, Item, Probe, Source
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
    """Line in its file, from 1."""

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
        letter reveal the answer. The name decides instead: adding a schema moves no other.
        """
        return (0, 1) if hashlib.sha256(self.name.encode()).digest()[0] % 2 else (1, 0)


def read_schemas(path: str | Path) -> list[StarterSchema]:
    """Read a file of schemas: ``## task``, ``### skill``, ``- name: sentence``; prose only at the top."""
    names: dict[str, int] = {}
    schemas = []
    for schema in _schemas(Path(path)):
        if names.setdefault(schema.name, schema.line) != schema.line:
            raise UserError(
                f"the schema {schema.name!r} is already in line {names[schema.name]}",
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


__all__ = ["STARTER", "StarterSchema", "read_schemas", "starter_probe"]

STARTER = Path(__file__).with_name("schemas.md")
"""The schemas that the probe is made of."""

LICENCE = "Apache-2.0"

CARD = Card(
    name="starter",
    method="starter",
    licence=LICENCE,
    made="written for horsesense by a language model, one by one: minimal pairs with two contexts and two endings, "
    "each ending right in one context; not yet validated by crowd workers",
    metric="accuracy",
    normalise="mean",
    group="family",
)


def starter_probe() -> Probe:
    """The probe, built from its schemas.

    >>> probe = starter_probe()
    >>> for item in probe.items[2:4]:
    ...     print(item.family, item.member, item.options[item.answer])
    balloon a When Tom let go of the brick, it went straight down.
    balloon b When Tom let go of the helium balloon, it went straight up.
    """
    return Probe.of([item for schema in read_schemas(STARTER) for item in questions(schema)], CARD)


def questions(schema: StarterSchema) -> tuple[Item, Item]:
    """The two questions of a schema: the same outcomes, under either premise."""
    return _question(schema, 0), _question(schema, 1)


def _question(schema: StarterSchema, premise: int) -> Item:
    order = schema.order()
    return Item(
        probe=CARD.name,
        form="sentences",
        options=tuple(schema.reading(premise, outcome) for outcome in order),
        answer=order.index(premise),
        family=schema.name,
        member="ab"[premise],
        facets={"task": schema.task, "skill": schema.skill, "split": "test"},
        source=Source(file=STARTER.name, line=schema.line, licence=LICENCE),
    )
