"""Arguments swapped around a verb: a symmetric one keeps what is sensible, an asymmetric one turns it round."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from horsesense.language.negation import is_negation
from horsesense.language.valence import COMPARATIVES
from horsesense.language.words import AUXILIARIES, DETERMINERS, HEDGES, PREPOSITIONS, PRONOUNS
from horsesense.probes.cats.duals.pair import Dual, Pair

_MOST_WORDS = 4
"""Longer phrases hold clauses of their own, which a swap would tear apart."""

_IN_CLAUSES = AUXILIARIES | HEDGES | PREPOSITIONS | PRONOUNS
"""Words that no plain noun phrase has."""


@cache
def _relations() -> list[tuple[str, str]]:
    """Relations with their kind, the longest first, since "is" may begin several."""
    lines = files(__package__).joinpath("relations.txt").read_text(encoding="utf-8").splitlines()
    listed = [line.split(" ", 1) for line in lines if line and not line.startswith("#")]
    compared = [["asymmetric", f"{verb} {word} than"] for word in COMPARATIVES for verb in ("is", "are")]
    found = [(relation, kind) for kind, relation in listed + compared]
    return sorted(found, key=lambda each: -len(each[0]))


def swap_arguments(pair: Pair) -> Dual | None:
    """Turn "X relation Y" into "Y relation X" in both sentences.

    >>> from horsesense.probes.cats.duals.pair import pair_of
    >>> dual = swap_arguments(pair_of(("A cow is bigger than a hen.", "A cow is bigger than a whale.")))
    >>> dual.options, dual.flips
    (('A hen is bigger than a cow.', 'A whale is bigger than a cow.'), True)
    """
    for relation, kind in _relations():
        one, other = (_swapped(text, relation) for text in pair.texts)
        if one and other:
            return Dual((one, other), "swap", f"{kind}: {relation}", kind == "asymmetric")
    return None


def _swapped(text: str, relation: str) -> str:
    parts = re.split(rf"\b{re.escape(relation)}\b", text.strip())
    if len(parts) != 2:
        return ""
    end = re.search(r"[.!?]*$", parts[1])
    mark = end[0] if end else ""
    left, right = parts[0].strip(), parts[1].strip().removesuffix(mark).strip()
    if not _is_phrase(left) or not _is_phrase(right):
        return ""
    begins = text[:1].isupper()
    first = left.split()[0]
    if begins and first.lower() in DETERMINERS | PRONOUNS:
        left = left[:1].lower() + left[1:]
    if begins:
        right = right[:1].upper() + right[1:]
    return f"{right} {relation} {left}{mark}"


def _is_phrase(text: str) -> bool:
    """Whether a text can be a noun phrase: short, and without a verb, a pronoun or a preposition.

    >>> _is_phrase("the brown cow"), _is_phrase("he used a spoon to")
    (True, False)
    """
    words = text.lower().split()
    plain = not any(word in _IN_CLAUSES or is_negation(word) for word in words)
    return 0 < len(words) <= _MOST_WORDS and plain and "," not in text
