"""The probe: axioms from strategies, balanced, said in every way asked for, about entities nobody knows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from random import Random

from horsesense.errors import UserError, unknown
from horsesense.methods.rica.axioms import Axiom, claim
from horsesense.methods.rica.balance import Chosen, as_told, balanced
from horsesense.methods.rica.equivalence import canonical
from horsesense.methods.rica.items import NAME, TASKS, items_of
from horsesense.methods.rica.knowledge_tables import TEMPLATES, Known
from horsesense.methods.rica.lexicon import Lexicon
from horsesense.methods.rica.perturbations import ASYMMETRIES, KINDS, PERTURBATIONS, RELEASED, Kind, derive_all
from horsesense.methods.rica.statements import Entities, Statement, say
from horsesense.methods.rica.strategies import Sources, known_axioms
from horsesense.records import Card, Facet, Item, Probe

_GROUP = "property"
"""Axioms about one property stand and fall together."""


@dataclass(frozen=True)
class Plan:
    """What to build."""

    strategies: Sequence[str]
    sources: Sources
    lexicon: Lexicon
    entities: Entities
    kinds: Sequence[Kind] = KINDS
    task: str = "masked"
    background: bool = False
    """Also ask with the fact behind the axiom told outright."""
    balance: bool = True
    """As many of each pole in every cell; without, all axioms are taken as they are told."""
    seed: int = 0
    limit: int | None = None
    tell: Callable[[Axiom], Statement] = say
    """How a form is said: by the grammar, unless something else writes."""
    facts: Callable[[Mapping[str, str]], dict[str, Facet]] = field(default=lambda names: {})
    """Further facets of a pair of names, such as how many tokens they are."""


def kinds_of(names: Sequence[str]) -> tuple[Kind, ...]:
    """Kinds by name: ``all``, ``released``, a perturbation (with every asymmetry), or one kind.

    >>> [kind.name for kind in kinds_of(["antonym"])]
    ['antonym', 'antonym_asymmetric_premise', 'antonym_asymmetric_conclusion']
    """
    named: dict[str, tuple[Kind, ...]] = {kind.name: (kind,) for kind in KINDS}
    named |= {said: tuple(Kind(said, turn) for turn in ASYMMETRIES) for said in PERTURBATIONS}
    named |= {"all": KINDS, "released": RELEASED}
    for name in names:
        if name not in named:
            raise unknown("perturbation", name, named)
    wanted = {kind for name in names for kind in named[name]}
    return tuple(kind for kind in KINDS if kind in wanted)


def build_rica(plan: Plan) -> Probe:
    """Items whose families are axioms; what was left out is counted in the card's notes."""
    if plan.task not in TASKS:
        raise unknown("task", plan.task, TASKS)
    rejected: Counter[str] = Counter()
    known = _distinct(plan, rejected)
    blocks = list(_told(plan, known, rejected))
    items = _within(plan, _by_turns(blocks, plan.seed), rejected)
    if not items:
        raise UserError("nothing could be built", fix=_why(rejected))
    for facts in plan.sources.facts.values():
        rejected.update({f"{facts.source}: {reason}": count for reason, count in facts.left_out.items()})
    licences = sorted({item.source.licence for item in items})
    card = Card(
        name=NAME,
        method="rica",
        licence="; ".join(licences),
        made=f"Axioms of {', '.join(plan.strategies)} told about {plan.entities.mode} entities, as {plan.task}.",
        seed=plan.seed,
        normalise="" if plan.task == "entailment" else "sum",
        group=_GROUP,
    )
    return Probe.of(items, card, {reason: count for reason, count in sorted(rejected.items()) if count})


def _distinct(plan: Plan, rejected: Counter[str]) -> list[tuple[str, Known]]:
    """Axioms that say different things, by what they say; names only of people."""
    found: dict[str, Known] = {}
    for known in known_axioms(plan.strategies, plan.sources, rejected):
        if plan.entities.mode == "names" and not TEMPLATES[known.template].people:
            rejected["axiom: not about people"] += 1
            continue
        said = str(canonical(known.axiom, plan.lexicon))
        if said in found:
            rejected["axiom: said already"] += 1
        found.setdefault(said, known)
    return list(found.items())


def _told(plan: Plan, axioms: Sequence[tuple[str, Known]], rejected: Counter[str]) -> Iterator[tuple[Chosen, ...]]:
    known = [each for _, each in axioms]
    if plan.balance:
        yield from balanced(known, plan.lexicon, plan.kinds, plan.seed, rejected)
        return
    for each in known:
        yield (as_told(each, plan.lexicon, plan.kinds),)


def _by_turns(blocks: Sequence[tuple[Chosen, ...]], seed: int) -> list[tuple[Chosen, ...]]:
    """Blocks in random order, one of each strategy by turns: pairs of places are many, roles are few."""
    queues: dict[str, list[tuple[Chosen, ...]]] = {}
    for block in Random(seed).sample(blocks, len(blocks)):
        queues.setdefault(block[0].known.template, []).append(block)
    turns = zip_longest(*(queues[name] for name in sorted(queues)))
    return [block for turn in turns for block in turn if block is not None]


def _within(plan: Plan, blocks: Sequence[tuple[Chosen, ...]], rejected: Counter[str]) -> list[Item]:
    """The items of as many whole blocks as fit the limit, but one at least."""
    everyone = [chosen for block in blocks for chosen in block]
    items: list[Item] = []
    # With the fact told, two of the kinds are asked again; entailment asks three times.
    more = 2 if plan.background else 0
    times = plan.entities.tellings * (3 if plan.task == "entailment" else 1)
    for block in blocks:
        size = sum(chosen.size + more for chosen in block) * times
        if plan.limit is not None and items and len(items) + size > plan.limit:
            rejected["axiom: over the limit"] += len(block)
            continue
        for chosen in block:
            items.extend(_of_one(plan, chosen, everyone, rejected))
    return items


def _of_one(plan: Plan, chosen: Chosen, everyone: Sequence[Chosen], rejected: Counter[str]) -> Iterator[Item]:
    family = str(chosen.known.axiom)
    forms = derive_all(chosen.axiom, plan.lexicon, plan.kinds)
    _count_missing(plan, chosen, forms, rejected)
    names = plan.entities.draw(family)
    facets = [{**plan.facts(pair), "entities": plan.entities.mode} for pair in names]
    yield from items_of(chosen, forms, family, names, plan.task, plan.background, everyone, facets, plan.tell)


def _count_missing(plan: Plan, chosen: Chosen, forms: Collection[Kind], rejected: Counter[str]) -> None:
    """Operators that do not apply to an axiom, each counted once."""
    if claim(chosen.axiom).right is None and any(kind.asymmetry != "none" for kind in plan.kinds):
        rejected["asymmetry: the axiom has one entity"] += 1
    said = {kind.perturbation for kind in forms}
    for perturbation in dict.fromkeys(kind.perturbation for kind in plan.kinds):
        rejected[f"{perturbation}: not in the lexicon"] += perturbation not in said


def _why(rejected: Counter[str]) -> str:
    most = rejected.most_common(1)
    return f"{most[0][0]} ({most[0][1]:,})" if most else "give a strategy or a table that has axioms"
