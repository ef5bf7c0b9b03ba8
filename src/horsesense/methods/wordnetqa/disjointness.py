"""Certificates that two concepts are disjoint: nothing is both, so that one is certainly false of the other.

Sisters of a taxonomy may overlap: about one in twenty pairs of WordNet's sisters do (*bread*, *ingredient*).
A certificate is a reason beyond the taxonomy, and is stored with the item:

- *taxa*: both are living things with a biological taxon (a group that they are members of), and no taxon of one is
  above a taxon of the other;
- *kinds* and *sorts*: both lie below different members of a list in ``disjoint.toml`` that exclude each other; kinds
  are near each other (*hammer*, *saw*), sorts are not (*person*, *artefact*);
- *opposites*: one is the antonym of the other, or both are similar to adjectives that are antonyms.

No certificate holds between concepts of which one is above the other, or that have a common concept below them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from horsesense.data import shipped_toml
from horsesense.lexicons.graph import Graph

_TAXON = "taxonomic_group.n.01"
"""The concept above all biological taxa in WordNet."""


Lists = Mapping[str, Mapping[str, Sequence[str]]]
"""``sorts`` and ``kinds`` → name of a list → concepts that exclude each other."""
SORTS = "sorts"


def disjoint_lists() -> Lists:
    """Return the lists of sorts and kinds that exclude each other."""
    return shipped_toml(Path(__file__).with_name("disjoint.toml"))


def can_certify(graph: Graph) -> bool:
    """Return whether a source has what certificates need: taxa, or concepts of the lists."""
    known = {kind for lists in disjoint_lists().values() for kinds in lists.values() for kind in kinds}
    return (bool(graph.members) and _TAXON in graph.number) or len(known & graph.number.keys()) > len(known) / 2


class Disjointness:
    """Certificates for the concepts of one source."""

    def __init__(self, graph: Graph, lists: Lists | None = None) -> None:
        self.graph = graph
        known = disjoint_lists() if lists is None else lists
        self._kinds: dict[int, list[tuple[str, int]]] = {}
        left_out = {graph.number[name] for name in known.get("exceptions", {}).get("below", ()) if name in graph.number}
        self._exceptions = left_out.union(*(graph.down.reached(concept) for concept in left_out))
        for level in (SORTS, "kinds"):
            for name, kinds in known.get(level, {}).items():
                for kind in kinds:
                    if kind in graph.number:
                        listed = self._kinds.setdefault(graph.number[kind], [])
                        listed.append((f"{level}, {name}", graph.number[kind]))
        top = graph.number.get(_TAXON)
        self._taxa = frozenset() if top is None else frozenset(graph.down.reached(top))
        self.above = lru_cache(maxsize=None)(lambda concept: frozenset({concept, *graph.up.reached(concept)}))
        self.below = lru_cache(maxsize=None)(lambda concept: frozenset({concept, *graph.down.reached(concept)}))
        self.kinds = lru_cache(maxsize=None)(self._kinds_of)
        self.taxa = lru_cache(maxsize=None)(self._taxa_of)
        self.all_taxa = lru_cache(maxsize=None)(self._all_taxa_of)
        self.certificate = lru_cache(maxsize=None)(self._certificate)

    def _kinds_of(self, concept: int) -> Mapping[str, frozenset[int]]:
        """Return, for each list, its kinds that are above a concept."""
        found: dict[str, set[int]] = {}
        for upper in () if concept in self._exceptions else self.above(concept):
            for name, kind in self._kinds.get(upper, ()):
                found.setdefault(name, set()).add(kind)
        return {name: frozenset(kinds) for name, kinds in found.items()}

    def _taxa_of(self, concept: int) -> frozenset[int]:
        """Return the taxa of a concept, or of the nearest concepts above it that have one."""
        own = self.graph.members.get(concept, frozenset()) & self._taxa
        if own:
            return own
        by_hops: dict[int, set[int]] = {}
        for upper, hops in self.graph.up.row(concept):
            by_hops.setdefault(hops, set()).update(self.graph.members.get(upper, frozenset()) & self._taxa)
        return frozenset(next((taxa for hops, taxa in sorted(by_hops.items()) if hops and taxa), ()))

    def _all_taxa_of(self, concept: int) -> frozenset[int]:
        """Return all taxa that a concept, or one above it, belongs to, and the taxa above these."""
        waiting = [taxon for upper in self.above(concept) for taxon in self.graph.members.get(upper, ())]
        found: set[int] = set()
        while waiting:
            taxon = waiting.pop()
            if taxon in self._taxa and taxon not in found:
                found.add(taxon)
                waiting.extend(self.graph.members.get(taxon, ()))
        return frozenset(found)

    def is_taxon(self, concept: int) -> bool:
        """Return whether a concept is itself a biological taxon."""
        return concept in self._taxa

    def narrow(self, concept: int) -> bool:
        """Return whether a near concept may be certified to be disjoint from a noun: by taxa or kinds, not by sorts."""
        return bool(self.taxa(concept)) or any(not name.startswith(SORTS) for name in self.kinds(concept))

    def known(self, concept: int) -> bool:
        """Return whether anything may certify that a concept is disjoint from another."""
        return bool(self.taxa(concept) or self.kinds(concept))

    def table(self, ones: Sequence[int], others: Sequence[int], sorts: bool) -> NDArray[np.bool_]:
        """Return which pairs of nouns have a certificate, ones in rows, others in columns; ``sorts`` count or not."""
        taxa = self._overlap(ones, self.taxa, others, self.all_taxa) | self._overlap(
            ones, self.all_taxa, others, self.taxa
        )
        alive = np.outer([bool(self.taxa(c)) for c in ones], [bool(self.taxa(c)) for c in others])
        certified = alive & ~taxa
        names = {name for kinds in self._kinds.values() for name, _ in kinds}
        for name in sorted(name for name in names if sorts or not name.startswith(SORTS)):
            rows, columns = ([i for i, c in enumerate(each) if name in self.kinds(c)] for each in (ones, others))
            listed = [
                [self.kinds(each[i])[name] for i in indices] for each, indices in ((ones, rows), (others, columns))
            ]
            common = _incidence(listed[0], len(self.graph)) @ _incidence(listed[1], len(self.graph)).T
            certified[np.ix_(rows, columns)] |= common.toarray() == 0
        return certified & ~self._overlap(ones, self.below, others, self.below)

    def _overlap(
        self,
        ones: Sequence[int],
        sets: Callable[[int], frozenset[int]],
        others: Sequence[int],
        other_sets: Callable[[int], frozenset[int]],
    ) -> NDArray[np.bool_]:
        """Return which pairs have sets with a common member."""
        size = len(self.graph)
        shared = _incidence([sets(c) for c in ones], size) @ _incidence([other_sets(c) for c in others], size).T
        overlap: NDArray[np.bool_] = shared.toarray() > 0
        return overlap

    def comparable(self, one: int, other: int) -> bool:
        """Return whether one concept is above the other, or both are above a third."""
        if one in self.above(other) or other in self.above(one):
            return True
        return not self.below(one).isdisjoint(self.below(other))

    def _certificate(self, one: int, other: int) -> str:
        """Return why two concepts are disjoint; empty where nothing certifies it."""
        reason = self._by_taxa(one, other) or self._by_kinds(one, other) or self._by_opposites(one, other)
        return "" if reason and self.comparable(one, other) else reason

    def _by_taxa(self, one: int, other: int) -> str:
        taxa, others = self.taxa(one), self.taxa(other)
        if not taxa or not others:
            return ""
        if not taxa.isdisjoint(self.all_taxa(other)) or not others.isdisjoint(self.all_taxa(one)):
            return ""
        return f"taxa: {self._names(taxa)} / {self._names(others)}"

    def _by_kinds(self, one: int, other: int) -> str:
        kinds, others = self.kinds(one), self.kinds(other)
        for name in sorted(kinds.keys() & others.keys()):
            if kinds[name].isdisjoint(others[name]):
                return f"{name}: {self._names(kinds[name])} / {self._names(others[name])}"
        return ""

    def _by_opposites(self, one: int, other: int) -> str:
        """Adjectives: the clusters around two antonyms."""
        antonyms = self.graph.antonyms
        if other in antonyms.get(one, ()):
            return f"opposites: {self.graph.ids[one]} / {self.graph.ids[other]}"
        for head in self._heads(one):
            for opposite in antonyms.get(head, frozenset()) & self._heads(other):
                return f"opposites: {self.graph.ids[head]} / {self.graph.ids[opposite]}"
        return ""

    def _heads(self, concept: int) -> frozenset[int]:
        """Return an adjective and, for a satellite, the adjectives that it is similar to."""
        if self.graph.pos[concept] == "s":
            return frozenset(o for o in self.graph.beside.get(concept, ()) if self.graph.pos[o] == "a")
        return frozenset({concept}) if self.graph.pos[concept] == "a" else frozenset()

    def _names(self, concepts: frozenset[int]) -> str:
        return ", ".join(sorted(self.graph.ids[concept] for concept in concepts))


def _incidence(sets: Sequence[frozenset[int]], size: int) -> csr_matrix:
    starts = np.cumsum([0, *map(len, sets)])
    members = np.fromiter((member for each in sets for member in sorted(each)), dtype=np.int64, count=int(starts[-1]))
    return csr_matrix((np.ones(len(members), dtype=np.int32), members, starts), shape=(len(sets), size))
