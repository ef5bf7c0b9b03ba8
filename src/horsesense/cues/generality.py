"""Cues of WordNet: properties of an option's concept, and its relations to those of the other options. The question is
ignored.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from horsesense.cues.battery import NO_KEYS, Keys, keys, learnt, number
from horsesense.cues.table import Table
from horsesense.cues.tokens import Floats, Ints, spread
from horsesense.lexicons.graph import Graph


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
    places = np.unique(table.synset[table.synset >= 0])
    column = np.zeros(len(known), dtype=np.int64)
    column[places] = [len(known.senses[known.lemmas[place][0].lower()]) for place in places.tolist()]
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


# Relations between options.


@dataclass(frozen=True, slots=True)
class _Kin:
    """Flat relations of an option's concept to those of the other options; nan for options without a concept."""

    above: Floats
    """Number of other concepts below it."""
    below: Floats
    """Number of other concepts above it."""
    near: Floats
    """Minus the number of links to the nearest one."""


@number("above the most other options", "above the fewest other options")
def above_another(table: Table) -> Floats:
    """Number of other options that its concept includes in WordNet."""
    return _kin(table).above


@number("below the most other options", "below the fewest other options")
def below_another(table: Table) -> Floats:
    """Number of other options that include its concept in WordNet."""
    return _kin(table).below


@number("nearest to another option", "furthest from the other options")
def near_another(table: Table) -> Floats:
    """Minus the number of WordNet links to another option's concept, over a common hypernym."""
    return _kin(table).near


def _kin(table: Table) -> _Kin:
    kept: dict[int, _Kin] = table.__dict__.setdefault("kin", {})
    if 0 not in kept:
        kept[0] = _kin_of(table)
    return kept[0]


def _kin_of(table: Table) -> _Kin:
    options = len(table.text_of)
    none = np.full(options, np.nan)
    known = table.taxonomy
    if known is None or (table.synset < 0).all():
        return _Kin(none, none, none)
    # Every ordered pair of options of an item.
    width = table.counts[table.item_of]
    one, other = spread(width, table.starts[:-1][table.item_of])
    kept = (one != other) & (table.synset[one] >= 0) & (table.synset[other] >= 0)
    one, other = one[kept], other[kept]
    mine, theirs = table.synset[one], table.synset[other]
    pairs, which = np.unique(mine * len(known) + theirs, return_inverse=True)
    links = _links(known, *np.divmod(pairs, len(known)))
    over, under, far = (column[which] for column in links)
    named = table.synset >= 0
    above = np.where(named, np.bincount(one, weights=over, minlength=options), np.nan)
    below = np.where(named, np.bincount(one, weights=under, minlength=options), np.nan)
    near = none.copy()
    np.fmax.at(near, one, -far)
    return _Kin(above, below, near)


def _links(known: Graph, mine: Ints, theirs: Ints) -> tuple[Floats, Floats, Floats]:
    """Return for pairs of concepts whether the first is above the second, below it, and the number of links between
    them; nan without a common hypernym."""
    up = known.lineage
    row, place = spread(np.diff(up.starts)[mine], up.starts[:-1][mine])
    wanted = theirs[row] * len(known) + up.others[place]
    codes = np.repeat(np.arange(len(known)), np.diff(up.starts)) * len(known) + up.others
    found = np.minimum(np.searchsorted(codes, wanted), len(codes) - 1)
    both = codes[found] == wanted
    row, mine_up, theirs_up = row[both], up.hops[place[both]].astype(np.int64), up.hops[found[both]].astype(np.int64)
    far = np.full(len(mine), np.inf)
    np.minimum.at(far, row, (mine_up + theirs_up).astype(np.float64))
    over, under = np.zeros(len(mine)), np.zeros(len(mine))
    np.maximum.at(over, row, ((mine_up == 0) & (theirs_up > 0)).astype(np.float64))
    np.maximum.at(under, row, ((theirs_up == 0) & (mine_up > 0)).astype(np.float64))
    far[np.isinf(far)] = np.nan
    return over, under, far
