"""The first half of a statement, for each logical template (table 3)."""

from __future__ import annotations

from functools import cache

from horsesense.errors import UserError
from horsesense.language.comparatives import comparative_of
from horsesense.language.inflection import is_adjective, is_finite, verb_form, with_article
from horsesense.language.negation import auxiliary, negated
from horsesense.probes.rica.comparison import pair_of
from horsesense.probes.rica.forms import SLOT, And, Axiom, Comp, Not, Premise, Prop, Rel, Term, plain
from horsesense.probes.rica.frames import frame

KINDS_OF_VALUE = {
    "material": "is made out of *",
    "grade": "is in the * grade",
    "location": "lives in *",
}
"""How a property with a value is said; an animal is one, anything else has it."""


def template(axiom: Axiom) -> int:
    """Which of the five logical templates of table 3 an axiom fills.

    >>> from horsesense.probes.rica.parsing import parse_form
    >>> template(parse_form("boss(A, B), so More(strict(A), strict(B))"))
    2
    """
    match axiom.premise:
        case And(Not(Prop()), Prop()) | And(Prop(), Not(Prop())):
            return 3
        case And(Prop(), Prop()):
            return 1
        case Rel():
            return 2
        case Comp():
            return 4
        case Prop():
            return 5
    raise UserError(f"the premise {str(axiom.premise)!r} fills none of the five templates", fix="see docs/rica.md")


def say_premise(premise: Premise) -> str:
    """The premise in words, about A and B.

    >>> from horsesense.probes.rica.parsing import parse_form
    >>> say_premise(parse_form("see at night(A) and not see at night(B), so More(alert(A), alert(B))").premise)
    'A can see at night while B cannot'
    """
    match premise:
        case And(Not(Prop() as other), Prop() as one):
            return f"{other.entity} {negated(clause(other.name))} while {one.entity} {auxiliary(clause(one.name))}"
        case And(Prop() as one, Not(Prop() as other)):
            return f"{one.entity} {clause(one.name)} while {other.entity} {_denied(other)}"
        case And(left, right):
            return f"{say_term(left)} and {say_term(right)}"
        case Prop() | Rel() | Comp() | Not():
            return say_term(premise)


def say_term(term: Term) -> str:
    """One conjunct in words."""
    match term:
        case Prop(name, entity, None):
            return f"{entity} {clause(name)}"
        case Prop(name, entity, value):
            return f"{entity} {_valued(plain(name), plain(value or ''))}"
        case Rel(name, first, second):
            return _related(plain(name), first, second)
        case Comp(word, left, right) if right is not None:
            return f"{left.entity} {_compared(plain(left.name), plain(word).lower(), right.entity)}"
        case Not(Prop(name, entity)):
            return f"{entity} {negated(clause(name))}"
        case _:
            raise UserError(f"{str(term)!r} cannot be said as a premise", fix="see docs/rica.md for what can")


@cache
def clause(name: str) -> str:
    """A property as a finite clause: what is done, what can be done, what one is, what one is capable of.

    >>> clause("bakes bread"), clause("bake bread"), clause("tired"), clause("photosynthesis")
    ('bakes bread', 'can bake bread', 'is tired', 'is capable of photosynthesis')
    """
    text = plain(name)
    if is_finite(text):
        return text
    first = text.split(" ")[0]
    kind = verb_form(first)[1]
    if is_adjective(first) and not (kind == "base" and len(text.split()) > 1):
        return f"is {text}"
    return f"can {text}" if kind == "base" else f"is capable of {text}"


def _denied(other: Prop) -> str:
    said = clause(other.name)
    if said.split(" ")[1:2] == ["not"] or said.startswith("cannot"):
        return auxiliary(negated(said))
    word = auxiliary(said)
    return "cannot" if word == "can" else f"{word} not"


def _valued(kind: str, value: str) -> str:
    if SLOT in kind:
        return kind.replace(SLOT, value)
    if kind.lower() == "animal":
        return f"is {with_article(value)}"
    pattern = KINDS_OF_VALUE.get(kind.lower(), f"has the {kind.lower()} {SLOT}")
    return pattern.replace(SLOT, value)


def _related(name: str, first: str, second: str) -> str:
    if "person_" in name:
        return name.replace("person_a", "A").replace("person_b", "B")
    return f"{first} is {second}'s {name.replace('_', ' ')}"


def _compared(name: str, word: str, other: str) -> str:
    if SLOT in name:
        return f"{name.replace(SLOT, word)}{_than(name, other)}"
    if word in ("more", "less") and is_finite(name):
        return f"{name} {word} than {other}"
    if word == "more" and comparative_of(name):
        return f"is {comparative_of(name)} than {other}"
    # A bare comparative needs no opposite here: nothing in a premise is denied.
    clause_of = frame(name, pair_of(word)) if name else f"is {SLOT}"
    return f"{clause_of.replace(SLOT, word)} than {other}"


def _than(phrase: str, other: str) -> str:
    """Nothing where the phrase names the other already: "takes more care of B"."""
    return "" if other in phrase.split() else f" than {other}"
