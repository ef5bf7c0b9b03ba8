"""Words of a text with their positions, closed word classes, and frequency."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from functools import cache

_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_WORD_OR_MARK = re.compile(r"\w+(?:['’\-]\w+)*|[^\w\s]")


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


def word_spans(text: str) -> list[tuple[int, int]]:
    """Start and end of each word; a punctuation mark is a word of its own, an inner one is not.

    Tokenizers disagree on words ("18th" is two for RoBERTa, "two-week" three for BERT), so
    nothing that is compared across models may rest on theirs.

    >>> text = "The two-week trip wasn't long."
    >>> [text[start:end] for start, end in word_spans(text)]
    ['The', 'two-week', 'trip', "wasn't", 'long', '.']
    """
    return [match.span() for match in _WORD_OR_MARK.finditer(text)]


def words_between(text: str, first: int, last: int) -> int:
    """How many words of `word_spans` begin in a stretch of a text, which alone is looked at.

    >>> words_between("The two-week trip wasn't long.", 4, 17)
    2
    """
    # No word has a space in it, so that one at each side of the stretch is far enough.
    begin, end = text.rfind(" ", 0, first) + 1, text.find(" ", last)
    starts = [match.start() for match in _WORD_OR_MARK.finditer(text, begin, len(text) if end < 0 else end)]
    return max(0, bisect_left(starts, last) - bisect_left(starts, first))


CONJUNCTIONS = listed(
    "and but or so because although though while since unless until if when whereas therefore "
    "however yet for before after as than then nor thus hence despite"
)
"""In this order a text with several is known by the first of the list that it has."""

DETERMINERS = frozenset(listed("a an the this that these those"))
PRONOUNS = frozenset(
    listed(
        "i you he she it we they me him her us them my your his its our their mine yours hers ours theirs "
        "myself yourself himself herself itself ourselves themselves someone something"
    )
)
PREPOSITIONS = frozenset(
    listed(
        "of in to on at by with from into onto over under about between through during against among "
        "within without across behind beside near off out up down"
    )
)
AUXILIARIES = frozenset(
    listed("is are was were be been being am do does did has have had will would can could shall should may might must")
)
HEDGES = frozenset(
    listed("usually often sometimes generally mostly typically may might could probably some most many few")
)
"""Words that hedge a claim."""
ABSOLUTES = frozenset(
    listed("always never all every only none must everyone everything nobody nothing entirely completely")
)
"""Words that make a claim absolute."""

FUNCTION_WORDS = DETERMINERS | PRONOUNS | PREPOSITIONS | AUXILIARIES | {*CONJUNCTIONS, "not", "no", "there"}


@cache
def _table() -> dict[str, float]:
    import wordfreq

    table: dict[str, float] = wordfreq.get_frequency_dict("en")
    return table


@cache
def zipf(word: str) -> float:
    """Frequency of a lower-case word; 0 for one that nobody has seen.

    Compounds take the frequency of their rarest part: "well-known" is a spelling, not a rare word.

    >>> round(zipf("apple"), 1), zipf("xdivmaf")
    (4.8, 0.0)
    """
    share = _table().get(word)
    if share is not None:
        return max(0.0, math.log10(share) + 9)
    parts = word.split("-")
    return min(map(zipf, parts)) if len(parts) > 1 else 0.0
