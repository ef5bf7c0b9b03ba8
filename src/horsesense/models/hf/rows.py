"""Inputs of a model and what is read from its output: one shape for every family. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]


class ModelInput(NamedTuple):
    """One input. Rows with the same input share a forward pass."""

    ids: tuple[int, ...]
    hidden: tuple[int, ...] = ()
    """Permuted models: positions that no other position may see."""
    decoder: tuple[int, ...] = ()
    """Sequence-to-sequence models: input of the decoder; empty where it follows from ``ids``."""
    types: tuple[int, ...] = ()
    """Pairs of texts: which of the two each token belongs to; empty where the model has no such input."""
    parents: tuple[int, ...] = ()
    """Causal models: index of the token before each one, -1 where there is none, so that texts with a common prefix
    form one tree. Empty where each token follows the one to its left."""

    @property
    def shape(self) -> tuple[int, int]:
        """Inputs of one shape fit into one batch without padding."""
        return len(self.ids), len(self.decoder)


class Row(NamedTuple):
    """An input, the positions where its output is read, and the entries whose log-probability is read there."""

    given: ModelInput
    reads: tuple[int, ...]
    targets: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A text with its special tokens, and which of its tokens are scored."""

    ids: tuple[int, ...]
    """With the special tokens around it."""
    asked: tuple[int, ...]
    """Language models: indices into ``ids``, ascending. Classifiers: indices of their labels."""
    words: tuple[int, ...]
    """For each scored token, the index of the word (or of the whole option) that it belongs to."""
    types: tuple[int, ...] = ()
    """As in `ModelInput`."""


@dataclass(frozen=True, slots=True)
class SpecialIds:
    """Special token ids that inputs are built with; None where the model has none."""

    mask: int | None = None
    sentinel: int | None = None
    """T5's ``<extra_id_0>``: replaces the words that are taken out."""
    start: int | None = None
    """First token of a decoder."""


@dataclass(frozen=True, slots=True)
class LogitRows:
    """The rows of logits that a batch needs, one per read position however many targets it has; and its reads."""

    which: Numbers
    """For each row of logits, the index of its input in the batch."""
    positions: Numbers
    """For each row of logits, its position in that input."""
    of: Numbers
    """For each read, its row of logits."""
    targets: Numbers
    """For each read, the target entry."""
    order: Numbers
    """The reads, sorted by row of logits."""

    def reads_of(self, part: slice) -> Numbers:
        """Return the reads that use a range of rows of logits."""
        first, last = np.searchsorted(self.of[self.order], (part.start, part.stop))
        return self.order[first:last]


def logit_rows_of(rows: Sequence[Row], apart: bool) -> LogitRows:
    """Return the rows of logits of a batch; ``apart`` gives each read its own.

    >>> lines = logit_rows_of([Row(ModelInput((1, 0, 2)), (1, 1, 0), (7, 8, 9))], apart=False)
    >>> lines.positions.tolist(), lines.of.tolist()
    ([1, 0], [0, 0, 1])
    """
    counts = np.array([len(row.reads) for row in rows])
    which = np.repeat(np.arange(len(rows)), counts)
    positions = np.array([read for row in rows for read in row.reads], dtype=np.int64)
    targets = np.array([target for row in rows for target in row.targets], dtype=np.int64)
    of = np.arange(len(positions))
    if not apart and counts.max(initial=0) > 1:
        # One key per (input, position); rows of logits in the order of their first read.
        keys, first, back = np.unique(which * (positions.max() + 1) + positions, return_index=True, return_inverse=True)
        rank = np.empty(len(keys), dtype=np.int64)
        rank[np.argsort(first)] = np.arange(len(keys))
        of, first_reads = rank[back], np.sort(first)
        which, positions = which[first_reads], positions[first_reads]
    return LogitRows(which, positions, of, targets, np.argsort(of, kind="stable"))
