"""What a graph holds around a concept, by the names of concepts."""

from __future__ import annotations

from horsesense.knowledge.graph import Graph, Links


def hops(graph: Graph, links: Links, concept: str, most: int) -> dict[str, int]:
    """What is reached over at most so many isa links, with the least number needed: HOPS of the paper."""
    return {graph.ids[other]: far for other, far in links.row(graph.number[concept]) if 1 <= far <= most}


def sisters(graph: Graph, concept: str, depth: int) -> dict[str, int]:
    """The sister family of a concept, with the depth of each member."""
    return {graph.ids[other]: deep for other, deep in graph.sister_depths(graph.number[concept], depth).items()}
