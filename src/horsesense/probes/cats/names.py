"""Whether names keep their capitals: the release writes "ida" where it puts a name for a pronoun."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from horsesense.language.words import FUNCTION_WORDS, listed
from horsesense.probes.cats.clauses import Word, words_of

_WITH_NOUNS = frozenset(listed("a an the these those some my your his her its our their"))
"""What stands before a common noun; a name stands alone."""


def names_told(options: Sequence[str]) -> str:
    """How the names in a set of sentences are written: ``lowered``, ``kept``, or ``none`` where there is none.

    A word without a determiner that stands in lower case here and with a capital elsewhere is a lowered name.

    >>> names_told(["Ida thanked Ruth, since ida was glad.", "Ida thanked Ruth, since ruth was glad."])
    'lowered'
    >>> names_told(["Ida thanked Ruth, since Ida was glad.", "Ida thanked Ruth, since Ruth was glad."])
    'kept'
    >>> names_told(["The jar fell because the jar was wet.", "The jar fell because the lid was wet."])
    'none'
    """
    texts = [(option, words_of(option)) for option in options]
    capitals = {_bare(word) for _, words in texts for word in words if word.text[0].isupper()} - {""}
    inside = {_bare(word) for text, words in texts for word in words if _is_name(text, word)}
    for _, words in texts:
        for before, word in pairwise(words):
            if word.text.islower() and _bare(word) in capitals and before.text.lower() not in _WITH_NOUNS:
                return "lowered"
    return "kept" if inside else "none"


def _bare(word: Word) -> str:
    """The word without the mark of possession, in lower case; empty for a word that no name could be.

    >>> _bare(Word("Tina's", 0, 6, False)), _bare(Word("The", 0, 3, False))
    ('tina', '')
    """
    bare = word.text.replace("’", "'").partition("'")[0].lower()
    return "" if bare in FUNCTION_WORDS or len(bare) < 2 else bare


def _is_name(text: str, word: Word) -> bool:
    """Whether a capital stands where a sentence does not ask for one."""
    begins = not text[: word.start].strip(" \"'“(") or text[: word.start].rstrip(" \"'“(")[-1:] in ".?!:"
    return word.text[0].isupper() and not begins and bool(_bare(word))
