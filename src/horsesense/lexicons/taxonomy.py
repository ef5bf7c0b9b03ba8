"""WordNet as a table: the generality of each concept, and the concept that a text names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from horsesense.data import cache_folder, sha256_of_bytes
from horsesense.data.checksums import is_sound, summed
from horsesense.lexicons.store import closure
from horsesense.lexicons.wordnet import PARTS, Synset, definition_of, read_senses, read_synsets

_SHAPE = 4
"""Raised when the stored form changes, so that old cache files are not used."""
_UPWARDS = ("@", "@i")
_DERIVED = ("+", "\\", "<")
"""Derived words, pertainyms, participles."""
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Upwards:
    """Ancestors of each synset, itself first, as one flat array."""

    starts: NDArray[np.int64]
    """Start of the row of each synset; one more entry than synsets."""
    concept: NDArray[np.int64]
    """Indices, in ascending order within a row."""
    hops: NDArray[np.int64]
    """Links on the shortest path; 0 for itself."""
    codes: NDArray[np.int64]
    """Synset times number of synsets plus ancestor, in ascending order, for binary search."""


@dataclass(frozen=True)
class Taxonomy:
    """Columns over all synsets; a synset is identified by its index."""

    ids: Sequence[str]
    lemmas: Sequence[Sequence[str]]
    """Words of each synset, spaces between them, in WordNet's own case."""
    definitions: Sequence[str]
    examples: NDArray[np.int32]
    """Number of examples in its gloss."""
    hypernyms: Sequence[Sequence[int]]
    """Indices of its hypernyms, including instance hypernyms."""
    kinds: NDArray[np.int32]
    """Number of direct hyponyms, without instances."""
    hyponyms: NDArray[np.int32]
    """Number of synsets below it at any distance, including instances."""
    depth: NDArray[np.int32]
    """Links to the nearest root; -1 where a cycle of the database leads to no root."""
    senses: dict[str, list[int]] = field(repr=False)
    """Lower-case word → places of its synsets: nouns, verbs, adjectives, adverbs, the frequent sense first."""
    derived: dict[str, list[str]] = field(default_factory=dict, repr=False)
    """Lower-case word → words derived from it, and those that it is derived from."""

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def place(self) -> dict[str, int]:
        """Id → place."""
        return {name: number for number, name in enumerate(self.ids)}

    @cached_property
    def by_definition(self) -> dict[str, list[int]]:
        """Definition, as `definition_key` writes it → places of the synsets it defines."""
        places: dict[str, list[int]] = {}
        for number, definition in enumerate(self.definitions):
            places.setdefault(definition_key(definition), []).append(number)
        return places

    @cached_property
    def upwards(self) -> Upwards:
        """All ancestors of all synsets."""
        size = len(self)
        links = [(child, parent) for child, parents in enumerate(self.hypernyms) for parent in parents]
        child, parent = np.array(links, dtype=np.int64).reshape(-1, 2).T
        above = closure(max(size, 1), child, parent)
        itself = np.arange(size)
        codes = np.concatenate([itself * size + itself, above.concept * size + above.ancestor])
        order = np.argsort(codes)
        hops = np.concatenate([np.zeros(size, dtype=np.int64), above.hops])[order]
        concept, ancestor = np.divmod(codes[order], max(size, 1))
        return Upwards(np.searchsorted(concept, np.arange(size + 1)), ancestor, hops, codes[order])


def definition_key(text: str) -> str:
    """Normalise a definition for comparison: no quotations, lower case, single spaces.

    Published datasets quote WordNet's glosses with the examples cut off at different points.

    >>> definition_key('A hot  drink; "a cup of tea"')
    'a hot drink'
    """
    return _SPACES.sub(" ", definition_of(text)).lower()


def taxonomy_of(synsets: Sequence[Synset], senses: dict[str, dict[str, tuple[int, ...]]]) -> Taxonomy:
    """Build the table of parsed synsets."""
    place = {synset.id: number for number, synset in enumerate(synsets)}
    offsets = {("a" if s.pos == "s" else s.pos, s.offset): number for number, s in enumerate(synsets)}
    hypernyms = [[place[p.target] for p in s.pointers if p.symbol in _UPWARDS] for s in synsets]
    words: dict[str, list[int]] = {}
    for pos in PARTS:
        for word, numbers in senses[pos].items():
            words.setdefault(word.replace("_", " "), []).extend(offsets[pos, offset] for offset in numbers)
    return Taxonomy(
        ids=[s.id for s in synsets],
        lemmas=[[word.replace("_", " ") for word in s.lemmas] for s in synsets],
        definitions=[s.definition for s in synsets],
        examples=np.array([len(s.examples) for s in synsets], dtype=np.int32),
        hypernyms=hypernyms,
        kinds=np.array([sum(p.symbol == "~" for p in s.pointers) for s in synsets], dtype=np.int32),
        hyponyms=_below(hypernyms),
        depth=_depths(hypernyms),
        senses=words,
        derived=_derived(synsets),
    )


def _derived(synsets: Sequence[Synset]) -> dict[str, list[str]]:
    """Derivations hold between words, not meanings."""
    words = {synset.id: [word.replace("_", " ").lower() for word in synset.lemmas] for synset in synsets}
    derived: dict[str, set[str]] = {}
    for synset in synsets:
        for pointer in synset.pointers:
            if pointer.symbol in _DERIVED and pointer.source_word and pointer.target_word:
                one, other = words[synset.id][pointer.source_word - 1], words[pointer.target][pointer.target_word - 1]
                if one != other:
                    derived.setdefault(one, set()).add(other)
                    derived.setdefault(other, set()).add(one)
    return {word: sorted(others) for word, others in sorted(derived.items())}


def _below(hypernyms: Sequence[Sequence[int]]) -> NDArray[np.int32]:
    """Count distinct synsets below each; WordNet 3.0 has a cycle among its verbs, hence the set."""
    counts = np.zeros(len(hypernyms), dtype=np.int32)
    for start in range(len(hypernyms)):
        above, waiting = set(hypernyms[start]), list(hypernyms[start])
        while waiting:
            new = [parent for parent in hypernyms[waiting.pop()] if parent not in above]
            above.update(new)
            waiting.extend(new)
        for ancestor in above - {start}:
            counts[ancestor] += 1
    return counts


def _depths(hypernyms: Sequence[Sequence[int]]) -> NDArray[np.int32]:
    below: list[list[int]] = [[] for _ in hypernyms]
    for child, parents in enumerate(hypernyms):
        for parent in parents:
            below[parent].append(child)
    depths = np.full(len(hypernyms), -1, dtype=np.int32)
    level = [number for number, parents in enumerate(hypernyms) if not parents]
    for depth in range(len(hypernyms)):
        depths[level] = depth
        level = sorted({child for parent in level for child in below[parent] if depths[child] < 0})
        if not level:
            break
    return depths


def load_taxonomy(folder: Path) -> Taxonomy:
    """Load the table of a WordNet folder; it is parsed once and then read from the cache."""
    kept = _kept_file(folder)
    if kept.is_file() and is_sound(kept.parent, kept):
        with suppress(ValueError, KeyError, TypeError):  # a damaged file is written again
            return _unpacked(orjson.loads(kept.read_bytes()))
    senses = read_senses(folder)
    taxonomy = taxonomy_of(read_synsets(folder, senses), senses)
    with summed(kept.parent, kept) as temporary:
        temporary.write_bytes(orjson.dumps(_packed(taxonomy)))
    return taxonomy


def _kept_file(folder: Path) -> Path:
    stats = [(folder / f"{kind}.{ending}").stat() for kind in ("data", "index") for ending in PARTS.values()]
    about = [_SHAPE, str(folder.resolve()), [(stat.st_size, stat.st_mtime_ns) for stat in stats]]
    return cache_folder("taxonomy", f"{sha256_of_bytes(orjson.dumps(about))[:16]}.json")


def _packed(taxonomy: Taxonomy) -> dict[str, Any]:
    return {
        "ids": taxonomy.ids,
        "lemmas": taxonomy.lemmas,
        "definitions": taxonomy.definitions,
        "examples": taxonomy.examples.tolist(),
        "hypernyms": taxonomy.hypernyms,
        "kinds": taxonomy.kinds.tolist(),
        "hyponyms": taxonomy.hyponyms.tolist(),
        "depth": taxonomy.depth.tolist(),
        "senses": taxonomy.senses,
        "derived": taxonomy.derived,
    }


def _unpacked(values: dict[str, Any]) -> Taxonomy:
    counts = {name: np.array(values[name], dtype=np.int32) for name in ("examples", "kinds", "hyponyms", "depth")}
    return Taxonomy(**(values | counts))
