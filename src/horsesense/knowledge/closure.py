"""Everything above each concept, with its distance: a few passes of numpy over the whole graph."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Closure:
    """Pairs of a concept and something above it, each pair once."""

    concept: Ints
    ancestor: Ints
    hops: Ints
    """Length of the shortest way up."""
    loops: Ints
    """Concepts that lie above themselves."""


def closure(size: int, child: Ints, parent: Ints) -> Closure:
    """All pairs of concept and ancestor of a graph of ``size`` concepts; a loop ends where it began.

    >>> found = closure(4, np.array([0, 1, 1]), np.array([1, 2, 3]))
    >>> list(zip(found.concept.tolist(), found.ancestor.tolist(), found.hops.tolist()))
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
        place = np.arange(lengths.sum()) + np.repeat(starts[ancestor] - (np.cumsum(lengths) - lengths), lengths)
        level = _distinct(np.repeat(concept, lengths) * size + parents[place])
        level = level[seen[np.minimum(np.searchsorted(seen, level), len(seen) - 1)] != level]
        merged = np.concatenate([seen, level])
        order = np.argsort(merged, kind="stable")
        seen = merged[order]
        distances = np.concatenate([distances, np.full(len(level), hops)])[order]
    concept, ancestor = np.divmod(seen, size)
    own = concept == ancestor
    return Closure(concept[~own], ancestor[~own], distances[~own], concept[own])


def _distinct(codes: Ints) -> Ints:
    """Sorted, each once; ``numpy.unique`` hashes, which takes a hundred times as long for these codes."""
    codes = np.sort(codes)
    return codes[np.diff(codes, prepend=-1) > 0]
