"""What a graph holds around a concept, by the names of concepts."""

from __future__ import annotations

from horsesense.lexicons.graph import ConceptLinks, Graph
from horsesense.lexicons.triples import INSTANCE, ISA


def hops(graph: Graph, links: ConceptLinks, concept: str, most: int) -> dict[str, int]:
    """What is reached over at most so many isa links, with the least number needed: HOPS of the paper."""
    return {graph.ids[other]: far for other, far in links.row(graph.number[concept]) if 1 <= far <= most}


def sisters(graph: Graph, concept: str, depth: int) -> dict[str, int]:
    """The sister family of a concept, with the depth of each member."""
    return {graph.ids[other]: deep for other, deep in graph.sister_depths(graph.number[concept], depth).items()}


def links_between(graph: Graph, one: str, other: str) -> int | None:
    """The fewest isa links from one synset to another over something above both; None where there is nothing."""

    links = list(zip(*(column.tolist() for column in graph.links(ISA, INSTANCE)), strict=True))

    def above(name: str) -> dict[int, int]:
        found, level, hops = {graph.number[name]: 0}, [graph.number[name]], 0
        while level:
            hops += 1
            level = [parent for here in level for child, parent in links if child == here and parent not in found]
            found.update(dict.fromkeys(level, hops))
        return found

    mine, theirs = above(one), above(other)
    return min((mine[place] + theirs[place] for place in mine.keys() & theirs.keys()), default=None)
