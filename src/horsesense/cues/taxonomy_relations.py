"""Cues of relations between the concepts of an item's options in WordNet. The question is ignored."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from horsesense.cues.battery import number
from horsesense.cues.table import Table
from horsesense.cues.tokens import Floats, Ints, spread
from horsesense.lexicons.graph import Graph


@dataclass(frozen=True, slots=True)
class _Kin:
    """Flat relations of an option's concept to those of the other options; nan for options without a concept."""

    above: Floats
    """Number of other concepts below it."""
    below: Floats
    """Number of other concepts above it."""
    near: Floats
    """Minus the number of links to the nearest one."""


@number("above the most other options in WordNet", "above the fewest other options in WordNet")
def above_another(table: Table) -> Floats:
    """Number of other options that its concept includes in WordNet."""
    return _kin(table).above


@number("below the most other options in WordNet", "below the fewest other options in WordNet")
def below_another(table: Table) -> Floats:
    """Number of other options that include its concept in WordNet."""
    return _kin(table).below


@number("nearest to another option in WordNet", "furthest from the other options in WordNet")
def near_another(table: Table) -> Floats:
    """Minus the number of WordNet links to another option's concept, over a common hypernym."""
    return _kin(table).near


def _kin(table: Table) -> _Kin:
    by_distance: dict[int, _Kin] = table.__dict__.setdefault("kin", {})
    if 0 not in by_distance:
        by_distance[0] = _kin_of(table)
    return by_distance[0]


def _kin_of(table: Table) -> _Kin:
    options = len(table.text_of)
    none = np.full(options, np.nan)
    known = table.taxonomy
    if known is None or (table.synset < 0).all():
        return _Kin(none, none, none)
    # Every ordered pair of options of an item.
    width = table.counts[table.item_of]
    one, other = spread(width, table.starts[:-1][table.item_of])
    known_pairs = (one != other) & (table.synset[one] >= 0) & (table.synset[other] >= 0)
    one, other = one[known_pairs], other[known_pairs]
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
    row, position = spread(np.diff(up.starts)[mine], up.starts[:-1][mine])
    targets = theirs[row] * len(known) + up.others[position]
    codes = np.repeat(np.arange(len(known)), np.diff(up.starts)) * len(known) + up.others
    hits = np.minimum(np.searchsorted(codes, targets), len(codes) - 1)
    both = codes[hits] == targets
    row, mine_up, theirs_up = row[both], up.hops[position[both]].astype(np.int64), up.hops[hits[both]].astype(np.int64)
    far = np.full(len(mine), np.inf)
    np.minimum.at(far, row, (mine_up + theirs_up).astype(np.float64))
    over, under = np.zeros(len(mine)), np.zeros(len(mine))
    np.maximum.at(over, row, ((mine_up == 0) & (theirs_up > 0)).astype(np.float64))
    np.maximum.at(under, row, ((theirs_up == 0) & (mine_up > 0)).astype(np.float64))
    far[np.isinf(far)] = np.nan
    return over, under, far
