"""No answer from structure alone: as many more as less in every cell of order, negation and template.

In the released set the rule "whoever is named first is more, not turns it round" answers nine of ten, because all
its axioms say *more* of the entity that comes first, or that does something. Here every axiom has a partner of the
same template, with the same kinds on the same scales, that says the opposite pole of the entity in its place; and
half of both have their premise told the other way round. What a template gives away is then nothing, for any rule
over its shape.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random

from horsesense.language.comparatives import OPPOSITES
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
from horsesense.methods.rica.lexicon import Lexicon
from horsesense.methods.rica.perturbations import PERTURBATIONS, Kind, derive

Shape = tuple[str, bool, tuple[tuple[str, Pair], ...]]
"""Template, whether the premise can be told both ways, and the kinds that apply with their scales."""
Pool = tuple[list[KnownAxiom], list[tuple[KnownAxiom, Axiom, Axiom]], list[KnownAxiom]]
"""Axioms of one shape: those that say the upper pole of A, those that can say either (both forms), the lower."""


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


def turned(known: KnownAxiom, lexicon: Lexicon) -> Axiom | None:
    """The same claim with the other pole said of A; None where that needs an antonym that is unknown."""
    axiom = known.axiom
    if isinstance(axiom.premise, And) and TEMPLATES[known.template].number == 1:
        renamed = axiom.premise.swapped()
        # A is whoever comes first, so the two conjuncts change places and the pole with them.
        return replace(axiom, premise=And(renamed.right, renamed.left), conclusion=flipped(claim(axiom)))
    return derive(axiom, Kind("antonym"), lexicon)


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
    pools: dict[Shape, Pool] = {}
    for known in axioms:
        axiom, other = known.axiom, turned(known, lexicon)
        shape = _shape(known, axiom, lexicon, kinds)
        up = is_upper(claim(axiom).word)
        ups, either, downs = pools.setdefault(shape, ([], [], []))
        if other is not None and _shape(known, other, lexicon, kinds) == shape:
            either.append((known, axiom, other) if up else (known, other, axiom))
        else:
            (ups if up else downs).append(known)
    for shape in sorted(pools, key=str):
        yield from _blocks(shape, pools[shape], lexicon, Random(f"{seed} {shape}"), rejected)


def unbalanced(known: KnownAxiom, lexicon: Lexicon, kinds: Sequence[Kind]) -> PlacedAxiom:
    """An axiom as its source tells it, without any balance."""
    size = len(_shape(known, known.axiom, lexicon, kinds)[2])
    return PlacedAxiom(known, known.axiom, size, property_of(known.axiom, lexicon))


def property_of(axiom: Axiom, lexicon: Lexicon) -> str:
    """The name that the lexicon has for a property, its antonym and their paraphrases."""
    claimed = claim(axiom)
    return lexicon.head(seen_from_a(claimed.left), pair_of(claimed.word))[0].phrase.text


def _shape(known: KnownAxiom, axiom: Axiom, lexicon: Lexicon, kinds: Sequence[Kind]) -> Shape:
    """What partners have in common: template, kinds, scales, and whether the premise can be told both ways."""
    claimed = claim(axiom)
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
    shape: Shape, pool: Pool, lexicon: Lexicon, chance: Random, rejected: Counter[str]
) -> Iterator[tuple[PlacedAxiom, ...]]:
    """As many axioms of the upper as of the lower pole, those that can say either filling up the smaller side."""
    for axioms in pool:
        chance.shuffle(axioms)
    ups, either, downs = pool
    up = [(known, known.axiom) for known in ups]
    down = [(known, known.axiom) for known in downs]
    for known, above, below in either:
        if len(up) <= len(down):
            up.append((known, above))
        else:
            down.append((known, below))
    size = 2 if shape[1] else 1  # with two layouts each pole is told in both
    rounds = min(len(up), len(down)) // size
    rejected["axiom: no partner that says the other pole"] += len(up) + len(down) - 2 * size * rounds
    for number in range(rounds):
        block = []
        for side in (up, down):
            for turn, (known, axiom) in enumerate(side[number * size : (number + 1) * size]):
                placed = laid_out(axiom) if turn else axiom
                assert placed is not None
                block.append(PlacedAxiom(known, placed, len(shape[2]), property_of(placed, lexicon)))
        yield tuple(block)


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
