"""Edits whose key follows by logic: swapped and converse comparisons; and what WordNet says is what.

A comparison on one scale is a total order: of two things that differ, one is bigger. So "x is bigger than y" and "y is
bigger than x" are never both true nor both false, and "x is smaller than y" says the same as the second. Containing,
causing or eating are no orders: that x does not contain z does not make z contain x.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from horsesense.errors import UserError
from horsesense.lexicons.comparatives import OPPOSITES, PAIRS
from horsesense.lexicons.inflection import is_known, singular
from horsesense.lexicons.negation import is_negation
from horsesense.lexicons.words import AUXILIARIES, DETERMINERS, HEDGES, PREPOSITIONS, PRONOUNS, listed, words
from horsesense.methods.cats.sentence_pairs import Dual, Pair

if TYPE_CHECKING:
    from horsesense.lexicons.graph import Graph

SCALES = frozenset(word for pair in PAIRS for word in pair) - {
    "better",
    "worse",
    "easier",
    "harder",
    "safer",
    "riskier",
}
"""Comparatives of one measurable scale; better and easier depend on for whom and for what."""
_COMPARED = re.compile(
    r"(?P<left>.+?) (?P<be>is|are) (?P<not>not )?(?P<more>\w+) than (?P<right>.+?)(?P<end>[.!?]*)\s*"
)
_ISA = re.compile(
    r"(?:the |an? )?(?P<thing>[\w -]+?) (?:(?:is|are) an? (?:(?:kind|type|form|sort) of )?(?P<kind>[\w -]+)"
    r"|are (?P<kinds>[\w -]+s))[.]*"
)
_NUMBERS = frozenset(listed("zero one two three four five six seven eight nine ten eleven twelve twenty fifty ninety"))
_MOST_WORDS = 7
"""Longer phrases hold clauses of their own, which a swap would tear apart."""
_IN_CLAUSES = AUXILIARIES | HEDGES | (PREPOSITIONS - {"of"}) | PRONOUNS
"""Words that no plain noun phrase has."""


class Compared(NamedTuple):
    """A comparison of two things on one scale."""

    left: str
    be: str
    more: str
    right: str
    end: str


def compared(text: str) -> Compared | None:
    """The comparison that a sentence is, where it is nothing else and denies nothing.

    >>> compared("A cow is bigger than a hen.").right, compared("A cow contains a hen.")
    ('a hen', None)
    """
    match = _COMPARED.fullmatch(text.strip())
    if match is None or match["not"] or match["more"].lower() not in SCALES:
        return None
    if not _is_phrase(match["left"]) or not _is_phrase(match["right"]):
        return None
    return Compared(match["left"], match["be"], match["more"], match["right"], match["end"])


def _is_phrase(text: str) -> bool:
    """Whether a text can be a noun phrase: short, and without a verb, a pronoun or a preposition.

    >>> _is_phrase("the brown cow"), _is_phrase("he used a spoon to")
    (True, False)
    """
    each = text.lower().split()
    plain = not any(word in _IN_CLAUSES or is_negation(word) for word in each)
    return 0 < len(each) <= _MOST_WORDS and plain and "," not in text


def swap_arguments(pair: Pair) -> Dual | None:
    """Turn "X is bigger than Y" into "Y is bigger than X" in both sentences.

    >>> from horsesense.methods.cats.sentence_pairs import pair_of
    >>> dual = swap_arguments(pair_of(("A cow is bigger than a hen.", "A cow is bigger than a whale.")))
    >>> dual.options, dual.flips, dual.status
    (('A hen is bigger than a cow.', 'A whale is bigger than a cow.'), True, 'proved')
    """
    first, second = (compared(text) for text in pair.texts)
    if first is None or second is None:
        return None
    options = _swapped(first, pair.texts[0]), _swapped(second, pair.texts[1])
    if set(options) == set(pair.texts):
        return None  # the same question once more
    return Dual(options, "swap", f"arguments swapped: {first.more}", True, "order")


def _swapped(each: Compared, text: str) -> str:
    left, right = each.left, each.right
    if text[:1].isupper():
        if _is_common(left.split()):
            left = left[:1].lower() + left[1:]
        right = right[:1].upper() + right[1:]
    be = "are" if _is_many(each.right) else "is"
    return f"{right} {be} {each.more} than {left}{each.end}"


def _is_common(phrase: Sequence[str]) -> bool:
    """Whether a phrase is no name, so that its capital is that of a sentence."""
    first = phrase[0].lower()
    return first in DETERMINERS | _NUMBERS or (is_known(first) and not any(word[:1].isupper() for word in phrase[1:]))


def _is_many(phrase: str) -> bool:
    head = phrase.lower().partition(" of ")[0].split()[-1]
    return singular(head) != head


def converse(pair: Pair) -> Dual | None:
    """Replace a comparative by the other pole of its scale in both sentences.

    >>> from horsesense.methods.cats.sentence_pairs import pair_of
    >>> converse(pair_of(("A cow is bigger than a hen.", "A cow is bigger than a whale."))).options
    ('A cow is smaller than a hen.', 'A cow is smaller than a whale.')
    """
    if not all(compared(text) for text in pair.texts):
        return None
    for place, word in pair.shared():
        # Who is not shorter is taller, and what is not shorter is longer.
        if word in SCALES and word != "shorter" and place != -1:
            edit = f"other pole: {word} > {OPPOSITES[word]}"
            return Dual(pair.edited(place, 1, (OPPOSITES[word],)), "substitute", edit, True, "order")
    return None


# WordNet's isa.


def is_isa(pair: Pair) -> bool:
    """Whether WordNet has one of the sentences and, in no sense of their words, the other: "a rose is a flower"."""
    claims = [_claim(text) for text in pair.texts]
    if any(claim is None for claim in claims):
        return False
    held = [_holds(*claim) for claim in claims if claim is not None]
    return None not in held and sorted(bool(each) for each in held) == [False, True]


def _claim(text: str) -> tuple[str, str] | None:
    match = _ISA.fullmatch(" ".join(text.lower().split()))
    if match is None or any(is_negation(word) for word in words(text)):
        return None
    thing, kind = singular(match["thing"]), singular(match["kind"] or match["kinds"])
    return (thing, kind) if len(thing.split()) <= 2 and len(kind.split()) <= 2 else None


@cache
def _holds(thing: str, kind: str) -> bool | None:
    """Whether some sense of the thing lies below some sense of the kind; None where WordNet lacks a word."""
    graph = _wordnet()
    if graph is None:
        return None
    things, kinds = (
        [concept for concept in graph.by_lemma.get(word, ()) if graph.pos[concept] == "n"] for word in (thing, kind)
    )
    if not things or not kinds:
        return None
    return any(not graph.up.reached(concept).isdisjoint(kinds) for concept in things)


@cache
def _wordnet() -> Graph | None:
    from horsesense.lexicons.sources import open_graph

    try:
        return open_graph("wordnet")
    except UserError:  # without WordNet nothing of isa is proved
        return None
