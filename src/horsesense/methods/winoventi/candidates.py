"""Where candidates for exceptions come from, beside people and writers (winoventi.txt, 2.3): tables and facts.

A candidate is no more than a word that may be the opposite; `plausibility` says which are kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from horsesense.lexicons.conceptnet import read_conceptnet
from horsesense.lexicons.frequency import zipf
from horsesense.methods.winoventi.associations import Association
from horsesense.methods.winoventi.circumstances import Circumstances
from horsesense.methods.winoventi.lexicon import Lexicon
from horsesense.methods.winoventi.nouns import Noun
from horsesense.methods.winoventi.schemas import Triplet

_PREFIXES = ("un", "in", "im", "il", "ir", "non", "dis")
_ENDINGS = (("ful", "less"), ("less", "ful"))
_NOT_RELATIONS = ("NotHasProperty", "NotCapableOf", "NotIsA", "NotMadeOf", "NotHasA")
_FEWEST = 2.0
"""Zipf frequency that a word made up by morphology needs, to be a word."""
_FAR_FEWEST = 3.5
"""The same for one that is only similar to an opposite: most of those are words that nobody uses."""


def from_table(association: Association, noun: Noun, table: Circumstances) -> list[Triplet]:
    """States that our table of circumstances sets against the association, for nouns of this type."""
    return [_triplet(association, other, "table") for other in table.opposites(noun, association.word)]


def from_lexicon(association: Association, lexicon: Lexicon) -> list[Triplet]:
    """WordNet's antonyms, those of similar words, and negations by form."""
    opposites = [
        (other, "similar" if steps else "antonym")
        for other, steps in lexicon.opposites(association.word).items()
        if not steps or zipf(other) >= _FAR_FEWEST
    ]
    opposites += [(other, "morphology") for other in morphological(association.word)]
    return [_triplet(association, other, origin) for other, origin in opposites if other.isalpha()]


@cache
def morphological(word: str) -> list[str]:
    """Negations of a word by its form, where people use the result.

    >>> morphological("edible"), morphological("unsafe"), morphological("useful")
    (['inedible'], ['safe'], ['useless'])
    """
    made = [prefix + word for prefix in _PREFIXES]
    made += [word.removeprefix(prefix) for prefix in _PREFIXES if word.startswith(prefix)]
    made += [word.removesuffix(ending) + other for ending, other in _ENDINGS if word.endswith(ending)]
    return [each for each in made if len(each) > 3 and zipf(each) >= _FEWEST and _is_negation(word, each)]


def _is_negation(word: str, other: str) -> bool:
    """Both must be adjectives by form: *inside* is no negation of *side*."""
    import lemminflect

    return all("ADJ" in lemminflect.getAllLemmas(each) for each in (word, other))


def from_facts(association: Association, denied: Mapping[str, Sequence[str]]) -> list[Triplet]:
    """What ConceptNet denies of the noun: that a knife is not *soft* makes soft a candidate."""
    words = [word for word in denied.get(association.noun, ()) if word != association.word]
    return [_triplet(association, word, "conceptnet") for word in words]


def read_denied(path: Path) -> dict[str, list[str]]:
    """Noun → single words that ConceptNet's Not-relations deny of it."""
    denied: dict[str, list[str]] = {}
    for fact in read_conceptnet([path]).facts:
        if fact.relation in _NOT_RELATIONS and fact.tail.isalpha() and fact.tail not in denied.get(fact.head, ()):
            denied.setdefault(fact.head, []).append(fact.tail)
    return denied


def from_kin(association: Association, given: Mapping[str, Mapping[str, Sequence[str]]]) -> list[Triplet]:
    """What people gave for the same association of other nouns (generic → exception → nouns)."""
    return [_triplet(association, other, "kin") for other in given.get(association.word, ())]


def _triplet(association: Association, word: str, origin: str) -> Triplet:
    return Triplet(association.noun, association.word, word, origin, association.k)
