"""Is it a part at all? Pairs held against what WordNet and other sources say of parts and kinds.

In pictures a chair "has" a cat, and collections of facts have lions as parts of animals. A pair needs a witness:
WordNet's parts, which a whole inherits from what it is a kind of, and which have parts themselves (a woman is a person,
a person has a body, a body has hands), or a second source. Kinds, living things in or on something, what fills a thing
and what cannot be touched (a shadow, a name) are no parts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from horsesense.errors import UserError, argument
from horsesense.lexicons.sources import part_ids
from horsesense.lexicons.taxonomy import Taxonomy, load_taxonomy
from horsesense.lexicons.wordnet_source import find_wordnet
from horsesense.lexicons.words import listed

Pair = tuple[str, str]
"""Whole and part."""

REASONS = {
    "vague": "everything has it in some way (a side, a spot)",
    "phrase": "words that WordNet does not have as one noun (good nose)",
    "name": "the name of one thing (oregon)",
    "kind": "a kind of its whole, or the other way round (animal, lion)",
    "living": "somebody in or on something (chair, cat)",
    "filling": "what is in it for a while (glass, water)",
    "untouchable": "nothing that can be touched (tennis, advantage)",
    "unknown": "neither WordNet nor a second source has it",
}
"""Why a pair is no part, or not known to be one."""

_VAGUE = frozenset(
    listed(
        "part section side piece line spot area portion stuff thing material substance body shape pattern color colour "
        "design corner edge end front back middle top bottom surface shadow reflection hole corpus item object unit "
        "background picture image photo print writing base space level layer stripe cell nucleus vacuole cytoplasm"
    )
) | {"body part", "human body", "adult body", "material body", "body substance", "ground substance", "cell membrane",
     "plasma membrane", "chemical group", "chemical chain"}  # fmt: skip
_LIVING = ("animal.n.01", "person.n.01")
_FILLING = (
    *("water.n.01", "liquid.n.01", "fluid.n.01", "gas.n.02", "precipitation.n.03"),
    *("food.n.01", "food.n.02", "clothing.n.01"),
)
_TOUCHED = ("physical_entity.n.01",)
_DEEPEST = 3
"""Parts of parts of parts."""
_NEAR = 2
"""Kinds of a part that count for it: who has a car wheel has a wheel, but not therefore a device."""


@dataclass(frozen=True)
class Parthood:
    """What is known of parts."""

    taxonomy: Taxonomy
    links: Collection[tuple[int, int]]
    """Whole and part, as places of the taxonomy."""
    witnesses: Mapping[Pair, frozenset[str]] = field(default_factory=dict)
    """The sources other than WordNet that have a pair."""

    def why_not(self, whole: str, part: str) -> str:
        """Why a pair is no part, one of `REASONS`; empty where it is one."""
        wholes, parts = self._senses(whole), self._senses(part)
        if _VAGUE & {whole, part}:
            return "vague"
        if not wholes or not parts:
            return "phrase"
        if self._is_name(wholes[0]) or self._is_name(parts[0]):
            return "name"
        if self._is_kind(wholes, parts) or self._is_kind(parts, wholes):
            return "kind"
        if self._below(parts[0], _LIVING):
            return "living"
        if self._below(parts[0], _FILLING) and not self._below(wholes[0], _FILLING):
            return "filling"
        if not self._below(parts[0], _TOUCHED) or not self._below(wholes[0], _TOUCHED):
            return "untouchable"
        if self.in_wordnet(whole, part) or len(self.witnesses.get((whole, part), ())) > 1:
            return ""
        return "unknown"

    def in_wordnet(self, whole: str, part: str) -> bool:
        """Whether WordNet has the part, of the whole or of what it is a kind of, itself or within another part."""
        wanted = set(self._senses(part)[:3])
        return any(not wanted.isdisjoint(self._having(sense)) for sense in self._senses(whole)[:2])

    def _having(self, whole: int) -> set[int]:
        if whole not in self._had:
            reached: set[int] = set()
            layer = {whole, *self._above(whole)}
            for _ in range(_DEEPEST):
                layer = {part for each in layer for part in self._parts.get(each, ())} - reached
                reached |= layer
                layer |= {kind for each in layer for kind in self._kinds(each)}
            self._had[whole] = reached | {kind for part in reached for kind in self._kinds(part)}
        return self._had[whole]

    @cached_property
    def _had(self) -> dict[int, set[int]]:
        return {}

    @cached_property
    def _parts(self) -> dict[int, set[int]]:
        parts: dict[int, set[int]] = defaultdict(set)
        for whole, part in self.links:
            parts[whole].add(part)
        return parts

    @cached_property
    def _ancestors(self) -> dict[int, frozenset[int]]:
        return {}

    def _above(self, concept: int) -> frozenset[int]:
        """All that it is a kind of."""
        if concept not in self._ancestors:
            above: set[int] = set()
            waiting = [concept]
            while waiting:
                new = set(self.taxonomy.hypernyms[waiting.pop()]) - above
                above |= new
                waiting += new
            self._ancestors[concept] = frozenset(above)
        return self._ancestors[concept]

    def _kinds(self, concept: int) -> set[int]:
        """What it is a kind of, nearby."""
        found, layer = set[int](), {concept}
        for _ in range(_NEAR):
            layer = {parent for each in layer for parent in self.taxonomy.hypernyms[each]}
            found |= layer
        return found

    def _senses(self, noun: str) -> list[int]:
        """Nouns that a word names, the commonest sense first."""
        return [place for place in self.taxonomy.senses.get(noun, ()) if ".n." in self.taxonomy.ids[place]]

    def _is_name(self, concept: int) -> bool:
        return all(lemma[:1].isupper() for lemma in self.taxonomy.lemmas[concept])

    def _is_kind(self, kinds: list[int], of: list[int]) -> bool:
        """Whether the commonest sense of a noun is a kind of any sense of the other."""
        return not self._above(kinds[0]).isdisjoint(of)

    def _below(self, concept: int, names: Iterable[str]) -> bool:
        above = {concept, *self._above(concept)}
        return any(self.taxonomy.place.get(name) in above for name in names)


def parthood(pairs_by_source: Mapping[str, Iterable[Pair]]) -> Parthood:
    """WordNet as it is on this machine, and the pairs of several sources as one another's witnesses."""
    folder = find_wordnet()
    if folder is None:
        raise UserError(
            "pairs are held against WordNet, which is not on this machine",
            fix=f"run: horsesense fetch wordnet, or add {argument('without', 'parts')}",
        )
    witnesses: dict[Pair, set[str]] = defaultdict(set)
    for source, pairs in pairs_by_source.items():
        for pair in pairs:
            if source != "wordnet":
                witnesses[pair].add(source)
    taxonomy = load_taxonomy(folder)
    links = [(taxonomy.place[whole], taxonomy.place[part]) for whole, part in part_ids()]
    return Parthood(taxonomy, links, {pair: frozenset(names) for pair, names in witnesses.items()})
