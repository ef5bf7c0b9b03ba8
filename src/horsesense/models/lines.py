"""Which lines of logits a batch needs: one for each place that is read, however many targets it has. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from horsesense.models.rows import Row

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines of logits, and the reads that take from them."""

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


def asked_lines(rows: Sequence[Row], apart: bool) -> Lines:
    """The lines of a batch; ``apart`` gives each read a line of its own.

    >>> from horsesense.models.rows import Given
    >>> lines = asked_lines([Row(Given((1, 0, 2)), (1, 1, 0), (7, 8, 9))], apart=False)
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
