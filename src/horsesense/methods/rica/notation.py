"""Parse axioms: the published notation, and statements in plain words.

`parse_form` reads ``Material(A, wax) and Material(B, iron), so More(soft(A), soft(B))``. `read_statement` reads "A is
smaller than B, so A is easier to lose than B" and is the inverse of `say` (the frames of table 8).
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NoReturn

from horsesense.errors import UserError
from horsesense.lexicons.word_forms import OPPOSITES, auxiliary, is_comparative_form, is_finite, is_noun, negate
from horsesense.methods.rica.axioms import (
    ENTITIES,
    SLOT,
    And,
    Axiom,
    Comp,
    Not,
    Premise,
    Prop,
    Rel,
    Term,
    pair_of,
    plain,
    seen_from_a,
    swap_names,
)
from horsesense.methods.rica.english_statements import KINDS_OF_VALUE, shortest

_CONNECTIVE = re.compile(r",\s*so\s+")
_AND = re.compile(r" and ")
_NOT = re.compile(r"not ")
_EXAMPLE = "write it like Material(A, wax) and Material(B, iron), so More(soft(A), soft(B))"
_MOST_SHOWN = 24

_SUBJECT = re.compile(r"([AB]) (.+)")
_WHILE = re.compile(r"([AB]) (.+) while ([AB]) (\w+) ?not")
_ROLE = re.compile(r"([AB]) is ([AB])'s ([\w ]+)")
_DENIED = re.compile(r"[AB] (?:cannot|\w+ not) ")
_COMPARATIVE = re.compile(r"\b(?:more|less|\w+er|worse)\b")


def parse_form(text: str) -> Axiom:
    """Parse a logical form; printing the axiom gives the same characters.

    >>> form = parse_form("boss(A, B), so not Less(command respect(A), command respect(B))")
    >>> form.conclusion.term.word, str(form)
    ('Less', 'boss(A, B), so not Less(command respect(A), command respect(B))')
    >>> parse_form("boss(A, B), so respected(A)")
    Traceback (most recent call last):
    ...
    horsesense.errors.UserError: the form does not parse at character 16 ('respected(A)'): the conclusion is not \
a comparison; write it like Material(A, wax) and Material(B, iron), so More(soft(A), soft(B))
    """
    return _Parser(text.rstrip("\n")).axiom()


def read_axiom(text: str) -> Axiom:
    """Parse an axiom: a logical form, or a statement in plain words, which has no brackets."""
    return read_statement(text) if text.strip() and "(" not in text and ", so " in text else parse_form(text)


def _compares(name: str) -> bool:
    """Return whether a name compares: ``Cleaner(A, B)`` does, the published occupation ``cleaner(A, B)`` does not."""
    return is_comparative_form(name.lower()) and (name[0].isupper() or not is_noun(name))


class _Parser:
    """Recursive-descent parser of a form; each method parses one rule of the grammar at the current position."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0

    def axiom(self) -> Axiom:
        premise: Premise = self.term()
        if isinstance(premise, Prop | Rel | Comp | Not) and self.take(_AND):
            premise = And(premise, self.term())
        connective = self.take(_CONNECTIVE)
        if not connective:
            self.fail("after the premise comes ', so '")
        start = self.position
        conclusion = self.term()
        inner = conclusion.term if isinstance(conclusion, Not) else conclusion
        if not isinstance(inner, Comp) or not isinstance(conclusion, Comp | Not):
            self.fail("the conclusion is not a comparison", start)
        if self.text[self.position :].strip(" ."):
            self.fail("nothing may follow the conclusion")
        return Axiom(premise, conclusion, connective)

    def term(self) -> Term:
        return Not(self.term()) if self.take(_NOT) else self.atom()

    def atom(self) -> Term:
        start, opening = self.position, self.text.find("(", self.position)
        connective = _CONNECTIVE.search(self.text, start)
        if connective and (opening < 0 or connective.start() < opening):
            return self.bare(connective.start())
        if opening < 0:
            self.fail("a predicate has its entities in brackets")
        name = self.text[start:opening]
        if not name.strip() or ")" in name:
            self.fail("here a predicate must begin")
        self.position = opening + 1
        end = self.closing(opening)
        first = re.compile(r"[^(,]*").match(self.text, self.position, end)
        if first and first[0].strip() in ENTITIES:
            return self.of_entities(name, end)
        return self.comparison(name, end)

    def bare(self, end: int) -> Term:
        """Parse an event without brackets: two published forms lost them."""
        name = self.text[self.position : end]
        persons = re.findall(r"\bperson_([ab])\b", name)
        if not {"a", "b"} <= set(persons):
            self.fail("a predicate has its entities in brackets")
        self.position = end
        first = persons[0].upper()
        return Rel(name, first, "B" if first == "A" else "A", None)

    def of_entities(self, name: str, end: int) -> Term:
        """``crumple(A)``, ``Material(A, paper)``, ``boss(A, B)``, ``Wider(A, B)``."""
        first, comma, rest = self.text[self.position : end].partition(",")
        self.position = end + 1
        if not comma:
            return Prop(name, first.strip())
        second = rest.lstrip()
        gap = rest[: len(rest) - len(second)]
        if not second:
            self.fail("after the comma comes a value or an entity", end)
        if second not in ENTITIES:
            return Prop(name, first.strip(), second, gap)
        if _compares(plain(name)):
            return Comp(name, Prop("", first.strip()), Prop("", second), gap)
        return Rel(name, first.strip(), second, gap)

    def comparison(self, word: str, end: int) -> Term:
        """``More(crumple(A), crumple(B))`` or ``Before(cold(A))``."""
        left = self.side()
        gap = self.take(re.compile(r",\s*"))
        start = self.position
        right = self.side() if gap else None
        if right and seen_from_a(left) != seen_from_a(right):
            self.fail(f"a comparison is of one property, and the other side has {seen_from_a(left)!r}", start)
        if self.position != end:
            self.fail("a comparison has two sides")
        self.position = end + 1
        return Comp(word, left, right, gap[1:] if gap else " ")

    def side(self) -> Prop:
        start = self.position
        opening = self.text.find("(", start)
        entity = re.compile(r"\((A|B)\)").match(self.text, max(opening, 0))
        if opening < 0 or not entity or not self.text[start:opening].strip():
            self.fail("a side of a comparison looks like soft(A)", start)
        self.position = entity.end()
        return Prop(self.text[start:opening], entity[1])

    def closing(self, opening: int) -> int:
        """Return the position of the matching bracket; a value may contain brackets."""
        depth = 0
        for i in range(opening, len(self.text)):
            depth += {"(": 1, ")": -1}.get(self.text[i], 0)
            if depth == 0:
                return i
        self.fail("this bracket is never closed", opening)

    def take(self, pattern: re.Pattern[str]) -> str:
        """Consume and return a match of the pattern at this position; empty without a match."""
        match = pattern.match(self.text, self.position)
        if match:
            self.position = match.end()
        return match[0] if match else ""

    def fail(self, why: str, position: int | None = None) -> NoReturn:
        at = self.position if position is None else position
        rest = self.text[at : at + _MOST_SHOWN]
        where = f"at character {at + 1} ({rest!r})" if rest else f"at its end (character {at + 1})"
        raise UserError(f"the form does not parse {where}: {why}", fix=_EXAMPLE)


# Statements in plain words.


def read_statement(text: str) -> Axiom:
    """Parse a statement about A and B in plain words.

    >>> print(read_statement("A is smaller than B, so A is easier to lose than B"))
    Smaller(A, B), so Easier(is * to lose(A), is * to lose(B))
    """
    statement = text.strip().rstrip(".").replace("’", "'")
    premise, so, conclusion = statement.partition(", so ")
    if not so:
        raise UserError("the statement has no ', so '", fix="write: premise, so conclusion")
    denied = _DENIED.match(conclusion)
    affirmed = f"{conclusion[:2]}{negate(conclusion[2:])}" if denied else conclusion
    comparison = _comparison(affirmed)
    if comparison is None:
        raise UserError(f"the conclusion {conclusion!r} compares nothing", fix="use a comparative such as more")
    return Axiom(_premise(premise), Not(comparison) if denied else comparison)


def _premise(text: str) -> Premise:
    halves = text.split(" and ")
    if len(halves) == 2:
        valued = [_valued(half) for half in halves]
        if valued[0] and valued[1]:
            return And(valued[0], valued[1])
    contrast = _WHILE.fullmatch(text)
    if contrast and contrast[4] in (auxiliary(contrast[2]), "can"):
        return And(Prop(contrast[2], contrast[1]), Not(Prop(contrast[2], contrast[3])))
    comparison = _comparison(text) if " than " in text else None
    if comparison is not None:
        return _unslotted(comparison)
    role = _ROLE.fullmatch(text)
    if role and role[1] != role[2]:
        return Rel(role[3], role[1], role[2])
    subject = _SUBJECT.fullmatch(text)
    if subject is None:
        raise UserError(f"the premise {text!r} does not begin with A or B")
    if not set(ENTITIES) <= set(re.findall(r"\b[AB]\b", text)):
        return Prop(subject[2], subject[1])
    name = re.sub(r"\bA\b", "person_a", re.sub(r"\bB\b", "person_b", text))
    return Rel(name, subject[1], "B" if subject[1] == "A" else "A")


def _valued(text: str) -> Prop | None:
    """Parse a property with a value: material, grade, location."""
    for kind, pattern in KINDS_OF_VALUE.items():
        before, after = pattern.split(SLOT)
        match = re.fullmatch(rf"([AB]) {before}(.+){after}", text)
        if match:
            value = re.sub(r"^an? ", "", match[2]) if kind == "occupation" else match[2]
            return Prop(kind.capitalize(), match[1], value)
    return None


def _comparison(text: str) -> Comp | None:
    """Parse the comparison of a clause, with a slot for the comparative; None without a comparative."""
    subject = _SUBJECT.fullmatch(text)
    if subject is None:
        return None
    entity, clause = subject[1], subject[2]
    other = "B" if entity == "A" else "A"
    clause = clause.removesuffix(f" than {other}")
    word = next((match[0] for match in _COMPARATIVE.finditer(clause) if is_comparative_form(match[0])), None)
    if word is None:
        return None
    slotted = re.sub(rf"\ban? {word}\b", f"a {word}", clause)
    slotted = re.sub(rf"\b{word}\b", SLOT, slotted, count=1)
    name = shortest(slotted, pair_of(word)) if word in OPPOSITES else "" if slotted == f"is {SLOT}" else slotted
    return Comp(word.capitalize(), Prop(name, entity), Prop(swap_names(name), other))


def _unslotted(premise: Comp) -> Comp:
    """Drop the slot at the end of an activity, which is written without one: ``More(naps(A), naps(B))``."""
    name = premise.left.name.removesuffix(f" {SLOT}")
    if name == premise.left.name or premise.word not in ("More", "Less") or not is_finite(name):
        return premise
    right = premise.right and replace(premise.right, name=premise.right.name.removesuffix(f" {SLOT}"))
    return Comp(premise.word, replace(premise.left, name=name), right)
