"""The form of a statement in plain words: "A is smaller than B, so A is easier to lose than B".

The other way round of `say`: what was read is said again in the same words (the frames of table 8).
"""

from __future__ import annotations

import re
from dataclasses import replace

from horsesense.errors import UserError
from horsesense.language.comparatives import OPPOSITES, is_comparative_form
from horsesense.language.inflection import is_finite
from horsesense.language.negation import auxiliary, negated
from horsesense.probes.rica.comparison import pair_of
from horsesense.probes.rica.forms import ENTITIES, SLOT, And, Axiom, Comp, Not, Premise, Prop, Rel, swap_names
from horsesense.probes.rica.frames import shortest
from horsesense.probes.rica.premises import KINDS_OF_VALUE

_SUBJECT = re.compile(r"([AB]) (.+)")
_WHILE = re.compile(r"([AB]) (.+) while ([AB]) (\w+) ?not")
_ROLE = re.compile(r"([AB]) is ([AB])'s ([\w ]+)")
_DENIED = re.compile(r"[AB] (?:cannot|\w+ not) ")
_COMPARATIVE = re.compile(r"\b(?:more|less|\w+er|worse)\b")


def read_statement(text: str) -> Axiom:
    """The axiom that a statement about A and B says.

    >>> print(read_statement("A is smaller than B, so A is easier to lose than B"))
    Smaller(A, B), so Easier(is * to lose(A), is * to lose(B))
    """
    said = text.strip().rstrip(".").replace("’", "'")
    premise, so, conclusion = said.partition(", so ")
    if not so:
        raise UserError("the statement has no ', so '", fix="write: premise, so conclusion")
    denied = _DENIED.match(conclusion)
    affirmed = f"{conclusion[:2]}{negated(conclusion[2:])}" if denied else conclusion
    compared = _comparison(affirmed)
    if compared is None:
        raise UserError(f"the conclusion {conclusion!r} compares nothing", fix="use a comparative such as more")
    return Axiom(_premise(premise), Not(compared) if denied else compared)


def _premise(text: str) -> Premise:
    halves = text.split(" and ")
    if len(halves) == 2:
        valued = [_valued(half) for half in halves]
        if valued[0] and valued[1]:
            return And(valued[0], valued[1])
    found = _WHILE.fullmatch(text)
    if found and found[4] in (auxiliary(found[2]), "can"):
        return And(Prop(found[2], found[1]), Not(Prop(found[2], found[3])))
    compared = _comparison(text) if " than " in text else None
    if compared is not None:
        return _unslotted(compared)
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
    """A property with a value: what it is made of, the grade, the place."""
    for kind, pattern in KINDS_OF_VALUE.items():
        before, after = pattern.split(SLOT)
        found = re.fullmatch(rf"([AB]) {before}(.+){after}", text)
        if found:
            return Prop(kind.capitalize(), found[1], found[2])
    return None


def _comparison(text: str) -> Comp | None:
    subject = _SUBJECT.fullmatch(text)
    if subject is None:
        return None
    entity, clause = subject[1], subject[2]
    other = "B" if entity == "A" else "A"
    clause = clause.removesuffix(f" than {other}")
    word = next((found[0] for found in _COMPARATIVE.finditer(clause) if is_comparative_form(found[0])), None)
    if word is None:
        return None
    slotted = re.sub(rf"\ban? {word}\b", f"a {word}", clause)
    slotted = re.sub(rf"\b{word}\b", SLOT, slotted, count=1)
    name = shortest(slotted, pair_of(word)) if word in OPPOSITES else "" if slotted == f"is {SLOT}" else slotted
    return Comp(word.capitalize(), Prop(name, entity), Prop(swap_names(name), other))


def _unslotted(premise: Comp) -> Comp:
    """What one does more than another is written without a slot at its end: ``More(naps(A), naps(B))``."""
    name = premise.left.name.removesuffix(f" {SLOT}")
    if name == premise.left.name or premise.word not in ("More", "Less") or not is_finite(name):
        return premise
    right = premise.right and replace(premise.right, name=premise.right.name.removesuffix(f" {SLOT}"))
    return Comp(premise.word, replace(premise.left, name=name), right)
