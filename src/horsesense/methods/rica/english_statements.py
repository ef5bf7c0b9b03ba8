"""An axiom in words: clauses, whole statements, and the names of the two entities.

A conclusion's `frame` is a clause with a slot for the comparative: ``is * fragile``, ``finds it * to float``, ``is a *
friend``. A phrase with its own slot is its own frame (table 8: "has a harder time", "a better friend"); for other
phrases the scale and the first word decide. `say_premise` words each logical template of table 3. `say` gives the whole
statement, "A is made out of wax and B is made out of iron, so A is more soft than B". `entities_of` draws the names:
novel strings, first names, or the letters A and B.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from horsesense.data import numbered_lines
from horsesense.errors import UserError, unknown
from horsesense.lexicons.novel_names import check_names, novel_names
from horsesense.lexicons.word_forms import (
    article,
    auxiliary,
    comparative_of,
    gerund,
    inflect,
    is_adjective,
    is_finite,
    is_noun,
    lemmas_of,
    negate,
    verb_form,
    with_article,
)
from horsesense.lexicons.words import PREPOSITIONS
from horsesense.methods.rica.axioms import (
    SLOT,
    And,
    Axiom,
    Comp,
    Not,
    Pair,
    Premise,
    Prop,
    Rel,
    Term,
    opposite,
    pair_of,
    plain,
    seen_from_a,
    swap_names,
)
from horsesense.methods.rica.knowledge_tables import shipped_list

MORE, EASIER, BETTER, BEFORE = ("more", "less"), ("easier", "harder"), ("better", "worse"), ("before", "after")
_FRAMED = ((EASIER, "finds it * to "), (BETTER, "is * at "), (MORE, "is * likely to "), (MORE, "is * "))
_PLACED = "locate at "
KINDS_OF_VALUE = {
    "material": "is made out of *",
    "grade": "is in the * grade",
    "location": "lives in *",
    "occupation": "works as *",
    "thing": "is *",
}
"""Patterns of properties with a value; *animal* takes an article, *thing* has one, other kinds use *has the*."""


@cache
def frame(text: str, pair: Pair, event: str = "") -> str:
    """Return the clause for a property on a scale; ``event`` is what a state comes before or after.

    >>> frame("crumple", MORE), frame("fragile", MORE), frame("fit into a box", BETTER)
    ('is * likely to crumple', 'is * fragile', 'is * at fitting into a box')
    >>> frame("sink", EASIER), frame("", ("wider", "narrower")), frame("is a * friend", BETTER)
    ('finds it * to sink', 'is *', 'is a * friend')
    >>> frame("cold", BEFORE, "turned on the heater")
    'was cold * turning on the heater'
    """
    if SLOT in text:
        return text
    if not text:
        return f"is {SLOT}"
    if pair == BEFORE:
        return f"{state(text)} {SLOT} {gerund(event)}".rstrip()
    if pair == EASIER:
        return f"finds it {SLOT} to {_infinitive(text)}"
    if pair == BETTER:
        return f"is {SLOT} at {gerund(text)}"
    if pair == MORE:
        return f"is {SLOT} {text}" if is_description(text) else f"is {SLOT} likely to {_infinitive(text)}"
    return f"has {SLOT} {text}"


@cache
def shortest(text: str, pair: Pair) -> str:
    """Remove a default frame from a phrase, so that one property has one name.

    >>> shortest("is * likely to crumple", MORE), shortest("likely to crumple", MORE), shortest("is * to lift", EASIER)
    ('crumple', 'crumple', 'is * to lift')
    """
    framed = frame(text, pair)
    if framed == f"is {SLOT}":
        return ""
    for scale, start in _FRAMED:
        rest = framed.removeprefix(start)
        if pair == scale and rest != framed and frame(rest, pair) == framed:
            return rest
    return text


@cache
def is_description(text: str) -> bool:
    """Return whether *is more* can precede a phrase: an adjective with its complements, without a noun at its end.

    >>> [is_description(text) for text in ("good for your teeth", "big mouth", "fly", "living in a hot place")]
    [True, False, False, False]
    """
    first, *rest = text.split(" ")
    if not rest:
        # Word lists lack "hardworking" and misspelt traits; they do list verbs.
        return is_adjective(first) or verb_form(first)[1] != "base"
    if first in PREPOSITIONS and first != "to":
        return True
    if not is_adjective(first):
        return False
    return verb_form(first)[1] != "gerund" and rest[0] in PREPOSITIONS | {"for", "as", "around"}


@cache
def state(text: str) -> str:
    """Return the clause of a state in the past; a clause stays as it is.

    >>> state("cold"), state("had wet hair")
    ('was cold', 'had wet hair')
    """
    first = text.split(" ")[0]
    return text if verb_form(first)[1] == "past" and (len(text.split()) > 1 or first == "was") else f"was {text}"


def _infinitive(text: str) -> str:
    """Return the infinitive after *likely to*: the verb phrase itself, *be* or *have*.

    >>> _infinitive("live underwater"), _infinitive("big mouth"), _infinitive("capsize a boat")
    ('live underwater', 'have a big mouth', 'capsize a boat')
    """
    if text.startswith(_PLACED):
        return f"be at {text.removeprefix(_PLACED)}"
    first, *rest = text.split(" ")
    kind = verb_form(first)[1]
    if kind == "base" and not (rest and is_adjective(first) and not is_noun(rest[-1])):
        return text
    if kind == "gerund" or is_description(text):
        return f"be {text}"
    return text if kind == "base" or _has_unknown_verb(text) else f"have {with_article(text)}"


def _has_unknown_verb(text: str) -> bool:
    """Return whether a phrase begins with a word that the dictionary lacks: before an object, it is a verb."""
    return " " in text and not lemmas_of(text.split(" ")[0])


# Premises, for each logical template (table 3).


def template(axiom: Axiom) -> int:
    """Return the number of an axiom's logical template (table 3).

    >>> from horsesense.methods.rica.notation import parse_form
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
    raise UserError(
        f"the premise {str(axiom.premise)!r} fills none of the five templates", fix="see docs/methods/rica.md"
    )


def say_premise(premise: Premise) -> str:
    """Word a premise about A and B.

    >>> from horsesense.methods.rica.notation import parse_form
    >>> say_premise(parse_form("see at night(A) and not see at night(B), so More(alert(A), alert(B))").premise)
    'A can see at night while B cannot'
    """
    match premise:
        case And(Not(Prop() as denied), Prop() as affirmed):
            verb = auxiliary(clause(affirmed.name))
            return f"{denied.entity} {negate(clause(denied.name))} while {affirmed.entity} {verb}"
        case And(Prop() as affirmed, Not(Prop() as denied)):
            return f"{affirmed.entity} {clause(affirmed.name)} while {denied.entity} {_denial(clause(denied.name))}"
        case And(left, right):
            return f"{say_term(left)} and {say_term(right)}"
        case Prop(name, entity, None):
            return f"{entity} {happened(name)}"
        case Prop() | Rel() | Comp() | Not():
            return say_term(premise)


def say_term(term: Term) -> str:
    """Word one conjunct."""
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
            return f"{entity} {negate(clause(name))}"
        case _:
            raise UserError(f"{str(term)!r} cannot be a premise", fix="see docs/methods/rica.md")


@cache
def clause(name: str) -> str:
    """Word a property as a finite clause: an action, an ability, a state, or a capability.

    >>> clause("bakes bread"), clause("bake bread"), clause("tired"), clause("photosynthesis")
    ('bakes bread', 'can bake bread', 'is tired', 'is capable of photosynthesis')
    >>> clause("capsize a boat")  # the dictionary lacks the verb
    'can capsize a boat'
    """
    text = plain(name)
    if is_finite(text):
        return text
    first = text.split(" ")[0]
    kind = verb_form(first)[1]
    if is_adjective(first) and not (kind == "base" and len(text.split()) > 1):
        return f"is {text}"
    return f"can {text}" if kind == "base" or _has_unknown_verb(text) else f"is capable of {text}"


@cache
def happened(name: str) -> str:
    """Word a past event (template 5): a verb whose past is its base form is not an ability.

    >>> happened("put on a coat"), happened("took a bath")
    ('put on a coat', 'took a bath')
    """
    text = plain(name)
    first = text.split(" ")[0]
    return text if first in inflect(first, "VBD") else clause(text)


def _denial(affirmed: str) -> str:
    """Return the elliptical negation of a clause: "does not", "cannot"; for a negated clause, "does"."""
    if affirmed.split(" ")[1:2] == ["not"] or affirmed.startswith("cannot"):
        return auxiliary(negate(affirmed))
    verb = auxiliary(affirmed)
    return "cannot" if verb == "can" else f"{verb} not"


def _valued(kind: str, value: str) -> str:
    if SLOT in kind:
        return kind.replace(SLOT, value)
    if kind.lower() == "animal":
        return f"is {with_article(value)}"
    if kind.lower() == "occupation":
        value = with_article(value)
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
    # A bare comparative needs no opposite here: premises are not negated.
    framed = frame(name, pair_of(word)) if name else f"is {SLOT}"
    return f"{framed.replace(SLOT, word)} than {other}"


def _than(phrase: str, other: str) -> str:
    """Return the *than* phrase; empty if the phrase names the other entity: "takes more care of B"."""
    return "" if other in phrase.split() else f" than {other}"


MODES = ("novel", "fresh", "names", "letters")
POOL = 1_000
"""Number of novel names: enough for half a million pairs, and the same list for all models."""
NAME_PAIRS = 3
"""Number of name pairs per statement (section 4.3)."""
ENTITY = re.compile(r"\b[AB]\b")
_ARTICLE = re.compile(r"\ban? \*")


@dataclass(frozen=True, slots=True)
class Statement:
    """An axiom in words, split at the comparative of the conclusion."""

    premise: str
    before: str
    """The conclusion up to the comparative."""
    word: str
    """The comparative; with its article if that of the other pole differs ("an easier", "a harder")."""
    other: str
    """The other pole."""
    after: str

    @property
    def text(self) -> str:
        return f"{self.premise}, so {self.conclusion}"

    @property
    def conclusion(self) -> str:
        return f"{self.before}{self.word}{self.after}"

    def about(self, names: Mapping[str, str]) -> Statement:
        """Replace A and B by names."""

        def renamed(text: str) -> str:
            return ENTITY.sub(lambda entity: names[entity[0]], text)

        return Statement(renamed(self.premise), renamed(self.before), self.word, self.other, renamed(self.after))


def say(axiom: Axiom) -> Statement:
    """Word an axiom about A and B.

    >>> from horsesense.methods.rica.notation import parse_form
    >>> say(parse_form("Taller(A, B), so not Harder(reach a shelf(A), reach a shelf(B))")).text
    'A is taller than B, so A does not find it harder to reach a shelf than B'
    """
    denied, term = 0, axiom.conclusion
    while isinstance(term, Not):
        denied, term = denied + 1, term.term  # type: ignore[assignment]  # a conclusion is a comparison, denied or not
    assert isinstance(term, Comp)
    word = plain(term.word).lower()
    premise = say_premise(axiom.premise)
    clause = frame(_uncapped(seen_from_a(term.left)), pair_of(word), _event(axiom))
    if term.left.entity == "B":
        clause = swap_names(clause)
    before, after, words = _around(negate(clause) if denied % 2 else clause, word)
    if term.right is not None and term.right.entity not in clause.split():
        after += f" than {term.right.entity}"
    return Statement(premise, f"{term.left.entity} {before}", words[0], words[1], after)


def _uncapped(name: str) -> str:
    """Lower a capitalised name: the published forms have ``Old(A)`` for "old"."""
    return name.lower() if name.istitle() and " " not in name else name


def _event(axiom: Axiom) -> str:
    return plain(axiom.premise.name) if isinstance(axiom.premise, Prop) else ""


def _around(clause: str, word: str) -> tuple[str, str, tuple[str, str]]:
    """Split a clause at the comparative; also return the comparative with its opposite."""
    words = word, opposite(word)
    before, _, after = clause.partition(SLOT)
    if not _ARTICLE.search(clause):
        return before, after, words
    before = before[: -len(re.search(r"an? $", before)[0])]  # type: ignore[index]  # the search above found it
    articles = [article(pole) for pole in words]
    if articles[0] == articles[1]:
        return f"{before}{articles[0]} ", after, words
    return before, after, (f"{articles[0]} {words[0]}", f"{articles[1]} {words[1]}")


def fill_slot(clause: str, word: str) -> str:
    """Fill the slot of a clause, article included.

    >>> fill_slot("has a * time flying", "easier")
    'has an easier time flying'
    """
    before, after, words = _around(clause, word)
    return f"{before}{words[0]}{after}"


# Names of the entities.


@dataclass(frozen=True, slots=True)
class Entities:
    """A source of name pairs."""

    mode: str
    names: tuple[str, ...]
    pairs: int
    """Number of pairs per axiom (five in the high-resource setting, section 3.3)."""
    seed: int

    @property
    def repeats(self) -> int:
        """Number of times each statement occurs."""
        return 1 if self.mode == "letters" else self.pairs

    def draw(self, family: str) -> list[dict[str, str]]:
        """Draw the names of A and B; they depend only on the family and the seed."""
        if self.mode == "letters":
            return [{"A": "A", "B": "B"}]
        rng = Random(f"{self.seed} {family}")
        drawn: list[dict[str, str]] = []
        while len(drawn) < self.pairs:
            a, b = rng.sample(self.names, 2)
            pair = {"A": a, "B": b}
            # Names with the same beginning are easily confused.
            if a[:2].lower() != b[:2].lower() and pair not in drawn:
                drawn.append(pair)
        return drawn


def random_seed() -> int:
    """Return an unpredictable seed, for fresh entities."""
    return secrets.randbelow(2**32)


def entities_of(choice: str, pairs: int | None, seed: int, words: frozenset[str] = frozenset()) -> Entities:
    """Return a source of names: ``novel``, ``fresh``, ``names``, ``letters``, or a file with one name per line.

    Novel names are not in ``words``. Fresh names are drawn again each time, so that no training set has them;
    ``fresh:7`` draws them by a seed.
    """
    mode, _, number = choice.partition(":")
    if mode == "fresh":
        if number and not number.isdecimal():
            raise UserError(f"{number!r} is not a seed of fresh entities", fix="write it like fresh:7")
        drawn = int(number) if number else random_seed()
        return Entities(mode, novel_names(POOL, drawn, words), pairs or 1, drawn)
    if choice == "novel":
        return Entities(choice, novel_names(POOL, seed, words), pairs or 1, seed)
    if choice == "names":
        return Entities(choice, shipped_list("names"), pairs or NAME_PAIRS, seed)
    if choice == "letters":
        return Entities(choice, (), 1, seed)
    path = Path(choice)
    if not path.is_file():
        raise unknown("kind of entities", choice, (*MODES, "FILE"))
    return Entities("given", _names_in(path, words), pairs or 1, seed)


def _names_in(path: Path, words: Collection[str]) -> tuple[str, ...]:
    names: Sequence[str] = [line.strip() for _, line in numbered_lines(path)]
    try:
        check_names(names, words)
    except UserError as error:
        raise error.at(path, error.line) from None
    return tuple(names)
