"""Words of many texts as one integer array, so that counting is one numpy pass.

`Matches` has the words of an option that also appear in the question and in the other options: one pass for all cues
of overlap.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from horsesense.lexicons.words import FUNCTION_WORDS, words

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Scores = NDArray[np.float32] | Floats
"""Type of values that are only compared: single precision suffices."""


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
        """Sum a value over the words of each text."""
        return self._totals(self.values(value))

    def mean(self, value: Callable[[str], float]) -> Floats:
        """Average a value over the words of each text; nan for a text without words."""
        with np.errstate(invalid="ignore"):
            return self._totals(self.values(value)) / np.where(self.lengths, self.lengths, np.nan)

    def smallest(self, value: Callable[[str], float]) -> Floats:
        """Return the smallest value of the words of each text; nan for a text without words."""
        filled = self.lengths > 0
        least = np.full(len(self.lengths), np.nan)
        if filled.any():
            least[filled] = np.minimum.reduceat(self.values(value)[self.codes], self.starts[:-1][filled])
        return least

    def at(self, place: int) -> Ints:
        """Return the code of each text's word at an index (0 the first, -1 the last); -1 for a text without words."""
        filled = self.lengths > 0
        words_there = np.full(len(self.lengths), -1, dtype=np.int64)
        where = self.starts[:-1] + place if place >= 0 else self.starts[1:] + place
        words_there[filled] = self.codes[where[filled]]
        return words_there

    def values(self, value: Callable[[str], float]) -> Floats:
        """Return the value of each word of the vocabulary, by code."""
        return np.array([value(word) for word in self.vocabulary], dtype=np.float64)

    def _totals(self, values: Floats) -> Floats:
        running = np.zeros(len(self.codes) + 1)
        if len(self.codes):
            np.cumsum(values[self.codes], out=running[1:])
        return running[self.starts[1:]] - running[self.starts[:-1]]


def new_vocabulary() -> dict[str, int]:
    """Return a vocabulary that numbers new words on access: the fastest way to number millions of words."""
    vocabulary: defaultdict[str, int] = defaultdict()
    vocabulary.default_factory = vocabulary.__len__
    return vocabulary


def tokens(texts: Iterable[str], vocabulary: dict[str, int]) -> Tokens:
    """Tokenize ``texts``; new words are added to ``vocabulary``, which is a `new_vocabulary`.

    >>> laid = tokens(["A dog", "a cat"], new_vocabulary())
    >>> laid.codes.tolist(), laid.starts.tolist(), list(laid.vocabulary)
    ([0, 1, 0, 2], [0, 2, 4], ['a', 'dog', 'cat'])
    """
    lengths: list[int] = [0]
    blocks: list[NDArray[np.int32]] = []
    block: list[int] = []
    for text in texts:
        its_words = words(text)
        block.extend(map(vocabulary.__getitem__, its_words))
        lengths.append(len(its_words))
        if len(block) > 1_000_000:  # a list of Python integers takes nine times the memory of the array
            blocks.append(np.array(block, dtype=np.int32))
            block = []
    blocks.append(np.array(block, dtype=np.int32))
    return Tokens(np.concatenate(blocks), np.cumsum(lengths, dtype=np.int64), vocabulary)


def distinct(tokens: Tokens) -> Tokens:
    """Remove repeated words from each text.

    >>> distinct(tokens(["so so good"], new_vocabulary())).codes.tolist()
    [0, 1]
    """
    width = max(len(tokens.vocabulary), 1)
    row, position = spread(tokens.lengths, tokens.starts[:-1])
    keys = np.sort(row * width + tokens.codes[position])
    # Much faster here than np.unique, which hashes.
    row, codes = np.divmod(keys[np.diff(keys, prepend=-1) > 0], width)
    return Tokens(codes.astype(np.int32), np.searchsorted(row, np.arange(len(tokens.starts))), tokens.vocabulary)


def spread(lengths: Ints, starts: Ints) -> tuple[Ints, Ints]:
    """Return row and index of every entry, for rows that begin at ``starts`` and have ``lengths`` entries.

    >>> [a.tolist() for a in spread(np.array([2, 0, 1]), np.array([5, 9, 0]))]
    [[0, 0, 2], [5, 6, 0]]
    """
    row = np.repeat(np.arange(len(lengths)), lengths)
    first = np.cumsum(lengths) - lengths
    return row, np.arange(len(row)) - first[row] + starts[row]


_CELLS = 1 << 25
"""Number of cells of the item × word table that is reused for each block of items."""


@dataclass(frozen=True, slots=True)
class Matches:
    """Flat counts of shared words."""

    content: Floats
    """Number of content words."""
    shared: Floats
    """Number of content words that the question has too."""
    bigrams: Floats
    """Number of pairs of adjacent words that the question has too."""
    first: Floats
    """1 if the question has the first word."""
    others: Floats
    """Mean share of the other options that have each of its words; nan for an option without words."""


def matches(words: Tokens, context: Tokens, text_of: Ints, starts: Ints) -> Matches:
    """Count the words that the options of each item share with its question and with one another.

    ``words`` are those of the texts, ``context`` those of the questions; both have the same vocabulary.
    """
    width = max(len(words.vocabulary), 1)
    content = ~words.values(FUNCTION_WORDS.__contains__).astype(bool)
    sets = distinct(words)
    counts = np.zeros((5, len(text_of)))
    board = np.zeros(max(_CELLS, width), dtype=bool)
    for first, last in _blocks(len(starts) - 1, max(1, _CELLS // width)):
        flat = slice(int(starts[first]), int(starts[last]))
        item = np.repeat(np.arange(last - first), np.diff(starts[first : last + 1]))
        options = len(item)
        asker, asked = _entries(context, np.arange(first, last))
        owner, word = _entries(words, text_of[flat])
        board[asker * width + asked] = True
        known = board[item[owner] * width + word]
        board[asker * width + asked] = False
        full = content[word]
        counts[0, flat] = np.bincount(owner[full], minlength=options)
        counts[1, flat] = np.bincount(owner[full & known], minlength=options)
        counts[2, flat] = _bigrams((asker, asked), (owner, word), known, item, width)
        begins = np.flatnonzero(np.diff(owner, prepend=-1))
        counts[3, flat.start + owner[begins]] = known[begins]
        counts[4, flat] = _others(*_entries(sets, text_of[flat]), item, width)
    return Matches(*counts)


def _blocks(items: int, size: int) -> Iterator[tuple[int, int]]:
    return ((first, min(first + size, items)) for first in range(0, items, size))


def _entries(tokens: Tokens, rows: Ints) -> tuple[Ints, Ints]:
    """Return row number and code of each word of the texts ``rows``."""
    owner, position = spread(tokens.lengths[rows], tokens.starts[rows])
    return owner, tokens.codes[position].astype(np.int64)


def _bigrams(
    question: tuple[Ints, Ints], option: tuple[Ints, Ints], known: NDArray[np.bool_], item: Ints, width: int
) -> Floats:
    (asker, asked), (owner, word) = question, option
    # The question can contain a pair only if it contains both words, which leaves few candidates.
    both = known[1:] & known[:-1] & (owner[1:] == owner[:-1])
    pairs = (item[owner[:-1][both]] * width + word[:-1][both]) * width + word[1:][both]
    same = asker[1:] == asker[:-1]
    there = (asker[:-1][same] * width + asked[:-1][same]) * width + asked[1:][same]
    there.sort()
    near = np.searchsorted(there, pairs)
    present = near < len(there)
    present[present] = there[near[present]] == pairs[present]
    return np.bincount(owner[:-1][both][present], minlength=len(item)).astype(np.float64)


def _others(owner: Ints, code: Ints, item: Ints, width: int) -> Floats:
    cells = item[owner] * width + code
    order = np.argsort(cells, kind="stable")
    begins = np.flatnonzero(np.diff(cells[order], prepend=-1))
    runs = np.diff(begins, append=len(cells))
    times = np.empty(len(cells), dtype=np.int64)
    times[order] = np.repeat(runs, runs)
    options = np.bincount(item)[item]
    share = (times - 1.0) / (options[owner] - 1)
    size = np.bincount(owner, minlength=len(item))
    total = np.bincount(owner, weights=share, minlength=len(item))
    mean = np.full(len(item), np.nan)
    np.divide(total, size, out=mean, where=size > 0)
    return mean
