"""The fact ladder: is a wrong inference a fact that the model does not know, does not use, or does not use robustly?

For each axiom the same four forms (both orders, affirmed and denied) are asked on every rung, and each rung changes one
thing: the bare fact about things known by name; the inference about novel entities with the fact stated; the inference
alone; the inference reworded. Two controls: an irrelevant fact of the same length, and a false fact, which has no
right answer and only shows whether the model follows the text. Press et al. (2023) compare compositional questions with
their parts; here question and fact need the same single step, and only the names change.
What the answers say is in `horsesense.stats.rungs`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random

from horsesense.lexicons.word_forms import negate
from horsesense.methods.rica.axioms import And, Axiom, Not, Prop, claim
from horsesense.methods.rica.balance import BalancedAxiom
from horsesense.methods.rica.items import name_of_value
from horsesense.methods.rica.knowledge_tables import TEMPLATES
from horsesense.methods.rica.perturbations import Perturbation, perturb
from horsesense.methods.rica.statements import Statement, clause, say
from horsesense.stats.rungs import HALVES

HALF_OF = dict(zip(("original", "negation"), HALVES, strict=True))
FORMS = tuple(Perturbation(perturbation, order) for perturbation in HALF_OF for order in ("none", "conclusion"))


def things_of(axiom: Axiom, people: bool) -> dict[str, str] | None:
    """Return the things that A and B are, for the bare fact; None if the premise does not name two things.

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
            return {side.entity: name_of_value(side) for side in sorted((left, right), key=lambda side: side.entity)}
        case And(Prop() as did, Not(Prop() as denied)) | And(Not(Prop() as denied), Prop() as did):
            done = clause(did.name)
            named = {did.entity: f"{someone} {who} {done}", denied.entity: f"{someone} {who} {negate(done)}"}
            return dict(sorted(named.items()))
        case _:
            return None


@dataclass(frozen=True, slots=True)
class LadderFact:
    """The fact behind an axiom, about the things themselves."""

    property: str
    """Property of the fact."""
    things: Mapping[str, str]
    """Names of A and B."""
    true: str
    """The fact."""
    false: str
    """Its opposite."""


class Ladder:
    """The facts behind a set of axioms, and the statements of each axiom on every rung."""

    def __init__(
        self, axioms: Iterable[BalancedAxiom], seed: int = 0, realise: Callable[[Axiom], Statement] = say
    ) -> None:
        self.realise = realise
        self.facts: dict[str, LadderFact] = {}
        self.by_length: dict[int, list[LadderFact]] = {}
        for placed in axioms:
            fact = self._fact(placed)
            if fact is not None and str(placed.axiom) not in self.facts:
                self.facts[str(placed.axiom)] = fact
                self.by_length.setdefault(len(fact.true.split()), []).append(fact)
        self.seed = seed

    def _fact(self, placed: BalancedAxiom) -> LadderFact | None:
        things = things_of(placed.axiom, TEMPLATES[placed.known.template].people)
        plain = perturb(placed.axiom, Perturbation("original"))
        if things is None or plain is None or claim(plain).right is None:
            return None
        statement = self.realise(plain).about(things)
        opposite = replace(statement, word=statement.other, other=statement.word)
        return LadderFact(placed.property, things, statement.conclusion, opposite.conclusion)

    def statements(
        self, placed: BalancedAxiom, forms: Mapping[Perturbation, Axiom]
    ) -> Iterator[tuple[str, Perturbation, Statement]]:
        """Yield rung, kind and statement for an axiom; nothing if it has no bare fact.

        ``forms`` are all its forms; the rung ``reworded`` uses those from the lexicon.
        """
        fact = self.facts.get(str(placed.axiom))
        unrelated = None if fact is None else self.irrelevant(fact)
        if fact is None or unrelated is None:
            return
        for kind in FORMS:
            statement = self.realise(forms[kind] if kind in forms else _derived(placed.axiom, kind))
            yield "fact", kind, replace(statement.about(fact.things), premise="")
            yield "told", kind, _with(statement, fact.true)
            yield "inference", kind, statement
            yield "irrelevant", kind, _with(statement, unrelated.true)
            yield "false", kind, _with(statement, fact.false)
        for kind, form in forms.items():
            if kind.asymmetry != "premise" and kind.perturbation not in HALF_OF:
                yield "reworded", kind, self.realise(form)

    def irrelevant(self, fact: LadderFact) -> LadderFact | None:
        """Return a fact about another property and other things, of similar length."""
        rng = Random(f"{self.seed} {fact.true}")
        length = len(fact.true.split())
        for near in sorted(self.by_length, key=lambda other: (abs(other - length), other)):
            for other in rng.sample(self.by_length[near], len(self.by_length[near])):
                apart = set(other.things.values()).isdisjoint(fact.things.values())
                if apart and other.property != fact.property:
                    return other
        return None


def _derived(axiom: Axiom, kind: Perturbation) -> Axiom:
    form = perturb(axiom, kind)
    assert form is not None, "an axiom about two entities has every form that logic gives"
    return form


def _with(statement: Statement, fact: str) -> Statement:
    return replace(statement, premise=f"{statement.premise}, and {fact}")


def half_of(kind: Perturbation) -> str:
    """Return the half of a form: affirmed or denied."""
    return HALF_OF["negation" if kind.perturbation.startswith("negation") else "original"]
