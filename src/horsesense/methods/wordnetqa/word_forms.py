"""Forms of a word in an example: "squatted" for squat, "sat down" for sit down."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from horsesense.lexicons.graph import Graph

_UNIVERSAL = {"n": "NOUN", "v": "VERB", "a": "ADJ", "s": "ADJ", "r": "ADV"}


def find_form(sentence: str, lemmas: Iterable[str], pos: str, endings: Sequence[str] = ()) -> str | None:
    """Return the first lemma in the sentence, as written there; ``endings`` are those of its language.

    >>> find_form("They sat down on the oxen's cart", ["squat", "sit down"], "v")
    'sat down'
    >>> find_form("Two mother-in-laws, both kind", ["kindly"], "r") is None
    True
    """
    low = sentence.lower()
    for lemma in lemmas:
        for form in with_endings(lemma.lower(), endings) if endings else word_forms(lemma.lower(), pos):
            start = low.find(form)
            while start >= 0:
                end = start + len(form)
                if not _in_word(low, start - 1) and not _in_word(low, end):
                    return sentence[start:end]
                start = low.find(form, start + 1)
    return None


def with_endings(lemma: str, endings: Sequence[str]) -> list[str]:
    """A lemma with each ending, longest first.

    >>> with_endings("hund", ["", "e", "en"])
    ['hunden', 'hunde', 'hund']
    """
    return sorted({lemma + ending for ending in endings}, key=lambda form: (-len(form), form))


def standing_lemmas(graph: Graph, concept: int, sentence: str) -> list[str]:
    """Return the words of a concept that a sentence has in any form, and those that they can be forms of."""
    pos = graph.pos[concept]
    forms = [(lemma, find_form(sentence, [lemma], pos)) for lemma in graph.lemmas[concept]]
    return [word for lemma, form in forms if form for word in {lemma.lower(), *base_forms(form, pos)}]


@lru_cache(maxsize=100_000)
def base_forms(word: str, pos: str) -> tuple[str, ...]:
    """The words that a form can be a form of, itself included.

    >>> base_forms("hands", "n")
    ('hand', 'hands')
    """
    from lemminflect import getAllLemmas

    universal = _UNIVERSAL.get(pos)
    found = getAllLemmas(word.lower(), universal) if universal and word.isalpha() else {}
    return tuple(sorted({word.lower(), *(lemma.lower() for lemmas in found.values() for lemma in lemmas)}))


def _in_word(text: str, place: int) -> bool:
    return 0 <= place < len(text) and (text[place].isalnum() or text[place] in "-_")


@lru_cache(maxsize=200_000)
def word_forms(lemma: str, pos: str) -> tuple[str, ...]:
    """A lemma and its inflected forms, longest first; of a phrase its head is inflected.

    >>> word_forms("sit down", "v")
    ('sitting down', 'sits down', 'sat down', 'sit down')
    """
    words = lemma.split(" ")
    if pos == "v":
        head, phrase = words[0], (lambda form: " ".join([form, *words[1:]]))
    else:
        head, phrase = words[-1], (lambda form: " ".join([*words[:-1], form]))
    inflected = {lemma, *map(phrase, _inflected(head, pos))}
    return tuple(sorted(inflected, key=lambda form: (-len(form), form)))


def _inflected(word: str, pos: str) -> set[str]:
    from lemminflect import getAllInflections, getAllInflectionsOOV

    universal = _UNIVERSAL.get(pos)
    if universal is None or not word.isalpha():
        return set()
    known = getAllInflections(word, universal) or getAllInflectionsOOV(word, universal)
    return {form.lower() for forms in known.values() for form in forms}
