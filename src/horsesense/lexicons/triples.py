"""Knowledge as typed triples, facts about words, and readers of ConceptNet, ATOMIC and GenericsKB."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from horsesense.data import numbered_lines
from horsesense.data.tables import COMMAS, open_table
from horsesense.errors import UserError

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
    "member": "the target is a group that it belongs to, such as a biological taxon",
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
BETWEEN_CONCEPTS = frozenset({ISA, INSTANCE, "part", "member", "antonym", *BESIDE})
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


_OTHER_LANGUAGE = "not English at both ends"
_FIELDS = "relation, head, tail, weight, or the five fields of the official assertions, tabs between them; or JSON"


def read_conceptnet(paths: Sequence[Path]) -> Facts:
    """English assertions of one or several files; what is false there (``0`` in the dev sets) is left out."""
    left_out: Counter[str] = Counter()
    facts = [fact for path in paths for fact in _facts(path, left_out)]
    return Facts("conceptnet", "CC BY-SA 4.0", tuple(dict.fromkeys(facts)), left_out)


def _facts(path: Path, left_out: Counter[str]) -> Iterator[Fact]:
    for number, line in numbered_lines(path):
        cells = line.split("\t")
        if line.startswith("{"):
            yield _json(line, path, number)
        elif len(cells) == 5 and cells[0].startswith("/a/"):
            english = _assertion(cells)
            left_out[_OTHER_LANGUAGE] += english is None
            if english is not None:
                yield english
        else:
            fact = _plain(cells, path, number)
            left_out["marked as false"] += fact.weight == 0
            if fact.weight != 0:
                yield fact


def _assertion(cells: list[str]) -> Fact | None:
    """``/a/[…]``, ``/r/CapableOf``, ``/c/en/bird/n``, ``/c/en/fly``, ``{"weight": 1.0, …}``."""
    _, relation, start, end, about = cells
    head, tail = start.split("/"), end.split("/")
    if head[2:3] != ["en"] or tail[2:3] != ["en"]:
        return None
    # The weight is found without parsing: the file has 34 million lines.
    weight = about.rpartition('"weight":')[2].strip(" }") or "1"
    return Fact(relation.rpartition("/")[2], _words(head[3]), _words(tail[3]), float(weight.partition(",")[0]))


def _words(term: str) -> str:
    return term.replace("_", " ").lower()


def _json(line: str, path: Path, number: int) -> Fact:
    """``{"rel": "AtLocation", "start": "Ferret", "end": "Pet Store"}``, the cache of ConceptNet 5.6 without weights."""
    try:
        cells = json.loads(line)
        relation, head, tail = (cells[name] for name in ("rel", "start", "end"))
        return Fact(relation, head.lower(), tail.lower())
    except (ValueError, KeyError, TypeError, AttributeError):
        fix = 'a line of JSON has "rel", "start" and "end"'
        raise UserError("this is not an assertion of ConceptNet", file=path, line=number, fix=fix) from None


def _plain(cells: list[str], path: Path, number: int) -> Fact:
    try:
        relation, head, tail, weight = (cell.strip() for cell in cells)
        return Fact(relation, head.lower(), tail.lower(), float(weight))
    except ValueError:
        raise UserError(
            "this is not a line of ConceptNet", file=path, line=number, fix=f"a line has {_FIELDS}"
        ) from None


_PERSONS = {"personx": "person_a", "john": "person_a", "persony": "person_b", "tom": "person_b"}
_PERSON = re.compile(r"\b(personx|persony|personz|john|tom)\b", re.IGNORECASE)
_TRAIT = "xAttr"


def read_atomic(paths: Sequence[Path]) -> Facts:
    """Events about ``person_a`` (and ``person_b``) with traits (``xAttr``); a fact weighs as often as it was said.

    An event that has a blank in it, a third person, or nobody left after the clean-up is counted and left out.
    """
    left_out: Counter[str] = Counter()
    counts: Counter[tuple[str, str, str]] = Counter()
    for path in paths:
        for relation, event, tail in _rows(path):
            if relation != _TRAIT:
                continue
            cleaned = event_of(event)
            if not cleaned.startswith("person_a "):
                left_out[cleaned] += 1
                continue
            if tail.strip().lower() in ("none", ""):
                left_out["inference: none"] += 1
                continue
            counts[relation, cleaned, tail.strip().lower()] += 1
    facts = tuple(Fact(*triple, weight=float(times)) for triple, times in counts.items())
    return Facts("atomic", "CC BY 4.0", facts, left_out)


def event_of(text: str) -> str:
    """The event about person_a and person_b; where it is of no use, the reason instead.

    >>> event_of("PersonX gives PersonY PersonX's seat"), event_of("John  eats Tom's  lunch"), event_of("it rains")
    ("person_a gives person_b person_a's seat", 'event: a word is missing', 'event: no person at its head')
    """
    if "_" in text or "  " in text or text.endswith(" "):
        # The preprocessed files took the blank out and left the spaces around it.
        return "event: a word is missing"
    event = _PERSON.sub(lambda person: _PERSONS.get(person[0].lower(), "person_c"), text.strip())
    if "person_c" in event:
        return "event: a third person"
    event = event.replace(" 's", "'s")
    return event if event.startswith("person_a ") else "event: no person at its head"


def _rows(path: Path) -> Iterator[tuple[str, str, str]]:
    """Relation, event and inference of each line, whichever of the three formats it is."""
    lines = numbered_lines(path)
    _, first = next(lines, (0, ""))
    if first.startswith("event,"):
        yield from _official(path)
        return
    for number, line in numbered_lines(path):
        cells = line.split("\t")
        if len(cells) != 3:
            raise UserError(
                "this is not a line of ATOMIC", file=path, line=number, fix="a line has event, relation, inference"
            )
        yield cells[1], cells[0], cells[2]


def _official(path: Path) -> Iterator[tuple[str, str, str]]:
    table = open_table(path, COMMAS)
    for number, cells in table.rows:
        row = dict(zip(table.header, cells, strict=False))
        try:
            inferences = json.loads(row.get(_TRAIT) or "[]")
        except json.JSONDecodeError as error:
            raise UserError(f"{_TRAIT} is not a JSON list", file=path, line=number, fix="get it again") from error
        yield from ((_TRAIT, row["event"], str(inference)) for inference in inferences)


SAYS = "says"
"""The relation of a term and a sentence about it."""


def generic_statements(paths: Sequence[Path]) -> Iterator[tuple[str, str]]:
    """Term and sentence of each line, as they are written; the score behind them is left."""
    for path in paths:
        for number, line in numbered_lines(path):
            cells = line.rstrip("\r").split("\t")
            if len(cells) < 2:
                raise UserError("this is not a line of GenericsKB", file=path, line=number, fix="term, tab, statement")
            yield cells[0], cells[1].strip()


def read_generics(paths: Sequence[Path]) -> Facts:
    """What is said of each term; what a sentence says is for others to read."""
    statements = dict.fromkeys((term.lower(), sentence) for term, sentence in generic_statements(paths))
    return Facts("genericskb", "CC BY 4.0", tuple(Fact(SAYS, term, sentence) for term, sentence in statements))
