"""Reading the released notation: ``Material(A, wax) and Material(B, iron), so More(soft(A), soft(B))``."""

from __future__ import annotations

import re
from typing import NoReturn

from horsesense.errors import UserError
from horsesense.language.comparatives import is_comparative_form
from horsesense.language.inflection import is_noun
from horsesense.probes.rica.forms import ENTITIES, And, Axiom, Comp, Not, Premise, Prop, Rel, Term, plain, seen_from_a

_CONNECTIVE = re.compile(r",\s*so\s+")
_AND = re.compile(r" and ")
_NOT = re.compile(r"not ")
_EXAMPLE = "write it like Material(A, wax) and Material(B, iron), so More(soft(A), soft(B))"
_MOST_SHOWN = 24


def parse_form(text: str) -> Axiom:
    """The axiom that a logical form writes down; printing it gives the same characters.

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


def _compares(name: str) -> bool:
    """``Cleaner(A, B)`` compares; ``cleaner(A, B)``, as the release writes its occupations, cleans for somebody."""
    return is_comparative_form(name.lower()) and (name[0].isupper() or not is_noun(name))


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.place = 0

    def axiom(self) -> Axiom:
        premise: Premise = self.term()
        if isinstance(premise, Prop | Rel | Comp | Not) and self.take(_AND):
            premise = And(premise, self.term())
        connective = self.take(_CONNECTIVE)
        if not connective:
            self.fail("after the premise comes ', so '")
        start = self.place
        conclusion = self.term()
        inner = conclusion.term if isinstance(conclusion, Not) else conclusion
        if not isinstance(inner, Comp) or not isinstance(conclusion, Comp | Not):
            self.fail("the conclusion is not a comparison", start)
        if self.text[self.place :].strip(" ."):
            self.fail("nothing may follow the conclusion")
        return Axiom(premise, conclusion, connective)

    def term(self) -> Term:
        return Not(self.term()) if self.take(_NOT) else self.atom()

    def atom(self) -> Term:
        start, opening = self.place, self.text.find("(", self.place)
        connective = _CONNECTIVE.search(self.text, start)
        if connective and (opening < 0 or connective.start() < opening):
            return self.bare(connective.start())
        if opening < 0:
            self.fail("a predicate has its entities in brackets")
        name = self.text[start:opening]
        if not name.strip() or ")" in name:
            self.fail("here a predicate must begin")
        self.place = opening + 1
        end = self.closing(opening)
        first = re.compile(r"[^(,]*").match(self.text, self.place, end)
        if first and first[0].strip() in ENTITIES:
            return self.of_entities(name, end)
        return self.comparison(name, end)

    def bare(self, end: int) -> Term:
        """An event that lost its brackets: the release has two."""
        name = self.text[self.place : end]
        persons = re.findall(r"\bperson_([ab])\b", name)
        if not {"a", "b"} <= set(persons):
            self.fail("a predicate has its entities in brackets")
        self.place = end
        first = persons[0].upper()
        return Rel(name, first, "B" if first == "A" else "A", None)

    def of_entities(self, name: str, end: int) -> Term:
        """``crumple(A)``, ``Material(A, paper)``, ``boss(A, B)``, ``Wider(A, B)``."""
        first, comma, rest = self.text[self.place : end].partition(",")
        self.place = end + 1
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
        start = self.place
        right = self.side() if gap else None
        if right and seen_from_a(left) != seen_from_a(right):
            self.fail(f"a comparison is of one property, and the other side has {seen_from_a(left)!r}", start)
        if self.place != end:
            self.fail("a comparison has two sides")
        self.place = end + 1
        return Comp(word, left, right, gap[1:] if gap else " ")

    def side(self) -> Prop:
        start = self.place
        opening = self.text.find("(", start)
        found = re.compile(r"\((A|B)\)").match(self.text, max(opening, 0))
        if opening < 0 or not found or not self.text[start:opening].strip():
            self.fail("a side of a comparison looks like soft(A)", start)
        self.place = found.end()
        return Prop(self.text[start:opening], found[1])

    def closing(self, opening: int) -> int:
        """The bracket that closes the one at a place; a value may hold brackets of its own."""
        depth = 0
        for place in range(opening, len(self.text)):
            depth += {"(": 1, ")": -1}.get(self.text[place], 0)
            if depth == 0:
                return place
        self.fail("this bracket is never closed", opening)

    def take(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.place)
        if found:
            self.place = found.end()
        return found[0] if found else ""

    def fail(self, why: str, place: int | None = None) -> NoReturn:
        at = self.place if place is None else place
        rest = self.text[at : at + _MOST_SHOWN]
        where = f"at character {at + 1} ({rest!r})" if rest else f"at its end (character {at + 1})"
        raise UserError(f"the form does not parse {where}: {why}", fix=_EXAMPLE)
