"""Items of one statement in three tasks (section 3.1, figure 2), the fact behind an axiom (appendix C), and the fact
ladder.

The tasks: masked word, pair of sentences, entailment. With the commonsense fact in the premise a model has to repeat it
("parrot") or to negate it ("negation switch").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from horsesense.core import BLANK, Facet, Form, Item, Source
from horsesense.lexicons.word_forms import auxiliary, comparative_valence, negate, with_article
from horsesense.methods.rica.axioms import (
    SLOT,
    And,
    Axiom,
    Comp,
    Not,
    Prop,
    Rel,
    claim,
    is_upper,
    pair_of,
    plain,
    seen_from_a,
)
from horsesense.methods.rica.balance import BalancedAxiom, first_entity, is_in_order, reverse_premise
from horsesense.methods.rica.english_statements import Statement, clause, fill_slot, frame, say, say_premise, template
from horsesense.methods.rica.knowledge_tables import TEMPLATES
from horsesense.methods.rica.perturbations import PUBLISHED, Perturbation, perturb, perturb_all
from horsesense.stats.rungs import HALVES

TASKS = ("masked", "sentences", "entailment", "ladder")
LABELS = ("contradiction", "entailment", "neutral")
NAME = "rica"
SETTINGS = {"original": "parrot", "negation": "negation switch"}
"""What a model has to do with the stated fact, by perturbation."""
_B = re.compile(r"\bB\b")


@dataclass(frozen=True, slots=True)
class NamedAxiom:
    """An axiom about one pair of names."""

    placed: BalancedAxiom
    names: Mapping[str, str]
    """The names of A and B."""
    facets: Mapping[str, Facet]
    """Facets of the names."""

    def items_of(
        self,
        forms: Mapping[Perturbation, Axiom],
        task: str,
        background: bool,
        others: Sequence[BalancedAxiom],
        mark: str = "",
        realise: Callable[[Axiom], Statement] = say,
    ) -> Iterator[Item]:
        """Yield the items of all forms; ``others`` are axioms whose conclusions may serve as neutral hypotheses, and
        ``mark`` distinguishes pairs of names."""
        for kind, form in forms.items():
            statement = realise(form).about(self.names)
            again = kind.retest and Perturbation(kind.perturbation, "premise") in forms
            about = _facets(self.placed, kind, form, statement) | {"retest": again, **self.facets}
            yield from self._task_items(f"{kind.name}{mark}", statement, task, about, others)
            if background and kind.asymmetry == "none" and kind.perturbation in SETTINGS:
                fact = fact_of(self.placed.axiom, TEMPLATES[self.placed.known.template].people)
                setting = about | {"background": SETTINGS[kind.perturbation]}
                member = f"{kind.name}_background{mark}"
                yield from self._task_items(member, _stating(statement, fact), task, setting, others)

    def ladder_items(self, statements: Iterable[tuple[str, Perturbation, Statement]]) -> Iterator[Item]:
        """Yield the items of a ladder as masked words; items with a false fact have no right answer."""
        for rung, kind, template_statement in statements:
            statement = template_statement.about(self.names)
            form = perturb(self.placed.axiom, Perturbation("original")) or self.placed.axiom
            half = HALF_OF["negation" if kind.perturbation.startswith("negation") else "original"]
            about = _facets(self.placed, kind, form, statement) | {"rung": rung, "half": half, **self.facets}
            about.pop("order", None)
            item = self._masked(f"{rung}_{kind.name}", statement, about)
            if rung == "false":
                item = replace(item, answer=None, facets={**about, "follows": item.options.index(statement.other)})
            yield item

    def _task_items(
        self,
        member: str,
        statement: Statement,
        task: str,
        facets: dict[str, Facet],
        others: Sequence[BalancedAxiom],
    ) -> Iterator[Item]:
        """Yield the items of one statement in a task: one, or for entailment one per label."""
        flip = _flipped(statement)
        if task == "masked":
            yield self._masked(member, statement, facets)
        elif task == "sentences":
            yield self._item(member, facets, "sentences", "", sorted((statement.text, flip.text)), statement.text)
        else:
            hypotheses = {"entailment": statement.conclusion, "contradiction": flip.conclusion}
            if neutral := self._neutral(others, f"{self.placed.known.axiom} {member}"):
                hypotheses["neutral"] = neutral
            for label, text in hypotheses.items():
                about, premise = facets | {"label": label}, f"{statement.premise}."
                yield self._item(f"{member}_{label}", about, "pair", text, LABELS, label, premise)

    def _neutral(self, others: Sequence[BalancedAxiom], seed: str) -> str:
        """Return the conclusion of an unrelated axiom, or an empty text."""
        rng = Random(seed)
        people = TEMPLATES[self.placed.known.template].people
        for other in rng.sample(others, min(20, len(others))):
            alike = TEMPLATES[other.known.template].people == people
            if alike and other.property != self.placed.property and claim(other.axiom).right is not None:
                forms = perturb_all(other.axiom, kinds=PUBLISHED)
                return say(rng.choice(list(forms.values()))).about(self.names).conclusion
        return ""

    def _masked(self, member: str, statement: Statement, facets: Mapping[str, Facet]) -> Item:
        start = f"{statement.premise}, so " if statement.premise else ""
        text = f"{start}{statement.before}{BLANK}{statement.after}"
        return self._item(member, facets, "cloze", text, sorted((statement.word, statement.other)), statement.word)

    def _item(
        self,
        member: str,
        facets: Mapping[str, Facet],
        form: Form,
        text: str,
        options: Sequence[str],
        right: str,
        premise: str = "",
    ) -> Item:
        known = self.placed.known
        name = str(known.axiom)
        return Item(
            probe=NAME,
            form=form,
            premise=premise,
            text=text,
            options=tuple(options),
            answer=list(options).index(right),
            family=name,
            member=member,
            groups={
                "property": self.placed.property,
                "premise": say_premise(known.axiom.premise),
                "entities": " ".join(n for n in self.names.values() if n in f"{premise} {text} {options[0]}"),
            },
            facets=facets,
            source=Source(file=known.file, line=known.line, id=name, triples=known.triples, licence=known.licence),
        )


def _flipped(statement: Statement) -> Statement:
    return replace(statement, word=statement.other, other=statement.word)


def _stating(statement: Statement, fact: str) -> Statement:
    """Return the statement with a fact in its premise."""
    return replace(statement, premise=f"{statement.premise}, and {fact}")


def _facets(placed: BalancedAxiom, kind: Perturbation, form: Axiom, statement: Statement) -> dict[str, Facet]:
    known = placed.known
    word = statement.word.split(" ")[-1]
    kept = is_in_order(form)
    facets: dict[str, Facet] = {
        "template": f"LT{template(form)}",
        "strategy": known.template,
        "category": TEMPLATES[known.template].category,
        "perturbation": kind.perturbation,
        "asymmetry": kind.asymmetry,
        "valence": comparative_valence(word),
        "pole": "upper" if is_upper(word) else "lower",
        "comparative": word,
        "negated": kind.perturbation.startswith("negation"),
        "status": known.status,
        "operator": kind.operator,
        "background": "none",
    }
    return facets if kept is None else facets | {"order": "kept" if kept else "swapped"}


# The fact behind an axiom (appendix C).


def fact_of(axiom: Axiom, people: bool) -> str:
    """Return the general statement behind an axiom.

    >>> from horsesense.methods.rica.notation import parse_form
    >>> fact_of(parse_form("Material(A, wax) and Material(B, iron), so More(soft(A), soft(B))"), False)
    'wax is more soft than iron'
    >>> fact_of(parse_form("lies(A) and not lies(B), so Less(honest(A), honest(B))"), True)
    'someone who lies is less honest than someone who does not'
    """
    if first_entity(axiom) == "B":  # the premise is in reversed order
        axiom = reverse_premise(axiom) or axiom
    claimed = claim(axiom)
    someone, who = ("someone", "who") if people else ("something", "that")
    subject, other = _subjects(axiom, someone, who)
    event = plain(axiom.premise.name) if isinstance(axiom.premise, Prop) else ""
    predicate = fill_slot(frame(seen_from_a(claimed.left), pair_of(claimed.word), event), plain(claimed.word).lower())
    if claimed.right is None or _B.search(predicate):
        return f"{subject} {_B.sub(other, predicate)}"
    return f"{subject} {predicate} than {other}"


def _subjects(axiom: Axiom, someone: str, who: str) -> tuple[str, str]:
    """Return the names of A and B in the fact."""
    premise = axiom.premise
    if isinstance(premise, And):
        if isinstance(premise.left, Not):
            premise = And(premise.right, premise.left)
        if isinstance(premise.right, Not) and isinstance(premise.left, Prop):
            affirmed = clause(premise.left.name)
            verb = auxiliary(affirmed)
            denied = "cannot" if verb == "can" else f"{verb} not"
            return f"{someone} {who} {affirmed}", f"{someone} {who} {denied}"
        sides = {side.entity: side for side in (premise.left, premise.right) if isinstance(side, Prop)}
        return name_of_value(sides["A"]), name_of_value(sides["B"])
    if isinstance(premise, Prop):
        return f"{someone} {who} {clause(premise.name)}", "the other"
    assert isinstance(premise, Comp | Rel)
    predicate = say_premise(premise).removeprefix("A ")
    return f"{someone} {who} {_B.sub('another', predicate)}", "the other"


def name_of_value(side: Prop) -> str:
    """Return the name of an entity in a fact, from the value in its premise.

    >>> name_of_value(Prop("Material", "A", "wax")), name_of_value(Prop("Location", "B", "Oslo"))
    ('wax', 'someone in Oslo')
    """
    kind, value = plain(side.name).lower(), plain(side.value or "")
    if kind in ("material", "thing") or SLOT in kind:
        return value
    if kind in ("animal", "occupation"):
        return with_article(value)
    # Locations and grades are about people, whatever the strategy.
    return f"someone in the {value} grade" if kind == "grade" else f"someone in {value}"


# The fact ladder: is a wrong inference a fact that the model does not know, does not use, or does not use robustly?
#
# For each axiom the same four forms (both orders, affirmed and denied) are asked on every rung, and each rung changes
# one thing: the bare fact about things known by name; the inference about novel entities with the fact stated; the
# inference alone; the inference reworded. Two controls: an irrelevant fact of the same length, and a false fact, which
# has no right answer and only shows whether the model follows the text. Press et al. (2023) compare compositional
# questions with their parts; here question and fact need the same single step, and only the names change. What the
# answers say is in `horsesense.stats.rungs`.

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
        return LadderFact(placed.property, things, statement.conclusion, _flipped(statement).conclusion)

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
            form = forms.get(kind) or perturb(placed.axiom, kind)
            assert form is not None, "an axiom about two entities has every form that logic gives"
            statement = self.realise(form)
            yield "fact", kind, replace(statement.about(fact.things), premise="")
            yield "told", kind, _stating(statement, fact.true)
            yield "inference", kind, statement
            yield "irrelevant", kind, _stating(statement, unrelated.true)
            yield "false", kind, _stating(statement, fact.false)
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
