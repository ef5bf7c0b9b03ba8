"""First-order axioms (section 2.2): properties, relations, comparisons and the implication between them.

A node stores its names as they were written, spaces included, so that printing a parsed form gives the same
characters; `plain` strips them. `claim` is what an axiom concludes, without negations: a pair of comparatives
(`pair_of`) and one of its two poles (`is_upper`, `opposite`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cache

from horsesense.errors import UserError, unknown
from horsesense.lexicons.word_forms import OPPOSITES, PAIR_OF

Pair = tuple[str, str]
"""The two poles of a scale, the greater or better one first."""

ENTITIES = ("A", "B")
SLOT = "*"
"""In a phrase: the slot of the comparative, as in ``is a * friend``."""
_MENTION = re.compile(r"\b(?:person_[ab]|[AB])\b")
_OTHER = {"A": "B", "B": "A", "person_a": "person_b", "person_b": "person_a"}


@cache
def plain(name: str) -> str:
    """Collapse the stray spaces of a published name.

    >>> plain("  gets  anxious")
    'gets anxious'
    """
    return " ".join(name.split())


def swap_names(text: str) -> str:
    """Exchange A and B, person_a and person_b.

    >>> swap_names("person_a takes person_b back")
    'person_b takes person_a back'
    """
    return _MENTION.sub(lambda mention: _OTHER[mention[0]], text)


@dataclass(frozen=True, slots=True)
class Prop:
    """Prop(A, p): an entity has a property, ``crumple(A)`` or ``Material(A, paper)``."""

    name: str
    """The property; with a value, its kind. Empty for a bare comparative, as in ``Wider(A, B)``."""
    entity: str
    value: str | None = None
    gap: str = field(default=" ", compare=False)
    """Spaces between comma and value."""

    def __str__(self) -> str:
        inside = self.entity if self.value is None else f"{self.entity},{self.gap}{self.value}"
        return f"{self.name}({inside})"

    def swapped(self) -> Prop:
        return replace(self, name=swap_names(self.name), entity=_OTHER[self.entity])


@dataclass(frozen=True, slots=True)
class Rel:
    """Rel(A, B, r): ``boss(A, B)``, or an event between ``person_a`` and ``person_b``."""

    name: str
    first: str
    second: str
    gap: str | None = field(default=" ", compare=False)
    """Spaces between comma and second entity; None if the brackets are missing and the name says who is who."""

    def __str__(self) -> str:
        return self.name if self.gap is None else f"{self.name}({self.first},{self.gap}{self.second})"

    def swapped(self) -> Rel:
        return replace(self, name=swap_names(self.name), first=_OTHER[self.first], second=_OTHER[self.second])


@dataclass(frozen=True, slots=True)
class Comp:
    """Comp(x, y): ``More(crumple(A), crumple(B))``, ``Wider(A, B)``, or about one entity ``Before(cold(A))``."""

    word: str
    left: Prop
    right: Prop | None
    gap: str = field(default=" ", compare=False)

    def __str__(self) -> str:
        if self.right is None:
            return f"{self.word}({self.left})"
        if not self.left.name:
            return f"{self.word}({self.left.entity},{self.gap}{self.right.entity})"
        return f"{self.word}({self.left},{self.gap}{self.right})"

    def swapped(self) -> Comp:
        return replace(self, left=self.left.swapped(), right=None if self.right is None else self.right.swapped())


@dataclass(frozen=True, slots=True)
class Not:
    """Negation, written ``not`` before its term."""

    term: Prop | Rel | Comp | Not

    def __str__(self) -> str:
        return f"not {self.term}"

    def swapped(self) -> Not:
        return Not(self.term.swapped())


@dataclass(frozen=True, slots=True)
class And:
    """Conjunction of two."""

    left: Prop | Rel | Comp | Not
    right: Prop | Rel | Comp | Not

    def __str__(self) -> str:
        return f"{self.left} and {self.right}"

    def swapped(self) -> And:
        return And(self.left.swapped(), self.right.swapped())


Term = Prop | Rel | Comp | Not
Premise = Term | And


@dataclass(frozen=True, slots=True)
class Axiom:
    """An implication about any two entities."""

    premise: Premise
    conclusion: Comp | Not
    connective: str = field(default=", so ", compare=False)

    def __str__(self) -> str:
        return f"{self.premise}{self.connective}{self.conclusion}"

    def swapped(self) -> Axiom:
        """Exchange the two entities."""
        return replace(self, premise=self.premise.swapped(), conclusion=self.conclusion.swapped())


def seen_from_a(side: Prop) -> str:
    """Return the name of a property as if A had it; it may mention the other entity, as in ``takes * care of B``."""
    return plain(side.name if side.entity == "A" else swap_names(side.name))


def rename_property(side: Prop, phrase: str) -> Prop:
    """Rename a property; the phrase is given as if A had it."""
    return replace(side, name=phrase if side.entity == "A" else swap_names(phrase))


# Comparatives: which pair, which pole.


def pair_of(word: str) -> Pair:
    """Return the pair that a comparative belongs to, in lower case.

    >>> pair_of("Harder"), pair_of("More")
    (('easier', 'harder'), ('more', 'less'))
    """
    pair = PAIR_OF.get(plain(word).lower())
    if pair is None:
        near = unknown("comparative", word, OPPOSITES).fix
        raise UserError(f"the comparative {plain(word)!r} has no opposite", fix=near)
    return pair


def one_scale(word: str) -> str:
    """Return the representative of all comparatives with the same opposite: they are one scale.

    >>> one_scale("Larger"), one_scale("Longer"), one_scale("Shorter")
    ('Bigger', 'Taller', 'Shorter')
    """
    if not is_upper(word):
        return word
    first = opposite(opposite(word))
    return word if first.lower() == plain(word).lower() else first


def is_upper(word: str) -> bool:
    """Return whether a comparative is the first pole of its pair."""
    return pair_of(word)[0] == plain(word).lower()


def opposite(word: str) -> str:
    """Return the other pole, with the same capitalisation.

    >>> opposite("Less"), opposite("before")
    ('More', 'after')
    """
    other = pair_of(word)[int(is_upper(word))]
    return other.capitalize() if plain(word)[:1].isupper() else other


def flip(comparison: Comp) -> Comp:
    """Flip the pole of a comparison."""
    return replace(comparison, word=opposite(comparison.word))


def claim(axiom: Axiom) -> Comp:
    """Return the conclusion without its negations: there are no ties, so not less is more."""
    term, denied = axiom.conclusion, False
    while isinstance(term, Not):
        term, denied = term.term, not denied  # type: ignore[assignment]  # the parser saw to it
    assert isinstance(term, Comp)
    return flip(term) if denied else term
