"""Which concept of WordNet an option names: by its knowledge id, its gloss, its list of words, or as a bare word."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from horsesense.analysis.cues.tokens import Ints
from horsesense.knowledge.taxonomy import Taxonomy, definition_key
from horsesense.records import Item

_DEFINED = re.compile(r"^(?P<word>.+?)(?: \(or (?P<others>.+?)\))?(?: event)?, defined as ['‘](?P<gloss>.+)['’]\W*$")
_LONGEST_NAME = 80
"""Characters; nothing longer is the name of a concept."""


def place_of_concepts(items: Sequence[Item], texts: Sequence[str], text_of: Ints, taxonomy: Taxonomy) -> Ints:
    """Flat: the place in WordNet of each option's concept, or -1. A given knowledge id goes before the text."""
    named = np.array([place_of_text(text, taxonomy) for text in texts], dtype=np.int64)
    places = named[text_of]
    flat = 0
    for item in items:
        for number, concept in enumerate(item.concepts):
            places[flat + number] = taxonomy.place.get(concept, places[flat + number])
        flat += len(item.options)
    return places


def place_of_text(text: str, taxonomy: Taxonomy) -> int:
    """The place of the concept that a text names, or -1."""
    defined = _DEFINED.match(text)
    if defined:
        words = {defined["word"].lower(), *(defined["others"] or "").lower().split(", ")}
        return _best(taxonomy.by_definition.get(definition_key(defined["gloss"]), []), words, taxonomy)
    if len(text) <= _LONGEST_NAME:
        name = text.strip().rstrip(".").lower()
        if found := taxonomy.senses.get(name):
            return found[0]
        words = set(name.split(", "))
        first = taxonomy.senses.get(name.partition(", ")[0], []) if len(words) > 1 else []
        for place in first:
            if words <= {lemma.lower() for lemma in taxonomy.lemmas[place]}:
                return place
    same = taxonomy.by_definition.get(definition_key(text), [])
    return same[0] if same else -1


def _best(places: Sequence[int], words: set[str], taxonomy: Taxonomy) -> int:
    """Of the synsets with the same gloss, the one that shares the most words."""
    if not places:
        return -1
    return max(places, key=lambda place: len(words & {lemma.lower() for lemma in taxonomy.lemmas[place]}))
