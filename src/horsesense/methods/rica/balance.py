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

from horsesense.lexicons.word_forms import OPPOSITES
from horsesense.methods.rica.axioms import (
    And,
    Axiom,
    Comp,
    Not,
    Pair,
    Prop,
    claim,
    flip,
    is_upper,
    pair_of,
    plain,
    seen_from_a,
)
from horsesense.methods.rica.knowledge_tables import TEMPLATES, SourcedAxiom
from horsesense.methods.rica.lexicon import NO_LEXICON, PhraseLexicon
from horsesense.methods.rica.perturbations import PERTURBATIONS, Perturbation

Shape = tuple[str, bool, tuple[tuple[str, Pair], ...]]
"""Template, whether the premise can be reversed, and the kinds that apply with their scales."""


@dataclass(frozen=True, slots=True)
class BalancedAxiom:
    """An axiom in a balanced set: its pole, and the order of its premise."""

    known: SourcedAxiom
    axiom: Axiom
    """The axiom with pole and order as the balance needs them."""
    size: int
    """Number of kinds that apply."""
    property: str
    """Property of the conclusion, under the lexicon's one name for it and its antonym."""


def flip_pole(axiom: Axiom) -> Axiom | None:
    """Return the same claim with the other pole for A; None if only an antonym could say that.

    >>> from horsesense.methods.rica.notation import parse_form
    >>> print(flip_pole(parse_form("Taller(A, B), so Harder(hide(A), hide(B))")))
    Shorter(A, B), so Easier(hide(A), hide(B))
    """
    match axiom.premise:
        case And(Prop(_, _, str()), Prop(_, _, str())):
            renamed = axiom.premise.swapped()
            # A is the entity that comes first, so the conjuncts change places and the pole flips.
            return replace(axiom, premise=And(renamed.right, renamed.left), conclusion=flip(claim(axiom)))
        case Comp(word) if plain(word).lower() in OPPOSITES:
            return replace(axiom, premise=flip(axiom.premise), conclusion=flip(claim(axiom)))
        case _:
            return None


def reverse_premise(axiom: Axiom) -> Axiom | None:
    """Reverse the order of the premise: exchange conjuncts, or take a comparison's converse; None if impossible."""
    match axiom.premise:
        case And(left, right):
            return replace(axiom, premise=And(right, left))
        case Comp(word, left, right) if right is not None and plain(word).lower() in OPPOSITES:
            return replace(axiom, premise=replace(flip(axiom.premise), left=right, right=left))
        case _:
            return None


def balance_axioms(
    axioms: Iterable[SourcedAxiom],
    lexicon: PhraseLexicon,
    kinds: Sequence[Perturbation],
    seed: int,
    rejected: Counter[str],
) -> Iterator[tuple[BalancedAxiom, ...]]:
    """Yield blocks of axioms, each balanced in itself; axioms without a partner are counted and left out."""
    pools: dict[Shape, tuple[list[SourcedAxiom], list[SourcedAxiom]]] = {}
    for known in axioms:
        known = replace(known, axiom=_with_upper_premise(known.axiom))
        sides = pools.setdefault(_shape(known, known.axiom, lexicon, kinds), ([], []))
        sides[int(not is_upper(claim(known.axiom).word))].append(known)
    for shape in sorted(pools, key=str):
        yield from _blocks(shape, pools[shape], lexicon, Random(f"{seed} {shape}"), rejected)


def _with_upper_premise(axiom: Axiom) -> Axiom:
    """Put the upper pole in the premise, so that the conclusion agrees with it or opposes it."""
    if isinstance(axiom.premise, Comp) and plain(axiom.premise.word).lower() in OPPOSITES:
        return axiom if is_upper(axiom.premise.word) else flip_pole(axiom) or axiom
    return axiom


def place_unchanged(known: SourcedAxiom, lexicon: PhraseLexicon, kinds: Sequence[Perturbation]) -> BalancedAxiom:
    """Place an axiom as its source has it, without balance."""
    size = len(_shape(known, known.axiom, lexicon, kinds)[2])
    return BalancedAxiom(known, known.axiom, size, property_of(known.axiom, lexicon))


def alternate_poles(axioms: Sequence[SourcedAxiom], seed: int) -> list[SourcedAxiom]:
    """Flip the pole of every other axiom of a template, in an order drawn by seed, as far as logic allows.

    A template whose axioms cannot be flipped needs both poles of its own.
    """
    turns: Counter[str] = Counter()
    result = {}
    for i in Random(seed).sample(range(len(axioms)), len(axioms)):
        known = axioms[i]
        other = flip_pole(known.axiom)
        if other is not None:
            upper = turns[known.template] % 2 == 0
            turns[known.template] += 1
            known = known if is_upper(claim(known.axiom).word) == upper else replace(known, axiom=other)
        result[i] = known
    return [result[i] for i in range(len(axioms))]


def property_of(axiom: Axiom, lexicon: PhraseLexicon) -> str:
    """Return the lexicon's name for a property, its antonym and their paraphrases."""
    claimed = claim(axiom)
    phrase = lexicon.head(seen_from_a(claimed.left), pair_of(claimed.word))[0].phrase
    return phrase.text or phrase.pair[0]


def lexicon_for(known: SourcedAxiom, lexicon: PhraseLexicon) -> PhraseLexicon:
    """Return an empty lexicon for unchecked axioms: paraphrasing a doubtful axiom makes it more doubtful."""
    return NO_LEXICON if known.status == "proposed" else lexicon


def _shape(known: SourcedAxiom, axiom: Axiom, lexicon: PhraseLexicon, kinds: Sequence[Perturbation]) -> Shape:
    """Return what partners have in common: template, kinds, scales, and whether the premise can be reversed."""
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
    return known.template, reverse_premise(axiom) is not None, applicable


def _blocks(
    shape: Shape,
    pool: tuple[list[SourcedAxiom], list[SourcedAxiom]],
    lexicon: PhraseLexicon,
    rng: Random,
    rejected: Counter[str],
) -> Iterator[tuple[BalancedAxiom, ...]]:
    """Pair axioms of the upper with axioms of the lower pole; axioms that can be flipped are one side."""
    free = TEMPLATES[shape[0]].number == 1
    sides = [pool[0] + pool[1]] if free else list(pool)
    for side in sides:
        rng.shuffle(side)
    start, most = 0, min(map(len, sides))
    size_of_all = len(_all_forms(sides[0][0].axiom)) if most else 1
    # All forms first, then half of them for the remaining axioms.
    for size in (size_of_all, (size_of_all + 1) // 2):
        while start + size <= most and (size > 1 or not free):
            block = []
            for side in sides:
                for j, known in enumerate(side[start : start + size]):
                    form = _all_forms(known.axiom)[j]
                    block.append(BalancedAxiom(known, form, len(shape[2]), property_of(form, lexicon)))
            yield tuple(block)
            start += size
    rejected["axiom: no partner that says the other pole"] += sum(len(side) - start for side in sides)


def _all_forms(axiom: Axiom) -> list[Axiom]:
    """Return an axiom in all forms that logic allows: as it is, flipped, then both reversed."""
    ways = [axiom, flip_pole(axiom)]
    ways += [reverse_premise(way) for way in ways if way is not None]
    return [way for way in ways if way is not None]


def is_in_order(form: Axiom) -> bool | None:
    """Return whether the subject of the conclusion comes first in the premise; None for one entity."""
    term = form.conclusion.term if isinstance(form.conclusion, Not) else form.conclusion
    assert isinstance(term, Comp)
    if term.right is None:
        return None
    return term.left.entity == first_entity(form)


def first_entity(form: Axiom) -> str:
    """Return the entity that the premise names first."""
    premise = form.premise
    while isinstance(premise, And | Not | Comp):
        premise = premise.term if isinstance(premise, Not) else premise.left
    return premise.entity if isinstance(premise, Prop) else premise.first
