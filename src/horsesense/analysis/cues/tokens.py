"""The words of many texts as numbers, laid end to end, so that counting is one pass of numpy."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from horsesense.language.words import words

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Scores = NDArray[np.float32] | Floats
"""Numbers that are only compared: half the memory is enough for them."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """The words of texts: ``codes[starts[t]:starts[t + 1]]`` are those of text ``t``."""

    codes: NDArray[np.int32]
    starts: Ints
    vocabulary: dict[str, int]
    """Word → code, shared by all texts of a probe."""

    @property
    def lengths(self) -> Ints:
        return np.diff(self.starts)

    def total(self, value: Callable[[str], float]) -> Floats:
        """Per text, the sum of a value of its words."""
        return self._totals(self.values(value))

    def mean(self, value: Callable[[str], float]) -> Floats:
        """Per text, the mean of a value of its words; nan for a text without words."""
        with np.errstate(invalid="ignore"):
            return self._totals(self.values(value)) / np.where(self.lengths, self.lengths, np.nan)

    def smallest(self, value: Callable[[str], float]) -> Floats:
        """Per text, the smallest value of its words; nan for a text without words."""
        filled = self.lengths > 0
        found = np.full(len(self.lengths), np.nan)
        if filled.any():
            found[filled] = np.minimum.reduceat(self.values(value)[self.codes], self.starts[:-1][filled])
        return found

    def at(self, place: int) -> Ints:
        """Per text, the code of its word at a place (0 the first, -1 the last); -1 for a text without words."""
        filled = self.lengths > 0
        found = np.full(len(self.lengths), -1, dtype=np.int64)
        where = self.starts[:-1] + place if place >= 0 else self.starts[1:] + place
        found[filled] = self.codes[where[filled]]
        return found

    def values(self, value: Callable[[str], float]) -> Floats:
        """The value of each word of the vocabulary, by code."""
        return np.array([value(word) for word in self.vocabulary], dtype=np.float64)

    def _totals(self, values: Floats) -> Floats:
        running = np.zeros(len(self.codes) + 1)
        if len(self.codes):
            np.cumsum(values[self.codes], out=running[1:])
        return running[self.starts[1:]] - running[self.starts[:-1]]


def new_vocabulary() -> dict[str, int]:
    """A vocabulary that gives each new word the next number: the fastest way to number millions of words."""
    vocabulary: defaultdict[str, int] = defaultdict()
    vocabulary.default_factory = vocabulary.__len__
    return vocabulary


def tokens(texts: Iterable[str], vocabulary: dict[str, int]) -> Tokens:
    """The words of ``texts``; new words are added to ``vocabulary``, which is a `new_vocabulary`.

    >>> found = tokens(["A dog", "a cat"], new_vocabulary())
    >>> found.codes.tolist(), found.starts.tolist(), list(found.vocabulary)
    ([0, 1, 0, 2], [0, 2, 4], ['a', 'dog', 'cat'])
    """
    lengths: list[int] = [0]
    blocks: list[NDArray[np.int32]] = []
    block: list[int] = []
    for text in texts:
        found = words(text)
        block.extend(map(vocabulary.__getitem__, found))
        lengths.append(len(found))
        if len(block) > 1_000_000:  # a list of Python numbers is nine times the size of the array
            blocks.append(np.array(block, dtype=np.int32))
            block = []
    blocks.append(np.array(block, dtype=np.int32))
    return Tokens(np.concatenate(blocks), np.cumsum(lengths, dtype=np.int64), vocabulary)


def distinct(tokens: Tokens) -> Tokens:
    """Each text's words, each of them once.

    >>> distinct(tokens(["so so good"], new_vocabulary())).codes.tolist()
    [0, 1]
    """
    width = max(len(tokens.vocabulary), 1)
    row, place = spread(tokens.lengths, tokens.starts[:-1])
    keys = np.sort(row * width + tokens.codes[place])
    # Much faster here than np.unique, which hashes.
    row, codes = np.divmod(keys[np.diff(keys, prepend=-1) > 0], width)
    return Tokens(codes.astype(np.int32), np.searchsorted(row, np.arange(len(tokens.starts))), tokens.vocabulary)


def spread(lengths: Ints, starts: Ints) -> tuple[Ints, Ints]:
    """For rows that begin at ``starts`` and have ``lengths`` entries: the row and the place of every entry.

    >>> [a.tolist() for a in spread(np.array([2, 0, 1]), np.array([5, 9, 0]))]
    [[0, 0, 2], [5, 6, 0]]
    """
    row = np.repeat(np.arange(len(lengths)), lengths)
    first = np.cumsum(lengths) - lengths
    return row, np.arange(len(row)) - first[row] + starts[row]
