"""Stems of words, so that *materialistically* and *materialistic* match, and paraphrases of texts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from horsesense.lexicons.words import FUNCTION_WORDS, words

LETTERS = 4
"""A stem is so many letters: what inflection and derivation leave of nearly every English word."""
_PREFIX = re.compile(r"^(?:un|in|im|ir|il|non|dis|mis|re|pre|over|under|out|fore|sub|super|counter|anti|self)(?=\w{4})")
_HALF = 0.5
"""Share of the shorter text's stems that the other has too, from which on one paraphrases the other."""


@lru_cache(maxsize=500_000)
def stems_of(word: str) -> frozenset[str]:
    """The stems of a lower-case word: of its parts, with and without a prefix; none for a function word.

    >>> sorted(stems_of("unhappily"))
    ['happ', 'unha']
    """
    found: set[str] = set()
    for part in word.replace("'s", "").split("-"):
        if part in FUNCTION_WORDS or not part:
            continue
        if len(part) == LETTERS and part.endswith("s") and not part.endswith("ss"):
            part = part[:-1]  # huts and hut
        found.add(part[:LETTERS])
        bare = _PREFIX.sub("", part)
        if bare != part:
            found.add(bare[:LETTERS])
    return frozenset(found)


@lru_cache(maxsize=200_000)
def stems(text: str) -> frozenset[str]:
    """The stems of all words of a text.

    >>> sorted(stems("In a materialistic manner"))
    ['mann', 'mate']
    """
    return frozenset(stem for word in words(text) for stem in stems_of(word))


def with_derived(text: str, derived: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """The stems of a text and of words derived from its words, which may have others: *speak* and *speech*."""
    others = (other for word in words(text) for other in derived.get(word, ()))
    return stems(text).union(*map(stems, others))


@lru_cache(maxsize=200_000)
def beginnings(text: str) -> frozenset[str]:
    """The first three letters of each word with content: *fetus* and *fetal* share no stem, and yet look alike.

    >>> sorted(beginnings("of or relating to a fetus"))
    ['fet', 'rel']
    """
    return frozenset(word[: LETTERS - 1] for word in words(text.replace("-", " ")) if word not in FUNCTION_WORDS)


def looks_alike(text: str, name: str) -> bool:
    """Whether a word of a name begins like a word of a text, or one contains the other: *spoon*, *tablespoon*.

    >>> looks_alike("a spoon for soup", "tablespoon"), looks_alike("a spoon for soup", "ladle")
    (True, False)
    """
    if not beginnings(text).isdisjoint(beginnings(name)):
        return True
    inside = any(len(stem) == LETTERS and stem in name.lower() for stem in stems(text))
    return inside or any(len(stem) == LETTERS and stem in text.lower() for stem in stems(name))


@lru_cache(maxsize=500_000)
def spelt_alike(one: str, other: str) -> bool:
    """Whether half of the letters of the longer word need no edit: *weasel* and *measles*.

    >>> spelt_alike("weasel", "measles"), spelt_alike("weasel", "stoat")
    (True, False)
    """
    longer = max(len(one), len(other))
    if min(len(one), len(other)) < LETTERS or 2 * len(set(one) & set(other)) < longer - 2 or one in FUNCTION_WORDS:
        return False
    above = list(range(len(other) + 1))
    for row, letter in enumerate(one, start=1):
        here = [row]
        for column, against in enumerate(other, start=1):
            changed = above[column - 1] + (letter != against)
            here.append(min(above[column] + 1, here[-1] + 1, changed))
        above = here
    return 2 * above[-1] <= longer


def paraphrases(one: frozenset[str], other: frozenset[str], share: float = _HALF) -> bool:
    """Whether two texts, given by their stems, say nearly the same: half of the shorter is in the longer.

    >>> paraphrases(stems("a feeling of great joy"), stems("a great and joyous feeling"))
    True
    >>> paraphrases(stems("a state of great joy"), stems("a state of the union"))
    False
    """
    common = len(one & other)
    fewest = min(len(one), len(other))
    return common > 0 and common >= share * fewest and (common > 1 or fewest == 1)
