"""The commonsense fact behind an axiom, told outright (appendix C: "parrot" and "negation switch")."""

from __future__ import annotations

import re

from horsesense.language.inflection import with_article
from horsesense.language.negation import auxiliary
from horsesense.probes.rica.balance import first_entity, laid_out
from horsesense.probes.rica.comparison import claim, pair_of
from horsesense.probes.rica.forms import SLOT, And, Axiom, Comp, Not, Prop, Rel, plain, seen_from_a
from horsesense.probes.rica.frames import frame
from horsesense.probes.rica.premises import clause, say_premise
from horsesense.probes.rica.statements import filled

_B = re.compile(r"\bB\b")
SETTINGS = {"original": "parrot", "negation": "negation switch"}
"""What a model has to do with the fact: repeat it, or turn it round."""


def fact_of(axiom: Axiom, people: bool) -> str:
    """The general statement that an axiom rests on, about no one in particular.

    >>> from horsesense.probes.rica.parsing import parse_form
    >>> fact_of(parse_form("Material(A, wax) and Material(B, iron), so More(soft(A), soft(B))"), False)
    'wax is more soft than iron'
    >>> fact_of(parse_form("lies(A) and not lies(B), so Less(honest(A), honest(B))"), True)
    'someone who lies is less honest than someone who does not'
    """
    if first_entity(axiom) == "B":  # a comparison that was told from the other side
        axiom = laid_out(axiom) or axiom
    said = claim(axiom)
    one, who = ("someone", "who") if people else ("something", "that")
    subject, other = _pair(axiom, one, who)
    event = plain(axiom.premise.name) if isinstance(axiom.premise, Prop) else ""
    told = filled(frame(seen_from_a(said.left), pair_of(said.word), event), plain(said.word).lower())
    if said.right is None or _B.search(told):
        return f"{subject} {_B.sub(other, told)}"
    return f"{subject} {told} than {other}"


def _pair(axiom: Axiom, one: str, who: str) -> tuple[str, str]:
    """What A and B are called in the fact."""
    premise = axiom.premise
    if isinstance(premise, And):
        if isinstance(premise.left, Not):
            premise = And(premise.right, premise.left)
        if isinstance(premise.right, Not) and isinstance(premise.left, Prop):
            said = clause(premise.left.name)
            word = auxiliary(said)
            denied = "cannot" if word == "can" else f"{word} not"
            return f"{one} {who} {said}", f"{one} {who} {denied}"
        sides = {side.entity: side for side in (premise.left, premise.right) if isinstance(side, Prop)}
        return _valued(sides["A"], one), _valued(sides["B"], one)
    if isinstance(premise, Prop):
        return f"{one} {who} {clause(premise.name)}", "the other"
    assert isinstance(premise, Comp | Rel)
    told = say_premise(premise).removeprefix("A ")
    return f"{one} {who} {_B.sub('another', told)}", "the other"


def _valued(side: Prop, one: str) -> str:
    kind, value = plain(side.name).lower(), plain(side.value or "")
    if kind == "material" or SLOT in kind:
        return value
    if kind == "animal":
        return with_article(value)
    return f"{one} in the {value} grade" if kind == "grade" else f"{one} in {value}"
