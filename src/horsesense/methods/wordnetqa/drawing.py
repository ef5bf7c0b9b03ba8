"""What is taken and what is left out: a small set that is balanced in itself, and which words a rule is hard on.

In a part of a balanced set an answer is no longer wrong four times for each time it is right. So a limit draws
questions, and these share their own answers. Some find no distractors among so few; then more are drawn. Rules that
are hard on some words change what a set is about; the card says how hard.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from horsesense.lexicons.frequency import zipf
from horsesense.lexicons.graph import Graph
from horsesense.lexicons.words import words

Made = TypeVar("Made")

_FACTORS = (1, 2, 3, 4, 6, 8, 12)
"""How many times the limit is drawn, until nearly as many items come of it."""
_ENOUGH = 0.9
_FREQUENCIES = ((4.0, "Zipf 4 or more"), (3.0, "Zipf 3 to 4"), (0.0, "Zipf below 3"))
_SENSES = ((5, "5 senses or more"), (2, "2 to 4 senses"), (1, "1 sense"))


def drawn_within(limit: int, attempt: Callable[[int], Made], items: Callable[[Made], Sequence[object]]) -> Made:
    """The largest attempt with at most ``limit`` items; ``attempt`` is told how many items' worth to draw.

    >>> drawn_within(10, lambda drawn: list(range(drawn // 3)), list)
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    """
    best = attempt(limit)
    for factor in _FACTORS[1:]:
        if len(items(best)) >= _ENOUGH * limit:
            break
        made = attempt(limit * factor)
        grown = len(items(made)) - len(items(best))
        if len(items(made)) > limit or (grown == 0 and len(items(best))):  # or there is no more to draw
            break
        best = made if grown > 0 else best
    return best


def dropped_by_word(graph: Graph, considered: Iterable[int], kept: frozenset[int]) -> dict[str, int]:
    """For each kind of word, how many of the concepts that could be asked were dropped and kept."""
    counts: Counter[str] = Counter()
    for concept in considered:
        word = graph.lemmas[concept][0].lower()
        frequency = min(map(zipf, words(word)), default=0.0)
        senses = len(graph.by_lemma[word])
        band = ", ".join(
            next(name for least, name in bands if value >= least)
            for value, bands in ((frequency, _FREQUENCIES), (senses, _SENSES))
        )
        counts[f"words, {band}: {'kept' if concept in kept else 'dropped'}"] += 1
    return dict(sorted(counts.items()))
