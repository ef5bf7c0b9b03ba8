"""What is wrong for sure.

A distractor is false when it is not the asked concept, does not lie in the asked direction from it at any
distance (instances included), and shares no word and no definition with the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from horsesense.knowledge.graph import Graph
from horsesense.probes.wordnetqa.wording import option_text


class Falsehood:
    """Which concepts would be right, or could be taken for right; asked for one question at a time."""

    def __init__(self, graph: Graph, relation: str) -> None:
        self.graph = graph
        self.relation = relation
        self.text = lru_cache(maxsize=None)(lambda concept: option_text(graph, relation, concept))
        self._reached = lru_cache(maxsize=64)(self._closure)
        self.barred = lru_cache(maxsize=512)(self._barred)

    def _closure(self, asked: int) -> set[int]:
        links = {"hypernymy": self.graph.up, "hyponymy": self.graph.down}.get(self.relation)
        return {asked} | (links.reached(asked) if links else set())

    def alike(self, concept: int) -> set[int]:
        """Concepts that share a word or the definition with one, itself included."""
        found = set(self.graph.by_definition[self.graph.definitions[concept].lower()])
        for lemma in self.graph.lemmas[concept]:
            found.update(self.graph.by_lemma[lemma.lower()])
        return found

    def _barred(self, asked: int, answer: int) -> set[int]:
        """What may not be a distractor."""
        return self._reached(asked) | self.alike(answer)

    def apart(self, concept: int, chosen: Sequence[int]) -> bool:
        """Whether an option reads otherwise than those chosen before it."""
        text = self.text(concept)
        return bool(text) and all(self.text(other) != text for other in chosen)
