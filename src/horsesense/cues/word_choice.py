"""Cues of wording: word frequency, and function words of an option."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from horsesense.cues.battery import Keys, keys, learnt, number
from horsesense.cues.table import Table
from horsesense.cues.tokens import Floats, Ints, distinct, spread
from horsesense.lexicons import words as small
from horsesense.lexicons.word_forms import is_comparative, is_negation
from horsesense.lexicons.word_forms import valence as word_valence
from horsesense.lexicons.words import zipf

_RARE_WORD = 3
"""Minimum number of options with a word in the bag of words."""


def _count(table: Table, belongs: Callable[[str], bool]) -> Floats:
    return table.words.total(belongs)[table.text_of]


def _free(table: Table, codes: Ints) -> Keys:
    """Return one category per option, none for the labels of a pair."""
    return keys(np.where(table.labels, -1, codes[table.text_of]))


@number("with the most frequent words", "with the least frequent words")
def frequency(table: Table) -> Floats:
    """Mean frequency of its words on Zipf's scale."""
    return table.words.mean(zipf)[table.text_of]


@number("whose rarest word is the most frequent", "with the rarest word")
def rarest_word(table: Table) -> Floats:
    """Frequency of its rarest word."""
    return table.words.smallest(zipf)[table.text_of]


@number("whose first word is the most frequent", "whose first word is the rarest")
def first_word_frequency(table: Table) -> Floats:
    """Frequency of its first word."""
    first = table.words.at(0)
    return np.where(first >= 0, table.words.values(zipf)[first], np.nan)[table.text_of]


@number("with the most negations", "with the fewest negations")
def negations(table: Table) -> Floats:
    """Negation words."""
    return _count(table, is_negation)


@number("that sounds best", "that sounds worst")
def valence(table: Table) -> Floats:
    """Positive minus negative words."""
    return table.words.total(word_valence)[table.text_of]


@number("with the most hedges", "with the fewest hedges")
def hedges(table: Table) -> Floats:
    """Hedges: usually, some, may."""
    return _count(table, small.HEDGES.__contains__)


@number("with the most absolutes", "with the fewest absolutes")
def absolutes(table: Table) -> Floats:
    """Absolutes: always, all, only."""
    return _count(table, small.ABSOLUTES.__contains__)


@number("with the most pronouns", "with the fewest pronouns")
def pronouns(table: Table) -> Floats:
    """Pronouns."""
    return _count(table, small.PRONOUNS.__contains__)


@number("with the most articles", "with the fewest articles")
def articles(table: Table) -> Floats:
    """Articles and other determiners."""
    return _count(table, small.DETERMINERS.__contains__)


@number("with the most prepositions", "with the fewest prepositions")
def prepositions(table: Table) -> Floats:
    """Prepositions."""
    return _count(table, small.PREPOSITIONS.__contains__)


@number("with the largest share of function words", "with the smallest share of function words")
def function_words(table: Table) -> Floats:
    """Share of function words."""
    return table.words.mean(small.FUNCTION_WORDS.__contains__)[table.text_of]


@number("with the most comparatives", "with the fewest comparatives")
def comparatives(table: Table) -> Floats:
    """Comparatives: more, colder, better."""
    return _count(table, is_comparative)


def _conjunctions(table: Table) -> Ints:
    """Return the conjunction code of each text; -1 for none."""
    index_of = {word: number for number, word in enumerate(small.CONJUNCTIONS)}
    none = len(index_of)
    rank = table.words.smallest(lambda word: index_of.get(word, none))
    return np.where(np.isnan(rank) | (rank == none), -1, rank).astype(np.int64)


@learnt("whose conjunction is right most often in other items")
def conjunction(table: Table) -> Keys:
    """Its conjunction: because, and, but."""
    return _free(table, _conjunctions(table))


@learnt("whose conjunction wins against those of the other options in other items")
def conjunction_contest(table: Table) -> Keys:
    """Its conjunction, together with those of the other options."""
    code = _conjunctions(table)[table.text_of]
    # One bit per conjunction: the bits encode the set of the item.
    rivals = np.bitwise_or.reduceat(np.where(code >= 0, 1 << np.maximum(code, 0), 0), table.starts[:-1])
    codes = rivals[table.item_of] * 64 + code
    return keys(np.where(table.labels | (code < 0), -1, codes))


@learnt("whose first word is right most often in other items")
def first_word(table: Table) -> Keys:
    """Its first word."""
    return _free(table, table.words.at(0))


@learnt("whose last word is right most often in other items")
def last_word(table: Table) -> Keys:
    """Its last word."""
    return _free(table, table.words.at(-1))


@learnt("whose words are right most often in other items")
def bag_of_words(table: Table) -> Keys:
    """All its words, each counted once, as a naive Bayes would."""
    sets = distinct(table.words)
    offered = np.bincount(table.text_of, minlength=len(table.texts))
    # A word counts once per option whose text contains it.
    seen = np.bincount(sets.codes, weights=np.repeat(offered, sets.lengths), minlength=len(sets.vocabulary))
    lengths = np.where(table.labels, 0, sets.lengths[table.text_of])
    option, position = spread(lengths, sets.starts[table.text_of])
    codes = sets.codes[position]
    frequent = seen[codes] >= _RARE_WORD
    return Keys(codes[frequent].astype(np.int64), option[frequent])
