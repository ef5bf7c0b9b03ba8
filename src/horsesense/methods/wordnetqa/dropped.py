"""What a controlled set leaves out, by how frequent the asked words are and how many senses they have.

Rules that are hard on some words change what a set is about; the card says how hard.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from horsesense.knowledge.graph import Graph
from horsesense.language.frequency import zipf
from horsesense.language.words import words

_FREQUENCIES = ((4.0, "Zipf 4 or more"), (3.0, "Zipf 3 to 4"), (0.0, "Zipf below 3"))
_SENSES = ((5, "5 senses or more"), (2, "2 to 4 senses"), (1, "1 sense"))


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
