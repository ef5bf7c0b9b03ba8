"""The item: one question, in the form that every stage uses, and the rules that it must satisfy."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, ClassVar, Literal, get_args

import orjson

from horsesense.core.document import Document
from horsesense.errors import UserError

Form = Literal["cloze", "sentences", "choice", "pair"]
Facet = str | int | float | bool

FORMS: tuple[Form, ...] = get_args(Form)
BLANK = "___"
OPEN = "(any other answer)"
"""The last option of a question that was asked without options: all that is not the gold."""
FIXED_ORDER = "fixed_order"
"""Facet of an item whose options are always shown in their own order."""

FIXED_FACETS = (
    "task",
    "split",
    "template",
    "perturbation",
    "asymmetry",
    "operator",
    "valence",
    "status",
    "hops",
    "distractor_kind",
    "distractor_hops",
    "fillers",
    "asked",
    "pos",
    "test",
    "whole",
    "part",
    "adjective",
)
"""Facet names with a fixed meaning; a probe may add its own beside them."""

_UNDERSCORES = re.compile(r"_{3,}")
_LARGEST = 2**63 - 1
"""Parquet holds whole numbers of 64 bits."""
_PROBE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True, slots=True)
class Source(Document):
    """Where an item comes from; unknown fields are left out."""

    ALWAYS: ClassVar[tuple[str, ...]] = ()

    file: str = ""
    """Name of the file it was read from, without folders."""
    line: int = 0
    """Line in that file, from 1; 0 if unknown."""
    id: str = ""
    """The id in the published dataset."""
    triples: tuple[tuple[str, str, str], ...] = ()
    """Facts (relation, concept, target) that it was built from."""
    licence: str = ""
    """Licence of the item."""

    def to_json(self) -> dict[str, Any]:
        """Return the fields that are known."""
        values = {"file": self.file, "line": self.line, "id": self.id}
        values |= {"triples": [list(triple) for triple in self.triples], "licence": self.licence}
        return {name: value for name, value in values.items() if value}


NO_SOURCE = Source()


@dataclass(frozen=True, slots=True)
class Item(Document):
    """One question.

    The id is made from the content, never given: a changed question is another question.

    >>> item = Item(probe="demo", form="cloze", text="Ice is ___.", options=("cold", "hot"), answer=0)
    >>> item.id
    'demo-4eaad5e493a1da53'
    """

    ALWAYS: ClassVar[tuple[str, ...]] = ("id", "probe", "form", "options", "answer")
    id: str = field(init=False)
    """The probe's name and 16 hex digits over form, premise, text, options, answer, family and member."""
    probe: str
    """Name of the probe it belongs to."""
    form: Form
    """``cloze``: options fill the blank ``___``; ``sentences``: options are whole sentences;
    ``choice``: a question and its answers; ``pair``: premise and hypothesis, options are labels."""
    premise: str = ""
    """What is given before the question, or empty."""
    text: str = ""
    """The cloze with its blank, the question, or the hypothesis; empty for ``sentences``."""
    options: tuple[str, ...] = ()
    """The answers to choose from; none may be empty."""
    answer: int | None = None
    """0-based index of the right option; None where nobody has judged."""
    ordered: bool = False
    """Whether the options are a scale."""
    concepts: tuple[str, ...] = ()
    """One knowledge id per option, or empty."""
    family: str = ""
    """Items that the strict metric takes together; empty for an item without a family."""
    member: str = ""
    """Its role in the family: a, b, generic, exception …"""
    groups: Mapping[str, str] = field(default_factory=dict)
    """Named clusters: noun, whole, source sentence, answer concept …"""
    facets: Mapping[str, Facet] = field(default_factory=dict)
    """Values to slice by."""
    source: Source = NO_SOURCE
    """Where it comes from: file, line, the id that it had there, facts, licence."""

    def __post_init__(self) -> None:
        content = [self.form, self.premise, self.text, self.options, self.answer, self.family, self.member]
        digits = hashlib.sha256(orjson.dumps(content)).hexdigest()[:16]
        object.__setattr__(self, "id", f"{self.probe}-{digits}")

    def to_json(self) -> dict[str, Any]:
        """Return the item as a line of a probe file; other fields than `ALWAYS` are left out at their default.

        >>> list(Item(probe="demo", form="choice", text="Is ice cold?", options=("yes", "no")).to_json())
        ['id', 'probe', 'form', 'text', 'options', 'answer']
        """
        values: dict[str, Any] = {"id": self.id, "probe": self.probe, "form": self.form}
        if self.premise:
            values["premise"] = self.premise
        if self.text:
            values["text"] = self.text
        values["options"] = list(self.options)
        values["answer"] = self.answer
        if self.ordered:
            values["ordered"] = True
        if self.concepts:
            values["concepts"] = list(self.concepts)
        if self.family:
            values["family"] = self.family
        if self.member:
            values["member"] = self.member
        if self.groups:
            values["groups"] = dict(self.groups)
        if self.facets:
            values["facets"] = dict(self.facets)
        if self.source is not NO_SOURCE:
            values["source"] = self.source.to_json()
        return values

    def unit(self, group: str = "family") -> str:
        """Return the cluster under the name ``group``; the item itself if it has none.

        >>> Item(probe="demo", form="choice", text="?", options=("a", "b"), groups={"noun": "apple"}).unit("noun")
        'apple'
        """
        unit = self.family if group == "family" else self.groups.get(group, "")
        return unit or self.id


def guess_of(item: Item) -> float:
    """Return the chance level of the item: 0 if no options were shown."""
    return 0.0 if item.options[-1:] == (OPEN,) else 1 / len(item.options)


def check_item(item: Item) -> None:
    """Raise a `UserError` where the item breaks the rules of its form.

    >>> check_item(Item(probe="demo", form="choice", text="Is ice cold?", options=("yes", "no"), answer=2))
    Traceback (most recent call last):
    ...
    horsesense.errors.UserError: the answer 2 is out of range; there are 2 options, so use 0 to 1
    """
    if not _PROBE_NAME.fullmatch(item.probe):
        raise UserError(
            f"the probe name {item.probe!r} is not usable", fix="use letters, digits, dots, dashes and underscores"
        )
    if item.form not in FORMS:
        raise UserError(f"the form {item.form!r} is unknown", fix=f"use one of {', '.join(FORMS)}")
    _check_text(item)
    _check_options(item)
    _check_values(item)


def _check_text(item: Item) -> None:
    if item.form == "cloze":
        blanks = _UNDERSCORES.findall(item.text)
        if blanks != [BLANK]:
            raise UserError(
                f"a cloze needs exactly one blank {BLANK!r} and this one has {len(blanks)}"
                if set(blanks) <= {BLANK}
                else f"a blank is written {BLANK!r}, not {max(blanks, key=len)!r}",
                fix=f"write the text with one {BLANK}",
            )
    elif item.form == "sentences":
        if item.text:
            raise UserError(
                "an item of the form 'sentences' has no text of its own", fix="put what comes before into 'premise'"
            )
    elif not item.text.strip():
        raise UserError(f"an item of the form {item.form!r} needs a text")
    if item.form == "pair" and not item.premise.strip():
        raise UserError("an item of the form 'pair' needs a premise")


def _check_options(item: Item) -> None:
    if not item.options:
        raise UserError("the item has no options", fix="give at least one")
    for number, option in enumerate(item.options):
        if not option.strip():
            raise UserError(f"option {number} is empty", fix="remove it or fill it in")
    if item.answer is not None and not 0 <= item.answer < len(item.options):
        raise UserError(
            f"the answer {item.answer} is out of range",
            fix=f"there are {len(item.options)} options, so use 0 to {len(item.options) - 1}",
        )
    if item.concepts and len(item.concepts) != len(item.options):
        raise UserError(
            f"there are {len(item.concepts)} concepts for {len(item.options)} options", fix="give one each, or none"
        )


def _check_values(item: Item) -> None:
    for name, unit in item.groups.items():
        if type(unit) is not str:
            raise UserError(f"groups.{name} has the value {unit!r}, which is not text")
    if not 0 <= item.source.line <= _LARGEST:
        raise UserError(f"source.line is {item.source.line}", fix="lines count from 1; 0 where there is none")
    for name, value in item.facets.items():
        if type(value) is not str and not _is_number(value):
            raise UserError(
                f"facets.{name} has the value {value!r}, which is not text, true or false, or a finite number",
                fix="whole numbers may have 64 bits",
            )


def _is_number(value: Facet) -> bool:
    """Whether JSONL and Parquet both hold it: a float of numpy would be written by neither."""
    if type(value) is int:
        return abs(value) <= _LARGEST
    return type(value) is bool or (type(value) is float and isfinite(value))
