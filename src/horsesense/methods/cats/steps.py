"""Inference steps by rule: the logical operations of a sentence (section "Number of Inference Steps").

The paper's example has "and", "but" and "since" between its clauses and is counted as three steps. So each word that
joins clauses is one operation, and so is each sentence that follows another, and "is against common sense", which
denies a quoted statement (table 1 writes it ¬). A sentence without any is one step: to see that it holds. Clause
boundaries are found from words alone: no parser is needed to count connectives.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from horsesense.lexicons.words import AUXILIARIES, listed, word_spans

SUBJECTS = frozenset(listed("i you he she it we they there someone everyone nobody people this that"))
JOINING = frozenset(listed("because but although though whereas unless if therefore so while when"))
"""Words that always join clauses."""
MAYBE_JOINING = frozenset(listed("and or before after since until as"))
"""Words that join clauses or only words: "and" in "bread and butter", "before" in "before noon"."""
_NOT_A_CLAUSE = {"because": "of", "so": "that", "as": "well"}

_PAST = frozenset(
    listed(
        "left went came saw took gave got made said told knew found felt ran fell broke put sat stood met lost won "
        "bought brought thought heard kept held ate drank sold began wrote became let set paid sent spent"
    )
)
"""Frequent pasts without -ed."""
_SHORTEST = 3
"""Words that come before "and" where it joins clauses; after fewer, it joins the parts of a subject."""
_NEXT_SENTENCE = re.compile(r"[.?!][\"')”]*\s+(?=[\"'(“]?\w)")
_DENIED = "is against common sense"


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text, its position, and whether a comma precedes it."""

    text: str
    start: int
    end: int
    after_comma: bool


def words_of(text: str) -> list[Word]:
    """Split a text into words without punctuation; a word records the comma before it."""
    words: list[Word] = []
    mark = ""
    for start, end in word_spans(text):
        piece = text[start:end]
        if not piece[0].isalnum():
            mark = piece
            continue
        words.append(Word(piece, start, end, mark in (",", ";", "—", "-")))
        mark = ""
    return words


def connectives(text: str) -> list[Word]:
    """Return the words that join clauses, in order.

    >>> [word.text for word in connectives("Bread and butter fell because he slept and she was out.")]
    ['because', 'and']
    """
    words = words_of(text)
    return [word for place, word in enumerate(words) if place and joins(words, place)]


def joins(words: Sequence[Word], place: int) -> bool:
    """Return whether the word at an index joins two clauses."""
    word, following = words[place].text.lower(), [each.text.lower() for each in words[place + 1 :]]
    if not following or _NOT_A_CLAUSE.get(word) == following[0]:
        return False
    if word == "so":
        # "so wide that" is a degree; "so he left" and "…, so" join.
        return words[place].after_comma or following[0] in SUBJECTS
    if word in JOINING:
        return True
    if word not in MAYBE_JOINING:
        return False
    near = (words[place - 1].text.lower() if place else "", following[0])
    # "and since", "but when": both words of such a pair join.
    if not JOINING.isdisjoint(near) or not MAYBE_JOINING.isdisjoint(near):
        return True
    if word in ("and", "or") and place < _SHORTEST and following[0] not in SUBJECTS:
        return False
    return (word == "and" and words[place].after_comma) or _has_verb(following)


def _has_verb(following: Sequence[str]) -> bool:
    """Whether a clause of its own follows: a subject, or a verb that shows itself, before the next connective."""
    if following[0].replace("’", "'").partition("'")[0] in SUBJECTS:
        return True
    for word in following[:6]:
        if word in JOINING | MAYBE_JOINING:
            return False
        if word in AUXILIARIES | _PAST or word.endswith("n't") or (word.endswith("ed") and len(word) > 4):
            return True
    return False


def steps(sentence: str) -> int:
    """Count the logical operations of a sentence.

    >>> steps("Trains are slow and they cost a lot, but since they are clean, we should take them.")
    3
    >>> steps("a spoon is used for eating soup"), steps("He opens the box. He looks in.")
    (1, 1)
    """
    operations = len(connectives(sentence)) + len(_NEXT_SENTENCE.findall(sentence)) + sentence.count(_DENIED)
    return max(1, operations)
