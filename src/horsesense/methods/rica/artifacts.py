"""What WordNet says about things and people of a knowledge base: classes, definitions, and whether two are unlike."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from horsesense.lexicons.graph import Graph
from horsesense.lexicons.sources import open_graph
from horsesense.lexicons.word_forms import inflect, lemmas_of, singular
from horsesense.lexicons.wordnet import find_wordnet
from horsesense.lexicons.words import FUNCTION_WORDS, listed, words, zipf

ARTIFACT, PERSON = "artifact.n.01", "person.n.01"
_BROAD = 250
"""Maximum number of hyponyms of a class whose members count as alike."""
_COMMON = 3.0
"""Minimum Zipf frequency of a thing."""
_MASS_GAP = 1.5
"""Difference in Zipf frequency from which the plural of a noun is too rare for a count noun."""
_GENERAL = 40
"""Maximum number of hyponyms of a thing: an *instrument* may be for anything."""
_SENSES = 3
"""Number of senses of a verb that count, the usual ones first."""
_USED = frozenset(listed("use used make made put give get take keep help allow provide people person thing something"))
"""Words that definitions and purposes of all kinds share."""


@cache
def _wordnet() -> Graph | None:
    return None if find_wordnet() is None else open_graph("wordnet")


def _senses(word: str, pos: str) -> list[int]:
    """Return the senses of a word that is not a name: *barber*, and not the composer."""
    graph = _wordnet()
    found = () if graph is None else graph.senses.get(word, ())
    return [i for i in found if graph is not None and f".{pos}." in graph.ids[i] and word in graph.lemmas[i]]


@cache
def _classes(noun: str) -> frozenset[int]:
    """Return the usual sense of a noun and all its hypernyms."""
    graph, usual = _wordnet(), _senses(noun, "n")[:1]
    return frozenset() if graph is None else frozenset({*usual, *(up for i in usual for up in graph.up.reached(i))})


@cache
def _is_a(noun: str, name: str) -> bool:
    graph = _wordnet()
    return graph is not None and graph.number.get(name) in _classes(noun)


def is_person(noun: str) -> bool:
    """Return whether the usual sense of a noun is a person."""
    return _is_a(noun, PERSON)


@cache
def is_artifact(noun: str) -> bool:
    """Return whether a noun is a common count noun for something that people make: no name, plural or general word."""
    graph, last = _wordnet(), noun.rpartition(" ")[2]
    if graph is None or not all(word.isalpha() and zipf(word) >= _COMMON for word in noun.split(" ")):
        return False
    several = next(iter(inflect(last, "NNS")), "")
    countable = singular(noun) == noun and several != last and zipf(last) - zipf(several) <= _MASS_GAP
    special = all(graph.hyponyms[i] <= _GENERAL for i in _senses(noun, "n")[:1])
    return countable and special and _is_a(noun, ARTIFACT)


@cache
def content_lemmas(text: str) -> frozenset[str]:
    """Return the lemmas of the content words of a text.

    >>> sorted(content_lemmas("cutting the loaves"))
    ['cut', 'cutting', 'loaf']
    """
    kept = [word for word in words(text) if word not in FUNCTION_WORDS]
    lemmas = {lemma for word in kept for several in lemmas_of(word).values() for lemma in several[:1]}
    return frozenset((lemmas or set(kept)) - _USED)


@cache
def definition_lemmas(noun: str) -> frozenset[str]:
    """Return the content lemmas of the definition of a noun's usual sense; empty without one."""
    graph, usual = _wordnet(), _senses(noun, "n")[:1]
    return content_lemmas(graph.definitions[usual[0]]) if graph is not None and usual else frozenset()


@cache
def _verb_senses(verb: str) -> frozenset[int]:
    """Return the usual senses of a verb, with all verbs above them but the most general."""
    graph = _wordnet()
    if graph is None:
        return frozenset()
    senses = _senses(verb, "v")[:_SENSES]
    return frozenset({*senses, *(up for i in senses for up in graph.up.reached(i) if graph.hyponyms[up] <= _BROAD)})


def are_unlike(thing: str, holder: str, purpose: str, uses: Iterable[str]) -> bool:
    """Return whether a thing is certainly not for a purpose that its holder serves.

    Both are in no common narrow class, and neither names the other. No known use of the thing shares a content word or
    a verb meaning with the purpose, and its definition does not name the purpose.
    """
    graph, asked = _wordnet(), content_lemmas(purpose)
    if graph is None or not definition_lemmas(thing) or set(thing.split()) & {*holder.split(), *asked}:
        return False
    shared = _classes(thing) & _classes(holder)
    if any(graph.hyponyms[i] <= _BROAD for i in shared) or asked & definition_lemmas(thing):
        return False
    verb = _verb_senses(purpose.split(" ")[0])
    return not any(asked & content_lemmas(use) or verb & _verb_senses(use.split(" ")[0]) for use in uses)
