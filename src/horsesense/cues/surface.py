"""Surface cues: overlap with the question and other options, position, and spelling."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from horsesense.cues.battery import Keys, keys, learnt, number
from horsesense.cues.table import Table
from horsesense.cues.tokens import Floats


@number("that shares the most words with the question", "that shares the fewest words with the question")
def shared_words(table: Table) -> Floats:
    """Content words that the question has too."""
    return table.matches.shared


@number("with the most of its words in the question", "with the fewest of its words in the question")
def overlap(table: Table) -> Floats:
    """Share of its content words that the question has too."""
    shared, content = table.matches.shared, table.matches.content
    share = np.full(len(shared), np.nan)
    np.divide(shared, content, out=share, where=content > 0)
    return share


@number("that shares the most word pairs with the question", "that shares the fewest word pairs with the question")
def shared_bigrams(table: Table) -> Floats:
    """Pairs of adjacent words that the question has too."""
    return table.matches.bigrams


@number("whose first word is in the question", "whose first word is not in the question")
def first_word_shared(table: Table) -> Floats:
    """Whether the question has its first word."""
    return table.matches.first


@number("that is most like the other options", "that is least like the other options")
def like_the_others(table: Table) -> Floats:
    """Share of its words that the other options have too."""
    return table.matches.others


@number("that is offered most often in the whole probe", "that is offered least often in the whole probe")
def offered(table: Table) -> Floats:
    """Number of items that offer the same text."""
    return np.bincount(table.text_of, minlength=len(table.texts))[table.text_of].astype(np.float64)


_PUNCTUATION = re.compile(r"[^\w\s]")
_QUOTES = re.compile(r"[\"'“”‘’`()\[\]]")
_CAPITAL = re.compile(r"[A-Z]")
_DIGIT = re.compile(r"\d")


def _each(table: Table, value: Callable[[str], float]) -> Floats:
    """Compute a value per distinct text, and return it flat."""
    return np.array([value(text) for text in table.texts], dtype=np.float64)[table.text_of]


@learnt("in the position that is right most often in other items")
def position(table: Table) -> Keys:
    """Position of the option."""
    return keys(table.position * (table.counts.max() + 1) + table.counts[table.item_of])


@number("with the most characters", "with the fewest characters")
def characters(table: Table) -> Floats:
    """Length in characters."""
    return _each(table, len)


@number("with the most words", "with the fewest words")
def words(table: Table) -> Floats:
    """Length in words."""
    return table.words.lengths[table.text_of].astype(np.float64)


@number("with the longest words", "with the shortest words")
def word_length(table: Table) -> Floats:
    """Mean length of its words in characters."""
    return table.words.mean(len)[table.text_of]


@number("whose length is most unlike the others", "whose length is most like the others")
def odd_length(table: Table) -> Floats:
    """Difference of its length in characters from the mean of its item."""
    lengths = _each(table, len)
    means = np.add.reduceat(lengths, table.starts[:-1]) / table.counts
    return np.abs(lengths - means[table.item_of])


@number("with the most punctuation", "with the least punctuation")
def punctuation(table: Table) -> Floats:
    """Characters other than letters, digits and spaces."""
    return _each(table, lambda text: len(_PUNCTUATION.findall(text)))


@number("with the most commas", "with the fewest commas")
def commas(table: Table) -> Floats:
    """Commas and semicolons."""
    return _each(table, lambda text: text.count(",") + text.count(";"))


@number("with the most quotes and brackets", "with the fewest quotes and brackets")
def quotes(table: Table) -> Floats:
    """Quotation marks, apostrophes and brackets."""
    return _each(table, lambda text: len(_QUOTES.findall(text)))


@number("with the most capitals", "with the fewest capitals")
def capitals(table: Table) -> Floats:
    """Capital letters."""
    return _each(table, lambda text: len(_CAPITAL.findall(text)))


@number("with the most digits", "with the fewest digits")
def digits(table: Table) -> Floats:
    """Digits."""
    return _each(table, lambda text: len(_DIGIT.findall(text)))


@number("with the most hyphens", "with the fewest hyphens")
def hyphens(table: Table) -> Floats:
    """Hyphens and dashes."""
    return _each(table, lambda text: text.count("-") + text.count("–") + text.count("—"))


@learnt("whose last character is right most often in other items")
def ending(table: Table) -> Keys:
    """Its last character, such as a full stop."""
    codes = np.array([ord(text[-1]) if text else -1 for text in table.texts], dtype=np.int64)[table.text_of]
    return keys(np.where(table.labels, -1, codes))
