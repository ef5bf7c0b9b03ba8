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
from horsesense.methods.rica.knowledge_tables import TEMPLATES, Known
from horsesense.methods.rica.lexicon import Lexicon
from horsesense.methods.rica.perturbations import PERTURBATIONS, Kind, derive

Shape = tuple[str, bool, tuple[tuple[str, Pair], ...]]
"""Template, whether the premise can be told both ways, and the kinds that apply with their scales."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """An axiom as it is told in a set."""

    known: Known
    axiom: Axiom
    """Turned and laid out as the balance asks for."""
    size: int
    """How many of the kinds asked for apply."""
    property: str
    """What the conclusion is about, under the lexicon's one name for it and its antonym."""


def turned(known: Known, lexicon: Lexicon) -> Axiom | None:
    """The same claim with the other pole said of A; None where that needs an antonym that is unknown."""
    axiom = known.axiom
    if isinstance(axiom.premise, And) and TEMPLATES[known.template].number == 1:
        renamed = axiom.premise.swapped()
        said = claim(axiom)
        # A is whoever comes first, so the two conjuncts change places and the pole with them.
        return replace(axiom, premise=And(renamed.right, renamed.left), conclusion=flipped(said))
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
    axioms: Iterable[Known], lexicon: Lexicon, kinds: Sequence[Kind], seed: int, rejected: Counter[str]
) -> Iterator[tuple[Chosen, ...]]:
    """Blocks of axioms, each balanced in itself; what has no partner is counted and left out."""
    pools: dict[Shape, tuple[list[Known], list[tuple[Known, Axiom, Axiom]], list[Known]]] = {}
    for known in axioms:
        own, other = known.axiom, turned(known, lexicon)
        shape = _shape(known, own, lexicon, kinds)
        up = is_upper(claim(own).word)
        pool = pools.setdefault(shape, ([], [], []))
        if other is not None and _shape(known, other, lexicon, kinds) == shape:
            pool[1].append((known, own, other) if up else (known, other, own))
        else:
            (pool[0] if up else pool[2]).append(known)
    for shape in sorted(pools, key=str):
        yield from _blocks(shape, *pools[shape], lexicon, Random(f"{seed} {shape}"), rejected)


def as_told(known: Known, lexicon: Lexicon, kinds: Sequence[Kind]) -> Chosen:
    """An axiom as its source tells it, without any balance."""
    size = len(_shape(known, known.axiom, lexicon, kinds)[2])
    return Chosen(known, known.axiom, size, property_of(known.axiom, lexicon))


def property_of(axiom: Axiom, lexicon: Lexicon) -> str:
    """The name that the lexicon has for a property, its antonym and their paraphrases."""
    said = claim(axiom)
    return lexicon.head(seen_from_a(said.left), pair_of(said.word))[0].phrase.text


def _shape(known: Known, axiom: Axiom, lexicon: Lexicon, kinds: Sequence[Kind]) -> Shape:
    """What partners have in common: template, kinds, scales, and whether the premise can be told both ways."""
    said = claim(axiom)
    entry = lexicon.find(seen_from_a(said.left), pair_of(said.word))
    pairs = {"phrase": pair_of(said.word)} | {sense: each.pair for sense, each in (entry.senses() if entry else ())}
    told = tuple(
        (kind.name, pairs[PERTURBATIONS[kind.perturbation][0]])
        for kind in kinds
        if PERTURBATIONS[kind.perturbation][0] in pairs and (kind.asymmetry == "none" or said.right)
    )
    return known.template, laid_out(axiom) is not None, told


def _blocks(
    shape: Shape,
    ups: list[Known],
    either: list[tuple[Known, Axiom, Axiom]],
    downs: list[Known],
    lexicon: Lexicon,
    chance: Random,
    rejected: Counter[str],
) -> Iterator[tuple[Chosen, ...]]:
    for each in (ups, either, downs):
        chance.shuffle(each)
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
                told = laid_out(axiom) if turn else axiom
                assert told is not None
                block.append(Chosen(known, told, len(shape[2]), property_of(told, lexicon)))
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
