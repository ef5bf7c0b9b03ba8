"""Cues of the question: order of entities, negation, comparatives, overlap of a pair, and answers of other items.

Most are features of the item, not of an option. If the options come from a small set (labels, or "more" and "less"),
the option associated with each value is learnt from other items.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from horsesense.core import Item
from horsesense.cues.battery import NO_KEYS, Keys, keys, learnt, with_label
from horsesense.cues.table import Table
from horsesense.cues.tokens import distinct, new_vocabulary, spread, tokens
from horsesense.lexicons.word_forms import COMPARATIVES, negations
from horsesense.lexicons.words import FUNCTION_WORDS, words, zipf

_CONCLUSION = re.compile(r",\s*(?:so|therefore|thus|hence)\b\s*", re.IGNORECASE)


def halves(context: str, item: Item) -> tuple[str, str]:
    """Split a statement into premise and conclusion; two empty strings if it does not have both.

    >>> halves("A is wet, so B is ___ dry", Item(probe="p", form="cloze", text="A is wet, so B is ___ dry"))
    ('A is wet', 'B is ___ dry')
    """
    if item.form == "pair":
        return item.premise, item.text
    parts = _CONCLUSION.split(context)
    return (", ".join(parts[:-1]), parts[-1]) if len(parts) > 1 else ("", "")


def entity_order_of(premise: str, conclusion: str) -> int:
    """Return 1 if two entities keep their order from premise to conclusion, 0 if they swap, -1 without two.

    An entity is a word that both halves contain; among several, the two rarest are taken, because the entities of such
    statements are made-up words or names.

    >>> entity_order_of("kuna is wet and xdivmaf is dry", "xdivmaf is likely to burn than kuna")
    0
    """
    before, after = _bare(premise), _bare(conclusion)
    both = set(before) & set(after) - FUNCTION_WORDS - COMPARATIVES.keys()
    if len(both) < 2:
        return -1
    first, second = sorted(both, key=lambda word: (zipf(word), word))[:2]
    return int((before.index(first) < before.index(second)) == (after.index(first) < after.index(second)))


def _bare(text: str) -> list[str]:
    """Return words without the possessive: the entity of "kuna's house" is kuna."""
    return [word.removesuffix("'s") for word in words(text)]


def _codes(table: Table, code: Callable[[str, str], int]) -> Keys:
    """Cross a code of the item's two halves with its options."""
    if not table.closed:
        return NO_KEYS
    split = (halves(context, item) for context, item in zip(table.contexts, table.items, strict=True))
    codes = (code(premise, conclusion) if premise else -1 for premise, conclusion in split)
    return with_label(table, np.fromiter(codes, dtype=np.int64, count=len(table)))


def _parity(*texts: str) -> int:
    return sum(negations(words(text)) for text in texts) % 2


@learnt("that the order of the two entities predicts, learnt from other items")
def entity_order(table: Table) -> Keys:
    """Whether the two entities keep their order from premise to conclusion."""
    return _codes(table, entity_order_of)


@learnt("that is right most often in other items with the same parity of negations")
def negation(table: Table) -> Keys:
    """Whether the number of negations is odd."""
    return _codes(table, _parity)


@learnt("that the order of the two entities and the negation predict, learnt from other items")
def entity_order_xor_negation(table: Table) -> Keys:
    """Order of the entities, reversed by a negation in the conclusion."""

    def code(premise: str, conclusion: str) -> int:
        order = entity_order_of(premise, conclusion)
        return order if order < 0 else order ^ _parity(conclusion)

    return _codes(table, code)


@learnt("that is right most often in other items whose premise has such a comparative")
def premise_comparative(table: Table) -> Keys:
    """Valence of the first comparative in the premise."""

    def code(premise: str, _: str) -> int:
        return next((COMPARATIVES[word] + 1 for word in words(premise) if word in COMPARATIVES), -1)

    return _codes(table, code)


@learnt("that is right most often in other items with the same word overlap of premise and conclusion")
def conclusion_overlap(table: Table) -> Keys:
    """Share of the conclusion's words that the premise contains, in quarters."""

    def code(premise: str, conclusion: str) -> int:
        after = set(words(conclusion))
        return int(4 * len(after & set(words(premise))) / len(after)) if after else -1

    return _codes(table, code)


@learnt("that is right most often in other items whose conclusion is negated alike")
def conclusion_negation(table: Table) -> Keys:
    """Whether the conclusion, or the hypothesis, has a negation; the premise is ignored."""
    return _codes(table, lambda _, conclusion: min(negations(words(conclusion)), 1))


@learnt("that is right most often in other items whose conclusion has the same length")
def conclusion_length(table: Table) -> Keys:
    """Length of the conclusion, or the hypothesis, in words."""
    return _codes(table, lambda _, conclusion: min(len(words(conclusion)), 30))


@learnt("that is right most often in other items")
def answer_prior(table: Table) -> Keys:
    """Frequency of the same text as the correct answer in other items."""
    return keys(table.text_of)


def _slot(table: Table, name: str) -> Keys:
    """Cross the value of an item's slot (a facet, or else a group) with the labels."""
    if not table.closed:
        return NO_KEYS
    numbers: dict[str, int] = {}
    codes = []
    for item in table.items:
        value = item.facets.get(name, item.groups.get(name))
        codes.append(-1 if value is None else numbers.setdefault(str(value), len(numbers)))
    return with_label(table, np.array(codes, dtype=np.int64))


@learnt("that is right most often in other items with the same whole")
def whole(table: Table) -> Keys:
    """Answer of other items with the same whole."""
    return _slot(table, "whole")


@learnt("that is right most often in other items with the same part")
def part(table: Table) -> Keys:
    """Answer of other items with the same part."""
    return _slot(table, "part")


@learnt("that is right most often in other items with the same adjective")
def adjective(table: Table) -> Keys:
    """Answer of other items with the same adjective."""
    return _slot(table, "adjective")


@learnt("that is right most often in other items whose hypothesis has the same words")
def hypothesis_words(table: Table) -> Keys:
    """Labels of other items whose hypothesis has the same words; the premise is ignored."""
    if not table.closed or not table.labels.any():
        return NO_KEYS
    sets = distinct(tokens((item.text if item.form == "pair" else "" for item in table.items), new_vocabulary()))
    option, position = spread(sets.lengths[table.item_of], sets.starts[table.item_of])
    return Keys(sets.codes[position].astype(np.int64) * len(table.texts) + table.text_of[option], option)
