"""A shared word replaced by its antonym: the sensible sentence becomes nonsense and the other sense (table 5)."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from horsesense.language.comparatives import PAIRS
from horsesense.language.words import listed
from horsesense.probes.cats.duals.pair import Dual, Pair

_BEFORE_VERBS = frozenset(
    listed("to can could will would shall should may might must do does did cannot can't won't don't doesn't didn't")
)
_BEFORE_ADJECTIVES = frozenset(
    listed(
        "is are was were be been being am very too so quite rather keep keeps kept stay stays stayed feel feels felt"
    )
)
"""Words behind which "open" is a state. A determiner tells less: "the light" is mostly a lamp."""

_BY_CLASS: dict[str, tuple[str, str]] = {
    "open": ("closed", "close"),
    "closed": ("open", ""),
    "slow": ("fast", ""),
    "empty": ("full", ""),
    "light": ("heavy", ""),
    "lower": ("higher", "raise"),
    "shorter": ("", ""),
}
"""Words whose antonym depends on what they are: as an adjective, and as a verb (empty: there is none that
fits; who is not shorter is taller, and what is not shorter is longer)."""


@cache
def antonyms() -> dict[str, str]:
    """Words and their antonyms, both ways; where a word has two, the first of the list counts."""
    known = files(__package__).joinpath("antonyms.txt").read_text(encoding="utf-8")
    pairs = [(one, other) for one, other in map(str.split, known.splitlines())] + list(PAIRS)
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
    >>> substitute_antonym(pair_of(("Use a key to open it.", "Use a sock to open it."))).options
    ('Use a key to close it.', 'Use a sock to close it.')
    """
    for place, word in pair.shared():
        other = _here(pair, place, word) if word in _BY_CLASS else antonyms().get(word)
        if other:
            told = f"antonym: {word} > {other}"
            return Dual(pair.edited(place, 1, (other,)), "substitute", told, True)
    return None


def _here(pair: Pair, place: int, word: str) -> str:
    """The antonym of a word of several classes, by the word before it in both sentences; empty where unclear."""
    before = [_before(words, place) for words in pair.words]
    as_adjective, as_verb = _BY_CLASS[word]
    if all(each in _BEFORE_ADJECTIVES for each in before):
        return as_adjective
    return as_verb if all(each in _BEFORE_VERBS for each in before) else ""


def _before(words: tuple[str, ...], place: int) -> str:
    at = place if place >= 0 else len(words) + place
    return words[at - 1].lower() if at else ""
