"""The fact ladder: is a wrong inference a fact that is not known, not used, or not robust?

For each axiom the same four forms (both orders, affirmed and denied) are asked on every rung, and a rung differs from
the one before it in one thing: the bare fact about things that are known by name; the inference about novel entities
with the fact told; the inference alone; the inference in other words. Beside them stand two controls: a fact that is
true, as long and of no use, and the fact told false, which has no right answer and shows only whether the text is
followed. Press and others (2023) compare compositional questions with their parts; here question and fact need the same
single step, and only what is named changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random

from horsesense.lexicons.negation import negated
from horsesense.methods.rica.axioms import And, Axiom, Not, Prop, claim
from horsesense.methods.rica.balance import PlacedAxiom
from horsesense.methods.rica.clauses import clause
from horsesense.methods.rica.items import valued
from horsesense.methods.rica.knowledge_tables import TEMPLATES
from horsesense.methods.rica.perturbations import Kind, derive
from horsesense.methods.rica.statements import Statement, say

RUNGS = ("fact", "told", "inference", "reworded")
"""From the bottom: each loses something of the one before."""
BESIDE = ("irrelevant", "false")
"""Told something true of no use, and told the opposite."""
HALVES = {"original": "affirmed", "negation": "denied"}
"""Either half has both orders and so both poles: whoever likes one word gets half of each."""
FORMS = tuple(Kind(perturbation, order) for perturbation in HALVES for order in ("none", "conclusion"))


def things_of(axiom: Axiom, people: bool) -> dict[str, str] | None:
    """What A and B are, so that the fact can be asked of them by name; None where a premise names no two things.

    >>> from horsesense.methods.rica.notation import parse_form
    >>> things_of(parse_form("Material(A, wax) and Material(B, iron), so More(soft(A), soft(B))"), False)
    {'A': 'wax', 'B': 'iron'}
    >>> things_of(parse_form("lies(A) and not lies(B), so Less(honest(A), honest(B))"), True)
    {'A': 'someone who lies', 'B': 'someone who does not lie'}
    >>> things_of(parse_form("Taller(A, B), so More(visible(A), visible(B))"), False)
    """
    someone, who = ("someone", "who") if people else ("something", "that")
    match axiom.premise:
        case And(Prop() as left, Prop() as right) if left.value and right.value:
            return {side.entity: valued(side) for side in sorted((left, right), key=lambda side: side.entity)}
        case And(Prop() as did, Not(Prop() as denied)) | And(Not(Prop() as denied), Prop() as did):
            done = clause(did.name)
            named = {did.entity: f"{someone} {who} {done}", denied.entity: f"{someone} {who} {negated(done)}"}
            return dict(sorted(named.items()))
        case _:
            return None


@dataclass(frozen=True, slots=True)
class Fact:
    """What an axiom rests on, said of the things themselves."""

    property: str
    """What it is about."""
    things: Mapping[str, str]
    """What A and B are called."""
    true: str
    """The fact."""
    false: str
    """Its opposite."""


class Ladder:
    """The facts behind a set of axioms, and what is asked of each axiom on every rung."""

    def __init__(self, axioms: Iterable[PlacedAxiom], seed: int = 0, tell: Callable[[Axiom], Statement] = say) -> None:
        self.tell = tell
        self.facts: dict[str, Fact] = {}
        self.by_length: dict[int, list[Fact]] = {}
        for placed in axioms:
            fact = self._fact(placed)
            if fact is not None and str(placed.axiom) not in self.facts:
                self.facts[str(placed.axiom)] = fact
                self.by_length.setdefault(len(fact.true.split()), []).append(fact)
        self.seed = seed

    def _fact(self, placed: PlacedAxiom) -> Fact | None:
        things = things_of(placed.axiom, TEMPLATES[placed.known.template].people)
        plain = derive(placed.axiom, Kind("original"))
        if things is None or plain is None or claim(plain).right is None:
            return None
        said = self.tell(plain).about(things)
        opposite = replace(said, word=said.other, other=said.word)
        return Fact(placed.property, things, said.conclusion, opposite.conclusion)

    def statements(self, placed: PlacedAxiom, forms: Mapping[Kind, Axiom]) -> Iterator[tuple[str, Kind, Statement]]:
        """Rung, kind and statement of all that is asked of an axiom; nothing where there is no bare fact.

        ``forms`` are all ways to say it; of them the rung of other words takes those that the lexicon gives.
        """
        fact = self.facts.get(str(placed.axiom))
        unrelated = None if fact is None else self.irrelevant(fact)
        if fact is None or unrelated is None:
            return
        for kind in FORMS:
            statement = self.tell(forms[kind] if kind in forms else _derived(placed.axiom, kind))
            yield "fact", kind, replace(statement.about(fact.things), premise="")
            yield "told", kind, _with(statement, fact.true)
            yield "inference", kind, statement
            yield "irrelevant", kind, _with(statement, unrelated.true)
            yield "false", kind, _with(statement, fact.false)
        for kind, form in forms.items():
            if kind.asymmetry != "premise" and kind.perturbation not in HALVES:
                yield "reworded", kind, self.tell(form)

    def irrelevant(self, fact: Fact) -> Fact | None:
        """A fact about another property and other things, as near in length as there is."""
        chance = Random(f"{self.seed} {fact.true}")
        length = len(fact.true.split())
        for near in sorted(self.by_length, key=lambda other: (abs(other - length), other)):
            for other in chance.sample(self.by_length[near], len(self.by_length[near])):
                apart = set(other.things.values()).isdisjoint(fact.things.values())
                if apart and other.property != fact.property:
                    return other
        return None


def _derived(axiom: Axiom, kind: Kind) -> Axiom:
    form = derive(axiom, kind)
    assert form is not None, "an axiom about two entities has every form that logic gives"
    return form


def _with(statement: Statement, fact: str) -> Statement:
    return replace(statement, premise=f"{statement.premise}, and {fact}")


def half_of(kind: Kind) -> str:
    """The half that a form belongs to: whether it is denied."""
    return HALVES["negation" if kind.perturbation.startswith("negation") else "original"]
