"""Cues of overlap: what an option shares with the question, and with the other options."""

from __future__ import annotations

import numpy as np

from horsesense.analysis.cues.battery import number
from horsesense.analysis.cues.table import Table
from horsesense.analysis.cues.tokens import Floats


@number("that shares the most words with the question", "that shares the fewest words with the question")
def shared_words(table: Table) -> Floats:
    """Words with content that the question has too."""
    return table.matches.shared


@number("with the most of its words in the question", "with the fewest of its words in the question")
def overlap(table: Table) -> Floats:
    """Share of its words with content that the question has too."""
    shared, content = table.matches.shared, table.matches.content
    share = np.full(len(shared), np.nan)
    np.divide(shared, content, out=share, where=content > 0)
    return share


@number("that shares the most word pairs with the question", "that shares the fewest word pairs with the question")
def shared_bigrams(table: Table) -> Floats:
    """Pairs of adjacent words that the question has too."""
    return table.matches.bigrams


@number("whose first word stands in the question", "whose first word does not stand in the question")
def first_word_shared(table: Table) -> Floats:
    """Whether the question has its first word."""
    return table.matches.first


@number("that is most like the other options", "that is least like the other options")
def like_the_others(table: Table) -> Floats:
    """Share of its words that the other options have too."""
    return table.matches.others


@number("that is offered most often in the whole probe", "that is offered least often in the whole probe")
def offered(table: Table) -> Floats:
    """How many items offer the same text."""
    return np.bincount(table.text_of, minlength=len(table.texts))[table.text_of].astype(np.float64)
