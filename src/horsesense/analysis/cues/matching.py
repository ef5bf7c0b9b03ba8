"""Which words of an option stand in the question, and in the other options: one pass for all cues of overlap."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from horsesense.analysis.cues.tokens import Floats, Ints, Tokens, distinct, spread
from horsesense.language.words import FUNCTION_WORDS

_CELLS = 1 << 25
"""Cells of the board of item × word that is wiped and used again for each block of items."""


@dataclass(frozen=True, slots=True)
class Matches:
    """Flat counts of what options share."""

    content: Floats
    """Words with content."""
    shared: Floats
    """Words with content that the question has too."""
    bigrams: Floats
    """Pairs of adjacent words that the question has too."""
    first: Floats
    """1 where the question has the first word."""
    others: Floats
    """Mean share of the other options that have each of its words; nan for an option without words."""


def matches(words: Tokens, context: Tokens, text_of: Ints, starts: Ints) -> Matches:
    """What the options of each item share with its question and with one another.

    ``words`` are those of the texts, ``context`` those of the questions; both have the same vocabulary.
    """
    width = max(len(words.vocabulary), 1)
    content = ~words.values(FUNCTION_WORDS.__contains__).astype(bool)
    sets = distinct(words)
    found = np.zeros((5, len(text_of)))
    board = np.zeros(max(_CELLS, width), dtype=bool)
    for first, last in _blocks(len(starts) - 1, max(1, _CELLS // width)):
        flat = slice(int(starts[first]), int(starts[last]))
        item = np.repeat(np.arange(last - first), np.diff(starts[first : last + 1]))
        options = len(item)
        asker, asked = _entries(context, np.arange(first, last))
        owner, said = _entries(words, text_of[flat])
        board[asker * width + asked] = True
        known = board[item[owner] * width + said]
        board[asker * width + asked] = False
        full = content[said]
        found[0, flat] = np.bincount(owner[full], minlength=options)
        found[1, flat] = np.bincount(owner[full & known], minlength=options)
        found[2, flat] = _bigrams((asker, asked), (owner, said), known, item, width)
        begins = np.flatnonzero(np.diff(owner, prepend=-1))
        found[3, flat.start + owner[begins]] = known[begins]
        found[4, flat] = _others(*_entries(sets, text_of[flat]), item, width)
    return Matches(*found)


def _blocks(items: int, size: int) -> Iterator[tuple[int, int]]:
    return ((first, min(first + size, items)) for first in range(0, items, size))


def _entries(tokens: Tokens, rows: Ints) -> tuple[Ints, Ints]:
    """Row number and code of each word of the texts ``rows``."""
    owner, place = spread(tokens.lengths[rows], tokens.starts[rows])
    return owner, tokens.codes[place].astype(np.int64)


def _bigrams(
    question: tuple[Ints, Ints], option: tuple[Ints, Ints], known: NDArray[np.bool_], item: Ints, width: int
) -> Floats:
    (asker, asked), (owner, said) = question, option
    # Only where both words are in the question can the pair be there: that leaves few to look for.
    both = known[1:] & known[:-1] & (owner[1:] == owner[:-1])
    pairs = (item[owner[:-1][both]] * width + said[:-1][both]) * width + said[1:][both]
    same = asker[1:] == asker[:-1]
    there = (asker[:-1][same] * width + asked[:-1][same]) * width + asked[1:][same]
    there.sort()
    near = np.searchsorted(there, pairs)
    found = near < len(there)
    found[found] = there[near[found]] == pairs[found]
    return np.bincount(owner[:-1][both][found], minlength=len(item)).astype(np.float64)


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
