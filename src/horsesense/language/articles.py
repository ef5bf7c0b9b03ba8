"""a or an."""

from __future__ import annotations

import re

_VOWEL = re.compile(r"(?:[aeio]|u(?!n[iu](?!n)|s[aeiu]|r[aeiou]|t[ei]|k|f|b[io]))|(?:hour|honest|honou?r|heir)")
_NOT_VOWEL = re.compile(r"(?:eu|ewe|one(?!i)|once|ouija)")


def article(word: str) -> str:
    """The indefinite article before a word, by its usual sound.

    >>> [article(word) for word in ("owl", "unicorn", "umbrella", "hour", "european", "university", "easier")]
    ['an', 'a', 'an', 'an', 'a', 'a', 'an']
    """
    lower = word.lower()
    return "an" if _VOWEL.match(lower) and not _NOT_VOWEL.match(lower) else "a"


def with_article(phrase: str) -> str:
    """The phrase with its indefinite article.

    >>> with_article("alligator")
    'an alligator'
    """
    return f"{article(phrase)} {phrase}"
