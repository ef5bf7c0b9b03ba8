"""A shared word replaced by its antonym: the sensible sentence becomes nonsense and the other sense (table 5)."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from horsesense.language.comparatives import PAIRS
from horsesense.probes.cats.duals.pair import Dual, Pair


@cache
def antonyms() -> dict[str, str]:
    """Words and their antonyms, both ways; where a word has two, the first of the list counts."""
    listed = files(__package__).joinpath("antonyms.txt").read_text(encoding="utf-8")
    pairs = [(one, other) for one, other in map(str.split, listed.splitlines())] + list(PAIRS)
    found: dict[str, str] = {}
    for one, other in pairs:
        found.setdefault(one, other)
        found.setdefault(other, one)
    return found


def substitute_antonym(pair: Pair) -> Dual | None:
    """Replace the first shared word that has an antonym.

    >>> from horsesense.probes.cats.duals.pair import pair_of
    >>> substitute_antonym(pair_of(("Guests mostly like music.", "Guests barely like music."))).options
    ('Guests mostly hate music.', 'Guests barely hate music.')
    """
    for place, word in pair.shared():
        other = antonyms().get(word)
        if other is not None:
            told = f"antonym: {word} > {other}"
            return Dual(pair.edited(place, 1, (other,)), "substitute", told, True)
    return None
