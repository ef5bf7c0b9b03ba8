"""What a model is given and what is read from it: the one shape for every family. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]


class Given(NamedTuple):
    """One input. Rows with the same one share a forward."""

    ids: tuple[int, ...]
    hidden: tuple[int, ...] = ()
    """Permuted models: places that no other place may see."""
    decoder: tuple[int, ...] = ()
    """Sequence-to-sequence models: what the decoder is fed; empty where it follows from ``ids``."""
    types: tuple[int, ...] = ()
    """Pairs of texts: which of the two each token belongs to; empty where the model has no such input."""
    parents: tuple[int, ...] = ()
    """Causal models: the place of the token before each one, -1 where there is none; texts that begin alike are one
    tree so. Empty where each token follows the one to its left."""

    @property
    def shape(self) -> tuple[int, int]:
        """Inputs of one shape fit into one batch without padding."""
        return len(self.ids), len(self.decoder)


class Row(NamedTuple):
    """An input, the places where its output is read, and the entries whose log-probability is wanted there."""

    given: Given
    reads: tuple[int, ...]
    targets: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A framed text and which of its tokens are asked for."""

    ids: tuple[int, ...]
    """With the special tokens around it."""
    asked: tuple[int, ...]
    """Language models: places in ``ids``, ascending. Classifiers: numbers of their labels."""
    words: tuple[int, ...]
    """For each asked token, the number of the word (or of the whole option) that it belongs to."""
    types: tuple[int, ...] = ()
    """As in `Given`."""


@dataclass(frozen=True, slots=True)
class Marks:
    """Token ids with a meaning of their own that rows are made with; None where the model has none."""

    mask: int | None = None
    sentinel: int | None = None
    """T5's ``<extra_id_0>``: stands for what was taken out."""
    start: int | None = None
    """What a decoder begins with."""


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of logits that a batch needs, one a place that is read however many targets it has; and its reads."""

    which: Numbers
    """For each line, the number of its input in the batch."""
    places: Numbers
    """For each line, its place in that input."""
    of: Numbers
    """For each read, its line."""
    targets: Numbers
    """For each read, the entry that is wanted."""
    order: Numbers
    """The reads, sorted by line."""

    def reads_of(self, part: slice) -> Numbers:
        """The reads that take from a stretch of lines."""
        first, last = np.searchsorted(self.of[self.order], (part.start, part.stop))
        return self.order[first:last]


def lines_of(rows: Sequence[Row], apart: bool) -> Lines:
    """The lines of a batch; ``apart`` gives each read a line of its own.

    >>> lines = lines_of([Row(Given((1, 0, 2)), (1, 1, 0), (7, 8, 9))], apart=False)
    >>> lines.places.tolist(), lines.of.tolist()
    ([1, 0], [0, 0, 1])
    """
    counts = np.array([len(row.reads) for row in rows])
    which = np.repeat(np.arange(len(rows)), counts)
    places = np.array([read for row in rows for read in row.reads], dtype=np.int64)
    targets = np.array([target for row in rows for target in row.targets], dtype=np.int64)
    of = np.arange(len(places))
    if not apart and counts.max(initial=0) > 1:
        # One key a (input, place); lines in the order of their first read.
        keys, first, back = np.unique(which * (places.max() + 1) + places, return_index=True, return_inverse=True)
        rank = np.empty(len(keys), dtype=np.int64)
        rank[np.argsort(first)] = np.arange(len(keys))
        of, kept = rank[back], np.sort(first)
        which, places = which[kept], places[kept]
    return Lines(which, places, of, targets, np.argsort(of, kind="stable"))
