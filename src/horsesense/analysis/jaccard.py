"""How alike two models' associations are: the mean Jaccard similarity over nouns (winoventi.txt, 2.2 and table 4)."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

from horsesense.errors import UserError
from horsesense.records.document import Document


@dataclass(frozen=True, slots=True)
class Similarity(Document):
    """How alike the associations of models are."""

    models: tuple[str, ...]
    """In the order of rows and columns."""
    matrix: tuple[tuple[float, ...], ...]
    """Mean Jaccard similarity of each pair."""


def jaccard(one: Set[str], other: Set[str]) -> float:
    """Shared words over all words; two empty sets are the same set.

    The release splits the empty cell of its tables into one word, the empty one, so that "no association"
    is an association like any other: shared where both models have none, and alien to every real word.

    >>> jaccard({"hot", "empty"}, {"empty"}), jaccard(set(), set()), jaccard(set(), {"hot"})
    (0.5, 1.0, 0.0)
    """
    either = one | other
    return len(one & other) / len(either) if either else 1.0


def jaccard_table(columns: Sequence[Sequence[Set[str]]]) -> list[list[float]]:
    """Mean similarity of each pair of models, given for each model its words of each noun, nouns in one order.

    Sums go noun by noun in that order: the released tables then come out to the last bit.

    >>> jaccard_table([[{"hot"}, set()], [{"hot"}, {"cold"}]])
    [[1.0, 0.5], [0.5, 1.0]]
    """
    lengths = {len(column) for column in columns}
    if len(lengths) > 1:
        raise UserError("the models were asked about different numbers of nouns", fix="compare them on the same nouns")
    if lengths <= {0}:
        raise UserError("there is no noun to compare models on")
    table = [[1.0] * len(columns) for _ in columns]
    for row, one in enumerate(columns):
        for place in range(row + 1, len(columns)):
            total = 0.0
            for words, others in zip(one, columns[place], strict=True):
                total += jaccard(words, others)
            table[row][place] = table[place][row] = total / len(one)
    return table
