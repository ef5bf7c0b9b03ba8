"""The words of a text, in lower case, for counting."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")


def words(text: str) -> list[str]:
    """Lower-case words without punctuation; a curly apostrophe counts as a straight one.

    >>> words("The well-known trip wasn’t long.")
    ['the', 'well-known', 'trip', "wasn't", 'long']
    """
    return _WORD.findall(text.lower().replace("’", "'"))


def listed(text: str) -> tuple[str, ...]:
    """The words of a list that is written down with spaces between them.

    >>> listed("no not never")
    ('no', 'not', 'never')
    """
    return tuple(text.split())
