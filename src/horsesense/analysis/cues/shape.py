"""Cues of shape: where an option stands, how long it is, how it is spelt."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from horsesense.analysis.cues.battery import Keys, keys, learnt, number
from horsesense.analysis.cues.table import Table
from horsesense.analysis.cues.tokens import Floats

_PUNCTUATION = re.compile(r"[^\w\s]")
_QUOTES = re.compile(r"[\"'“”‘’`()\[\]]")
_CAPITAL = re.compile(r"[A-Z]")
_DIGIT = re.compile(r"\d")


def _each(table: Table, value: Callable[[str], float]) -> Floats:
    """A value of every different text, laid out flat."""
    return np.array([value(text) for text in table.texts], dtype=np.float64)[table.text_of]


@learnt("in the position that is right most often in other items")
def position(table: Table) -> Keys:
    """Where the option stands among the others."""
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
    """How far its length in characters is from the mean of its item."""
    lengths = _each(table, len)
    means = np.add.reduceat(lengths, table.starts[:-1]) / table.counts
    return np.abs(lengths - means[table.item_of])


@number("with the most punctuation", "with the least punctuation")
def punctuation(table: Table) -> Floats:
    """Marks that are neither letters nor digits nor spaces."""
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
