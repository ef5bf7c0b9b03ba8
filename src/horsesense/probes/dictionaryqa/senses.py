"""Senses that can be asked about, word by word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random

from horsesense.knowledge.graph import Graph
from horsesense.language.frequency import zipf
from horsesense.language.words import words
from horsesense.probes.wordnetqa.context import find_form

_LONG = 9
"""A word of so many letters that nobody has seen is two words run together."""
_LONGEST = 60
"""Words of an example; a longer one is a page of a book."""

Sense = tuple[int, str, str]
"""The sense, an example, and the word as it stands there."""


def words_with_senses(graph: Graph, chance: Random, rejected: Counter[str]) -> Iterator[list[Sense]]:
    """For each word, in an order that chance decides, its senses with a sound example; at least two."""
    known = sorted(graph.by_lemma)
    chance.shuffle(known)
    for word in known:
        told = [concept for concept in graph.by_lemma[word] if graph.examples[concept]]
        if len(told) < 2:
            rejected["sense: the word has no other sense with an example"] += len(told)
            continue
        senses = list(_sound(graph, told, rejected))
        if len(senses) > 1:
            yield senses
        else:
            rejected["sense: the word has no other sense with an example"] += len(senses)


def _sound(graph: Graph, senses: list[int], rejected: Counter[str]) -> Iterator[Sense]:
    seen: set[str] = set()
    for sense in senses:
        definition = graph.definitions[sense]
        if definition in seen:
            rejected["sense: the same definition as another of the word"] += 1
            continue
        seen.add(definition)
        if runs_together(definition, graph):
            rejected["sense: the definition has words that nobody knows"] += 1
            continue
        for example in graph.examples[sense]:
            form = find_form(example, graph.lemmas[sense], graph.pos[sense])
            short = form and len(form.split()) < len(example.split()) <= _LONGEST
            if form and short and not runs_together(example, graph):
                yield sense, example, form
                break
        else:
            rejected["sense: the word stands in no sound example"] += 1


def runs_together(text: str, graph: Graph) -> bool:
    """Whether a long word of the text is neither in the dictionary nor in any use: the mark of a gap."""
    long = (word for word in words(text) if len(word) >= _LONG)
    return any(zipf(word) == 0 and word not in graph.by_lemma for word in long)
