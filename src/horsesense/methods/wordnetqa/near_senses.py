"""Which senses of a word, or concepts near each other, are clearly different: what is said of one is not said of the
other in other words.

A dictionary tells senses apart that nobody else does: *slow*, "not hasty; tardy", and "not prompt or quick; sluggish".
Two senses are clearly different where no stem of one definition stands in the other, nor in the other with the synonyms
of its words, by a thesaurus; and where the synonyms of both have next to nothing in common.
"""

from __future__ import annotations

from functools import lru_cache

from horsesense.knowledge.graph import Graph
from horsesense.language.stems import stems
from horsesense.language.words import FUNCTION_WORDS, words

_MOST_SENSES = 12
"""A word of more senses has synonyms for everything."""

_FEWEST = 20
"""Stems of a definition with its synonyms; of fewer the thesaurus knows too little."""
_COMMON = (0.06, 0.03)
"""Share of these that two definitions may have in common, of verbs less: their senses shade into one another. Half of all
pairs of nouns and adjectives without a common stem have no more than that."""


class Senses:
    """The senses of a dictionary, compared with the help of a thesaurus where there is one."""

    def __init__(self, graph: Graph, thesaurus: Graph | None) -> None:
        self.graph, self.thesaurus = graph, thesaurus
        self.stems = lru_cache(maxsize=None)(lambda sense: stems(graph.definitions[sense]))
        self.widened = lru_cache(maxsize=None)(self._widened)
        self.around = lru_cache(maxsize=None)(self._around)

    def different(self, one: int, other: int) -> bool:
        """Whether nobody could take one for the other."""
        wide, other_wide = self.widened(one), self.widened(other)
        if not (wide.isdisjoint(self.stems(other)) and self.stems(one).isdisjoint(other_wide)):
            return False
        if self.thesaurus is None:
            return True
        fewest = min(len(wide), len(other_wide))
        return fewest >= _FEWEST and len(wide & other_wide) <= _COMMON[self.graph.pos[one] == "v"] * fewest

    def _widened(self, sense: int) -> frozenset[str]:
        found = self.stems(sense)
        return found.union(*(self.around(word) for word in words(self.graph.definitions[sense])))

    def _around(self, word: str) -> frozenset[str]:
        """The stems of a word's synonyms, of what is similar to it, and of what lies next above it."""
        if self.thesaurus is None or word in FUNCTION_WORDS:
            return frozenset()
        concepts = self.thesaurus.by_lemma.get(word, [])
        if len(concepts) > _MOST_SENSES:
            return frozenset()
        near = {other for concept in concepts for other in self.thesaurus.beside.get(concept, ())}
        near |= {other for concept in concepts for other, hops in self.thesaurus.up.row(concept) if hops == 1}
        return stems(" ".join(lemma for concept in {*concepts, *near} for lemma in self.thesaurus.lemmas[concept]))
