"""Items of one statement in three tasks (section 3.1, figure 2), and the fact behind an axiom (appendix C).

The tasks: masked word, pair of sentences, entailment. With the commonsense fact in the premise a model has to repeat it
("parrot") or to negate it ("negation switch").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random

from horsesense.core import BLANK, Facet, Form, Item, Source
from horsesense.lexicons.word_forms import auxiliary, comparative_valence, with_article
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
from horsesense.methods.rica.knowledge_tables import TEMPLATES
from horsesense.methods.rica.perturbations import PUBLISHED, Perturbation, perturb, perturb_all
from horsesense.methods.rica.statements import Statement, clause, fill_slot, frame, say, say_premise, template

TASKS = ("masked", "sentences", "entailment", "ladder")
LABELS = ("contradiction", "entailment", "neutral")
NAME = "rica"
SETTINGS = {"original": "parrot", "negation": "negation switch"}
"""What a model has to do with the stated fact, by perturbation."""
_B = re.compile(r"\bB\b")


def items_of(
    placed: BalancedAxiom,
    forms: Mapping[Perturbation, Axiom],
    family: str,
    names: Sequence[Mapping[str, str]],
    task: str,
    background: bool,
    others: Sequence[BalancedAxiom],
    facets: Sequence[Mapping[str, Facet]],
    realise: Callable[[Axiom], Statement] = say,
) -> Iterator[Item]:
    """Yield the items of one axiom for each pair of names; ``facets`` belong to the pairs.

    ``others`` are axioms whose conclusions may serve as neutral hypotheses.
    """
    for i, (pair, pair_facets) in enumerate(zip(names, facets, strict=True)):
        mark = f"_{i + 1}" if i else ""
        for kind, form in forms.items():
            statement = realise(form).about(pair)
            again = kind.retest and Perturbation(kind.perturbation, "premise") in forms
            about = _facets(placed, kind, form, statement) | {"retest": again, **pair_facets}
            yield from _task_items(placed, family, f"{kind.name}{mark}", statement, task, about, pair, others)
            if background and kind.asymmetry == "none" and kind.perturbation in SETTINGS:
                fact = fact_of(placed.axiom, TEMPLATES[placed.known.template].people)
                helped = replace(statement, premise=f"{statement.premise}, and {fact}")
                setting = about | {"background": SETTINGS[kind.perturbation]}
                member = f"{kind.name}_background{mark}"
                yield from _task_items(placed, family, member, helped, task, setting, pair, others)


def ladder_items(
    placed: BalancedAxiom,
    statements: Iterable[tuple[str, Perturbation, Statement]],
    family: str,
    pair: Mapping[str, str],
    facets: Mapping[str, Facet],
    halves: Callable[[Perturbation], str],
) -> Iterator[Item]:
    """Yield the ladder items of one axiom as masked words; items with a false fact have no right answer."""
    for rung, kind, template_statement in statements:
        statement = template_statement.about(pair)
        form = perturb(placed.axiom, Perturbation("original")) or placed.axiom
        about = _facets(placed, kind, form, statement) | {"rung": rung, "half": halves(kind), **facets}
        about.pop("order", None)
        start = f"{statement.premise}, so " if statement.premise else ""
        text, options = f"{start}{statement.before}{BLANK}{statement.after}", sorted((statement.word, statement.other))
        item = _item(placed, family, f"{rung}_{kind.name}", about, "cloze", text, options, statement.word, pair)
        if rung == "false":
            item = replace(item, answer=None, facets={**about, "follows": options.index(statement.other)})
        yield item


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


def _task_items(
    placed: BalancedAxiom,
    family: str,
    member: str,
    statement: Statement,
    task: str,
    facets: dict[str, Facet],
    pair: Mapping[str, str],
    others: Sequence[BalancedAxiom],
) -> Iterator[Item]:
    """Yield the items of one statement in a task: one, or for entailment one per label."""
    flip = replace(statement, word=statement.other, other=statement.word)
    if task == "masked":
        text = f"{statement.premise}, so {statement.before}{BLANK}{statement.after}"
        options = sorted((statement.word, statement.other))
        yield _item(placed, family, member, facets, "cloze", text, options, statement.word, pair)
    elif task == "sentences":
        options = sorted((statement.text, flip.text))
        yield _item(placed, family, member, facets, "sentences", "", options, statement.text, pair)
    else:
        hypotheses = {"entailment": statement.conclusion, "contradiction": flip.conclusion}
        neutral = _neutral(placed, pair, others, f"{family} {member}")
        if neutral:
            hypotheses["neutral"] = neutral
        for label, text in hypotheses.items():
            about = facets | {"label": label}
            role = f"{member}_{label}"
            yield _item(placed, family, role, about, "pair", text, LABELS, label, pair, premise=f"{statement.premise}.")


def _neutral(placed: BalancedAxiom, pair: Mapping[str, str], others: Sequence[BalancedAxiom], seed: str) -> str:
    """Return the conclusion of an unrelated axiom, or an empty text."""
    rng = Random(seed)
    people = TEMPLATES[placed.known.template].people
    for other in rng.sample(others, min(20, len(others))):
        alike = TEMPLATES[other.known.template].people == people
        if alike and other.property != placed.property and claim(other.axiom).right is not None:
            forms = perturb_all(other.axiom, kinds=PUBLISHED)
            return say(rng.choice(list(forms.values()))).about(pair).conclusion
    return ""


def _item(
    placed: BalancedAxiom,
    family: str,
    member: str,
    facets: Mapping[str, Facet],
    form: Form,
    text: str,
    options: Sequence[str],
    right: str,
    pair: Mapping[str, str],
    premise: str = "",
) -> Item:
    known = placed.known
    return Item(
        probe=NAME,
        form=form,
        premise=premise,
        text=text,
        options=tuple(options),
        answer=list(options).index(right),
        family=family,
        member=member,
        groups={
            "property": placed.property,
            "premise": say_premise(known.axiom.premise),
            "entities": " ".join(name for name in pair.values() if name in f"{premise} {text} {options[0]}"),
        },
        facets=facets,
        source=Source(
            file=known.file, line=known.line, id=str(known.axiom), triples=known.triples, licence=known.licence
        ),
    )


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
