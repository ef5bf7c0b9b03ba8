"""Balance: no answer follows from structure alone, in every cell of order, negation and template.

In the published set the rule "the entity named first is more, and *not* reverses it" answers nine of ten items, because
all axioms say *more* of the entity that comes first or that does something. Here every axiom has a partner of the same
template, with the same kinds on the same scales, that says the opposite pole; and half of both have their premise in
reversed order. No rule over the shape of a template then helps. Only logical changes are made: conjuncts change places,
a comparison becomes its converse. No word is replaced, so the effects of perturbations stay separate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random

from horsesense.lexicons.comparatives import OPPOSITES
from horsesense.methods.rica.axioms import (
    And,
    Axiom,
    Comp,
    Not,
    Pair,
    Prop,
    claim,
    flipped,
    is_upper,
    pair_of,
    plain,
    seen_from_a,
)
from horsesense.methods.rica.knowledge_tables import TEMPLATES, KnownAxiom
from horsesense.methods.rica.lexicon import NO_LEXICON, Lexicon
from horsesense.methods.rica.perturbations import PERTURBATIONS, Kind

Shape = tuple[str, bool, tuple[tuple[str, Pair], ...]]
"""Template, whether the premise can be told both ways, and the kinds that apply with their scales."""


@dataclass(frozen=True, slots=True)
class PlacedAxiom:
    """An axiom as it is told in a set: which pole it says, and which way round its premise is."""

    known: KnownAxiom
    axiom: Axiom
    """Turned and laid out as the balance needs it."""
    size: int
    """How many of the wanted kinds apply."""
    property: str
    """What the conclusion is about, under the lexicon's one name for it and its antonym."""


def turned(axiom: Axiom) -> Axiom | None:
    """The same claim with the other pole said of A, as logic has it; None where only an antonym could say that.

    >>> from horsesense.methods.rica.notation import parse_form
    >>> print(turned(parse_form("Taller(A, B), so Harder(hide(A), hide(B))")))
    Shorter(A, B), so Easier(hide(A), hide(B))
    """
    match axiom.premise:
        case And(Prop(_, _, str()), Prop(_, _, str())):
            renamed = axiom.premise.swapped()
            # A is whoever comes first, so the two conjuncts change places and the pole with them.
            return replace(axiom, premise=And(renamed.right, renamed.left), conclusion=flipped(claim(axiom)))
        case Comp(word) if plain(word).lower() in OPPOSITES:
            return replace(axiom, premise=flipped(axiom.premise), conclusion=flipped(claim(axiom)))
        case _:
            return None


def laid_out(axiom: Axiom) -> Axiom | None:
    """The premise told the other way round: conjuncts exchanged, a comparison's converse; None if it cannot be."""
    match axiom.premise:
        case And(left, right):
            return replace(axiom, premise=And(right, left))
        case Comp(word, left, right) if right is not None and plain(word).lower() in OPPOSITES:
            return replace(axiom, premise=replace(flipped(axiom.premise), left=right, right=left))
        case _:
            return None


def balanced(
    axioms: Iterable[KnownAxiom], lexicon: Lexicon, kinds: Sequence[Kind], seed: int, rejected: Counter[str]
) -> Iterator[tuple[PlacedAxiom, ...]]:
    """Blocks of axioms, each balanced in itself; what has no partner is counted and left out."""
    pools: dict[Shape, tuple[list[KnownAxiom], list[KnownAxiom]]] = {}
    for known in axioms:
        known = replace(known, axiom=_with_upper_premise(known.axiom))
        sides = pools.setdefault(_shape(known, known.axiom, lexicon, kinds), ([], []))
        sides[int(not is_upper(claim(known.axiom).word))].append(known)
    for shape in sorted(pools, key=str):
        yield from _blocks(shape, pools[shape], lexicon, Random(f"{seed} {shape}"), rejected)


def _with_upper_premise(axiom: Axiom) -> Axiom:
    """With the upper pole in the premise: what follows goes with it or against it, whichever way it was written."""
    if isinstance(axiom.premise, Comp) and plain(axiom.premise.word).lower() in OPPOSITES:
        return axiom if is_upper(axiom.premise.word) else turned(axiom) or axiom
    return axiom


def unbalanced(known: KnownAxiom, lexicon: Lexicon, kinds: Sequence[Kind]) -> PlacedAxiom:
    """An axiom as its source tells it, without any balance."""
    size = len(_shape(known, known.axiom, lexicon, kinds)[2])
    return PlacedAxiom(known, known.axiom, size, property_of(known.axiom, lexicon))


def alternating(axioms: Sequence[KnownAxiom], seed: int) -> list[KnownAxiom]:
    """Every other axiom of a template with the other pole said of A, in an order drawn by seed, as far as logic allows.

    A template whose axioms cannot be turned has to have both poles of its own.
    """
    turns: Counter[str] = Counter()
    told = {}
    for place in Random(seed).sample(range(len(axioms)), len(axioms)):
        known = axioms[place]
        other = turned(known.axiom)
        if other is not None:
            wanted = turns[known.template] % 2 == 0
            turns[known.template] += 1
            known = known if is_upper(claim(known.axiom).word) == wanted else replace(known, axiom=other)
        told[place] = known
    return [told[place] for place in range(len(axioms))]


def property_of(axiom: Axiom, lexicon: Lexicon) -> str:
    """The name that the lexicon has for a property, its antonym and their paraphrases."""
    claimed = claim(axiom)
    phrase = lexicon.head(seen_from_a(claimed.left), pair_of(claimed.word))[0].phrase
    return phrase.text or phrase.pair[0]


def lexicon_for(known: KnownAxiom, lexicon: Lexicon) -> Lexicon:
    """Nothing for what nobody has checked: a doubtful axiom in other words is doubtful twice."""
    return NO_LEXICON if known.status == "raw" else lexicon


def _shape(known: KnownAxiom, axiom: Axiom, lexicon: Lexicon, kinds: Sequence[Kind]) -> Shape:
    """What partners have in common: template, kinds, scales, and whether the premise can be told both ways."""
    claimed = claim(axiom)
    lexicon = lexicon_for(known, lexicon)
    entry = lexicon.find(seen_from_a(claimed.left), pair_of(claimed.word))
    scales = {"phrase": pair_of(claimed.word)}
    scales |= {sense: phrase.pair for sense, phrase in (entry.senses() if entry else ())}
    applicable = tuple(
        (kind.name, scales[PERTURBATIONS[kind.perturbation][0]])
        for kind in kinds
        if PERTURBATIONS[kind.perturbation][0] in scales and (kind.asymmetry == "none" or claimed.right)
    )
    return known.template, laid_out(axiom) is not None, applicable


def _blocks(
    shape: Shape, pool: tuple[list[KnownAxiom], list[KnownAxiom]], lexicon: Lexicon, chance: Random, left: Counter[str]
) -> Iterator[tuple[PlacedAxiom, ...]]:
    """As many axioms of the upper as of the lower pole; what can be told either way is one side."""
    free = TEMPLATES[shape[0]].number == 1
    sides = [pool[0] + pool[1]] if free else list(pool)
    for side in sides:
        chance.shuffle(side)
    start, most = 0, min(map(len, sides))
    ways = len(_tellings(sides[0][0].axiom)) if most else 1
    # Every way to tell them, and of what is left over half of the ways.
    for size in (ways, (ways + 1) // 2):
        while start + size <= most and (size > 1 or not free):
            block = []
            for side in sides:
                for number, known in enumerate(side[start : start + size]):
                    told = _tellings(known.axiom)[number]
                    block.append(PlacedAxiom(known, told, len(shape[2]), property_of(told, lexicon)))
            yield tuple(block)
            start += size
    left["axiom: no partner that says the other pole"] += sum(len(side) - start for side in sides)


def _tellings(axiom: Axiom) -> list[Axiom]:
    """An axiom in all the ways that logic allows: as it is and with the other pole, then both laid out otherwise."""
    ways = [axiom, turned(axiom)]
    ways += [laid_out(way) for way in ways if way is not None]
    return [way for way in ways if way is not None]


def is_kept(form: Axiom) -> bool | None:
    """Whether the entity that the conclusion is about comes first in the premise; None for one entity."""
    term = form.conclusion.term if isinstance(form.conclusion, Not) else form.conclusion
    assert isinstance(term, Comp)
    if term.right is None:
        return None
    return term.left.entity == first_entity(form)


def first_entity(form: Axiom) -> str:
    """Who is named first in the premise."""
    premise = form.premise
    while isinstance(premise, And | Not | Comp):
        premise = premise.term if isinstance(premise, Not) else premise.left
    return premise.entity if isinstance(premise, Prop) else premise.first
