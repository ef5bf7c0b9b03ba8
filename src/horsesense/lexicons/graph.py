"""A knowledge source as a graph: built from triples, stored as one Arrow file, its columns decoded on first use.

Each source has a file in the user's cache, which is written whole or not at all and compared with its checksum when it
is read. A killed import leaves no partial file, and readers are not blocked.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakValueDictionary

import numpy as np
import orjson
from numpy.typing import NDArray

from horsesense.data import cache_folder
from horsesense.data.store import Store
from horsesense.errors import UserError, unknown
from horsesense.lexicons.triples import BESIDE, BETWEEN_CONCEPTS, GLOSS, INSTANCE, ISA, RELATIONS, SENSE, Origin, Triple
from horsesense.lexicons.wordnet import definition_key

if TYPE_CHECKING:
    import pyarrow as pa

Ints = NDArray[np.int64]
_T = TypeVar("_T")

_SHAPE = 2
"""Raised when the columns of the file change, so that old files are not used."""
_DERIVED = ("derivation from", "derivation to")
"""Columns with the two words of each derivation, in lower case; a derivation holds between words, not meanings."""
_DAMAGED = "remove the file and try again"
_loaded: WeakValueDictionary[tuple[Path, int, int], Graph] = WeakValueDictionary()
_last: deque[Graph] = deque(maxlen=1)
"""The graph that was used last stays: each cue search of a process needs WordNet's, which takes 2 s to load."""


@dataclass(frozen=True, slots=True)
class ConceptLinks:
    """For each concept a row of other concepts with their distance, as one flat array."""

    starts: Ints
    others: NDArray[np.int32]
    hops: NDArray[np.uint8]
    """Number of links on the shortest path."""

    def row(self, concept: int) -> Iterator[tuple[int, int]]:
        """Return the others of one concept with their distances."""
        where = slice(int(self.starts[concept]), int(self.starts[concept + 1]))
        return zip(self.others[where].tolist(), self.hops[where].tolist(), strict=True)

    def reached(self, concept: int) -> set[int]:
        """Return the others of one concept at any distance, including instance links."""
        return set(self.others[self.starts[concept] : self.starts[concept + 1]].tolist())


class Graph:
    """Columns over all concepts of a source; a concept has an id outside and an index inside."""

    def __init__(self, origin: Origin, table: pa.Table, left_out: Mapping[str, int]) -> None:
        """Wrap a table with a row per concept.

        Args:
            origin: Where the facts come from.
            table: The ids, and a column of lists for each relation: texts, or indices of other concepts.
            left_out: Number of entries rejected at import, by reason.
        """
        self.origin, self.left_out = origin, left_out
        self._table = table

    def __len__(self) -> int:
        return int(self._table.num_rows)

    # Texts.

    @cached_property
    def ids(self) -> list[str]:
        """Id of each concept."""
        ids: list[str] = self._table["id"].to_pylist()
        return ids

    @cached_property
    def number(self) -> dict[str, int]:
        """Id → index."""
        return {name: i for i, name in enumerate(self.ids)}

    @cached_property
    def pos(self) -> Sequence[str]:
        """Part of speech, empty where the source has none."""
        return _first(self._lists("pos"))

    @cached_property
    def definitions(self) -> Sequence[str]:
        """Definition without examples and their authors; empty where there is none."""
        return _first(self._lists("definition"))

    @cached_property
    def glosses(self) -> Sequence[str]:
        """Definition as NLTK and published datasets print it, sometimes with the author of an example."""
        glosses = _first(self._lists(GLOSS))
        return [gloss or definition for gloss, definition in zip(glosses, self.definitions, strict=True)]

    @cached_property
    def examples(self) -> Sequence[Sequence[str]]:
        """Examples of each concept."""
        return self._lists("example")

    @cached_property
    def lemmas(self) -> Sequence[Sequence[str]]:
        """Words, with spaces; the first one is the name."""
        return self._lists("lemma")

    @cached_property
    def by_lemma(self) -> dict[str, list[int]]:
        """Word in lower case → indices of the concepts it names."""
        concepts: dict[str, list[int]] = {}
        for concept, lemmas in enumerate(self.lemmas):
            for lemma in lemmas:
                concepts.setdefault(lemma.lower(), []).append(concept)
        return concepts

    @cached_property
    def senses(self) -> dict[str, list[int]]:
        """Word in lower case → indices of its senses: nouns, verbs, adjectives, adverbs, the frequent sense first."""
        # Satellites are numbered among all adjectives.
        first = {pos: 1000 * i for i, group in enumerate(("n", "v", "as", "r")) for pos in group}
        ranks: dict[str, dict[int, int]] = {}
        for concept, (pos, lemmas, numbers) in enumerate(zip(self.pos, self.lemmas, self._lists(SENSE), strict=True)):
            for lemma, number in zip(lemmas, numbers or ("0",) * len(lemmas), strict=True):
                ranks.setdefault(lemma.lower(), {})[concept] = first.get(pos, 0) + int(number)
        return {word: sorted(of, key=of.__getitem__) if len(of) > 1 else [*of] for word, of in ranks.items()}

    @cached_property
    def by_definition(self) -> dict[str, list[int]]:
        """Definition in lower case → indices of the concepts it defines."""
        return _grouped(definition.lower() for definition in self.definitions)

    @cached_property
    def by_gloss(self) -> dict[str, list[int]]:
        """Gloss, as `definition_key` writes it → indices of the concepts it defines."""
        return _grouped(map(definition_key, self.glosses))

    @cached_property
    def derived(self) -> dict[str, frozenset[str]]:
        """Lower-case word → other words derived from it, and those that it is derived from."""
        words, others = (_flat(self._table[name])[1].to_pylist() for name in _DERIVED)
        return _either_way((word, other) for word, other in zip(words, others, strict=True) if word and word != other)

    # Links.

    @cached_property
    def up(self) -> ConceptLinks:
        """Concepts above, at any distance, nearest first; the distance is 0 where an instance link is on the path."""
        return _links(self._ancestors.concept, self._ancestors.ancestor, self._isa_hops, len(self))

    @cached_property
    def down(self) -> ConceptLinks:
        """Concepts below, as `up`."""
        return _links(self._ancestors.ancestor, self._ancestors.concept, self._isa_hops, len(self))

    @cached_property
    def lineage(self) -> ConceptLinks:
        """The concept itself and all above it, in ascending order, with the distance over links of either kind."""
        size, above = len(self), self._ancestors
        itself = np.arange(size)
        codes = np.concatenate([itself * size + itself, above.concept * size + above.ancestor])
        order = np.argsort(codes)
        concept, ancestor = np.divmod(codes[order], max(size, 1))
        hops = np.concatenate([np.zeros(size, dtype=np.int64), above.hops])[order]
        starts = np.searchsorted(concept, np.arange(size + 1))
        return ConceptLinks(starts, ancestor.astype(np.int32), hops.astype(np.uint8))

    @cached_property
    def children(self) -> Ints:
        """Number of direct hyponyms of each concept, without instances."""
        return np.bincount(self.links(ISA)[1], minlength=len(self))

    @cached_property
    def hyponyms(self) -> Ints:
        """Number of concepts below each at any distance, including instances."""
        return np.bincount(self._ancestors.ancestor, minlength=len(self))

    @cached_property
    def depth(self) -> Ints:
        """Links to the nearest root; -1 where a cycle leads to no root."""
        above = self._ancestors
        is_root = np.bincount(self.links(ISA, INSTANCE)[0], minlength=len(self)) == 0
        to_root = is_root[above.ancestor]
        depth = np.where(is_root, 0, len(self))
        np.minimum.at(depth, above.concept[to_root], above.hops[to_root])
        return np.where(depth < len(self), depth, -1)

    @cached_property
    def beside(self) -> dict[int, frozenset[int]]:
        """Concept → others that are similar to it, derived from it, entailed by it or its attribute; either way."""
        one, other = self.links(*BESIDE)
        return _either_way(zip(one.tolist(), other.tolist(), strict=True))

    @cached_property
    def antonyms(self) -> dict[int, frozenset[int]]:
        """Concept → others with an opposite word; either way."""
        one, other = self.links("antonym")
        return _either_way(zip(one.tolist(), other.tolist(), strict=True))

    @cached_property
    def members(self) -> dict[int, frozenset[int]]:
        """Concept → groups that it belongs to, such as biological taxa."""
        groups: dict[int, set[int]] = {}
        ones, others = self.links("member")
        for one, other in zip(ones.tolist(), others.tolist(), strict=True):
            groups.setdefault(one, set()).add(other)
        return {concept: frozenset(each) for concept, each in groups.items()}

    def links(self, *relations: str) -> tuple[Ints, Ints]:
        """Return pairs of concepts that have one of the relations, as two arrays of indices."""
        ones, others = [], []
        for relation in relations:
            starts, values = _flat(self._table[relation])
            ones.append(np.repeat(np.arange(len(self)), np.diff(starts)))
            others.append(np.from_dlpack(values).astype(np.int64))
        return np.concatenate(ones), np.concatenate(others)

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

    def _lists(self, name: str) -> list[tuple[str, ...]]:
        starts, values = _flat(self._table[name])
        flat = values.to_pylist()
        return [tuple(flat[start:end]) for start, end in pairwise(starts.tolist())]

    @cached_property
    def _ancestors(self) -> Closure:
        return closure(max(len(self), 1), *self.links(ISA, INSTANCE))

    @cached_property
    def _isa_hops(self) -> NDArray[np.uint8]:
        """Isa distance of each pair of ancestors, 0 where an instance link is on the path."""
        size, every = max(len(self), 1), self._ancestors
        only = closure(size, *self.links(ISA))
        hops = np.zeros(len(every.concept), dtype=np.uint8)
        hops[np.searchsorted(every.concept * size + every.ancestor, only.concept * size + only.ancestor)] = only.hops
        return hops


def _first(column: Iterable[tuple[str, ...]]) -> list[str]:
    return [values[0] if values else "" for values in column]


def _grouped(keys: Iterable[str]) -> dict[str, list[int]]:
    concepts: dict[str, list[int]] = {}
    for concept, key in enumerate(keys):
        concepts.setdefault(key, []).append(concept)
    return concepts


def _either_way(pairs: Iterable[tuple[_T, _T]]) -> dict[_T, frozenset[_T]]:
    others: dict[_T, set[_T]] = {}
    for one, other in pairs:
        others.setdefault(one, set()).add(other)
        others.setdefault(other, set()).add(one)
    return {one: frozenset(neighbours) for one, neighbours in others.items()}


def _links(concept: Ints, other: Ints, hops: NDArray[np.uint8], size: int) -> ConceptLinks:
    order = np.lexsort((other, hops, hops == 0, concept))
    starts = np.searchsorted(concept[order], np.arange(size + 1))
    return ConceptLinks(starts, other[order].astype(np.int32), hops[order])


def _flat(column: pa.ChunkedArray) -> tuple[Ints, pa.Array]:
    """Return the start of each list, with the end of the last, and the values of all lists."""
    lists = column.combine_chunks()
    return np.from_dlpack(lists.offsets).astype(np.int64), lists.values  # to_numpy() would import pandas


def build_graph(
    origin: Origin, triples: Iterable[Triple], *, left_out: Mapping[str, int] | None = None, loops: bool = False
) -> Graph:
    """Build the graph of triples.

    Args:
        origin: Where they come from.
        triples: Facts; a concept has the index of its first fact.
        left_out: Number of rejected entries by reason.
        loops: Whether isa links may form cycles.
    """
    import pyarrow as pa

    facts = list(triples)
    number: dict[str, int] = {}
    for fact in facts:
        number.setdefault(fact.concept, len(number))
    texts = [relation for relation in (*RELATIONS, SENSE, GLOSS) if relation not in BETWEEN_CONCEPTS] + [*_DERIVED]
    rows: dict[str, list[tuple[int, Any]]] = {name: [] for name in (*sorted(BETWEEN_CONCEPTS), *texts)}
    for relation, concept, target, word, target_word in facts:
        if relation not in BETWEEN_CONCEPTS:
            rows[relation].append((number[concept], target))
            continue
        if target not in number:
            raise UserError(f"{concept} {relation} {target}: nothing is said about the latter")
        rows[relation].append((number[concept], number[target]))
        if relation == "derivation":
            for name, each in zip(_DERIVED, (word, target_word), strict=True):
                rows[name].append((number[concept], each.lower()))
    columns = {"id": pa.array(number, pa.string())}
    for name, pairs in rows.items():
        columns[name] = _column(pairs, len(number), pa.string() if name in texts else pa.int32())
    graph = Graph(origin, pa.table(columns), dict(left_out or {}))
    if not loops and len(in_loop := graph._ancestors.loops):
        raise UserError(f"{graph.ids[in_loop[0]]} is above itself", fix="break the circle of isa")
    return graph


def _column(pairs: list[tuple[int, Any]], size: int, kind: pa.DataType) -> pa.ListArray:
    """Return the values of each concept as a list, in their order."""
    import pyarrow as pa

    pairs.sort(key=lambda pair: pair[0])
    starts = np.searchsorted(np.array([concept for concept, _ in pairs], dtype=np.int64), np.arange(size + 1))
    return pa.ListArray.from_arrays(pa.array(starts, pa.int32()), pa.array([value for _, value in pairs], kind))


# Files.


def source_path(name: str) -> Path:
    """Return the path of a stored source."""
    return cache_folder("knowledge", f"{name}.arrow")


def add_source(graph: Graph) -> None:
    """Store a source, replacing an older one of that name."""
    import pyarrow as pa
    from filelock import FileLock

    about = {"shape": _SHAPE, "origin": asdict(graph.origin), "left_out": graph.left_out}
    table = graph._table.replace_schema_metadata({"horsesense": orjson.dumps(about)})
    path = source_path(graph.origin.name)
    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(path.parent / ".lock"), Store(path.parent).writing(path) as temporary:
        packing = pa.ipc.IpcWriteOptions(compression="zstd")
        with pa.OSFile(str(temporary), "wb") as file, pa.ipc.new_file(file, table.schema, options=packing) as writer:
            writer.write_table(table)


def list_sources() -> list[Origin]:
    """Return the stored sources by name."""
    stored = (_about(path)[0] for path in sorted(source_path("").parent.glob("*.arrow")))
    return [origin for origin in stored if origin is not None]


def find_source(name: str) -> Origin:
    """Return a stored source, or raise an error with the names of those that are stored."""
    known = {origin.name: origin for origin in list_sources()}
    if name in known:
        return known[name]
    if known:
        raise unknown("knowledge source", name, known)
    fix = "horsesense fetch or horsesense knowledge add gets one"
    raise UserError(f"there is no knowledge source '{name}'", fix=fix)


def load_graph(source: str) -> Graph:
    """Load a stored source; while one is in use, or if it was the last one, the next call returns the same."""
    import pyarrow as pa

    origin, path = find_source(source), source_path(source)
    state = path.stat()
    key = path, state.st_mtime_ns, state.st_size
    graph = _loaded.get(key)
    if graph is None:
        Store(path.parent).check(path, _DAMAGED)
        table = pa.ipc.open_file(pa.memory_map(str(path))).read_all()
        graph = _loaded[key] = Graph(origin, table, _about(path)[1])
    _last.append(graph)
    return graph


def _about(path: Path) -> tuple[Origin | None, dict[str, int]]:
    """Return the origin of a stored source, None for one of another version, and what was left out."""
    import pyarrow as pa

    try:
        with pa.memory_map(str(path)) as file:
            about = orjson.loads(pa.ipc.open_file(file).schema.metadata[b"horsesense"])
        return (Origin(**about["origin"]) if about["shape"] == _SHAPE else None), dict(about["left_out"])
    except (pa.ArrowInvalid, OSError, TypeError, KeyError, ValueError) as error:
        raise UserError("the stored knowledge is damaged", file=path, fix=_DAMAGED) from error


# Ancestors.


@dataclass(frozen=True, slots=True)
class Closure:
    """Pairs of a concept and an ancestor, each once."""

    concept: Ints
    ancestor: Ints
    hops: Ints
    """Length of the shortest path up."""
    loops: Ints
    """Concepts that are their own ancestors."""


def closure(size: int, child: Ints, parent: Ints) -> Closure:
    """All pairs of concept and ancestor of a graph of ``size`` concepts; a loop ends where it began.

    >>> above = closure(4, np.array([0, 1, 1]), np.array([1, 2, 3]))
    >>> list(zip(above.concept.tolist(), above.ancestor.tolist(), above.hops.tolist()))
    [(0, 1, 1), (0, 2, 2), (0, 3, 2), (1, 2, 1), (1, 3, 1)]
    """
    order = np.argsort(child, kind="stable")
    parents = parent[order]
    starts = np.searchsorted(child[order], np.arange(size + 1))
    level = _distinct(child * size + parent)
    seen, distances, hops = level, np.ones(len(level), dtype=np.int64), 1
    while len(level):
        hops += 1
        concept, ancestor = np.divmod(level, size)
        lengths = np.diff(starts)[ancestor]
        positions = np.arange(lengths.sum()) + np.repeat(starts[ancestor] - (np.cumsum(lengths) - lengths), lengths)
        level = _distinct(np.repeat(concept, lengths) * size + parents[positions])
        level = level[seen[np.minimum(np.searchsorted(seen, level), len(seen) - 1)] != level]
        merged = np.concatenate([seen, level])
        order = np.argsort(merged, kind="stable")
        seen = merged[order]
        distances = np.concatenate([distances, np.full(len(level), hops)])[order]
    concept, ancestor = np.divmod(seen, size)
    loop = concept == ancestor
    return Closure(concept[~loop], ancestor[~loop], distances[~loop], concept[loop])


def _distinct(codes: Ints) -> Ints:
    """Return sorted distinct codes; ``numpy.unique`` hashes, which is a hundred times slower for these codes."""
    codes = np.sort(codes)
    return codes[np.diff(codes, prepend=-1) > 0]
