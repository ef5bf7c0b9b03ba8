"""A shared word of a generic statement replaced by its opposite ("Sub" of table 6): proposals, for people to judge.

How often (usually, rarely), how many (most, few), whether it is liked, and what follows "is" in one clause. Other
antonyms change what the sentence is about, and not which of two sentences is sensible.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from horsesense.methods.cats.generics import is_generic, is_kind
from horsesense.methods.cats.sentence_pairs import Dual, Pair

_BEFORE = frozenset(("is", "are", "a", "an", "very", "be", "usually", "often"))


@cache
def _opposites() -> dict[str, dict[str, str]]:
    """By kind (often, many, verb, predicate), words with their opposites; of two, the first of the list counts."""
    text = files(__package__).joinpath("opposites.txt").read_text(encoding="utf-8")
    opposites: dict[str, dict[str, str]] = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            kind, word, opposite = line.split()
            opposites.setdefault(kind, {}).setdefault(word, opposite)
    return opposites


def substitute_opposite(pair: Pair) -> Dual | None:
    """Replace the first shared word that has an opposite where it stands.

    >>> from horsesense.methods.cats.sentence_pairs import pair_of
    >>> substitute_opposite(pair_of(("People usually sleep at night.", "People usually sleep at work."))).options
    ('People rarely sleep at night.', 'People rarely sleep at work.')
    >>> substitute_opposite(pair_of(("The tea was hot.", "The ice was hot.")))
    """
    if not all(map(is_generic, pair.texts)):
        return None
    for place, word in pair.shared():
        opposite = _here(pair, place, word)
        if opposite:
            edit = f"opposite: {word} > {opposite}"
            return Dual(pair.edited(place, 1, (opposite,)), "substitute", edit, True)
    return None


def _here(pair: Pair, place: int, word: str) -> str:
    """The opposite of a word as it stands in both sentences; empty where it has none there."""
    before = [[each.lower() for each in words[: place if place >= 0 else len(words) + place]] for words in pair.words]
    kinds = _opposites()
    subject_ends = all(is_kind([each for each in words if each not in kinds["often"]]) for words in before)
    if word in kinds["often"] and subject_ends:
        return kinds["often"][word]
    if word in kinds["verb"] and subject_ends:
        return kinds["verb"][word]
    if word in kinds["many"] and all(words in ([], ["there", "are"]) for words in before) and not _of(pair, place):
        return kinds["many"][word]
    if word in kinds["predicate"] and all(_is_predicate(words) for words in before):
        return kinds["predicate"][word]
    return ""


def _of(pair: Pair, place: int) -> bool:
    """Whether "of" follows: "most of the surface" has no "few"."""
    return any(words[place + 1 : place + 2] == ("of",) for words in pair.words)


def _is_predicate(before: list[str]) -> bool:
    """Whether the words before an adjective end in "is", "are a", "is very", behind a kind of thing."""
    at = next((place for place, word in enumerate(before) if word in ("is", "are")), None)
    return at is not None and is_kind(before[:at]) and all(word in _BEFORE for word in before[at:])
