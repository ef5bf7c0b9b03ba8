"""One statement set, three tasks (section 3.1, figure 2), and the fact behind it told outright (appendix C)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random

from horsesense.language.inflection import with_article
from horsesense.language.negation import auxiliary
from horsesense.language.valence import comparative_valence
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
from horsesense.methods.rica.balance import Chosen, first_entity, is_kept, laid_out
from horsesense.methods.rica.clauses import clause, frame, say_premise, template
from horsesense.methods.rica.knowledge_tables import TEMPLATES
from horsesense.methods.rica.perturbations import RELEASED, Kind, derive_all
from horsesense.methods.rica.statements import Statement, filled, say
from horsesense.records import BLANK, Facet, Form, Item, Source

# The commonsense fact behind an axiom, told outright (appendix C: "parrot" and "negation switch").

_B = re.compile(r"\bB\b")
SETTINGS = {"original": "parrot", "negation": "negation switch"}
"""What a model has to do with the fact: repeat it, or turn it round."""


def fact_of(axiom: Axiom, people: bool) -> str:
    """The general statement that an axiom rests on, about no one in particular.

    >>> from horsesense.methods.rica.notation import parse_form
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


# One statement set, three tasks (section 3.1, figure 2): the masked word, the pair of sentences, entailment.

TASKS = ("masked", "sentences", "entailment")
LABELS = ("contradiction", "entailment", "neutral")
NAME = "rica"


def items_of(
    chosen: Chosen,
    forms: Mapping[Kind, Axiom],
    family: str,
    names: Sequence[Mapping[str, str]],
    task: str,
    background: bool,
    others: Sequence[Chosen],
    facets: Sequence[Mapping[str, Facet]],
    tell: Callable[[Axiom], Statement] = say,
) -> Iterator[Item]:
    """The items of one axiom, about each pair of names with facets of its own.

    ``others`` are axioms whose conclusions may serve as neutral hypotheses.
    """
    for number, (pair, own) in enumerate(zip(names, facets, strict=True)):
        mark = f"_{number + 1}" if number else ""
        for kind, form in forms.items():
            told = tell(form).about(pair)
            again = kind.retest and Kind(kind.perturbation, "premise") in forms
            about = _facets(chosen, kind, form, told) | {"retest": again, **own}
            yield from _asked(chosen, family, f"{kind.name}{mark}", told, task, about, pair, others)
            if background and kind.asymmetry == "none" and kind.perturbation in SETTINGS:
                known = _with_fact(told, fact_of(chosen.axiom, TEMPLATES[chosen.known.template].people))
                setting = about | {"background": SETTINGS[kind.perturbation]}
                yield from _asked(chosen, family, f"{kind.name}_background{mark}", known, task, setting, pair, others)


def _with_fact(told: Statement, fact: str) -> Statement:
    return Statement(f"{told.premise}, and {fact}", told.before, told.word, told.other, told.after)


def _facets(chosen: Chosen, kind: Kind, form: Axiom, told: Statement) -> dict[str, Facet]:
    known = chosen.known
    word = told.word.split(" ")[-1]
    kept = is_kept(form)
    found: dict[str, Facet] = {
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
        "background": "none",
    }
    return found if kept is None else found | {"order": "kept" if kept else "swapped"}


def _asked(
    chosen: Chosen,
    family: str,
    member: str,
    told: Statement,
    task: str,
    facets: dict[str, Facet],
    pair: Mapping[str, str],
    others: Sequence[Chosen],
) -> Iterator[Item]:
    flip = Statement(told.premise, told.before, told.other, told.word, told.after)
    if task == "masked":
        text = f"{told.premise}, so {told.before}{BLANK}{told.after}"
        yield _item(chosen, family, member, facets, "cloze", text, sorted((told.word, told.other)), told.word)
    elif task == "sentences":
        yield _item(chosen, family, member, facets, "sentences", "", sorted((told.text, flip.text)), told.text)
    else:
        hypotheses = {"entailment": told.conclusion, "contradiction": flip.conclusion}
        neutral = _neutral(chosen, pair, others, f"{family} {member}")
        if neutral:
            hypotheses["neutral"] = neutral
        for label, text in hypotheses.items():
            about = facets | {"label": label}
            role = f"{member}_{label}"
            yield _item(chosen, family, role, about, "pair", text, LABELS, label, premise=f"{told.premise}.")


def _neutral(chosen: Chosen, pair: Mapping[str, str], others: Sequence[Chosen], seed: str) -> str:
    """A conclusion of an axiom about something else, of which the premise says nothing; empty where there is none."""
    chance = Random(seed)
    people = TEMPLATES[chosen.known.template].people
    for other in chance.sample(others, min(20, len(others))):
        alike = TEMPLATES[other.known.template].people == people
        if alike and other.property != chosen.property and claim(other.axiom).right is not None:
            forms = derive_all(other.axiom, kinds=RELEASED)
            return say(chance.choice(list(forms.values()))).about(pair).conclusion
    return ""


def _item(
    chosen: Chosen,
    family: str,
    member: str,
    facets: Mapping[str, Facet],
    form: Form,
    text: str,
    options: Sequence[str],
    right: str,
    premise: str = "",
) -> Item:
    known = chosen.known
    return Item(
        probe=NAME,
        form=form,
        premise=premise,
        text=text,
        options=tuple(options),
        answer=list(options).index(right),
        family=family,
        member=member,
        groups={"property": chosen.property, "premise": say_premise(known.axiom.premise)},
        facets=facets,
        source=Source(
            file=known.file, line=known.line, id=str(known.axiom), triples=known.triples, licence=known.licence
        ),
    )
