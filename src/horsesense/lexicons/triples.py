"""Knowledge as typed triples, what every source is turned into; and facts about words, before they are a graph."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

ISA = "isa"
INSTANCE = "instance"

RELATIONS = {
    ISA: "the target is a concept that includes it",
    INSTANCE: "the target is the concept that this single thing is an instance of",
    "definition": "what it means",
    "example": "a sentence or expression with one of its words",
    "lemma": "a word for it",
    "pos": "part of speech: n, v, a, r or s",
    "part": "the target is a concept that it has as a part",
    "antonym": "the target means the opposite",
    "derivation": "the target has a word derived from one of its words",
    "similar": "the target means nearly the same, or is often thought of with it",
    "entailment": "the target happens when it does: what it entails, or causes",
    "attribute": "the target is what it is a value of, or the other way round",
}
"""Relation → what it says about the concept."""

GLOSS = "gloss"
"""Definition as NLTK prints it, where that differs; only WordNet's own files give it."""
SENSE = "sense"
"""Number of the sense among those of a lemma, in the order of the lemmas; only WordNet's own files give it."""

BESIDE = ("derivation", "similar", "entailment", "attribute")
"""Relations to what is neither above nor below a concept, and may yet be said of the same thing."""
BETWEEN_CONCEPTS = frozenset({ISA, INSTANCE, "part", "antonym", *BESIDE})
"""Relations whose target is a concept, not a text."""


class Triple(NamedTuple):
    """One fact. Antonyms and derivations hold between words, not meanings, so they name the words too."""

    relation: str
    concept: str
    target: str
    word: str = ""
    """The word of the concept that it holds for; empty for all of them."""
    target_word: str = ""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a source's facts come from."""

    name: str
    version: str
    licence: str
    fingerprint: str
    """Of the files they were read from; facts with another one are read again."""
    language: str = "en"
    """Its code, such as en or de."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One assertion, in lower-case words with spaces between them."""

    relation: str
    head: str
    tail: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Facts:
    """What was read from files, and what was not taken."""

    source: str
    """conceptnet or atomic."""
    licence: str
    facts: tuple[Fact, ...]
    left_out: Counter[str] = field(default_factory=Counter)
    """Lines that were not taken, counted by reason."""
