"""Denial: words that deny, and clauses denied with or without *do*."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from horsesense.lexicons.inflection import BE, MODALS, finite_verb, inflected, third_person, verb_form
from horsesense.lexicons.words import listed

NEGATIONS = frozenset(
    listed(
        "no not never none nobody nothing nowhere neither nor without cannot hardly scarcely barely lack lacks lacking"
    )
)


def is_negation(word: str) -> bool:
    """Whether a lower-case word denies; the contractions in n't do.

    >>> [w for w in ("can't", "knot", "never") if is_negation(w)]
    ["can't", 'never']
    """
    return word in NEGATIONS or word.endswith("n't")


def negations(words: Iterable[str]) -> int:
    """How many words deny."""
    return sum(map(is_negation, words))


@cache
def auxiliary(clause: str) -> str:
    """The word that stands for the whole of a finite clause: is, should, does, did.

    >>> auxiliary("is happy"), auxiliary("should sink"), auxiliary("finds it easy"), auxiliary("won the cup")
    ('is', 'should', 'does', 'did')
    """
    first = clause.split(" ")[0]
    if first in BE or first in MODALS or (first in ("does", "did") and clause.startswith(f"{first} not ")):
        return first
    return "did" if verb_form(finite_verb(clause))[1] == "past" else "does"


@cache
def negated(clause: str) -> str:
    """A finite clause denied; a clause that is denied already is affirmed.

    >>> negated("is easier to lift"), negated("finds it easier to sing"), negated("initially takes more care")
    ('is not easier to lift', 'does not find it easier to sing', 'does not initially take more care')
    >>> negated("does not make the team")
    'makes the team'
    """
    first, _, rest = clause.partition(" ")
    if first == "cannot":
        return f"can {rest}"
    if rest.startswith("not "):
        return _affirmed(first, rest.removeprefix("not "))
    if first in BE or first in MODALS:
        return f"{first} not {rest}".replace("can not ", "cannot ").strip()
    finite = finite_verb(clause)
    lemma, kind = verb_form(finite)
    if not lemma:
        return f"is not {clause}"
    before, _, after = clause.partition(finite)
    return f"{'did' if kind == 'past' else 'does'} not {before}{lemma}{after}"


def _affirmed(first: str, rest: str) -> str:
    if first not in ("does", "did"):
        return f"{first} {rest}"
    verb = finite_verb(rest)
    before, _, after = rest.partition(verb)
    affirmed = third_person(verb) if first == "does" else next(iter(inflected(verb, "VBD")), verb)
    return f"{before}{affirmed}{after}"
