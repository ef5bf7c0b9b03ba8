"""Distractors that lie near the asked concept, by kind and distance."""

from __future__ import annotations

from functools import lru_cache

from horsesense.knowledge.graph import Graph
from horsesense.probes.wordnetqa.plan import KINDS, MOST_HOPS

Near = dict[tuple[str, int], list[int]]
"""(kind, distance) → concepts, whether true or false."""


class Neighbours:
    """What lies near each concept; kept for the questions of a cluster, which come one after the other."""

    def __init__(self, graph: Graph, relation: str) -> None:
        self.graph = graph
        self.relation = relation
        self.near = lru_cache(maxsize=64)(self._near)

    def _near(self, concept: int) -> Near:
        found: Near = {}
        for kind in KINDS[self.relation]:
            if kind == "sister":
                pairs = list(self.graph.sister_depths(concept, MOST_HOPS).items())
            else:
                links = self.graph.up if kind == "hypernym" else self.graph.down
                pairs = [(other, hops) for other, hops in links.row(concept) if 1 <= hops <= MOST_HOPS]
            for other, hops in sorted(pairs):
                found.setdefault((kind, hops), []).append(other)
        return found
