"""Names that nobody has heard of: pronounceable and plain strings of letters."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from functools import cache, lru_cache
from random import Random

from horsesense.errors import UserError
from horsesense.lexicons.words import listed, zipf

SHORTEST, LONGEST = 3, 12
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_STARTS = listed("b bl br d dr f fl fr g gl gr j k kl kr l m n p pl pr q r s sk sl sn sp st str t tr v w x z zh")
_VOWELS = listed("a e i o u oo ee ai ou y")
_ENDS = ("", "", "", *listed("b d f g k l m n p r rb rk rg sk st t x z ng nk"))
_NAME = re.compile(r"[^\W_]+")
_PIECE = 5
"""Letters of the pieces that words are known by: to look through all words takes a millisecond a name."""


@cache
def _all_words() -> str:
    import wordfreq

    return "\n".join(wordfreq.get_frequency_dict("en"))


@cache
def _pieces() -> frozenset[str]:
    words = _all_words().split("\n")
    return frozenset(word[k : k + _PIECE] for word in words for k in range(len(word) - _PIECE + 1))


def _in_a_word(name: str) -> bool:
    pieces = _pieces()
    if any(name[k : k + _PIECE] not in pieces for k in range(len(name) - _PIECE + 1)):
        return False
    return name in _all_words()


def is_novel(name: str, words: Collection[str] = frozenset()) -> bool:
    """Return whether a string is neither a word nor a piece of one.

    Vocabularies of models hold frequent pieces of words, so what occurs in none of 320,000 words is not a single
    token of theirs: one list does for all models. ``words`` are more that must not be met, WordNet's or a model's.

    >>> is_novel("xdivmaf"), is_novel("table"), is_novel("tabl")
    (True, False, False)
    """
    return zipf(name) == 0 and name not in words and not _in_a_word(name)


@lru_cache(maxsize=8)  # the parts of a study draw the same names
def novel_names(count: int, seed: int = 0, words: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """So many different names, pronounceable and plain ones by turns.

    >>> novel_names(3, seed=1) == novel_names(3, seed=1), len(set(novel_names(50)))
    (True, 50)
    """
    chance = Random(f"novel names {seed}")
    names: dict[str, None] = {}
    candidates = _candidates(chance)
    while len(names) < count:
        name = next(candidates)
        if is_novel(name, words):
            names[name] = None
    return tuple(names)


def _candidates(chance: Random) -> Iterator[str]:
    while True:
        yield _pronounceable(chance)
        yield "".join(chance.choices(_LETTERS, k=chance.randint(SHORTEST, LONGEST)))


def _pronounceable(chance: Random) -> str:
    while True:
        syllables = range(chance.randint(1, 4))
        name = "".join(chance.choice(_STARTS) + chance.choice(_VOWELS) + chance.choice(_ENDS) for _ in syllables)
        if SHORTEST <= len(name) <= LONGEST:
            return name


def check_names(names: Collection[str], words: Collection[str] = frozenset()) -> None:
    """An error that names the first of a user's names that is a word."""
    for line, name in enumerate(names, start=1):
        if not name.isalpha():
            raise UserError(f"the entity {name!r} is not made of letters", line=line, fix="one name a line")
        if zipf(name.lower()) > 0 or name.lower() in words:
            raise UserError(f"the entity {name!r} is a word", line=line, fix="take one that nobody has heard of")
    if len(set(names)) < max(2, len(names)):
        raise UserError("there are fewer than two entities, or one is repeated", fix="give at least two different ones")


def rename_entities(text: str, names: Mapping[str, str]) -> str:
    """Rename the entities of a text.

    >>> rename_entities("wob is zim's boss, so wob is ___ busy than zim", {"wob": "Ann", "zim": "Bob"})
    "Ann is Bob's boss, so Ann is ___ busy than Bob"
    """
    return _NAME.sub(lambda name: names.get(name[0], name[0]), text)
