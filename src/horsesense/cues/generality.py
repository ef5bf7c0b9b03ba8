"""Cues of generality: properties of an option's concept in WordNet."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from horsesense.cues.battery import NO_KEYS, Keys, keys, learnt, number
from horsesense.cues.table import Table
from horsesense.cues.tokens import Floats


def _of_concept(table: Table, column: NDArray[np.int64] | None) -> Floats:
    """Return a flat WordNet column; nan for options without a concept."""
    if column is None:
        return np.full(len(table.text_of), np.nan)
    return np.where(table.synset >= 0, column[table.synset], np.nan)


@number("with the most hyponyms", "with the fewest hyponyms")
def hyponyms(table: Table) -> Floats:
    """Number of direct hyponyms of its concept in WordNet."""
    return _of_concept(table, table.taxonomy.children if table.taxonomy else None)


@number("with the most hyponyms at any distance", "with the fewest hyponyms at any distance")
def all_hyponyms(table: Table) -> Floats:
    """Number of hyponyms of its concept in WordNet, at any distance."""
    return _of_concept(table, table.taxonomy.hyponyms if table.taxonomy else None)


@number("that is deepest in WordNet", "that is highest in WordNet")
def depth(table: Table) -> Floats:
    """Number of steps to the nearest root of WordNet."""
    return _of_concept(table, table.taxonomy.depth if table.taxonomy else None)


@number("with the most lemmas", "with the fewest lemmas")
def lemmas(table: Table) -> Floats:
    """Number of lemmas of its concept in WordNet."""
    known = table.taxonomy
    return _of_concept(table, np.array([len(words) for words in known.lemmas], dtype=np.int64) if known else None)


@number("whose concept has an example in WordNet", "whose concept has no example in WordNet")
def example(table: Table) -> Floats:
    """Whether WordNet's gloss of its concept has an example."""
    known = table.taxonomy
    return _of_concept(table, np.array([len(each) > 0 for each in known.examples], dtype=np.int64) if known else None)


@number("whose word has the most senses", "whose word has the fewest senses")
def senses(table: Table) -> Floats:
    """Number of WordNet senses of the first word of its concept."""
    known = table.taxonomy
    if known is None:
        return _of_concept(table, None)
    synsets = np.unique(table.synset[table.synset >= 0])
    column = np.zeros(len(known), dtype=np.int64)
    column[synsets] = [len(known.senses[known.lemmas[synset][0].lower()]) for synset in synsets.tolist()]
    return _of_concept(table, column)


@number("with the highest sense number", "with the lowest sense number")
def sense_number(table: Table) -> Floats:
    """Number of its sense: 1 is the most frequent."""
    known = table.taxonomy
    if known is None:
        return _of_concept(table, None)
    return _of_concept(table, np.array([int(name.rpartition(".")[2]) for name in known.ids], dtype=np.int64))


@learnt("whose part of speech is right most often in other items")
def part_of_speech(table: Table) -> Keys:
    """Part of speech of its concept in WordNet."""
    known = table.taxonomy
    if known is None:
        return NO_KEYS
    parts = np.array(["nvars".index(name.split(".")[-2]) for name in known.ids], dtype=np.int64)
    return keys(np.where(table.synset >= 0, parts[table.synset], -1))
