"""Build a RICA probe: axioms from strategies, balanced, perturbed, about novel entities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path
from random import Random
from typing import Annotated, Literal

from annotated_types import Ge

from horsesense.core import Card, Facet, Item, Probe
from horsesense.core.card import CLUSTER_AVERAGE
from horsesense.core.spec import Dtype
from horsesense.errors import UserError, argument, translate_errors, unknown
from horsesense.lexicons.triples import Facts, read_atomic, read_conceptnet, read_generics
from horsesense.lexicons.wordnet import find_wordnet, read_words
from horsesense.methods.rica.axioms import Axiom, claim, is_upper
from horsesense.methods.rica.balance import (
    BalancedAxiom,
    alternate_poles,
    balance_axioms,
    lexicon_for,
    place_unchanged,
    property_of,
)
from horsesense.methods.rica.english_statements import Entities, Statement, entities_of, say
from horsesense.methods.rica.items import FORMS, NAME, TASKS, Ladder, NamedAxiom
from horsesense.methods.rica.knowledge_tables import LISTS, TEMPLATES, SourcedAxiom, read_list
from horsesense.methods.rica.lexicon import PhraseLexicon, whole_lexicon
from horsesense.methods.rica.perturbations import (
    ASYMMETRIES,
    KINDS,
    PERTURBATIONS,
    PUBLISHED,
    Perturbation,
    canonical,
    perturb_all,
)
from horsesense.methods.rica.strategies import AxiomSources, sourced_axioms, strategies_of
from horsesense.progress import warn

Task = Literal["masked", "sentences", "entailment", "ladder"]
_GROUP = "property"
"""Axioms about one property are a cluster."""
CAP = 16
"""Default maximum number of axioms per property: more of them make the set longer, not the knowledge broader."""


@dataclass(frozen=True)
class RicaPlan:
    """The plan of a RICA probe."""

    strategies: Sequence[str]
    sources: AxiomSources
    lexicon: PhraseLexicon
    entities: Entities
    kinds: Sequence[Perturbation] = KINDS
    task: str = "masked"
    background: bool = False
    """Also ask with the fact stated in the premise."""
    cap: int | None = CAP
    """Maximum number of axioms per property, so that none dominates; None for no maximum."""
    balance: bool = True
    """Use equally many of each pole in every cell; otherwise all axioms as their source has them."""
    alternate: bool = False
    """For a ladder: flip the pole of every other axiom where possible, so that order and negation together give nothing
    away."""
    seed: int = 0
    limit: int | None = None
    realise: Callable[[Axiom], Statement] = say
    """Function that words a form: the grammar, or a realiser."""
    facts: Callable[[Mapping[str, str]], dict[str, Facet]] = field(default=lambda names: {})
    """Further facets of a pair of names, such as their number of tokens."""


@dataclass(frozen=True)
class RicaSources:
    """Sources: tables and knowledge bases."""

    tables: tuple[str | Path, ...] = ()
    """Table of axioms, with the columns template, a, b and conclusion."""
    lexicon: str | Path | None = None
    """Table of phrases, antonyms and paraphrases; it takes precedence over the shipped one."""
    conceptnet: tuple[str | Path, ...] = ()
    """ConceptNet file."""
    atomic: tuple[str | Path, ...] = ()
    """ATOMIC file."""
    genericskb: tuple[str | Path, ...] = ()
    """GenericsKB file."""
    lists: tuple[str, ...] = ()
    """NAME=FILE: list that replaces the shipped animals, materials or occupations."""
    shipped: bool = True
    """Use the shipped tables."""


@dataclass(frozen=True)
class RicaModels:
    """Models: who writes and checks statements."""

    realiser: str = ""
    """Model that writes the statements, trained on ``rica pairs``. By default, a grammar does."""
    fluency: str = ""
    """Language model that flags odd statements."""
    tokenizer: str | Path | None = None
    """File tokenizer.json: count the tokens of the entities."""
    device: str = "auto"
    """Device of the model: auto, cpu, cuda, cuda:1, mps."""
    dtype: Dtype = "float32"
    """Precision of the model."""


@translate_errors()
def build(
    *,
    strategies: Sequence[str] = (),
    perturbations: Sequence[str] = ("all",),
    entities: str = "novel",
    pairs: Annotated[int, Ge(1)] | None = None,
    task: Task = "masked",
    background: bool = False,
    balance: bool = True,
    cap: Annotated[int, Ge(0)] = CAP,
    sources: RicaSources | None = None,
    models: RicaModels | None = None,
    limit: Annotated[int, Ge(1)] | None = None,
    seed: Annotated[int, Ge(0)] = 0,
) -> Probe:
    """Build statements about novel entities from axioms, each in up to 24 perturbations.

    Args:
        strategies: Source of axioms: material, grade, location, animal, role and others. By default, all.
        perturbations: Kind of perturbation, a whole operator, ``published`` or ``all``.
        entities: Names of the entities: novel, fresh, names, letters, or a file with one name per line.
        pairs: Number of entity pairs per statement. By default, 1, and 3 for names.
        task: Task.
        background: Also ask with the fact stated in the premise.
        balance: Balance the poles and the order of the axioms.
        cap: Maximum number of axioms per property; 0: no maximum.
        sources: Tables and knowledge bases.
        models: Models that write and check statements.
        limit: Maximum number of items; whole families are drawn.
        seed: Random seed.

    Returns:
        The probe; the same options and seed give the same items.
    """
    from horsesense.methods.audits import with_audit

    sources, models = sources or RicaSources(), models or RicaModels()
    axiom_sources = AxiomSources(
        [Path(file) for file in sources.tables], _facts(sources), _lists(sources.lists), sources.shipped
    )
    plan = RicaPlan(
        strategies=strategies or strategies_of(axiom_sources),
        sources=axiom_sources,
        lexicon=whole_lexicon(sources.lexicon),
        entities=entities_of(entities, pairs, seed, _english_words()),
        kinds=kinds_of(perturbations),
        task=task,
        background=background,
        cap=cap or None,
        balance=balance,
        seed=seed,
        limit=limit,
        facts=_name_facets(models.tokenizer),
    )
    probe = _realised(plan, models) if models.realiser else build_rica(plan)
    if models.fluency:
        from horsesense.methods.rica.trained_realiser import flag_odd_items

        probe = flag_odd_items(probe, models.fluency, models.device, models.dtype)
    if limit is not None and len(probe.items) > limit:
        whole = f"{len(probe.items)} items belong together, more than {argument('limit', str(limit))}"
        warn(f"{whole}; see {argument('balance')}")
    own = not (models.realiser or sources != RicaSources(lexicon=sources.lexicon))
    return with_audit(probe, similar=own)


def _realised(plan: RicaPlan, models: RicaModels) -> Probe:
    """Build twice: once to collect the forms, then with the statements that the model writes for them."""
    from horsesense.methods.rica.trained_realiser import open_realiser, words_of_model, write_statements

    forms: dict[str, None] = {}

    def collect(form: Axiom) -> Statement:
        forms[str(form)] = None
        return say(form)

    build_rica(replace(plan, realise=collect))
    rejected: Counter[str] = Counter()
    writer = open_realiser(models.realiser, device=models.device, dtype=models.dtype)
    probe = build_rica(replace(plan, realise=words_of_model(write_statements(writer, list(forms)), rejected)))
    return replace(probe, card=replace(probe.card, notes={**probe.card.notes, **rejected}))


def _facts(sources: RicaSources) -> dict[str, Facts]:
    files = {"conceptnet": sources.conceptnet, "atomic": sources.atomic, "genericskb": sources.genericskb}
    readers = {"conceptnet": read_conceptnet, "atomic": read_atomic, "genericskb": read_generics}
    return {name: readers[name]([Path(file) for file in files[name]]) for name in files if files[name]}


def _english_words() -> frozenset[str]:
    """Return the words of WordNet, which no novel entity may be."""
    folder = find_wordnet()
    return frozenset() if folder is None else read_words(folder)


def _lists(pairs: Sequence[str]) -> dict[str, Sequence[str]]:
    """Read the lists that are given as NAME=FILE."""
    lists = {}
    for pair in pairs:
        name, equals, file = pair.partition("=")
        if not equals:
            raise UserError(f"{argument('lists')} {pair!r} is not NAME=FILE", fix="write it like animals=animals.json")
        if name not in LISTS:
            raise unknown("list", name, LISTS)
        lists[name] = read_list(Path(file))
    return lists


def _name_facets(tokenizer: str | Path | None) -> Callable[[Mapping[str, str]], dict[str, Facet]]:
    """Return the facets of a pair of names: their letters, and their tokens if there is a tokenizer."""
    if tokenizer is None:
        return lambda pair: {"entity_letters": sum(map(len, pair.values()))}
    from tokenizers import Tokenizer

    if not Path(tokenizer).is_file():
        raise UserError("no such file", file=tokenizer, fix="give a tokenizer.json")
    try:
        splitter = Tokenizer.from_file(str(tokenizer))
    except Exception as error:  # the library raises nothing narrower
        raise UserError("this is not a tokenizer", file=tokenizer, fix="give a tokenizer.json") from error
    splitter.no_padding()
    splitter.no_truncation()

    def count(pair: Mapping[str, str]) -> dict[str, Facet]:
        # After a space, as in the middle of a sentence.
        tokens = [len(splitter.encode(f" {name}", add_special_tokens=False).ids) for name in pair.values()]
        return {"entity_letters": sum(map(len, pair.values())), "entity_tokens": sum(tokens)}

    return count


def kinds_of(names: Sequence[str]) -> tuple[Perturbation, ...]:
    """Return kinds by name: ``all``, ``published``, a perturbation (with every asymmetry), or one kind.

    >>> [kind.name for kind in kinds_of(["antonym"])]
    ['antonym', 'antonym_asymmetric_premise', 'antonym_asymmetric_conclusion']
    """
    by_name: dict[str, tuple[Perturbation, ...]] = {kind.name: (kind,) for kind in KINDS}
    by_name |= {operator: tuple(Perturbation(operator, turn) for turn in ASYMMETRIES) for operator in PERTURBATIONS}
    by_name |= {"all": KINDS, "published": PUBLISHED}
    for name in names:
        if name not in by_name:
            raise unknown("perturbation", name, by_name)
    chosen = {kind for name in names for kind in by_name[name]}
    return tuple(kind for kind in KINDS if kind in chosen)


def build_rica(plan: RicaPlan) -> Probe:
    """Build items whose families are axioms; the card's notes count what was left out."""
    if plan.task not in TASKS:
        raise unknown("task", plan.task, TASKS)
    rejected: Counter[str] = Counter()
    axioms = _distinct(plan, rejected)
    if plan.cap is not None:
        axioms = _capped(axioms, plan.cap, plan, rejected)
    blocks = list(_blocks(plan, axioms, rejected))
    items = _within_limit(plan, _by_turns(blocks, plan.seed), rejected)
    if not items:
        raise UserError("nothing could be built", fix=_why(rejected))
    for facts in plan.sources.facts.values():
        rejected.update({f"{facts.source}: {reason}": count for reason, count in facts.left_out.items()})
    licences = sorted({item.source.licence for item in items})
    entities = f"fresh:{plan.entities.seed}" if plan.entities.mode == "fresh" else plan.entities.mode
    card = Card(
        name=NAME,
        method="rica",
        licence="; ".join(licences),
        made=f"Axioms of {', '.join(plan.strategies)} about {entities} entities, as {plan.task}.",
        seed=plan.seed,
        metric=CLUSTER_AVERAGE,
        normalise="" if plan.task == "entailment" else "sum",
        group=_GROUP,
    )
    return Probe.of(items, card, {reason: count for reason, count in sorted(rejected.items()) if count})


def _distinct(plan: RicaPlan, rejected: Counter[str]) -> list[SourcedAxiom]:
    """Return axioms with different meanings; with names, only axioms about people."""
    by_meaning: dict[str, SourcedAxiom] = {}
    for known in sourced_axioms(plan.strategies, plan.sources, rejected):
        if plan.entities.mode == "names" and not TEMPLATES[known.template].people:
            rejected["axiom: not about people"] += 1
            continue
        meaning = str(canonical(known.axiom, plan.lexicon))
        if meaning in by_meaning:
            rejected["axiom: said already"] += 1
        by_meaning.setdefault(meaning, known)
    return list(by_meaning.values())


def _capped(axioms: Sequence[SourcedAxiom], most: int, plan: RicaPlan, rejected: Counter[str]) -> list[SourcedAxiom]:
    """Keep at most this many axioms per property, alternating between strategies and poles."""
    queues: dict[str, dict[tuple[str, bool], list[SourcedAxiom]]] = {}
    for known in axioms:
        kind = known.template, is_upper(claim(known.axiom).word)
        queues.setdefault(property_of(known.axiom, plan.lexicon), {}).setdefault(kind, []).append(known)
    capped: list[SourcedAxiom] = []
    for name, kinds in queues.items():
        rng = Random(f"{plan.seed} {name}")
        for queue in kinds.values():
            rng.shuffle(queue)
        turns = [known for group in zip_longest(*kinds.values()) for known in group if known is not None]
        capped += turns[:most]
        rejected["axiom: enough about its property"] += len(turns[most:])
    return capped


def _blocks(
    plan: RicaPlan, axioms: Sequence[SourcedAxiom], rejected: Counter[str]
) -> Iterator[tuple[BalancedAxiom, ...]]:
    """Yield blocks of axioms that belong together; without balance, one axiom per block."""
    if plan.balance and plan.task != "ladder":  # each rung of a ladder asks both poles of every axiom
        yield from balance_axioms(axioms, plan.lexicon, plan.kinds, plan.seed, rejected)
        return
    for known in alternate_poles(axioms, plan.seed) if plan.alternate else axioms:
        yield (place_unchanged(known, plan.lexicon, plan.kinds),)


def _by_turns(blocks: Sequence[tuple[BalancedAxiom, ...]], seed: int) -> list[tuple[BalancedAxiom, ...]]:
    """Shuffle the blocks and alternate between strategies: places are many, roles are few."""
    queues: dict[str, list[tuple[BalancedAxiom, ...]]] = {}
    for block in Random(seed).sample(blocks, len(blocks)):
        queues.setdefault(block[0].known.template, []).append(block)
    turns = zip_longest(*(queues[name] for name in sorted(queues)))
    return [block for turn in turns for block in turn if block is not None]


def _within_limit(plan: RicaPlan, blocks: Sequence[tuple[BalancedAxiom, ...]], rejected: Counter[str]) -> list[Item]:
    """Return the items of as many whole blocks as fit the limit; if none fits, of the smallest one."""
    others = [placed for block in blocks for placed in block]
    ladder = Ladder(others, plan.seed, plan.realise) if plan.task == "ladder" else None
    items: list[Item] = []
    # With the fact stated, two of the kinds are asked twice; entailment asks three times.
    more = 2 if plan.background else 0
    times = plan.entities.repeats * (3 if plan.task == "entailment" else 1)

    def size_of(block: Sequence[BalancedAxiom]) -> int:
        if ladder is not None:
            return sum(_rungs(placed, ladder) for placed in block)
        return sum(placed.size + more for placed in block) * times

    limit = plan.limit
    if limit is not None:
        limit = max(limit, min(filter(None, map(size_of, blocks)), default=0))
    for block in blocks:
        if limit is not None and len(items) + size_of(block) > limit:
            rejected["axiom: over the limit"] += len(block)
            continue
        for placed in block:
            items.extend(
                _ladder_items(plan, placed, ladder, rejected) if ladder else _items(plan, placed, others, rejected)
            )
    return items


def _rungs(placed: BalancedAxiom, ladder: Ladder) -> int:
    """Return the maximum number of ladder items of an axiom."""
    return 0 if str(placed.axiom) not in ladder.facts else len(FORMS) * 5 + max(placed.size - 6, 0) * 2 // 3


def _ladder_items(plan: RicaPlan, placed: BalancedAxiom, ladder: Ladder, rejected: Counter[str]) -> Iterator[Item]:
    """Yield the items of one axiom on every rung; axioms without a bare fact are counted."""
    asked = list(ladder.statements(placed, perturb_all(placed.axiom, plan.lexicon, plan.kinds)))
    rejected["ladder: no bare fact"] += not asked
    yield from _named(plan, placed)[0].ladder_items(asked)


def _items(
    plan: RicaPlan, placed: BalancedAxiom, others: Sequence[BalancedAxiom], rejected: Counter[str]
) -> Iterator[Item]:
    """Yield the items of one axiom; ``others`` are all axioms of the set."""
    forms = perturb_all(placed.axiom, lexicon_for(placed.known, plan.lexicon), plan.kinds)
    _count_missing(plan, placed, forms, rejected)
    for i, named in enumerate(_named(plan, placed)):
        mark = f"_{i + 1}" if i else ""
        yield from named.items_of(forms, plan.task, plan.background, others, mark, plan.realise)


def _named(plan: RicaPlan, placed: BalancedAxiom) -> list[NamedAxiom]:
    """Return the axiom about each of its pairs of names."""
    pairs = plan.entities.draw(str(placed.known.axiom))
    return [NamedAxiom(placed, pair, {**plan.facts(pair), "entities": plan.entities.mode}) for pair in pairs]


def _count_missing(
    plan: RicaPlan, placed: BalancedAxiom, forms: Collection[Perturbation], rejected: Counter[str]
) -> None:
    """Count the operators that do not apply to an axiom."""
    if claim(placed.axiom).right is None and any(kind.asymmetry != "none" for kind in plan.kinds):
        rejected["asymmetry: the axiom has one entity"] += 1
    applied = {kind.perturbation for kind in forms}
    for perturbation in dict.fromkeys(kind.perturbation for kind in plan.kinds):
        rejected[f"{perturbation}: not in the lexicon"] += perturbation not in applied


def _why(rejected: Counter[str]) -> str:
    most = rejected.most_common(1)
    return f"{most[0][0]} ({most[0][1]:,})" if most else "give a strategy or a table that has axioms"
