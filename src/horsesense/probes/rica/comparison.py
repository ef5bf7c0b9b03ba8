"""What a comparison says, whatever its words: which pair of comparatives, which pole."""

from __future__ import annotations

from dataclasses import replace

from horsesense.errors import UserError, unknown
from horsesense.language.comparatives import OPPOSITES, PAIR_OF
from horsesense.probes.rica.forms import Axiom, Comp, Not, plain

Pair = tuple[str, str]
"""The two poles of a scale, the greater or better one first."""


def pair_of(word: str) -> Pair:
    """The pair that a comparative belongs to, in lower case.

    >>> pair_of("Harder"), pair_of("More")
    (('easier', 'harder'), ('more', 'less'))
    """
    found = PAIR_OF.get(plain(word).lower())
    if found is None:
        near = unknown("comparative", word, OPPOSITES).fix
        raise UserError(f"the comparative {plain(word)!r} has no opposite", fix=near)
    return found


def one_scale(word: str) -> str:
    """The comparative by which others with the same opposite are known: they cannot be told apart by it.

    >>> one_scale("Larger"), one_scale("Longer"), one_scale("Shorter")
    ('Bigger', 'Taller', 'Shorter')
    """
    if not is_upper(word):
        return word
    first = opposite(opposite(word))
    return word if first.lower() == plain(word).lower() else first


def is_upper(word: str) -> bool:
    """Whether a comparative is the first pole of its pair."""
    return pair_of(word)[0] == plain(word).lower()


def opposite(word: str) -> str:
    """The other pole, with the same capital.

    >>> opposite("Less"), opposite("before")
    ('More', 'after')
    """
    other = pair_of(word)[int(is_upper(word))]
    return other.capitalize() if plain(word)[:1].isupper() else other


def flipped(comparison: Comp) -> Comp:
    """The same comparison with the other pole."""
    return replace(comparison, word=opposite(comparison.word))


def claim(axiom: Axiom) -> Comp:
    """What the conclusion says without its negations: no ties, so not less is more."""
    term, denied = axiom.conclusion, False
    while isinstance(term, Not):
        term, denied = term.term, not denied  # type: ignore[assignment]  # the parser saw to it
    assert isinstance(term, Comp)
    return flipped(term) if denied else term
