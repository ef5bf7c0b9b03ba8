"""The item: one question, in the shape that every stage hands on."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

import orjson

Form = Literal["cloze", "sentences", "choice", "pair"]
Facet = str | int | float | bool

FORMS: tuple[Form, ...] = get_args(Form)
BLANK = "___"

FIXED_FACETS = (
    "task",
    "split",
    "template",
    "perturbation",
    "asymmetry",
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


@dataclass(frozen=True, slots=True)
class Source:
    """Where an item comes from."""

    file: str = ""
    """Name of the file it was read from, without folders."""
    line: int = 0
    """Line in that file, from 1; 0 where there is none."""
    id: str = ""
    """The release's own id."""
    triples: tuple[tuple[str, str, str], ...] = ()
    """Facts (relation, concept, target) that it was built from."""
    licence: str = ""


NO_SOURCE = Source()


@dataclass(frozen=True, slots=True)
class Item:
    """One question.

    The id is made from the content, never given: a changed question is another question.

    >>> item = Item(probe="demo", form="cloze", text="Ice is ___.", options=("cold", "hot"), answer=0)
    >>> item.id
    'demo-4eaad5e493a1da53'
    """

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
    answer: int | None = None
    """0-based index of the right option; None where nobody has judged."""
    ordered: bool = False
    """Whether the options are a scale."""
    concepts: tuple[str, ...] = ()
    """One knowledge id per option, or empty."""
    family: str = ""
    """What the strict metric takes together; empty where the item stands alone."""
    member: str = ""
    """Its role in the family: a, b, generic, exception …"""
    groups: Mapping[str, str] = field(default_factory=dict)
    """Named units of dependence: noun, whole, source sentence, answer concept …"""
    facets: Mapping[str, Facet] = field(default_factory=dict)
    """Values to slice by."""
    source: Source = NO_SOURCE

    def __post_init__(self) -> None:
        content = [self.form, self.premise, self.text, self.options, self.answer, self.family, self.member]
        digits = hashlib.sha256(orjson.dumps(content)).hexdigest()[:16]
        object.__setattr__(self, "id", f"{self.probe}-{digits}")

    def unit(self, group: str = "family") -> str:
        """The unit of dependence under the name ``group``; the item itself where it has none.

        >>> Item(probe="demo", form="choice", text="?", options=("a", "b"), groups={"noun": "apple"}).unit("noun")
        'apple'
        """
        found = self.family if group == "family" else self.groups.get(group, "")
        return found or self.id
