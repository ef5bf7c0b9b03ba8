"""Cues of word form: words of an option that resemble words of the question or are derived from them."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from horsesense.cues.battery import number
from horsesense.cues.table import Table
from horsesense.cues.tokens import Floats, Ints, Tokens, distinct, spread
from horsesense.lexicons.words import FUNCTION_WORDS

_STEM = 4
"""Minimum length of a common prefix that counts as a stem."""
_NAME = 3
"""Number of content words compared per option: its name comes first."""
_LONGEST = 16
"""Maximum number of letters compared per word."""
_BLOCK = 400_000
"""Number of word pairs compared at a time."""


@number("with the longest stem in common with the question", "with the shortest stem in common with the question")
def stem(table: Table) -> Floats:
    """Length of the longest common prefix, at least four letters, of one of its words and a word of the question."""
    vocabulary = list(_whole(table).vocabulary)
    heads: dict[str, int] = {}
    head = np.array(
        [
            -1 if word in FUNCTION_WORDS or len(word) < _STEM else heads.setdefault(word[:_STEM], len(heads))
            for word in vocabulary
        ],
        dtype=np.int64,
    )
    option, item, word = _options(table, distinct(table.words), head)
    asker, asked = _questions(table, head)
    width = max(len(heads), 1)
    order = np.argsort(asker * width + head[asked], kind="stable")
    cells = (asker * width + head[asked])[order]
    targets = item * width + head[word]
    low = np.searchsorted(cells, targets)
    row, hits = spread(np.searchsorted(cells, targets, side="right") - low, low)
    common = lru_cache(maxsize=None)(lambda one, two: _common(vocabulary[one], vocabulary[two]))
    lengths = [common(one, two) for one, two in zip(word[row].tolist(), asked[order][hits].tolist(), strict=True)]
    longest = np.zeros(len(table.text_of))
    np.maximum.at(longest, option[row], np.array(lengths, dtype=np.float64))
    return longest


@number("whose spelling is most like a word of the question", "whose spelling is least like any word of the question")
def edit_distance(table: Table) -> Floats:
    """Similarity of a word of its name and a word of the question by edit distance, relative to length."""
    vocabulary = list(_whole(table).vocabulary)
    content = np.array(
        [-1 if word in FUNCTION_WORDS or len(word) < _STEM else 0 for word in vocabulary], dtype=np.int64
    )
    option, item, word = _options(table, _names(table.words, content), content)
    asker, asked = _questions(table, content)
    starts = np.searchsorted(asker, np.arange(len(table) + 1))
    width = max(len(vocabulary), 1)
    nearest = np.full(len(table.text_of), np.nan)
    letters = _letters(vocabulary)
    for first in range(0, len(word), _BLOCK // 8):
        part = slice(first, first + _BLOCK // 8)
        row, position = spread(np.diff(starts)[item[part]], starts[:-1][item[part]])
        pairs, which = np.unique(word[part][row] * width + asked[position], return_inverse=True)
        one, two = np.divmod(pairs, width)
        likeness = np.concatenate(
            [_likeness(letters, one[at : at + _BLOCK], two[at : at + _BLOCK]) for at in range(0, len(one), _BLOCK)]
            or [np.zeros(0)]
        )
        np.fmax.at(nearest, option[part][row], likeness[which])
    return nearest.round(6)


@number("with the most words derived from the question's", "with the fewest words derived from the question's")
def derivation(table: Table) -> Floats:
    """Number of its words that WordNet derives from words of the question, or vice versa."""
    if table.taxonomy is None:
        return np.full(len(table.text_of), np.nan)
    vocabulary = _whole(table).vocabulary
    links = [
        (code, vocabulary[other])
        for word, code in list(vocabulary.items())
        for other in table.taxonomy.derived.get(word, ())
        if other in vocabulary
    ]
    content = np.zeros(len(vocabulary), dtype=np.int64)
    option, item, word = _options(table, distinct(table.words), content)
    asker, asked = _questions(table, content)
    one, other = np.array(sorted(links), dtype=np.int64).reshape(-1, 2).T
    low = np.searchsorted(one, asked)
    row, position = spread(np.searchsorted(one, asked, side="right") - low, low)
    width = max(len(vocabulary), 1)
    reached = np.unique(asker[row] * width + other[position])
    targets = item * width + word
    if not len(reached):
        return np.zeros(len(table.text_of))
    is_derived = reached[np.minimum(np.searchsorted(reached, targets), len(reached) - 1)] == targets
    return np.bincount(option[is_derived], minlength=len(table.text_of)).astype(np.float64)


def _common(one: str, two: str) -> int:
    """Return the length of the common prefix of two words."""
    return next((n for n, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))


def _whole(table: Table) -> Tokens:
    """Return the words of options after the questions' words have been numbered."""
    options = table.words
    assert table.context_words.vocabulary is options.vocabulary
    return options


def _options(table: Table, tokens: Tokens, content: Ints) -> tuple[Ints, Ints, Ints]:
    """Return option, item and code of each content word of the options."""
    option, position = spread(tokens.lengths[table.text_of], tokens.starts[table.text_of])
    word = tokens.codes[position].astype(np.int64)
    is_content = (content[word] >= 0) & ~table.labels[option]
    return option[is_content], table.item_of[option[is_content]], word[is_content]


def _questions(table: Table, content: Ints) -> tuple[Ints, Ints]:
    """Return item and code of each content word of the questions, in the order of the items."""
    sets = distinct(table.context_words)
    asker, position = spread(sets.lengths, sets.starts[:-1])
    word = sets.codes[position].astype(np.int64)
    is_content = content[word] >= 0
    return asker[is_content], word[is_content]


def _names(tokens: Tokens, content: Ints) -> Tokens:
    """Return the first content words of each text."""
    row, position = spread(tokens.lengths, tokens.starts[:-1])
    codes = tokens.codes[position]
    full = content[codes] >= 0
    before = np.concatenate([[0], np.cumsum(full)])
    rank = before[:-1] - before[tokens.starts[:-1]][row]
    is_name = full & (rank < _NAME)
    return Tokens(codes[is_name], np.searchsorted(row[is_name], np.arange(len(tokens.starts))), tokens.vocabulary)


def _letters(vocabulary: list[str]) -> NDArray[np.int32]:
    """Return words as rows of letters, truncated and padded with zeros."""
    rows = np.zeros((max(len(vocabulary), 1), _LONGEST), dtype=np.int32)
    for code, word in enumerate(vocabulary):
        cut = word[:_LONGEST]
        rows[code, : len(cut)] = [ord(letter) for letter in cut]
    return rows


def _likeness(letters: NDArray[np.int32], one: Ints, two: Ints) -> Floats:
    """Return 1 for the same word, 0 for words without letters in common order: 1 minus Levenshtein's distance over the
    length of the longer word, for all pairs at once."""
    a, b = letters[one], letters[two]
    long_a, long_b = (a > 0).sum(axis=1), (b > 0).sum(axis=1)
    above = np.tile(np.arange(_LONGEST + 1, dtype=np.int8), (len(one), 1))
    distance = np.where(long_a == 0, long_b, 0).astype(np.int8)
    rows = np.arange(len(one))
    for i in range(1, int(long_a.max(initial=0)) + 1):
        here = np.empty_like(above)
        here[:, 0] = i
        for j in range(1, _LONGEST + 1):
            changed = above[:, j - 1] + (a[:, i - 1] != b[:, j - 1])
            here[:, j] = np.minimum(np.minimum(above[:, j], here[:, j - 1]) + 1, changed)
        above = here
        done = long_a == i
        distance[done] = above[rows[done], long_b[done]]
    likeness: Floats = 1 - distance / np.maximum(np.maximum(long_a, long_b), 1)
    return likeness
