"""Knowledge tables (section 2.2, stage 3): rows that fill a template, the axioms they give (stage 4), and what ships.

A table of one's own has the columns ``template``, ``a``, ``b`` and ``conclusion``. Cells ``a`` and ``b`` may list
several values with commas between them; each of one goes with each of the other. A conclusion is a comparative and
a phrase, ``more: fragile``, about A against B. Lists of names are what a type constraint asks for; one's own take the
place of those that ship.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from horsesense.data import read_table, read_text
from horsesense.errors import UserError, unknown
from horsesense.lexicons.comparatives import is_comparative_form
from horsesense.methods.rica.axioms import SLOT, And, Axiom, Comp, Not, Premise, Prop, Rel, pair_of, swap_names
from horsesense.methods.rica.lexicon import Lexicon, read_lexicon

DATA = Path(__file__).with_name("data")
LISTS = ("animals", "materials", "occupations")
BARE = f"is {SLOT}"
"""A conclusion whose comparative says it all: ``older: is *``."""
COLUMNS = ("template", "a", "b", "conclusion")
STATUSES = ("raw", "machine", "verified", "curated")
"""Told by absence from a knowledge base; by rule from numbers or an explicit negative; checked by people; written."""


@dataclass(frozen=True, slots=True)
class Template:
    """A type-constrained logical template (table 4)."""

    number: int
    """The logical template of table 3."""
    category: str
    """physical, material, social or temporal (table 5)."""
    people: bool
    """Whether its axioms are about people, so that names make sense."""


TEMPLATES: Mapping[str, Template] = {
    "material": Template(1, "material", False),
    "grade": Template(1, "social", True),
    "location": Template(1, "physical", True),
    "animal": Template(1, "physical", False),
    "quantity": Template(1, "physical", False),
    "occupation": Template(1, "social", True),
    "role": Template(2, "social", True),
    "action-between": Template(2, "social", True),
    "action-alone": Template(3, "social", True),
    "physical-alone": Template(3, "physical", False),
    "action-degree": Template(4, "social", True),
    "physical-degree": Template(4, "physical", False),
    "temporal": Template(5, "temporal", True),
}
"""The eleven of table 4 by name, and two of our own: measured quantities, and what people do for a living."""


@dataclass(frozen=True, slots=True)
class KnownAxiom:
    """An axiom with what is known of it."""

    axiom: Axiom
    template: str
    status: str
    licence: str
    file: str = ""
    line: int = 0
    triples: tuple[tuple[str, str, str], ...] = ()
    """Facts that it was made from."""


def fill(template: str, a: str, b: str, conclusion: str, kind: str = "") -> Axiom:
    """The axiom of a row; ``kind`` says how two values are told where the template leaves it open.

    >>> print(fill("material", "wax", "iron", "more: soft"))
    Material(A, wax) and Material(B, iron), so More(soft(A), soft(B))
    >>> print(fill("temporal", "took a bath", "", "before: dirty"))
    took a bath(A), so Before(dirty(A))
    >>> print(fill("quantity", "a bell", "a whistle", "heavier: is *"))
    Thing(A, a bell) and Thing(B, a whistle), so Heavier(A, B)
    """
    if template not in TEMPLATES:
        raise unknown("template", template, TEMPLATES)
    word, colon, phrase = conclusion.partition(": ")
    if not colon or not phrase.strip():
        raise UserError(f"the conclusion {conclusion!r} lacks a comparative", fix="write it like more: fragile")
    pair_of(word)
    number = TEMPLATES[template].number
    phrase = "" if phrase == BARE else phrase
    right = None if number == 5 else Prop(swap_names(phrase), "B")
    comparison = Comp(word.capitalize(), Prop(phrase, "A"), right)
    return Axiom(_premise(template, number, a, b, kind), comparison)


def _premise(template: str, number: int, a: str, b: str, kind: str) -> Premise:
    if not a or (number == 1 and not b):
        raise UserError("a cell of the premise is empty", fix="fill in a, and b where there are two")
    if number == 1:
        kind = kind or {"animal": "animal", "quantity": "Thing"}.get(template, template.capitalize())
        return And(Prop(kind, "A", a), Prop(kind, "B", b))
    if number == 2:
        if template == "action-between" and not ("person_a" in a and "person_b" in a):
            raise UserError(f"the event {a!r} lacks person_a or person_b", fix="name both")
        return Rel(a, "A", "B")
    if number == 3:
        return And(Prop(a, "A"), Not(Prop(a, "B")))
    if number == 4:
        bare = is_comparative_form(a.lower())
        return Comp(a, Prop("", "A"), Prop("", "B")) if bare else Comp("More", Prop(a, "A"), Prop(a, "B"))
    return Prop(a, "A")


def read_known(path: Path, licence: str = "none stated") -> Iterator[KnownAxiom]:
    """The axioms of a table; a column ``status`` says how each is known, which is by writing where it says nothing."""
    for line, row in read_table(path, COLUMNS):
        status = row.get("status") or "curated"
        try:
            if status not in STATUSES:
                raise unknown("status", status, STATUSES)
            for a in _listed(row["a"]) or [""]:
                for b in _listed(row["b"]) or [""]:
                    axiom = fill(row["template"], a, b, row["conclusion"])
                    yield KnownAxiom(axiom, row["template"], status, licence, path.name, line)
        except UserError as error:
            raise error.at(path, line) from None


def _listed(cell: str) -> list[str]:
    return [value.strip() for value in cell.split(",") if value.strip()]


# What comes with the package, and lists of one's own.


@cache
def shipped_lexicon() -> Lexicon:
    """Antonyms and paraphrases of our own writing."""
    return read_lexicon(DATA / "lexicon.tsv")


def whole_lexicon(file: Path | None = None) -> Lexicon:
    """One's own lexicon before the shipped one; WordNet adds nothing: it knows words, not which sense is meant."""
    return read_lexicon(file).and_then(shipped_lexicon()) if file else shipped_lexicon()


@cache
def shipped_list(name: str) -> tuple[str, ...]:
    """A list of our own: animals, materials, occupations, names."""
    path = DATA / f"{name}.tsv"
    column = name.removesuffix("s")
    return tuple(row[column] for _, row in read_table(path, (column,)))


def read_list(path: Path) -> Sequence[str]:
    """A name a line, or JSON: a list, or an object that holds one (as in public collections of lists)."""
    text = read_text(path)
    if path.suffix != ".json":
        names: object = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    else:
        try:
            names = json.loads(text)
        except json.JSONDecodeError as error:
            raise UserError("this is not JSON", file=path, line=error.lineno, fix="give a list of names") from error
    if isinstance(names, dict):
        names = next((value for value in names.values() if isinstance(value, list)), None)
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise UserError("there is no list of names in the file", file=path, fix="give one name a line")
    return [name.lower() for name in names]
