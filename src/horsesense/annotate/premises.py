"""Premise pairs: two texts that differ in exactly one word (winoventi.txt, 2.5)."""

from __future__ import annotations

import re

from horsesense.errors import UserError

BETWEEN = " || "
"""Stands between the two texts of a pair in a judgement."""
LONGEST = 400

_CORE = re.compile(r"^(\W*)(.*?)(\W*)$", re.DOTALL)
_ARTICLES = {"a", "an"}


def _parts(word: str) -> tuple[str, str, str]:
    found = _CORE.match(word)
    assert found is not None, "the pattern matches any text"
    return found[1], found[2], found[3]


def differing_word(one: str, other: str) -> tuple[str, str]:
    """The words in which two texts differ, or an error that says why they are no pair.

    *A* and *an* go with the word that follows: they are not a difference of their own.

    >>> differing_word("She stood by a stove.", "She stood by an oven.")
    ('stove', 'oven')
    """
    first, second = one.split(), other.split()
    if not first or not second:
        raise UserError("a text is empty", fix="write both texts")
    if len(first) != len(second):
        raise UserError(
            f"one text has {len(first)} words and the other {len(second)}", fix="change one word into one other word"
        )
    apart = [place for place, (a, b) in enumerate(zip(first, second, strict=True)) if a != b]
    if not apart:
        raise UserError("the two texts are the same", fix="change one word")
    for place in apart:
        (before, a, after), (also_before, b, also_after) = _parts(first[place]), _parts(second[place])
        if (before, after) != (also_before, also_after) or a.casefold() == b.casefold():
            raise UserError("the texts differ in more than words", fix="keep punctuation and capitals the same")
    cores = [(_parts(first[place])[1], _parts(second[place])[1]) for place in apart]
    if len(apart) == 2 and apart[1] == apart[0] + 1 and {word.casefold() for word in cores[0]} == _ARTICLES:
        return cores[1]
    if len(apart) > 1:
        told = ", ".join(f"{a}/{b}" for a, b in cores[:4])
        raise UserError(f"{len(apart)} words differ ({told})", fix="let only one word differ")
    if {word.casefold() for word in cores[0]} == _ARTICLES:
        raise UserError("only a and an differ", fix="change the word that follows")
    return cores[0]


def joined_pair(one: str, other: str) -> str:
    """The pair as one value, checked."""
    one, other = (" ".join(text.split()) for text in (one, other))
    if BETWEEN.strip() in one + other:
        raise UserError(f"a text holds {BETWEEN.strip()!r}", fix="leave it out")
    if not all(text[:1].isalnum() or text[:1] in "\"'“‘" for text in (one, other) if text):
        raise UserError("a text does not begin with a word", fix="write a sentence")
    if max(len(one), len(other)) > LONGEST:
        raise UserError(f"a text is longer than {LONGEST} characters", fix="keep it short")
    differing_word(one, other)
    return one + BETWEEN + other
