"""Words that deny."""

from __future__ import annotations

from collections.abc import Iterable

from horsesense.language.words import listed

NEGATIONS = frozenset(
    listed(
        "no not never none nobody nothing nowhere neither nor without cannot hardly scarcely barely lack lacks lacking"
    )
)


def is_negation(word: str) -> bool:
    """Whether a lower-case word denies; the contractions in n't do.

    >>> [w for w in ("can't", "knot", "never") if is_negation(w)]
    ["can't", 'never']
    """
    return word in NEGATIONS or word.endswith("n't")


def negations(words: Iterable[str]) -> int:
    """How many words deny."""
    return sum(map(is_negation, words))
