"""Cues of the answer's prior: what is right elsewhere is right here."""

from __future__ import annotations

import numpy as np

from horsesense.analysis.cues.battery import NO_KEYS, Keys, keys, learnt, with_label
from horsesense.analysis.cues.table import Table
from horsesense.analysis.cues.tokens import distinct, new_vocabulary, spread, tokens


@learnt("that is right most often in other items")
def answer_prior(table: Table) -> Keys:
    """How often the same text is right in other items."""
    return keys(table.text_of)


def _slot(table: Table, name: str) -> Keys:
    """The value of a slot of each item (a facet, or else a group), crossed with the labels."""
    if not table.closed:
        return NO_KEYS
    numbers: dict[str, int] = {}
    codes = []
    for item in table.items:
        value = item.facets.get(name, item.groups.get(name))
        codes.append(-1 if value is None else numbers.setdefault(str(value), len(numbers)))
    return with_label(table, np.array(codes, dtype=np.int64))


@learnt("that goes with the same whole in other items")
def whole(table: Table) -> Keys:
    """The answer that the same whole has in other items."""
    return _slot(table, "whole")


@learnt("that goes with the same part in other items")
def part(table: Table) -> Keys:
    """The answer that the same part has in other items."""
    return _slot(table, "part")


@learnt("that goes with the same adjective in other items")
def adjective(table: Table) -> Keys:
    """The answer that the same adjective has in other items."""
    return _slot(table, "adjective")


@learnt("that goes with the words of the hypothesis in other items")
def hypothesis_words(table: Table) -> Keys:
    """The label that the words of the hypothesis have elsewhere; the premise is not read."""
    if not table.closed or not table.labels.any():
        return NO_KEYS
    sets = distinct(tokens((item.text if item.form == "pair" else "" for item in table.items), new_vocabulary()))
    option, place = spread(sets.lengths[table.item_of], sets.starts[table.item_of])
    return Keys(sets.codes[place].astype(np.int64) * len(table.texts) + table.text_of[option], option)
