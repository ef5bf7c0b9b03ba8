"""A knowledge source as a graph in memory: words, definitions, and concepts above, below and related."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from horsesense.lexicons.store import Ints, find_source, reading_store
from horsesense.lexicons.triples import BESIDE, Origin

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


@dataclass(frozen=True, slots=True)
class ConceptLinks:
    """For each concept a row of other concepts with their distance, as one flat array."""

    starts: Ints
    others: NDArray[np.int32]
    hops: NDArray[np.uint8]
    """Number of isa links on the shortest path; 0 where an instance link is on it."""

    def row(self, concept: int) -> Iterator[tuple[int, int]]:
        """Return the others of one concept with their distances."""
        where = slice(int(self.starts[concept]), int(self.starts[concept + 1]))
        return zip(self.others[where].tolist(), self.hops[where].tolist(), strict=True)

    def reached(self, concept: int) -> set[int]:
        """Return the others of one concept at any distance, including instance links."""
        return set(self.others[self.starts[concept] : self.starts[concept + 1]].tolist())


@dataclass(frozen=True)
class Graph:
    """Columns over all concepts of a source; a concept has an id outside and an index inside."""

    origin: Origin
    ids: Sequence[str]
    pos: Sequence[str]
    """Part of speech, empty where the source has none."""
    definitions: Sequence[str]
    """Empty where it has none."""
    examples: Sequence[Sequence[str]]
    lemmas: Sequence[Sequence[str]]
    """Words, with spaces; the first one is the name."""
    up: ConceptLinks
    """Concepts above, at any distance, nearest first."""
    down: ConceptLinks
    left_out: Mapping[str, int] = field(default_factory=dict)
    """Number of entries rejected at import, by reason."""
    beside: Mapping[int, frozenset[int]] = field(default_factory=dict, repr=False)
    """Concept → others that are similar to it, derived from it, entailed by it or its attribute; either way round."""
    members: Mapping[int, frozenset[int]] = field(default_factory=dict, repr=False)
    """Concept → groups that it belongs to, such as biological taxa."""
    antonyms: Mapping[int, frozenset[int]] = field(default_factory=dict, repr=False)
    """Concept → others with an opposite word."""
    derived: Mapping[str, frozenset[str]] = field(default_factory=dict, repr=False)
    """Lower-case word → other words derived from it, and those that it is derived from."""

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def number(self) -> dict[str, int]:
        """Id → number."""
        return {name: number for number, name in enumerate(self.ids)}

    @cached_property
    def by_lemma(self) -> dict[str, list[int]]:
        """Word in lower case → numbers of the concepts it names."""
        concepts: dict[str, list[int]] = {}
        for concept, lemmas in enumerate(self.lemmas):
            for lemma in lemmas:
                concepts.setdefault(lemma.lower(), []).append(concept)
        return concepts

    @cached_property
    def by_definition(self) -> dict[str, list[int]]:
        """Definition in lower case → numbers of the concepts it defines."""
        concepts: dict[str, list[int]] = {}
        for concept, definition in enumerate(self.definitions):
            concepts.setdefault(definition.lower(), []).append(concept)
        return concepts

    def sister_depths(self, concept: int, depth: int) -> dict[int, int]:
        """The ``depth``-deep sister family of section 3.1, with the depth of each member: other children of its
        parents are 1 deep, what is k links below them 1 + k."""
        parents = {parent for parent, hops in self.up.row(concept) if hops == 1}
        depths: dict[int, int] = {}
        for parent in sorted(parents):
            for sister, hops in self.down.row(parent):
                if hops == 1 and sister != concept:
                    depths[sister] = 1
        for sister in list(depths) if depth > 1 else ():
            for other, hops in self.down.row(sister):
                if 1 <= hops < depth and other != concept:
                    depths[other] = min(depths.get(other, depth), 1 + hops)
        return depths


def load_graph(source: str) -> Graph:
    """Load a source from the store."""
    origin = find_source(source)
    with reading_store() as connection:
        ids = _texts(connection, "select id from concepts where source = ? order by number", source)
        rows = connection.execute(
            "select concept, ancestor, hops from ancestors where source = ? order by concept, hops = 0, hops, ancestor",
            [source],
        ).fetchnumpy()
        left_out = connection.execute(
            "select reason, count from left_out where source = ? order by reason", [source]
        ).fetchall()
        columns = {name: _grouped(connection, source, name, len(ids)) for name in _COLUMNS}
        beside = _related(connection, source, BESIDE, both=True)
        members = _related(connection, source, ("member",))
        antonyms = _related(connection, source, ("antonym",), both=True)
        derived = _derived(connection, source)
    concept, ancestor, hops = (np.asarray(rows[name]) for name in ("concept", "ancestor", "hops"))
    return Graph(
        origin=origin,
        ids=ids,
        pos=_first(columns["pos"]),
        definitions=_first(columns["definition"]),
        examples=columns["example"],
        lemmas=columns["lemma"],
        up=_links(concept, ancestor, hops, len(ids)),
        down=_links(ancestor, concept, hops, len(ids)),
        left_out=dict(left_out),
        beside=beside,
        members=members,
        antonyms=antonyms,
        derived=derived,
    )


_COLUMNS = ("pos", "definition", "example", "lemma")


def _texts(connection: DuckDBPyConnection, query: str, source: str) -> list[str]:
    return [text for (text,) in connection.execute(query, [source]).fetchall()]


def _first(column: Sequence[Sequence[str]]) -> list[str]:
    return [values[0] if values else "" for values in column]


def _grouped(connection: DuckDBPyConnection, source: str, relation: str, size: int) -> list[tuple[str, ...]]:
    query = "select concept, target from triples where source = ? and relation = ? order by concept, number"
    targets: list[tuple[str, ...]] = [()] * size
    for concept, target in connection.execute(query, [source, relation]).fetchall():
        targets[concept] += (target,)
    return targets


def _related(
    connection: DuckDBPyConnection, source: str, relations: Sequence[str], both: bool = False
) -> dict[int, frozenset[int]]:
    """Return the targets of some relations; with ``both``, also the other way round."""
    query = f"""
    select t.concept, c.number from triples t join concepts c on c.source = t.source and c.id = t.target
    where t.source = ? and t.relation in ({", ".join("?" * len(relations))})
    """
    related: dict[int, set[int]] = {}
    for concept, other in connection.execute(query, [source, *relations]).fetchall():
        related.setdefault(concept, set()).add(other)
        if both:
            related.setdefault(other, set()).add(concept)
    return {concept: frozenset(others) for concept, others in related.items()}


def _derived(connection: DuckDBPyConnection, source: str) -> dict[str, frozenset[str]]:
    query = """
    select lower(word), lower(target_word) from triples
    where source = ? and relation = 'derivation' and word <> '' and lower(word) <> lower(target_word)
    """
    derived: dict[str, set[str]] = {}
    for word, other in connection.execute(query, [source]).fetchall():
        derived.setdefault(word, set()).add(other)
        derived.setdefault(other, set()).add(word)
    return {word: frozenset(others) for word, others in derived.items()}


def _links(concept: NDArray[np.int32], other: NDArray[np.int32], hops: NDArray[np.uint8], size: int) -> ConceptLinks:
    order = np.lexsort((other, hops, hops == 0, concept))
    starts = np.searchsorted(concept[order], np.arange(size + 1))
    return ConceptLinks(starts, other[order], hops[order])
